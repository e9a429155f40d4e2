//! The broker's process when this gateway starts it.
//!
//! Parent: `foundation`. Children: none. Restart: permanent. This worker restarts the process itself and waits between
//! two starts. So a missing program or a wrong root key never stops the gateway: work that needs no credential
//! continues.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, Command};

use crate::backoff::BackOff;
use crate::supervision::{ActorKind, ChildSpec, Failure, JobContext, NoMessages};

/// The wait between two starts. A process that ran for longer than the cap did not fail in a row.
const BACK_OFF: BackOff = BackOff {
    first: Duration::from_millis(250),
    cap: Duration::from_secs(30),
};
/// How long the broker may take to end after its input closes. It drains for ten seconds.
const GRACE: Duration = Duration::from_secs(15);
/// The time limit of `roost-broker check`.
const CHECK: Duration = Duration::from_secs(10);
const UNTIL_INPUT_ENDS: &str = "--until-input-ends";

/// How to start the broker.
#[derive(Debug, Clone)]
pub struct Embedded {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Embedded {
    /// A program with the arguments of its `serve`. `None` means the program beside this one.
    pub fn new(program: Option<PathBuf>, arguments: impl IntoIterator<Item = String>) -> Self {
        let mut all = vec!["serve".to_owned(), UNTIL_INPUT_ENDS.to_owned()];
        all.extend(arguments);
        Self {
            program: program.unwrap_or_else(beside_this_program),
            arguments: all,
        }
    }

    /// The program's path, if no file is there.
    pub fn missing_program(&self) -> Option<&std::path::Path> {
        (!self.program.is_file()).then_some(self.program.as_path())
    }

    /// Runs the program's `check`, which tests whether it could start with its stored data. It changes nothing.
    ///
    /// # Errors
    /// The text that the program wrote to its standard error.
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

    /// The child's input is a pipe from this process. The pipe closes when this process ends, also after a crash.
    fn start(&self) -> std::io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}

/// The program `roost-broker` in the folder of this program.
fn beside_this_program() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(|folder| folder.join("roost-broker")))
        .unwrap_or_else(|| PathBuf::from("roost-broker"))
}

/// The worker that keeps the process running.
pub fn child(embedded: Embedded) -> ChildSpec<NoMessages> {
    ChildSpec::worker_that_winds_down("secret-broker", ActorKind::SecretBroker, move |cx| {
        keep(embedded.clone(), cx)
    })
    .serves("the process that keeps credentials")
    .grace(GRACE + Duration::from_secs(5))
}

async fn keep(embedded: Embedded, cx: JobContext) -> Result<(), Failure> {
    let mut failures: u32 = 0;
    loop {
        match embedded.start() {
            Ok(mut process) => {
                // `Child::wait` closes the child's input, which would end the process at once.
                let lifeline = process.stdin.take();
                let began = tokio::time::Instant::now();
                tokio::select! {
                    ended = process.wait() => {
                        let ended = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
                        tracing::error!(%ended, "the secret broker ended; its last output is above. The gateway restarts it");
                    }
                    () = cx.cancelled() => {
                        stop(process, lifeline).await;
                        return Ok(());
                    }
                }
                if began.elapsed() > BACK_OFF.cap {
                    failures = 0;
                }
            }
            Err(error) => {
                tracing::error!(%error, program = %embedded.program.display(), "the secret broker cannot be started; install roost-broker beside roost, or set `broker.program`");
            }
        }
        failures = failures.saturating_add(1);
        tokio::select! {
            () = tokio::time::sleep(BACK_OFF.whole(failures)) => {}
            () = cx.cancelled() => return Ok(()),
        }
    }
}

/// Closes the process's input, which asks it to end, and kills it after the grace period.
async fn stop(mut process: Child, lifeline: Option<ChildStdin>) {
    drop(lifeline);
    if tokio::time::timeout(GRACE, process.wait()).await.is_err() {
        tracing::warn!("the secret broker did not end in time; the gateway kills it");
        if let Err(error) = process.kill().await {
            tracing::warn!(%error, "the secret broker cannot be killed");
        }
    }
}
