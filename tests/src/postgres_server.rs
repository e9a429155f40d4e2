//! A PostgreSQL server for one test, which may be killed and restarted. The server that all tests share may not.

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
    /// Starts one that keeps committed data when it is killed; `None` where PostgreSQL is not installed.
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
        // PostgreSQL refuses to run as root, and its user must own the folder.
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

    /// The address of this database on it.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Ends all of its processes at once, without a checkpoint. The next start recovers from its log.
    pub fn crash(&self) {
        run(self.tool("pg_ctl").args(["-m", "immediate", "-s", "stop"]));
    }

    /// Starts it again at its address.
    pub fn again(&self) {
        // The disk is not tested: the machine keeps its power. Committed data is in the log.
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
        // It may have stopped already.
        let mut stop = self.tool("pg_ctl");
        let _ = stop.args(["-m", "immediate", "-s", "stop"]).output();
    }
}

/// Folder of the newest version's programs.
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

/// The user that it runs as when the test is root.
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
    // The server must not keep a pipe open that the test waits for.
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
