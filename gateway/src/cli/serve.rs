//! `roost serve`: runs the gateway until SIGTERM or SIGINT, or until its tree gives up.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Context;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

use super::{ConfigArgs, setup};
use crate::app::{Gateway, Surroundings};
use roost_platform::supervision::TreeEnd;
use roost_platform::telemetry::{self, otlp::Traces};

pub(super) fn run(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    roost_sandbox_driver::private::by_default();
    let config = setup::load(args)?;
    let traces = config.otlp.as_ref().map(Traces::start).transpose();
    let traces = traces.context("otlp: traces cannot be exported")?;
    telemetry::log(&config.log, traces.as_ref());
    telemetry::metrics();
    allow_many_connections();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(serve(config));
    if let Some(traces) = traces {
        traces.end();
    }
    outcome
}

/// Each open page and each machine is a connection, and the usual soft limit of 1,024 is one of the past.
fn allow_many_connections() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the gateway cannot raise the limit of open files; it refuses connections beyond the limit");
    }
}

async fn serve(config: crate::config::Config) -> anyhow::Result<ExitCode> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut gateway = Gateway::start(config, Surroundings::default()).await?;
    greet(&mut gateway);
    let end = tokio::select! {
        _ = terminate.recv() => None,
        _ = interrupt.recv() => None,
        end = gateway.ended() => Some(end),
    };
    if let Some(TreeEnd::Failed { why }) = end {
        gateway.shutdown().await;
        anyhow::bail!("the gateway gave up: {why}");
    }
    tracing::info!("the gateway received a stop signal; draining");
    let report = gateway.shutdown().await;
    if !report.killed.is_empty() || !report.abandoned.is_empty() {
        tracing::warn!(?report, "some parts did not stop in time");
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Says on a terminal, and only there, where to go and how to sign in for the first time.
fn greet(gateway: &mut Gateway) {
    let first = gateway.take_first_login();
    if !std::io::stdout().is_terminal() {
        return;
    }
    println!("Roost is at http://{}", gateway.public_address());
    if let Some(first) = first {
        println!(
            "Sign in for the first time with this one-time login (also in {}):\n\n    {}\n",
            first.file.display(),
            first.token.reveal()
        );
    }
}
