//! Apps that agents are connected to, by OAuth.
//!
//! Invariants: a token is exchanged and kept in the secret broker, and a row holds only the name of its record; a sign-in
//! ends once (its state is deleted and read in one statement), by the browser or by time; a connection, its audit entry
//! and its event are one transaction, and what is made in the broker before it is forgotten when that transaction never
//! comes; an agent has one connection a provider, and loses them all when it is deleted. Tables: `oauth_states`,
//! `app_connections`.

pub mod entity;
