//! Connections: apps, doors, repositories, mesh networks.

pub mod apps;
pub mod checkouts;
pub mod doors;
mod mesh;
pub mod repos;
