//! The product, a folder a noun. In each the same role files; see ARCHITECTURE.md.

pub mod apps;
pub mod audit;
pub mod auth;
pub mod claws;
pub mod doors;
pub mod fleet;
pub mod live;
pub mod mesh;
pub mod operator;
pub mod repos;
pub mod sandboxes;
pub mod skills;
pub mod templates;
pub mod topology;
pub mod workspaces;
