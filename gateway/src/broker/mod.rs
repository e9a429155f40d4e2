//! The gateway's end of the secret broker: a handle that other parts use, and the process where this gateway starts it.
//!
//! *Invariant: nothing here reads a secret back; the contract has no verb for it.* Where `broker.socket` is set, a broker
//! of its own user serves there (deploy/systemd/roost-broker.service). Otherwise `roost serve` starts one beside itself,
//! which ends when this process does.

mod child;
mod handle;
pub mod outbox;

pub use child::{Embedded, child};
pub use handle::{BrokerError, BrokerHandle};
