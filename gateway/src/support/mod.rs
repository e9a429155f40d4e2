//! What helps when something is wrong: checks that say what to do (`roost doctor`), and a bundle to send to somebody
//! who helps, without secrets (`roost support-bundle`).

pub mod bundle;
pub mod doctor;
mod host;
mod redact;

pub use redact::Redactor;
