//! `roostd leave`: removes everything that roostd made on this machine.
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use roost_sandbox_driver::executor::{
    Executor, ExecutorClock, ExecutorConfig, OwnerPolicy, SNAPSHOTS_EVERY,
};

use crate::channel::reconnect::ca_file;
use crate::channel::tls;
use crate::control_socket::client;
use crate::control_socket::message::{Answer, Request};
use crate::state::{Identity, StateFolder, Token, identity, lock};
use crate::{enrol, unit};

/// Remove everything that roostd made here: sandboxes, stored workspaces, state, token, service
#[derive(Debug, Args)]
#[command(after_help = "\
Ends every sandbox of this installation and deletes the workspaces that are stored here. Files that are not on the gateway are lost.
The engine, its other containers and the agent image stay (`docker rmi` removes the image).
When a step fails, later steps do not run, and the command may be repeated.")]
pub struct Leave {
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Leave although the engine does not answer; sandboxes that run there are not removed
    #[arg(long)]
    without_engine: bool,
}

impl Leave {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        if !state.path().exists() {
            println!(
                "Nothing to remove: {} does not exist.",
                state.path().display()
            );
            return Ok(ExitCode::SUCCESS);
        }
        if !self.yes && !confirmed(state)? {
            println!("Nothing was changed.");
            return Ok(ExitCode::FAILURE);
        }
        let sandboxes = self.end_sandboxes(state)?;
        println!("Sandboxes ended: {sandboxes}");
        if unit::remove()? {
            println!("Service removed.");
        }
        wait_for_the_daemon(state)?;
        notify_gateway(state);
        identity::forget(state)?;
        remove_state(state)?;
        println!("Removed {}. This machine has left.", state.path().display());
        Ok(ExitCode::SUCCESS)
    }

    fn end_sandboxes(&self, state: &StateFolder) -> anyhow::Result<u32> {
        let asked = match client::ask(state, Request::Leave)? {
            Some(Answer::Left { sandboxes }) => return Ok(sandboxes),
            Some(Answer::Failed { detail }) => Err(anyhow::anyhow!(detail)),
            Some(_) => {
                bail!("unexpected answer from the running daemon; stop it, then run this again")
            }
            None => end_without_daemon(state),
        };
        match asked {
            Err(error) if self.without_engine => {
                eprintln!("roostd: sandboxes may remain: {error:#}");
                Ok(0)
            }
            Err(error) => Err(error
                .context("cannot end the sandboxes; repair the engine, or use --without-engine")),
            ok => ok,
        }
    }
}

fn confirmed(state: &StateFolder) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("this removes every sandbox and its data; use --yes to skip the question");
    }
    print!(
        "End every sandbox and delete {}? [y/N] ",
        state.path().display()
    );
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn end_without_daemon(state: &StateFolder) -> anyhow::Result<u32> {
    let config = ExecutorConfig {
        snapshots_every: SNAPSHOTS_EVERY,
        state_dir: state.executor(),
        node: Identity::load(state)?.map(|identity| identity.node_id),
        install: identity::install_id(state)?,
        engine: None,
        image: None,
        policy: OwnerPolicy::default(),
        clock: ExecutorClock::system(),
        remote: None,
        images: None,
    };
    super::block_on(async {
        let (executor, _) = Executor::start(config).await?;
        let removed = executor.remove_everything().await;
        executor.shutdown().await;
        Ok(removed?)
    })
}

/// Waits for the daemon to end: it releases its lock when it does.
fn wait_for_the_daemon(state: &StateFolder) -> anyhow::Result<()> {
    let deadline = Instant::now() + Duration::from_secs(20);
    while lock::take(state)?.is_none() {
        if Instant::now() > deadline {
            bail!(
                "another roostd still runs on {}; stop it, then run this again",
                state.path().display()
            );
        }
        #[expect(clippy::disallowed_methods, reason = "no runtime runs here")]
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Reports the departure to the gateway. Leaving continues when the gateway cannot be reached.
fn notify_gateway(state: &StateFolder) {
    let notified = (|| -> anyhow::Result<Option<bool>> {
        let (Some(identity), Some(token)) = (Identity::load(state)?, Token::load(state)?) else {
            return Ok(None);
        };
        let tls = tls::client(ca_file(state).as_deref())?;
        let gateway = identity.gateway.parse()?;
        super::block_on(async { Ok(Some(enrol::leave(&gateway, tls, &token).await?)) })
    })();
    match notified {
        Ok(Some(true)) => println!("The gateway removed this machine."),
        Ok(Some(false)) => println!("Delete the machine on the fleet page as well."),
        Ok(None) => {}
        Err(error) => println!(
            "The gateway could not be notified ({error:#}); delete the machine on the fleet page as well."
        ),
    }
}

fn remove_state(state: &StateFolder) -> anyhow::Result<()> {
    let failed = || format!("cannot remove {}", state.path().display());
    for name in ["executor", "owner.toml", "paused", "control.sock", "lock"] {
        let path = state.file(name);
        let outcome = if path.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        match outcome {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(failed);
            }
            _ => {}
        }
    }
    // Removes only an empty folder: it may hold files of the owner.
    match std::fs::remove_dir(state.path()) {
        Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {
            println!(
                "{} holds files that roostd did not make; they are kept.",
                state.path().display()
            );
            Ok(())
        }
        outcome => outcome.with_context(failed),
    }
}
