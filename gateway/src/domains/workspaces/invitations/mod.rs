//! Invitations by link. Whoever holds the link joins the workspace in the role that it names, once, within its days.
//!
//! Invariants: only the hash of a link's token is stored, and the link is shown once; taking one is a single statement,
//! so two who open the same link at once cannot both join; nobody invites into a role above their own; when an e-mail is
//! named, only its owner may come. Accepting is in `auth`, because it makes users and sessions. Tables: `invitations`.

pub mod commands;
pub mod dto;
pub mod entity;
pub mod routes;
pub mod store;
