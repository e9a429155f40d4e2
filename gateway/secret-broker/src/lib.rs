//! What the gateway sees of the secret broker: the contract of its socket, and a client.
//!
//! The broker itself (keys, store, egress) is the program `roost-broker` in this package. Its modules belong to
//! `main.rs`, not to this library, so whoever links this library holds no code that opens a record.
//!
//! * [`wire`] is the contract: frames, verbs, names, faults. None of the answers carries a secret.
//! * [`outbound`] is how both programs leave the deployment: the address policy and the client that keeps it.
//! * [`client`] speaks it: pooled connections, calls, streaming forwards.

pub mod client;
pub mod outbound;
pub mod wire;
