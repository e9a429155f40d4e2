//! The real `roostd` of a machine, as a separate process that a test can kill and restart.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::{Client, bin_dir, leftovers};

/// A machine of a workspace.
#[derive(Debug)]
pub struct Daemon {
    folder: TempDir,
    engine: Option<String>,
    child: Child,
    /// The id of its node.
    pub node_id: String,
}

impl Daemon {
    /// Joins the workspace of `owner` through the gateway at `url`, with the engine at this address or the machine's
    /// default.
    ///
    /// # Panics
    /// When the join fails.
    pub async fn joined(url: &str, owner: &Client, engine: Option<&str>) -> Self {
        Self::joined_allowing(url, owner, engine, None).await
    }

    /// The same, on a machine whose owner has this `owner.toml`.
    ///
    /// # Panics
    /// When the join fails.
    pub async fn joined_allowing(
        url: &str,
        owner: &Client,
        engine: Option<&str>,
        policy: Option<&str>,
    ) -> Self {
        let prepare = |state: &Path| {
            if let Some(policy) = policy {
                std::fs::write(state.join("owner.toml"), policy).expect("the owner's policy");
            }
        };
        Self::joined_prepared(url, owner, engine, prepare).await
    }

    /// The same, on a machine whose state folder was prepared before `roostd` sees it.
    ///
    /// # Panics
    /// When the join fails.
    pub async fn joined_prepared(
        url: &str,
        owner: &Client,
        engine: Option<&str>,
        prepare: impl FnOnce(&Path),
    ) -> Self {
        let paired = owner.post("/api/nodes/pair").json(&json!({}));
        let paired = paired.expect(201).await;
        let node_id = paired.str("/node/id").to_owned();
        let code = paired.str("/join_code").to_owned();
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        std::fs::create_dir(&state).expect("a folder");
        prepare(&state);
        let engine = engine.map(str::to_owned);
        let mut join = command(&folder, engine.as_deref());
        join.args(["join", "--url", url, "--code", &code]);
        let joined = tokio::task::spawn_blocking(move || join.output());
        let joined = joined
            .await
            .expect("it is not aborted")
            .expect("`cargo build --bins` made roostd");
        let said = String::from_utf8_lossy(&joined.stderr).into_owned();
        assert!(joined.status.success(), "{said}");
        let child = run(&folder, engine.as_deref());
        Self {
            node_id,
            folder,
            engine,
            child,
        }
    }

    /// Sends `SIGKILL` and waits for its end.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Starts it again after its end.
    pub fn again(&mut self) {
        self.child = run(&self.folder, self.engine.as_deref());
    }

    /// The folder of its state.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// The log of it and its predecessors.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        leftovers::remove_containers(&self.state());
    }
}

fn command(folder: &TempDir, engine: Option<&str>) -> Command {
    let state: PathBuf = folder.path().join("state");
    let mut command = Command::new(bin_dir().join("roostd"));
    command.arg("--state-dir").arg(state);
    command.env_remove("ROOST_CHAOS").stdin(Stdio::null());
    if let Some(engine) = engine {
        command.env("DOCKER_HOST", engine);
    }
    command
}

fn run(folder: &TempDir, engine: Option<&str>) -> Child {
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.path().join("log"))
        .expect("a file for the log");
    let mut command = command(folder, engine);
    command
        .args(["run", "--second-ms", "200"])
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("`cargo build --bins` made roostd")
}
