//! What operators of the deployment see and do: the supervision tree, restarts, health and metrics. An Owner sees the
//! branch of their own workspace. No tables; every restart is audited. In the tree: `live/tree:<id>`, temporary, one
//! for each client that follows the tree.

mod context;
mod dto;
mod explain;
mod feed;
mod health;
mod kind_docs;
mod model;
mod reader;
mod routes;
mod snapshot_cache;

pub use context::OperatorContext;
pub use reader::{OperatorListener, TreeReader};
pub use routes::router;
pub use snapshot_cache::SnapshotCache;
