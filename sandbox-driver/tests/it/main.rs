//! The driver against a real engine and a real guest. Without an engine these tests fail and name what to install.

mod archives;
mod bad_input;
mod commands;
mod floods;
mod lifecycle;
mod links;
mod mutations;
mod probe;
mod purges;
mod restoring;
mod shutdowns;
mod snapshots;
mod snapshots_in_time;
mod support;
mod totals;
mod trees;
