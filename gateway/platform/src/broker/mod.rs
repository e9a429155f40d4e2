//! The gateway's side of the secret broker: a handle for other parts, and the process if this gateway starts it.
//!
//! *Invariant: nothing here can read a secret back; the contract has no call for it.* If `broker.socket` is set, a
//! broker under its own user serves there (deploy/systemd/roost-broker.service). Otherwise `roost serve` starts one
//! beside itself, which ends with this process.

mod child;
pub mod credential;
mod handle;
pub mod outbox;

pub use child::{Embedded, child};
pub use credential::{Credential, CredentialError, Credentials};
pub use handle::{BrokerError, BrokerHandle};
