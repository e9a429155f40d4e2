//! Supplies: the packages that a repository's lock files pin, for sandboxes without a network.
//!
//! Invariants: an address of a package comes from the settings of the operator and from the name and the version in the lock
//! file, never from an address in the lock file. Python's index answers with the addresses of the files; only hosts that the
//! operator names may have them. A package is kept only when it has the hash that its lock file pins, and its
//! hash is checked again when it is read. Packages that an agent added to a lock file come only when a person has approved
//! exactly these. The store belongs to one workspace, so it tells nothing about others. Parsers are
//! pure functions within bounds. Tables: none; `checkouts` records what came. In the tree: nothing; the work belongs to the
//! job of the step.

mod archive;
mod change;
mod fetch;
mod gather;
mod go;
mod layout;
mod locks;
mod model;
mod python;
mod settings;
mod shelf;

pub(crate) use change::{Added, Compared, MOST_NAMED, compared};
pub use change::{Package, Replaced};
pub(crate) use gather::{Asked, Gathered, allowed, gather, needs_python, unread};
pub(crate) use layout::{Layout, laid_out, use_words};
pub(crate) use locks::{MOST_FILES, MOST_LOCK, NAMES, kind, readable};
pub(crate) use model::{LeftOut, Pin, Report, State, Wish};
pub(crate) use python::Python;
pub(crate) use settings::host;
pub use settings::{Bounds, Registries, SuppliesContext, SuppliesSettings};
pub use shelf::{remove_half_written, remove_of, workspaces};
