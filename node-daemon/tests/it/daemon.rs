//! A `roostd` with its own state folder.
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::gateway::Gateway;

/// A missing engine, for tests that need none.
pub const NO_ENGINE: &str = "unix:///nonexistent/docker.sock";

/// A daemon's state folder and its process.
pub struct Daemon {
    folder: tempfile::TempDir,
    engine: String,
    child: Option<Child>,
}

impl Daemon {
    /// A machine that has joined the fake gateway.
    pub fn joined(gateway: &Gateway, engine: &str) -> Self {
        let daemon = Self::new(engine);
        let joined = daemon.call(&["join", "--url", &gateway.url, "--code", "code-1"]);
        assert!(joined.status.success(), "{joined:?}");
        daemon
    }

    /// A machine that has not joined.
    pub fn new(engine: &str) -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            engine: engine.into(),
            child: None,
        }
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        // Another build can be tested, for example the release build for its memory.
        let program = std::env::var("ROOSTD_TEST_BIN")
            .unwrap_or_else(|_| env!("CARGO_BIN_EXE_roostd").into());
        let mut command = Command::new(program);
        command.arg("--state-dir").arg(self.state()).args(arguments);
        command
            .env("DOCKER_HOST", &self.engine)
            .env_remove("ROOST_CHAOS")
            .stdin(Stdio::null());
        command
    }

    /// Runs a verb to its end, away from the runtime's thread on which the fake gateway runs.
    pub fn call(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        tokio::task::block_in_place(|| command.output().expect("roostd runs"))
    }

    /// Starts `roostd run`.
    pub fn run(&mut self) {
        self.run_with(&[], &[]);
    }

    /// Starts `roostd run` with more arguments and environment.
    pub fn run_with(&mut self, arguments: &[&str], environment: &[(&str, &str)]) {
        let mut command = self.command(&["run"]);
        command.args(arguments).envs(environment.iter().copied());
        if std::env::var_os("ROOSTD_TEST_LOG").is_none() {
            command.stderr(Stdio::null());
        }
        self.child = Some(command.spawn().expect("roostd starts"));
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    /// Sends SIGKILL.
    pub fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }

    /// Waits until it has ended by itself (a kill point, `leave`).
    pub fn wait(&mut self) -> std::process::ExitStatus {
        let mut child = self.child.take().expect("it runs");
        tokio::task::block_in_place(|| child.wait().expect("reaped"))
    }

    /// Sends SIGTERM and waits.
    pub fn terminate(&mut self) -> std::process::ExitStatus {
        let pid = i32::try_from(self.pid()).expect("a pid");
        let pid = rustix::process::Pid::from_raw(pid).expect("a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("signalled");
        self.wait()
    }

    /// A file of the state folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.state().join(name)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Mode bits of a file.
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}
