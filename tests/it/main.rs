//! One integration binary. Its modules mirror the wings and rooms of the gateway; `crashes` and `program` test the whole.

mod agents;
mod connections;
mod crashes;
mod edge;
mod execution;
mod machines;
mod missions;
mod organisation;
mod platform;
mod program;
mod tenancy;
