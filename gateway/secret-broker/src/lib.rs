//! The gateway's part of the secret broker: the contract of its socket, and a client.
//!
//! The broker itself (keys, store, egress) is the program `roost-broker` in this package. Its modules belong to
//! `main.rs` and not to this library, so a program that links this library holds no code that opens a record.
//!
//! * [`wire`] is the contract: frames, verbs, names, faults. No answer carries a secret.
//! * [`outbound`] is how both programs make outbound connections: the address policy and the HTTP client that enforces
//!   it.
//! * [`client`] is the client: pooled connections, calls, streaming forwards.

pub mod client;
pub mod outbound;
pub mod wire;
