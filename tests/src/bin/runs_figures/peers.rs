//! The peers: small programs in `tests/node` and `tests/python` with a line protocol. Each is started once on its own
//! database and measured in every round.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use roost_tests::ScratchPostgres;
use serde::Deserialize;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The database of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Postgres,
    Sqlite,
}

/// A peer's program.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Its name in the tables.
    pub name: &'static str,
    file: &'static str,
    word: Option<&'static str>,
    base: Base,
}

/// The peers on PostgreSQL.
pub const ON_POSTGRES: [Program; 4] = [
    Program {
        name: "graphile-worker, chained",
        file: "tests/node/graphile_steps.mjs",
        word: Some("chained"),
        base: Base::Postgres,
    },
    Program {
        name: "graphile-worker, loose jobs",
        file: "tests/node/graphile_steps.mjs",
        word: Some("loose"),
        base: Base::Postgres,
    },
    Program {
        name: "DBOS (Python)",
        file: "tests/python/dbos_steps.py",
        word: None,
        base: Base::Postgres,
    },
    Program {
        name: "DBOS (Node)",
        file: "tests/node/dbos_steps.mjs",
        word: None,
        base: Base::Postgres,
    },
];

/// The peer on SQLite.
pub const ON_SQLITE: [Program; 1] = [Program {
    name: "DBOS (Python)",
    file: "tests/python/dbos_steps.py",
    word: None,
    base: Base::Sqlite,
}];

/// Its first message.
#[derive(Debug, Deserialize)]
pub struct About {
    pub what: String,
    pub care: String,
}

/// Its result.
#[derive(Debug, Deserialize)]
pub struct Done {
    pub steps: u64,
    pub seconds: f64,
}

/// A running peer.
pub struct Peer {
    pub name: &'static str,
    pub about: About,
    child: Child,
    ask: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    scratch: Option<ScratchPostgres>,
    folder: TempDir,
}

impl Peer {
    /// Starts it on a new database.
    pub async fn start(program: Program) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let scratch = match program.base {
            Base::Postgres => Some(
                ScratchPostgres::new()
                    .await
                    .context("ROOST_TEST_POSTGRES_URL names no server")?,
            ),
            Base::Sqlite => None,
        };
        let database = match &scratch {
            Some(scratch) => scratch.url().replacen("postgres://", "postgresql://", 1),
            None => format!("sqlite:///{}", folder.path().join("dbos.sqlite").display()),
        };
        let file = root().join(program.file);
        let mut command = Command::new(interpreter(&file)?);
        command.arg(&file).arg(&database).args(program.word);
        let log = std::fs::File::create(folder.path().join("log"))?;
        command
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true);
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {}", program.file))?;
        let ask = child.stdin.take().context("its input")?;
        let answers = BufReader::new(child.stdout.take().context("its output")?).lines();
        let mut peer = Self {
            name: program.name,
            about: About {
                what: String::new(),
                care: String::new(),
            },
            child,
            ask,
            answers,
            scratch,
            folder,
        };
        peer.about = peer.next().await?;
        Ok(peer)
    }

    /// Its next line that is JSON: some libraries print other lines too.
    async fn next<T: for<'a> Deserialize<'a>>(&mut self) -> Result<T> {
        while let Some(line) = self.answers.next_line().await? {
            if line.starts_with('{') {
                return Ok(serde_json::from_str(&line)?);
            }
        }
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        bail!("{} ended:\n{log}", self.name)
    }

    /// Lets it work.
    pub async fn measure(&mut self, at_once: usize, seconds: f64, steps: usize) -> Result<Done> {
        let line = format!("{at_once} {seconds} {steps}\n");
        self.ask.write_all(line.as_bytes()).await?;
        let done: Done = self.next().await?;
        ensure!(done.steps > 0, "{} did nothing", self.name);
        Ok(done)
    }

    /// Ends it and deletes its data.
    pub async fn close(self) -> Result<()> {
        let Self {
            mut child,
            ask,
            scratch,
            ..
        } = self;
        drop(ask);
        child.wait().await?;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
        Ok(())
    }
}

/// The interpreter of a peer's program; `deploy/setup.sh test` installs it.
fn interpreter(file: &Path) -> Result<PathBuf> {
    let of = match file.extension().and_then(|end| end.to_str()) {
        Some("py") => "target/python/bin/python",
        _ => "tests/node/node_modules/node/bin/node",
    };
    let found = root().join(of);
    ensure!(
        found.exists(),
        "{} is missing: `deploy/setup.sh test` installs it (or give --alone true)",
        found.display()
    );
    Ok(found)
}

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}
