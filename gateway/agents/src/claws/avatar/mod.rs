//! The picture of an agent: an uploaded one, or one that is always drawn the same from the agent's id. An upload is
//! decoded and encoded again, so that only its pixels are ever stored or served. Table: `claw_avatars`.

mod commands;
pub mod drawn;
pub(super) mod dto;
pub(crate) mod entity;
pub(super) mod routes;
pub(super) mod store;

pub use store::remove_of;
