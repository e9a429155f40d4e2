//! The only crate that knows the container engine: hardened sandboxes and their proof.

pub mod executor;
