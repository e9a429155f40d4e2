//! Invitations by link. A person that has the link joins the workspace in the link's role, once, before it expires.
//!
//! Invariants: only the hash of a link's token is stored, and the link is shown once; accepting is a single statement,
//! so two people that open the same link at once cannot both join; no member invites into a role above their own; an
//! invitation with an e-mail is only for the person with that e-mail. Accepting is in `auth`, because it creates users
//! and sessions. Tables: `invitations`.

pub(super) mod commands;
pub(super) mod dto;
pub(crate) mod entity;
pub(super) mod routes;
pub(super) mod store;

pub use entity::Model as InvitationRow;
pub use store::{accept, by_token, for_address, forget_ended};
