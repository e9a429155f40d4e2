//! An agent's history, read from the rows that record it: operations on its sandbox, events about it, and entries of
//! the audit log. The history has no rows of its own, so it always agrees with them.

pub(super) mod context;
pub(super) mod dto;
pub(super) mod model;
pub(super) mod routes;

pub use context::ActivityContext;
pub use routes::router;
