//! Help with faults: checks that state what to do (`roost doctor`), and a bundle without secrets to send to support
//! (`roost support-bundle`).

pub mod bundle;
pub mod doctor;
mod host;
