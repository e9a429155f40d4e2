//! The connections wing: everything that leads out of a workspace: apps, approvals (doors), repositories, their
//! checkouts in sandboxes with the packages that they need, and private networks.

pub mod apps;
pub mod checkouts;
pub mod doors;
pub mod mesh;
pub mod repos;
pub mod supplies;
mod tables;
pub mod uploads;

pub use tables::tables;
