//! The broker's process, where this gateway starts it.
//!
//! Parent: `foundation`. Children: none. Restart: permanent. The process itself is started again by this worker, with
//! a wait between, so that a missing program or a wrong root key never takes the gateway down: what needs no
//! credential goes on.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, Command};

use crate::config::Config;
use crate::supervision::{ActorKind, ChildSpec, Failure, JobContext, NoMessages};

/// Between two starts, growing.
const SHORTEST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(30);
/// How long it may take to end by itself when it is asked to: it drains for ten seconds.
const GRACE: Duration = Duration::from_secs(15);
/// How long a look at what is kept may take.
const CHECK: Duration = Duration::from_secs(10);
const UNTIL_INPUT_ENDS: &str = "--until-input-ends";

/// How to start it.
#[derive(Debug, Clone)]
pub struct Embedded {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Embedded {
    /// As configured; `None` where somebody else starts it, or nobody.
    pub fn of(config: &Config) -> Option<Self> {
        let broker = &config.broker;
        if broker.socket.is_some() || !broker.start {
            return None;
        }
        let program = broker.program.clone().unwrap_or_else(beside_this_program);
        let data = config.data_dir.join("broker");
        let mut arguments = vec![
            "serve".to_owned(),
            UNTIL_INPUT_ENDS.to_owned(),
            format!("--data-dir={}", data.display()),
            format!("--socket={}", config.broker_socket().display()),
            format!("--mirror-mib={}", broker.mirror_mib),
        ];
        arguments.extend(
            config
                .outbound
                .allow_private
                .iter()
                .map(|host| format!("--allow-private={host}")),
        );
        if let Some(file) = &broker.root_key_file {
            arguments.push(format!("--root-key-file={}", file.display()));
        }
        if let Some(file) = &config.outbound.ca_file {
            arguments.push(format!("--ca-file={}", file.display()));
        }
        Some(Self { program, arguments })
    }

    /// The program, when it is not where it should be.
    pub fn missing_program(&self) -> Option<&std::path::Path> {
        (!self.program.is_file()).then_some(self.program.as_path())
    }

    /// Asks the program whether it could start on what is kept, which changes nothing.
    ///
    /// # Errors
    /// Its own words.
    pub async fn check(&self) -> Result<(), String> {
        let own = |argument: &&String| *argument != UNTIL_INPUT_ENDS;
        let arguments = self.arguments.iter().skip(1).filter(own);
        let ran = Command::new(&self.program)
            .arg("check")
            .args(arguments)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        match tokio::time::timeout(CHECK, ran).await {
            Ok(Ok(output)) if output.status.success() => Ok(()),
            Ok(Ok(output)) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Ok(Err(error)) => Err(format!("{}: {error}", self.program.display())),
            Err(_) => Err(format!("`{} check` takes too long", self.program.display())),
        }
    }

    /// Its input is a pipe from here: it ends when this process does, however that ends.
    fn start(&self) -> std::io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}

/// The program that is built and installed together with this one.
fn beside_this_program() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(|folder| folder.join("roost-broker")))
        .unwrap_or_else(|| PathBuf::from("roost-broker"))
}

/// The worker that keeps it running.
pub fn child(embedded: Embedded) -> ChildSpec<NoMessages> {
    ChildSpec::worker_that_winds_down("secret-broker", ActorKind::SecretBroker, move |cx| {
        keep(embedded.clone(), cx)
    })
    .serves("the process that keeps credentials")
    .grace(GRACE + Duration::from_secs(5))
}

async fn keep(embedded: Embedded, cx: JobContext) -> Result<(), Failure> {
    let mut wait = SHORTEST;
    loop {
        match embedded.start() {
            Ok(mut process) => {
                // Waiting for a child closes its input, which would end it at once.
                let lifeline = process.stdin.take();
                let began = tokio::time::Instant::now();
                tokio::select! {
                    ended = process.wait() => {
                        let ended = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
                        tracing::error!(%ended, "the secret broker ended; its last words are above. It is started again");
                    }
                    () = cx.cancelled() => {
                        stop(process, lifeline).await;
                        return Ok(());
                    }
                }
                if began.elapsed() > LONGEST {
                    wait = SHORTEST;
                }
            }
            Err(error) => {
                tracing::error!(%error, program = %embedded.program.display(), "the secret broker cannot be started; install roost-broker beside roost, or set `broker.program`");
            }
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = cx.cancelled() => return Ok(()),
        }
        wait = (wait * 2).min(LONGEST);
    }
}

/// Closing its input asks it to end.
async fn stop(mut process: Child, lifeline: Option<ChildStdin>) {
    drop(lifeline);
    if tokio::time::timeout(GRACE, process.wait()).await.is_err() {
        tracing::warn!("the secret broker did not end in time and is killed");
        if let Err(error) = process.kill().await {
            tracing::warn!(%error, "the secret broker cannot be killed");
        }
    }
}
