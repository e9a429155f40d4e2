//! What an agent did and what was done to it, from the rows that say so: operations on its sandbox, events about it, and
//! entries of the audit log. Nothing is written for it, so it cannot tell something else than they do.

pub mod dto;
pub mod model;
pub mod routes;
