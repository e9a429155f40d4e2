//! `roost` as people type it: refusals, messages, and its session at the gateway.

mod beside_the_gateway;
mod groups;
mod messages;
mod sessions;
mod shared_things;

use std::path::Path;
use std::process::{Output, Stdio};

use roost_tests::bin_dir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// A folder in which somebody types, with a client file of its own.
pub(crate) struct Terminal {
    home: tempfile::TempDir,
}

/// What a command said, and how it ended.
pub(crate) struct Said {
    pub(crate) ok: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Terminal {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        Self { home }
    }

    /// Signed in to `url` with a token.
    pub(crate) async fn signed_in(url: &str, token: &str) -> Self {
        let terminal = Self::new();
        let said = terminal
            .types(&["login", "--url", url, "--token-stdin"], token)
            .await;
        assert!(said.ok, "{}", said.err);
        terminal
    }

    pub(crate) fn folder(&self) -> &Path {
        self.home.path()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (key, _) in std::env::vars_os() {
            if key.to_string_lossy().starts_with("ROOST_") {
                command.env_remove(key);
            }
        }
        command
            .env("ROOST_CLIENT_CONFIG", self.folder().join("client.toml"))
            .current_dir(self.folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs `roost` with this on its standard input.
    async fn types(&self, args: &[&str], input: &str) -> Said {
        let program = std::path::absolute(bin_dir().join("roost")).expect("a path");
        let mut child = self
            .command(&program)
            .args(args)
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // One that reads nothing may have ended already.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        child.wait_with_output().await.expect("it ends").into()
    }

    pub(crate) async fn runs(&self, args: &[&str]) -> Said {
        self.types(args, "").await
    }

    /// Runs a script of `deploy/`, which finds the command line in `ROOST`, and has a state folder of its own.
    pub(crate) async fn script(&self, script: &Path, args: &[&str]) -> (Option<i32>, Said) {
        let program = std::path::absolute(bin_dir().join("roost")).expect("a path");
        let output = self
            .command(script)
            .env("ROOST", program)
            .env("ROOST_STATE", self.folder().join("state"))
            .env("ROOST_CACHE", self.folder().join("cache"))
            .args(args)
            .stdin(Stdio::null())
            .output();
        let output = output.await.expect("it starts");
        (output.status.code(), output.into())
    }

    /// What it refuses with.
    async fn refused(&self, args: &[&str]) -> String {
        let said = self.runs(args).await;
        assert!(!said.ok, "{args:?} succeeded: {}", said.out);
        said.err
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            ok: output.status.success(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}
