//! `roost-broker`: the secret broker, a separate process.
//!
//! A map:
//! * `process` hardens this process first of all.
//! * `seal` and `root` are the cryptography, `store` holds the sealed records on the disk, `disk` changes files
//!   durably.
//! * `egress` decides where a secret may go and removes it from answers; `oauth` gets and renews tokens.
//! * `git` holds the mirrors of repositories.
//! * `audit` is the chain of uses; `server` is the socket.
//!
//! *Invariant: no verb's answer carries a secret* (`wire` in the library). *Invariant: no key leaves this process.*

mod args;
mod audit;
mod clock;
mod disk;
mod egress;
mod git;
mod oauth;
mod process;
mod record;
mod root;
mod seal;
mod serve;
mod server;
mod store;
mod users;

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("roost-broker: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    process::harden()?;
    let args = args::Args::parse();
    tracing_subscriber::fmt()
        .with_env_filter(
            EnvFilter::try_from_env("ROOST_BROKER_LOG").unwrap_or_else(|_| EnvFilter::new("info")),
        )
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    if let Some(steps) = std::env::var_os("ROOST_BROKER_DIE_AFTER") {
        let steps = steps.to_str().and_then(|steps| steps.parse().ok());
        disk::die_after(
            steps.context("ROOST_BROKER_DIE_AFTER is a number of steps; it is for tests")?,
        );
    }
    let installed = rustls::crypto::ring::default_provider().install_default();
    debug_assert!(installed.is_ok(), "no other provider was installed");
    // More than two threads bring nothing: the work is mostly waiting.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    match args.command {
        args::Command::Serve(serve) => runtime.block_on(serve::run(*serve)),
        args::Command::Check(serve) => runtime.block_on(serve::check(*serve)),
    }
}
