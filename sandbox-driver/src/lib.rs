//! The only crate that uses the container engine: hardened sandboxes and the proof of their hardening.
//!
//! * [`driver`]: the [`Driver`], a cheap clone; one verb a file beside it: `provision`, [`link`] (attach), [`exec`],
//!   `destroy`, `health`, `list`, `sweep`, [`watch`], [`verify`], [`image`].
//! * [`policy`] and [`seccomp`]: the whole hardening as data; `create` sends it, `inspect` compares it.
//! * [`total`]: the total of all sandboxes, enforced by the kernel.
//! * `snapshot`: workspaces as chunks; [`archive`]: workspaces that older versions stored.
//! * [`engine`]: which engine answers; [`error`]: failures and what to do about them.
//! * [`image_archive`] and [`origin`]: images that a machine gets from its gateway.
//! * [`private`]: files and folders that only their owner can read.
//! * [`executor`]: operations with a ledger, above the driver.

pub mod archive;
pub mod chaos;
mod create;
mod destroy;
pub mod driver;
pub mod engine;
pub mod error;
pub mod exec;
pub mod executor;
mod health;
pub mod image;
pub mod image_archive;
mod inspect;
pub mod link;
mod list;
pub mod machine;
mod names;
pub mod origin;
mod podman;
pub mod policy;
pub mod private;
mod provision;
pub mod seccomp;
mod snapshot;
mod sweep;
pub mod total;
pub mod verify;
pub mod watch;

pub use archive::ArchiveStore;
pub use driver::Driver;
pub use engine::{EngineConfig, EngineFacts, EngineKind};
pub use error::DriverError;
pub use image::ImageState;
pub use link::{Events, GuestHello, GuestLink};
pub use provision::{ProvisionOptions, Restore};
pub use snapshot::{Remote, RemoteError, RemoteSnapshot, SnapshotStore};
pub use total::{Allowance, Enforcement, Host, KernelTotal};
pub use watch::{Gone, GoneHow};
