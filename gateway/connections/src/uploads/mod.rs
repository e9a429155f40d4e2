//! Uploads: files of a person that a run begins with, without any code host.
//!
//! Invariants: an archive is read from a file without a name, so that nothing of it stays when the gateway dies. Nothing is
//! unpacked on the gateway: its entries go to the secret broker, which makes a repository with one commit of them. Each
//! entry is checked before it is sent, and the limits count while it is read. The repository lies at the broker below a
//! credential that opens nothing: it is made, kept and deleted as credentials are, so no failure leaves half of it. Tables:
//! `uploads`. In the tree: nothing.

mod commands;
mod context;
mod dto;
pub(crate) mod entity;
mod error;
mod model;
mod routes;
mod store;
mod unpack;

pub use commands::{create, forget_unused, remove_all, source};
pub use context::{UploadLimits, UploadsContext, Work};
pub use dto::{Upload, UploadBounds};
pub use entity::Model;
pub use error::UploadError;
pub(crate) use model::path;
pub use routes::router;
pub use store::{find, from_before};
