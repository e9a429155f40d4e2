//! The address at which people and machines reach the deployment: a gateway says at it which deployment it belongs to, and
//! an operator asks whether it does.

pub(super) mod context;
pub(super) mod dto;
pub(super) mod routes;

pub use context::PublicAddressContext;
pub use routes::router;
