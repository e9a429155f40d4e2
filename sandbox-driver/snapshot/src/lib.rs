//! Snapshots of workspaces.
//!
//! ```text
//!  files ──cut──▶ chunks ──address, compress──▶ store        files of 64 KiB and more are cut where their content says so;
//!    │                                                        smaller files share a chunk
//!  tree (paths, modes, times; content as extents of chunks) ──cut──▶ chunks ──▶ store
//!    │
//!  root (the tree's chunks, counts, what was left out): its address is the snapshot's digest
//! ```
//!
//! Equal content has equal addresses within one tenant, so a snapshot stores only what changed. The address is a hash
//! with a key of the tenant: equal content of two tenants has different addresses. Each chunk is checked against its
//! address when it is read.
//!
//! This crate has no engine and no network. A machine keeps its chunks in [`packs`]; a gateway keeps them as objects.

pub mod address;
pub mod build;
pub mod chunk;
pub mod diff;
pub mod packs;
pub mod root;
pub mod tree;

pub use address::{Address, Tenant};
pub use root::Root;
pub use tree::{Entry, Extent, Node};
