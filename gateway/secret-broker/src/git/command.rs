//! Runs git without configuration of this machine, hooks, filters, helpers or other protocols, without any credential,
//! and within bounds of memory, time and disk.
//!
//! Parameters are passed in the environment, which only this user can read. Every user can read arguments.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

/// Most bytes of output that are read.
const MOST_OUTPUT: u64 = 32 << 20;
/// Most bytes of one line of standard error.
const MOST_LINE: u64 = 4 << 10;
/// Number of last lines of standard error that are kept.
const LAST_WORDS: usize = 6;
/// Address space of each process. Packs are mapped, so this is far above the memory in use.
const ADDRESS_SPACE: u64 = 4 << 30;
/// Processor time, seconds.
const PROCESSOR: u64 = 30 * 60;

/// Settings of every call. Received objects are checked. A few faults are allowed: old, honest histories are full of
/// them, and no program fails on them.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.logAllRefUpdates", "false"),
    ("core.packedGitLimit", "256m"),
    ("core.packedGitWindowSize", "16m"),
    ("core.deltaBaseCacheLimit", "64m"),
    ("core.bigFileThreshold", "16m"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("protocol.http.allow", "always"),
    ("http.followRedirects", "false"),
    ("http.proxy", ""),
    ("http.postBuffer", "16777216"),
    ("fetch.recurseSubmodules", "false"),
    ("submodule.recurse", "false"),
    ("fetch.unpackLimit", "1"),
    ("fetch.fsckObjects", "true"),
    ("fetch.fsck.zeroPaddedFilemode", "ignore"),
    ("fetch.fsck.badTimezone", "ignore"),
    ("fetch.fsck.missingSpaceBeforeDate", "ignore"),
    ("fetch.fsck.missingSpaceBeforeEmail", "ignore"),
    ("transfer.bundleURI", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("pack.threads", "2"),
    ("pack.windowMemory", "128m"),
];

/// Why git failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    #[error(
        "git cannot be started; install it where the secret broker runs (Debian: `apt-get install git`), version 2.31 or newer"
    )]
    Missing(#[source] std::io::Error),
    #[error("cannot read from or write to git")]
    Io(#[from] std::io::Error),
    #[error("the output of git is too long")]
    TooMuch,
    /// The lines are not cleaned yet.
    #[error("{}", said.last().map_or("git failed without a message", String::as_str))]
    Failed {
        status: ExitStatus,
        said: Vec<String>,
    },
}

/// git in one repository.
pub(super) struct Git {
    repository: PathBuf,
    /// Largest file that git may write, bytes.
    largest_file: u64,
    settings: Vec<(String, String)>,
}

impl Git {
    pub(super) fn new(repository: &Path, largest_file: u64) -> Self {
        let settings = SETTINGS
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Self {
            repository: repository.to_owned(),
            largest_file,
            settings: settings.collect(),
        }
    }

    /// Adds one setting.
    pub(super) fn with(mut self, key: &str, value: &str) -> Self {
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Runs git to its end; `on_line` gets each line of standard error. Dropping the future ends every process that git
    /// started.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn run(
        &self,
        arguments: &[&str],
        mut on_line: impl FnMut(&str),
    ) -> Result<Vec<u8>, GitError> {
        let mut running = self.start(arguments)?;
        let (Some(output), Some(errors)) =
            (running.child.stdout.take(), running.child.stderr.take())
        else {
            return Err(std::io::Error::other("its output pipe is missing").into());
        };
        let mut said: Vec<String> = Vec::new();
        let heard = lines(errors, |line| {
            on_line(line);
            if let Some(super::progress::Line::Said(line)) = super::progress::read(line) {
                said.push(line.to_owned());
                if said.len() > LAST_WORDS {
                    said.remove(0);
                }
            }
        });
        let (output, ()) = tokio::try_join!(all(output), heard)?;
        let status = running.child.wait().await?;
        running.over = true;
        if !status.success() {
            return Err(GitError::Failed { status, said });
        }
        Ok(output)
    }

    fn start(&self, arguments: &[&str]) -> Result<Running, GitError> {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .current_dir("/")
            .env_clear()
            .envs([
                ("PATH", "/usr/local/bin:/usr/bin:/bin"),
                ("HOME", "/nonexistent"),
                ("LC_ALL", "C"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_ALLOW_PROTOCOL", "http"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_ASKPASS", "/bin/false"),
                ("GIT_NO_REPLACE_OBJECTS", "1"),
                ("GIT_NO_LAZY_FETCH", "1"),
            ])
            .env("GIT_DIR", &self.repository)
            .env("GIT_CONFIG_COUNT", self.settings.len().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        for (at, (key, value)) in self.settings.iter().enumerate() {
            command
                .env(format!("GIT_CONFIG_KEY_{at}"), key)
                .env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        let child = command.spawn().map_err(GitError::Missing)?;
        let group = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        let running = Running {
            child,
            group,
            over: false,
        };
        // git has read no bytes of a remote yet: the proxy answers only after this is done.
        self.bound(running.group)?;
        Ok(running)
    }

    fn bound(&self, process: Option<Pid>) -> std::io::Result<()> {
        let limits = [
            (Resource::As, ADDRESS_SPACE),
            (Resource::Cpu, PROCESSOR),
            (Resource::Fsize, self.largest_file),
        ];
        for (resource, most) in limits {
            let limit = Rlimit {
                current: Some(most),
                maximum: Some(most),
            };
            match prlimit(process, resource, limit) {
                // The process has ended already.
                Err(rustix::io::Errno::SRCH) => return Ok(()),
                done => drop(done?),
            }
        }
        Ok(())
    }
}

/// A running git process group. Dropping it kills the group.
struct Running {
    child: Child,
    group: Option<Pid>,
    over: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let (false, Some(group)) = (self.over, self.group) {
            // The leader was not waited for yet, so its process group id is still valid.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

async fn all(output: impl AsyncRead + Unpin) -> Result<Vec<u8>, GitError> {
    let mut bytes = Vec::new();
    output.take(MOST_OUTPUT + 1).read_to_end(&mut bytes).await?;
    if bytes.len() as u64 > MOST_OUTPUT {
        return Err(GitError::TooMuch);
    }
    Ok(bytes)
}

/// git ends progress lines with a carriage return. Each counts as a line here.
async fn lines(
    errors: impl AsyncRead + Unpin,
    mut on_line: impl FnMut(&str),
) -> Result<(), GitError> {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    loop {
        let ended = {
            let bytes = errors.fill_buf().await?;
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            let room = usize::try_from(MOST_LINE)
                .unwrap_or(0)
                .saturating_sub(line.len());
            line.extend_from_slice(&piece[..piece.len().min(room)]);
            let (over, used) = (bytes.is_empty(), piece.len() + usize::from(end.is_some()));
            errors.consume(used);
            (over, over || end.is_some())
        };
        if ended.1 && !line.is_empty() {
            on_line(&String::from_utf8_lossy(&line));
            line.clear();
        }
        if ended.0 {
            return Ok(());
        }
    }
}
