//! A PostgreSQL server of a test's own, which may be killed and started again: the one that all tests share may not.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::geteuid;
use tempfile::TempDir;

use crate::free_port;

/// Runs until it is dropped.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
}

impl PostgresServer {
    /// Starts one that keeps what it committed when it is killed; `None` where PostgreSQL is not installed.
    ///
    /// # Panics
    /// When it is installed and does not start.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("not tested here: no PostgreSQL server is installed");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let server = Self {
            programs,
            folder,
            port: free_port(),
        };
        // PostgreSQL refuses to run as root, and whoever it runs as owns the folder.
        let made = server.data();
        std::fs::create_dir(&made).expect("a folder");
        if let Some(account) = account() {
            let mut own = Command::new("chown");
            run(own.args(["-R", account]).arg(server.folder.path()));
        }
        run(server.tool("initdb").args([
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]));
        server.again();
        Some(server)
    }

    /// Its address, with this database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Ends all of its processes at once, without a checkpoint: the next start recovers from its log.
    pub fn crash(&self) {
        run(self.tool("pg_ctl").args(["-m", "immediate", "-s", "stop"]));
    }

    /// Starts it under its address.
    pub fn again(&self) {
        // The disk is not what is tested: nobody pulls the plug of the machine. What is committed is in the log.
        let options = format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 -c fsync=off -c synchronous_commit=on -c max_connections=100",
            self.port,
            self.folder.path().display()
        );
        let log = self.folder.path().join("log");
        run(self
            .tool("pg_ctl")
            .arg("-l")
            .arg(log)
            .args(["-s", "-w", "-o", &options, "start"]));
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn tool(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = match account() {
            Some(account) => {
                let mut command = Command::new("runuser");
                command.args(["-u", account, "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.arg("-D").arg(self.data()).current_dir("/");
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // It may be down already.
        let mut stop = self.tool("pg_ctl");
        let _ = stop.args(["-m", "immediate", "-s", "stop"]).output();
    }
}

/// Where the newest version's programs are.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|version| {
            let path = version.ok()?.path();
            let number = path.file_name()?.to_str()?.parse().ok()?;
            let programs = path.join("bin");
            programs
                .join("initdb")
                .exists()
                .then_some((number, programs))
        })
        .collect();
    found.sort();
    found.pop().map(|(_, programs)| programs)
}

/// Whom it runs as where the test is root.
fn account() -> Option<&'static str> {
    geteuid().is_root().then(|| {
        let accounts = std::fs::read_to_string(Path::new("/etc/passwd")).unwrap_or_default();
        match accounts.lines().any(|line| line.starts_with("postgres:")) {
            true => "postgres",
            false => "nobody",
        }
    })
}

fn run(command: &mut Command) {
    // What it starts must not hold a pipe open that somebody waits for.
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
