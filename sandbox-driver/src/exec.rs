//! Runs one command to its end through the guest. The driver itself needs this for archives, health and the probe.
//!
//! The executor does not use this: it stores output on disk. Here output is passed on at once, and credit follows what
//! was passed on.
use std::collections::BTreeMap;
use std::io;

use roost_protocol::guest::{ExitCause, FromGuest, STDIN_WINDOW, ToGuest};
use roost_protocol::ids::OperationId;
use roost_protocol::limits::MAX_CHUNK_BYTES;
use roost_protocol::output::{Piece, StreamName};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use crate::archive::Partial;
use crate::error::DriverError;
use crate::link::{Events, GuestLink, nonce};
use crate::policy::WORKSPACE;

/// Credit beyond what was passed on, bytes: less than the guest's ring, more than a round trip needs.
const WINDOW: u64 = 512 * 1024;
/// Most bytes that [`GuestLink::run`] keeps of each stream.
const KEPT: usize = 1 << 20;

/// What to run.
#[derive(Clone, Debug)]
pub struct Command {
    pub argv: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub cwd: String,
    pub deadline_ms: u64,
    /// Bytes of output that are sent.
    pub stream_cap: u64,
}

impl Command {
    /// A program with arguments, run in the workspace, with a deadline of one minute.
    pub fn of(program: &str, arguments: &[&str]) -> Self {
        let argv = std::iter::once(program)
            .chain(arguments.iter().copied())
            .map(str::to_owned)
            .collect();
        Self {
            argv,
            env: BTreeMap::new(),
            cwd: WORKSPACE.to_owned(),
            deadline_ms: 60_000,
            stream_cap: u64::MAX,
        }
    }
}

/// How the command ended, with the kept part of its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: i32,
    pub cause: ExitCause,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
    pub output_end: u64,
    pub output_dropped: u64,
}

/// Where a command's stdout goes. This is a type because the future of an async closure cannot be declared `Send`.
pub(crate) enum Sink<'a> {
    Keep(&'a mut Vec<u8>),
    /// All of it, at most this many bytes.
    Whole(&'a mut Vec<u8>, usize),
    /// To a reader in this process.
    Pipe(&'a mut tokio::io::DuplexStream),
    /// Into an archive of at most this many bytes.
    Archive(&'a mut Partial, u64),
    Nowhere,
}

impl Sink<'_> {
    async fn take(&mut self, data: &[u8]) -> Result<(), DriverError> {
        match self {
            Self::Keep(into) => keep(into, data),
            Self::Whole(into, most) if into.len() + data.len() > *most => {
                let list = format!("a list of files of more than {most} bytes");
                return Err(DriverError::TooManyFiles(list));
            }
            Self::Whole(into, _) => into.extend_from_slice(data),
            Self::Pipe(into) => into
                .write_all(data)
                .await
                .map_err(|error| DriverError::Archive(error.to_string()))?,
            Self::Archive(partial, most) => partial.write(data, *most).await?,
            Self::Nowhere => {}
        }
        Ok(())
    }
}

impl GuestLink {
    /// Runs a command and keeps the first MiB of each of its streams.
    ///
    /// # Errors
    /// [`DriverError::NotStarted`], [`DriverError::SandboxGone`].
    pub async fn run(&self, command: Command) -> Result<Ran, DriverError> {
        let mut output = Vec::new();
        let mut ran = self
            .run_with(command, tokio::io::empty(), false, Sink::Keep(&mut output))
            .await?;
        ran.output = output;
        Ok(ran)
    }

    /// As [`Self::run`], with bytes for the command's stdin.
    ///
    /// # Errors
    /// See [`Self::run`]; also an error of the source. The command is then cancelled.
    pub async fn run_fed<R>(&self, command: Command, stdin: R) -> Result<Ran, DriverError>
    where
        R: AsyncRead + Unpin,
    {
        let mut output = Vec::new();
        let mut ran = self
            .run_with(command, stdin, true, Sink::Keep(&mut output))
            .await?;
        ran.output = output;
        Ok(ran)
    }

    /// Runs a command with bytes for its stdin and a sink for its stdout; keeps up to one MiB of stderr.
    ///
    /// # Errors
    /// See [`Self::run`]; also an error of the sink or the source. The command is then cancelled.
    pub(crate) async fn run_with<R>(
        &self,
        command: Command,
        mut stdin: R,
        has_stdin: bool,
        mut sink: Sink<'_>,
    ) -> Result<Ran, DriverError>
    where
        R: AsyncRead + Unpin,
    {
        let operation = new_operation();
        let program = command.argv.first().cloned().unwrap_or_default();
        let mut events = self.events(operation);
        self.send(ToGuest::Start {
            operation,
            argv: command.argv,
            cwd: command.cwd,
            env: command.env,
            stdin: has_stdin,
            tty: None,
            deadline_ms: command.deadline_ms,
            stream_cap: command.stream_cap,
        })
        .await?;
        self.credit(operation, 0).await?;
        let mut ended = None;
        let result = {
            let reading = drain(
                self,
                operation,
                &program,
                &mut events,
                &mut sink,
                &mut stdin,
                has_stdin,
            );
            reading.await.map(|ran| ended = Some(ran))
        };
        if result.is_err() {
            // A command without a reader must not go on. On a closed link there is nothing left to cancel.
            let _ = self.send(ToGuest::Cancel { operation }).await;
        }
        let _ = self.send(ToGuest::Forget { operation }).await;
        result?;
        ended.ok_or(DriverError::SandboxGone(self.sandbox()))
    }

    async fn credit(&self, operation: OperationId, handed_over: u64) -> Result<(), DriverError> {
        self.send(ToGuest::Credit {
            operation,
            up_to: handed_over + WINDOW,
            acked: handed_over,
        })
        .await
    }
}

async fn drain<R>(
    link: &GuestLink,
    operation: OperationId,
    program: &str,
    events: &mut Events,
    sink: &mut Sink<'_>,
    stdin: &mut R,
    has_stdin: bool,
) -> Result<Ran, DriverError>
where
    R: AsyncRead + Unpin,
{
    let mut errors = Vec::new();
    let mut credited = 0;
    let mut received = 0;
    let mut feed = Feed::new(has_stdin);
    loop {
        let event = tokio::select! {
            biased;
            event = events.recv() => event,
            fed = feed.next(stdin), if feed.may_send() => {
                if let Some(message) = fed.map_err(|source| DriverError::File {
                    during: "cannot read the input of",
                    path: program.to_owned(),
                    source,
                })?.message(operation) {
                    link.send(message).await?;
                }
                continue;
            }
        };
        match event {
            None => return Err(DriverError::SandboxGone(link.sandbox())),
            Some(FromGuest::Output { piece, .. }) => {
                let end = piece.end();
                received = end.max(received);
                match &piece {
                    Piece::Data {
                        stream: StreamName::Stdout,
                        data,
                        ..
                    } => sink.take(data).await?,
                    Piece::Data { data, .. } => keep(&mut errors, data),
                    Piece::Gap { from, to } => return Err(lost(link, program, *from, *to)),
                }
                if end - credited > WINDOW / 4 {
                    credited = end;
                    link.credit(operation, end).await?;
                }
            }
            Some(FromGuest::StdinTaken { offset, .. }) => feed.taken(offset),
            Some(FromGuest::NotStarted { errno, detail, .. }) => {
                return Err(DriverError::NotStarted {
                    program: program.to_owned(),
                    detail: format!(
                        "{} (errno {errno})",
                        roost_protocol::text::clean(&detail, 300)
                    ),
                });
            }
            Some(FromGuest::NoSuch { .. }) => return Err(DriverError::SandboxGone(link.sandbox())),
            Some(FromGuest::Exited {
                code,
                cause,
                output_end,
                output_dropped,
                ..
            }) => {
                if let Some((from, to)) = missing(received, output_end) {
                    return Err(lost(link, program, from, to));
                }
                return Ok(Ran {
                    code,
                    cause,
                    output: Vec::new(),
                    errors,
                    output_end,
                    output_dropped,
                });
            }
            Some(_) => {}
        }
    }
}

/// The part of the output that did not arrive before the end.
fn missing(received: u64, output_end: u64) -> Option<(u64, u64)> {
    (received < output_end).then_some((received, output_end))
}

fn lost(link: &GuestLink, program: &str, from: u64, to: u64) -> DriverError {
    DriverError::GuestSilent {
        sandbox: link.sandbox(),
        detail: format!("bytes {from} to {to} of {program}'s output are lost"),
    }
}

/// Stdin in flight. Sent bytes that the guest has not confirmed are kept, because a re-attach may lose them.
struct Feed {
    /// Bytes from `taken` on.
    kept: Vec<u8>,
    taken: u64,
    sent: u64,
    eof: bool,
    eof_sent: bool,
}

/// The message that the feed wants to send now.
struct Fed(Option<(u64, Vec<u8>, bool)>);

impl Fed {
    fn message(self, operation: OperationId) -> Option<ToGuest> {
        let (offset, data, eof) = self.0?;
        Some(ToGuest::Stdin {
            operation,
            offset,
            data,
            eof,
        })
    }
}

impl Feed {
    fn new(has_stdin: bool) -> Self {
        Self {
            kept: Vec::new(),
            taken: 0,
            sent: 0,
            eof: !has_stdin,
            eof_sent: !has_stdin,
        }
    }

    fn may_send(&self) -> bool {
        !self.eof_sent && self.sent - self.taken + MAX_CHUNK_BYTES as u64 <= STDIN_WINDOW
    }

    async fn next<R: AsyncRead + Unpin>(&mut self, stdin: &mut R) -> io::Result<Fed> {
        let held = self.taken + self.kept.len() as u64;
        if self.sent < held {
            // Sent once, lost on the way, sent again.
            let from = usize::try_from(self.sent - self.taken).unwrap_or(usize::MAX);
            let to = self.kept.len().min(from + MAX_CHUNK_BYTES);
            let data = self.kept[from..to].to_vec();
            let offset = self.sent;
            self.sent += data.len() as u64;
            self.eof_sent = self.eof && self.sent == held;
            return Ok(Fed(Some((offset, data, self.eof_sent))));
        }
        if self.eof {
            self.eof_sent = true;
            return Ok(Fed(Some((self.sent, Vec::new(), true))));
        }
        let mut chunk = vec![0; MAX_CHUNK_BYTES];
        let got = stdin.read(&mut chunk).await?;
        chunk.truncate(got);
        self.eof = got == 0;
        let offset = self.sent;
        self.kept.extend_from_slice(&chunk);
        self.sent += got as u64;
        self.eof_sent = self.eof;
        Ok(Fed(Some((offset, chunk, self.eof))))
    }

    fn taken(&mut self, offset: u64) {
        if offset > self.taken {
            let gone = usize::try_from(offset - self.taken).unwrap_or(usize::MAX);
            self.kept.drain(..gone.min(self.kept.len()));
            self.taken = offset;
            self.sent = self.sent.max(offset);
        } else if self.sent > self.taken {
            // The answer to a query after a re-attach. Bytes beyond it may be lost; sending them again is harmless
            // because of their offsets.
            self.sent = self.taken;
            self.eof_sent = false;
        }
    }
}

fn keep(into: &mut Vec<u8>, data: &[u8]) {
    let room = KEPT.saturating_sub(into.len());
    into.extend_from_slice(&data[..data.len().min(room)]);
}

/// The UUID version of the driver's own commands. Ids of a gateway have another one.
const OWN: usize = 8;

/// Whether a command is one of the driver itself, such as a snapshot.
pub(crate) fn is_own(operation: OperationId) -> bool {
    operation.0.get_version_num() == OWN
}

/// An id for a command of the driver itself.
pub(crate) fn new_operation() -> OperationId {
    let (a, b) = (nonce(), nonce());
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_be_bytes());
    bytes[8..].copy_from_slice(&b.rotate_left(32).to_be_bytes());
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    OperationId(uuid::Uuid::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn output_that_did_not_arrive_before_the_end_is_named() {
        assert_eq!(missing(0, 0), None);
        assert_eq!(missing(70_000, 70_000), None);
        assert_eq!(missing(65_536, 70_000), Some((65_536, 70_000)));
        assert_eq!(missing(0, 5), Some((0, 5)));
    }
}
