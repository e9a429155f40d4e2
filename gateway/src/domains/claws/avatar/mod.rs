//! What an agent looks like: a picture that somebody uploaded, else one that is drawn from its id and so is always the
//! same. An upload is decoded and encoded anew, so that nothing of the file but its pixels is ever kept or served.
//! Table: `claw_avatars`.

mod commands;
pub mod drawn;
pub mod dto;
pub mod entity;
pub mod picture;
pub mod routes;
pub mod store;

pub use picture::{PictureError, Pictures};
