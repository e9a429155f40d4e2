//! The deployment's catalogue of images: one for each recipe of `deploy/agent-image`, and those that the configuration
//! names. It belongs to the deployment, so every workspace sees the same one.
//!
//! Invariants: only the configuration and the gateway's own engine decide what an image is; what a workspace's machine
//! reports is shown for that machine, and changes nothing for others. A name of the catalogue wins over a reference
//! with the same text. A machine that lacks an image fetches it by its digest. Table:
//! `images`; folder: `images` in the data directory. In the tree: `sandboxes/images`, which writes what the gateway's engine
//! has, and `sandboxes/image-packer`, which packs what machines ask for.

mod archives;
mod catalogue;
mod context;
mod download;
mod dto;
pub(crate) mod entity;
mod lacks;
mod recipes;
mod record;
mod routes;
mod store;

pub use archives::{Archives, FOLDER};
pub use catalogue::{Catalogue, Chosen, IMAGE_NAME, NamedImage, is_name};
pub use context::ImagesContext;
pub use lacks::{Here, Kind as LackKind, Lack, Need, Wanted, lacks};
pub use record::recorder;
pub use routes::router;
