//! Execution: models, tools, MCP servers, runs.

mod mcp;
mod models;
pub mod runs;
mod tools;
