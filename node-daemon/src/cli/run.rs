//! `roostd run`: the daemon itself.
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use roost_protocol::ids::InstanceId;
use roost_sandbox_driver::executor::{Executor, ExecutorClock, ExecutorConfig, SNAPSHOTS_EVERY};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::channel::reconnect::{Channel, LinkView, ca_file};
use crate::channel::tls;
use crate::chunks::GatewayChunks;
use crate::control_socket::server::Server;
use crate::images::GatewayImages;
use crate::reporter::Reporter;
use crate::state::{Identity, StateFolder, Token, identity, lock, owner_file};
use crate::vitals::Sampler;

/// Connect to the gateway and work until stopped
#[derive(Debug, Args)]
#[command(after_help = "\
Stopping (Ctrl-C or SIGTERM) leaves sandboxes and their commands running; the next start resumes them.
To end them all, use `roostd leave`, or delete them on the page.

  roostd run                         state in the default folder
  DOCKER_HOST=unix:///run/user/1000/podman/podman.sock roostd run
  ROOSTD_LOG=debug roostd run        log more (error, warn, info, debug, trace)")]
pub struct Run {
    /// Length of a second of the channel's intervals and waits, milliseconds (tests only)
    #[arg(long, hide = true, default_value_t = 1000)]
    second_ms: u64,
}

impl Run {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        roost_sandbox_driver::private::by_default();
        let Some(identity) = Identity::load(state)? else {
            bail!(
                "this machine has not joined a workspace yet ({} holds no node.json); run `roostd join --url …` first",
                state.path().display()
            );
        };
        let Some(token) = Token::load(state)? else {
            bail!(
                "the token is missing from {}; run `roostd leave`, then join again",
                state.path().display()
            );
        };
        let Some(_lock) = lock::take(state)? else {
            bail!(
                "another roostd runs with the state folder {}; see `roostd status`",
                state.path().display()
            );
        };
        state.mend()?;
        // Two threads: one serves the channel while the other reads and writes spools.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(8)
            .thread_stack_size(512 * 1024)
            .enable_all()
            .build()?;
        runtime.block_on(self.work(state, identity, token))?;
        runtime.shutdown_timeout(Duration::from_secs(2));
        Ok(ExitCode::SUCCESS)
    }

    async fn work(
        self,
        state: &StateFolder,
        identity: Identity,
        token: Token,
    ) -> anyhow::Result<()> {
        let policy = owner_file::load(state)?;
        let install = identity::install_id(state)?;
        let tls = Arc::new(tls::client(ca_file(state).as_deref())?);
        let (most_sandboxes, shell) = (policy.most_sandboxes, policy.shell);
        let token = Arc::new(token);
        let gateway: reqwest::Url = identity
            .gateway
            .parse()
            .with_context(|| format!("{} is not an address; join again", identity.gateway))?;
        let chunks = GatewayChunks::new(gateway.clone(), (*tls).clone(), Arc::clone(&token))?;
        let images = GatewayImages::new(gateway, (*tls).clone(), Arc::clone(&token))?;
        let second = Duration::from_millis(self.second_ms.max(1));
        let config = ExecutorConfig {
            snapshots_every: SNAPSHOTS_EVERY.mul_f64(second.as_secs_f64()),
            state_dir: state.executor(),
            node: Some(identity.node_id),
            install,
            engine: None,
            image: None,
            policy,
            clock: ExecutorClock::system(),
            remote: Some(Arc::new(chunks)),
            images: Some(Arc::new(images)),
        };
        let (executor, _) = Executor::start(config).await?;
        if state.paused() {
            executor.pause(true).await;
        }
        let stop = CancellationToken::new();
        let link = LinkView::default();
        let server = Server {
            state: state.clone(),
            identity: identity.clone(),
            executor: executor.clone(),
            link: link.clone(),
            stop: stop.clone(),
        };
        let listener = Server::bind(state)
            .with_context(|| format!("cannot listen on {}", state.socket().display()))?;
        tokio::spawn(server.serve(listener));
        let sampler = Sampler::new(executor.engine_data().await);
        let reporter = Reporter::new(
            sampler,
            install,
            InstanceId(Uuid::now_v7()),
            most_sandboxes,
            shell,
            second,
        );
        tracing::info!(node = %identity.node_id, gateway = %identity.gateway, version = env!("CARGO_PKG_VERSION"), "roostd is running");
        let channel = Channel {
            identity,
            token,
            tls,
            executor: executor.clone(),
            reporter,
            link,
            stop: stop.clone(),
            second,
        };
        let channel = tokio::spawn(channel.keep());
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::select! {
            _ = terminate.recv() => tracing::info!("stopping; sandboxes keep running"),
            _ = interrupt.recv() => tracing::info!("stopping; sandboxes keep running"),
            () = stop.cancelled() => {}
        }
        stop.cancel();
        let _ = channel.await;
        executor.shutdown().await;
        let _ = std::fs::remove_file(state.socket());
        Ok(())
    }
}
