//! Sandboxes of draining machines: each is saved, and with `move` it ends there and begins elsewhere when it is needed.
//!
//! Invariants: the wish is a row of the machine, so a drain continues after a restart, and each step reads the rows again.
//! A sandbox ends only after the gateway has the snapshot of its files, when no command runs in it, and while the same
//! wish holds ([`work`]). A failure never ends a sandbox: its row says why, and the gateway tries again ([`model`]). A
//! machine is empty when it says so itself, no sandbox is left in the registry, and the gateway has the newest files of
//! each owner ([`mod@round`]). Column: `agent_containers.drain`.

mod dto;
mod facts;
mod model;
mod round;
mod routes;
mod store;
#[cfg(test)]
mod tests;
mod work;

pub(super) use round::{EVERY, round};
pub(super) use routes::router;
