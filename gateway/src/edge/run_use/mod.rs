//! What the runs of a workspace used, summed: by team, template, mission, person, model or day. It joins the sums of the
//! wing `execution` with the names that other wings know, and has no rows of its own.

pub(super) mod context;
pub(super) mod dto;
pub(super) mod model;
pub(super) mod read;
pub(super) mod routes;

pub use context::RunUseContext;
pub use routes::router;
