//! The daemon as a process, against a fake gateway.

mod chaos;
mod daemon;
mod disk;
mod endurance;
mod engine_gone;
mod flush;
mod gateway;
mod join;
mod local;
mod replay;
mod sandbox;
mod session;
