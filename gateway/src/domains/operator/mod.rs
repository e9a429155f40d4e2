//! What operators of the deployment see and do: the supervision tree, restarts, health and metrics. An Owner sees the
//! branch of the own workspace. No tables; every restart is audited. In the tree: `live/tree:<id>`, temporary, one for
//! each follower of the tree.

pub mod dto;
mod explain;
mod feed;
pub mod health;
mod lately;
mod lore;
pub mod model;
mod reader;
pub mod routes;

pub use lately::Lately;
pub use reader::{OperatorListener, TreeReader};
