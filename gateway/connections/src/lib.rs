//! The connections wing: everything that leads out of a workspace: apps, approvals (doors), repositories, their
//! checkouts in sandboxes, and private networks.

pub mod apps;
pub mod checkouts;
pub mod doors;
pub mod mesh;
pub mod repos;
mod tables;
pub mod uploads;

pub use tables::tables;
