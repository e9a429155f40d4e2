//! `roostd`: the node daemon's entry point. One crypto provider, logging to stderr, then the verb.
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use roost_node_daemon::cli::{self, Cli};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    // This must come first: every TLS connection of this process uses this provider.
    if rustls::crypto::ring::default_provider()
        .install_default()
        .is_err()
    {
        eprintln!("roostd: a crypto provider is already installed");
        return ExitCode::FAILURE;
    }
    let filter = EnvFilter::try_from_env("ROOSTD_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .with_target(false)
        .init();
    cli::main(Cli::parse())
}
