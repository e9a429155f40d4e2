//! Runs git without configuration of this machine, hooks, filters, helpers or other protocols, without any credential,
//! and within bounds of memory, time and disk.
//!
//! Parameters are passed in the environment, which only this user can read. Every user can read arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use bytes::{Bytes, BytesMut};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Most bytes of output that are read.
const MOST_OUTPUT: u64 = 32 << 20;
/// Most bytes of one line of standard error.
const MOST_LINE: u64 = 4 << 10;
/// Bytes of one piece of streamed output.
const PIECE: usize = 64 << 10;
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
    ("push.recurseSubmodules", "no"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("diff.renameLimit", "400"),
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
    variables: Vec<(&'static str, OsString)>,
}

/// Standard input of a call.
pub(super) enum Input {
    None,
    Bytes(Vec<u8>),
    /// From the file's present position.
    File(std::fs::File),
}

/// A call that ended, perhaps with a failure.
pub(super) struct Ended {
    status: ExitStatus,
    pub(super) output: Vec<u8>,
    said: Vec<String>,
}

impl Ended {
    /// # Errors
    /// [`GitError::Failed`] when git failed.
    pub(super) fn checked(self) -> Result<Vec<u8>, GitError> {
        match self.status.success() {
            true => Ok(self.output),
            false => Err(GitError::Failed {
                status: self.status,
                said: self.said,
            }),
        }
    }
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
            variables: Vec::new(),
        }
    }

    /// Writes new objects to this folder. The repository's own objects can be read, and stay as they are.
    pub(super) fn apart(mut self, objects: &Path) -> Self {
        // git reads a quoted path literally. Without quotes, a colon would end it.
        let own = self.repository.join("objects");
        let own = own
            .to_string_lossy()
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
        self.variables
            .push(("GIT_OBJECT_DIRECTORY", objects.as_os_str().to_owned()));
        self.variables.push((
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            format!("\"{own}\"").into(),
        ));
        self
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
        self.finish(arguments, Input::None, &mut on_line)
            .await?
            .checked()
    }

    /// As [`run`](Self::run), with input.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn run_with(
        &self,
        arguments: &[&str],
        input: Input,
    ) -> Result<Vec<u8>, GitError> {
        self.finish(arguments, input, &mut |_| {}).await?.checked()
    }

    /// As [`run`](Self::run); also a failed call returns its output.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn finish(
        &self,
        arguments: &[&str],
        input: Input,
        on_line: &mut impl FnMut(&str),
    ) -> Result<Ended, GitError> {
        let mut running = self.start(arguments, &input)?;
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
        let fed = feed(running.child.stdin.take(), input);
        let (output, (), ()) = tokio::try_join!(all(output), heard, fed)?;
        let status = running.child.wait().await?;
        running.over = true;
        Ok(Ended {
            status,
            output,
            said,
        })
    }

    /// Starts git and returns its output piece by piece. Its messages go nowhere.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn stream(
        &self,
        arguments: &[&str],
        input: Vec<u8>,
    ) -> Result<Streaming, GitError> {
        let input = Input::Bytes(input);
        let mut running = self.start(arguments, &input)?;
        running.child.stderr.take();
        // The input of these calls is a few lines, which fit into the pipe.
        feed(running.child.stdin.take(), input).await?;
        let output = running.child.stdout.take();
        let output = output.ok_or_else(|| std::io::Error::other("its output pipe is missing"))?;
        Ok(Streaming { running, output })
    }

    /// Starts git, which reads its input piece by piece.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) fn fed(&self, arguments: &[&str]) -> Result<Feeding, GitError> {
        let mut running = self.start(arguments, &Input::Bytes(Vec::new()))?;
        running.child.stdout.take();
        let stdin = running.child.stdin.take();
        Ok(Feeding { running, stdin })
    }

    fn start(&self, arguments: &[&str], input: &Input) -> Result<Running, GitError> {
        let stdin = match input {
            Input::None => Stdio::null(),
            Input::Bytes(_) => Stdio::piped(),
            Input::File(file) => file.try_clone()?.into(),
        };
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
                ("GIT_ATTR_NOSYSTEM", "1"),
            ])
            .env("GIT_DIR", &self.repository)
            .env("GIT_CONFIG_COUNT", self.settings.len().to_string())
            .envs(self.variables.iter().map(|(key, value)| (key, value)))
            .stdin(stdin)
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

/// A running git that reads its input piece by piece. Dropping it ends git.
pub(super) struct Feeding {
    running: Running,
    stdin: Option<ChildStdin>,
}

impl Feeding {
    /// Writes a piece. A git that ended does not read it; [`end`](Self::end) says why.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn write(&mut self, piece: &[u8]) -> Result<(), GitError> {
        let Some(stdin) = &mut self.stdin else {
            return Ok(());
        };
        match stdin.write_all(piece).await {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                self.stdin = None;
                Ok(())
            }
            done => Ok(done?),
        }
    }

    /// Closes the input and waits for the end.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn end(&mut self) -> Result<(), GitError> {
        self.stdin = None;
        let mut said = Vec::new();
        if let Some(errors) = self.running.child.stderr.take() {
            lines(errors, |line| {
                if said.len() < LAST_WORDS {
                    said.push(line.to_owned());
                }
            })
            .await?;
        }
        let status = self.running.child.wait().await?;
        self.running.over = true;
        match status.success() {
            true => Ok(()),
            false => Err(GitError::Failed { status, said }),
        }
    }

    /// Ends git now.
    pub(super) fn kill(&mut self) {
        if let (false, Some(group)) = (self.running.over, self.running.group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// The output of a running git. Dropping it ends git.
pub(super) struct Streaming {
    running: Running,
    output: ChildStdout,
}

impl Streaming {
    /// The next piece; `None` when git ended well.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn piece(&mut self) -> Result<Option<Bytes>, GitError> {
        let mut piece = BytesMut::with_capacity(PIECE);
        if self.output.read_buf(&mut piece).await? > 0 {
            return Ok(Some(piece.freeze()));
        }
        let status = self.running.child.wait().await?;
        self.running.over = true;
        match status.success() {
            true => Ok(None),
            false => Err(GitError::Failed {
                status,
                said: Vec::new(),
            }),
        }
    }
}

/// Writes the input and closes the pipe. A git that ends early does not read it; its status says why.
async fn feed(stdin: Option<ChildStdin>, input: Input) -> Result<(), GitError> {
    if let (Some(mut stdin), Input::Bytes(bytes)) = (stdin, input) {
        match stdin.write_all(&bytes).await {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                return Err(error.into());
            }
            _ => {}
        }
    }
    Ok(())
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
