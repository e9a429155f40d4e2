//! The commands on an agent's runtime, one use case a file.

mod configure;
mod run;

pub(super) use configure::configure;
pub(super) use run::run;
