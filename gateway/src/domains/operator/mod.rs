//! What operators of the deployment see and do: the supervision tree, restarts, health and metrics. An Owner sees the
//! branch of the own workspace. No tables; every restart is audited.

pub mod health;
mod reader;
pub mod routes;

pub use reader::{OperatorListener, TreeReader};
