//! Properties of each state machine on its own; the simulation tests how they work together.

mod admission;
mod clean;
mod contact;
mod drain;
mod handshake;
mod lease;
mod ledger;
mod operation;
mod output;
mod session;
mod stdin;
mod validate;
