//! `roost sandbox exec`: streams output, forwards stdin and the exit code, resumes by offset when the stream breaks.

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::anyhow;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::api::types::{
    ExecEvents, ExecExit, ExecOutput, NewExec, OperationId, TerminalSize, Tty,
};
use crate::api::{Api, Owner, Parsed, routes};
use crate::owners;
use crate::show::Shown;
use crate::terminal::{RawMode, size};

/// A command in a sandbox.
#[derive(Debug, clap::Args)]
pub struct Exec {
    /// Id or name of the agent, team:NAME or mission:TITLE
    #[arg(value_name = "OWNER")]
    owner: String,
    /// Use a terminal
    #[arg(long, short)]
    tty: bool,
    /// Working directory, absolute [default: the workspace]
    #[arg(long, value_name = "PATH")]
    cwd: Option<String>,
    /// Environment, as NAME=VALUE; may be repeated
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = crate::key_value)]
    env: Vec<(String, String)>,
    /// Seconds until the whole process tree is killed
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<u64>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    argv: Vec<String>,
}

/// Bytes of stdin a request.
const STDIN_PIECE: usize = 32 * 1024;
/// Tries to continue a broken stream before it is given up.
const RETRIES: u32 = 8;
/// Exit code when the command did not end by itself.
const NOT_ENDED: u8 = 125;

/// Prints the output of a command that was started before, to its end.
///
/// # Errors
/// When there is no such command, or its output cannot be read.
pub(super) async fn output(api: &Api, owner: Owner, id: OperationId) -> anyhow::Result<ExitCode> {
    let command = Running { api, owner, id };
    Ok(code_of(&command.follow().await?, api.json))
}

impl Exec {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let owner = owners::find(api, &self.owner).await?;
        let tty = self.tty;
        let taken = api.ask(routes::exec(&owner, &self.order())).await?;
        let operation = Running {
            api,
            owner,
            id: taken.into_value().operation_id,
        };
        let raw = if tty { RawMode::enter() } else { None };
        let end = tokio::select! {
            end = operation.follow() => end,
            error = operation.feed(std::io::stdin()) => Err(error),
            error = operation.resized(tty) => Err(error),
            _ = tokio::signal::ctrl_c(), if raw.is_none() => {
                operation.cancel().await?;
                operation.follow().await
            }
        };
        drop(raw);
        Ok(code_of(&end?, api.json))
    }

    fn order(self) -> NewExec {
        let window = || match terminal_size() {
            Some(size) => Tty::TerminalSize(size),
            None => Tty::Bool(true),
        };
        NewExec {
            argv: self.argv,
            cwd: self.cwd,
            env: (!self.env.is_empty()).then(|| self.env.into_iter().collect()),
            deadline_s: self.deadline,
            tty: self.tty.then(window),
        }
    }
}

fn terminal_size() -> Option<TerminalSize> {
    size().map(|(rows, cols)| TerminalSize {
        rows: rows.into(),
        cols: cols.into(),
    })
}

/// How a stream ended: with the command's end, or with the error that broke the stream.
type Ended = Result<Parsed<ExecExit>, anyhow::Error>;

/// A command that the gateway has accepted.
struct Running<'a> {
    api: &'a Api,
    owner: Owner,
    id: OperationId,
}

impl Running<'_> {
    async fn cancel(&self) -> anyhow::Result<()> {
        let call = routes::cancel_exec(&self.owner, &self.id);
        self.api.ask(call).await.map(drop)
    }

    /// Writes output as it comes until the end; goes on by offset when the stream breaks.
    async fn follow(&self) -> anyhow::Result<Parsed<ExecExit>> {
        let (mut offset, mut broken) = (0u64, 0);
        loop {
            let error = match self.read(&mut offset, &mut broken).await? {
                Ok(end) => return Ok(end),
                Err(error) => error,
            };
            broken += 1;
            if broken > RETRIES {
                return Err(error);
            }
            tokio::time::sleep(Duration::from_millis(100 << broken.min(6))).await;
        }
    }

    /// Reads one stream until the command ends or the stream breaks. Each event resets the count of broken streams.
    ///
    /// # Errors
    /// When output cannot be written here.
    async fn read(&self, offset: &mut u64, broken: &mut u32) -> anyhow::Result<Ended> {
        let call = routes::exec_output(&self.owner, &self.id, Some(*offset));
        let mut messages = match self.api.stream(call).await {
            Ok(messages) => messages,
            Err(error) => return Ok(Err(error)),
        };
        loop {
            let message = match messages.next().await {
                Ok(Some(message)) => message,
                Ok(None) => return Ok(Err(anyhow!("the stream ended before the command"))),
                Err(error) => return Ok(Err(error)),
            };
            *broken = 0;
            match ExecEvents::read(&message.event, &message.data) {
                Ok(ExecEvents::Output(output)) => *offset = write(&output)?,
                Ok(ExecEvents::Gap(gap)) => {
                    eprintln!(
                        "roost: {} bytes of output are no longer available",
                        gap.to.saturating_sub(gap.from)
                    );
                    *offset = gap.to;
                }
                Ok(ExecEvents::Exit(end)) => return Ok(Ok(end)),
                Ok(ExecEvents::Other) => {}
                Err(error) => return Ok(Err(error.into())),
            }
        }
    }

    /// Forwards what the source has to the command's stdin; comes back only with an error.
    async fn feed(&self, mut source: impl Read + Send + 'static) -> anyhow::Error {
        let mut offset = 0u64;
        loop {
            let read = tokio::task::spawn_blocking(move || (read_piece(&mut source), source)).await;
            let (piece, back) = match read {
                Ok(read) => read,
                Err(error) => return error.into(),
            };
            source = back;
            let piece = match piece {
                Ok(piece) => piece,
                Err(error) => return error.into(),
            };
            let count = piece.len();
            let call = routes::exec_stdin(&self.owner, &self.id, Some(offset), Some(count == 0));
            if let Err(error) = self.api.send(call, piece).await {
                // A command that does not read its stdin may end first; then the end tells.
                if !std::io::stderr().is_terminal() {
                    tracing::debug!(%error, "the machine refused stdin");
                }
                return std::future::pending().await;
            }
            offset += count as u64;
            if count == 0 {
                return std::future::pending().await;
            }
        }
    }

    /// Tells each new size of the terminal; comes back only with an error.
    async fn resized(&self, tty: bool) -> anyhow::Error {
        if !tty {
            return std::future::pending().await;
        }
        let mut changes =
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::window_change()) {
                Ok(changes) => changes,
                Err(error) => return error.into(),
            };
        loop {
            changes.recv().await;
            if let Some(size) = terminal_size() {
                // A command that has just ended has no terminal any more: its end tells.
                let call = routes::resize_exec(&self.owner, &self.id, &size);
                let _ = self.api.ask(call).await;
            }
        }
    }
}

fn write(output: &ExecOutput) -> anyhow::Result<u64> {
    let bytes = STANDARD.decode(&output.data_base64)?;
    if output.stream == "stderr" {
        let mut stderr = std::io::stderr().lock();
        stderr.write_all(&bytes)?;
        stderr.flush()?;
    } else {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&bytes)?;
        stdout.flush()?;
    }
    Ok(output.offset + bytes.len() as u64)
}

fn read_piece(source: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut piece = vec![0; STDIN_PIECE];
    let count = source.read(&mut piece)?;
    piece.truncate(count);
    Ok(piece)
}

fn code_of(end: &Parsed<ExecExit>, json: bool) -> ExitCode {
    if json {
        eprintln!(
            "{}",
            roost_protocol::text::json_for_terminals(&end.raw().to_string())
        );
    }
    if end.truncated {
        eprintln!("roost: there was more output than is streamed; the rest was dropped");
    }
    match end.code {
        Some(code) => ExitCode::from(u8::try_from(code & 0xff).unwrap_or(NOT_ENDED)),
        None => {
            let (state, detail) = (end.state.shown(), end.detail.shown());
            eprintln!(
                "roost: the command {}",
                if detail == "-" {
                    format!("is {state}")
                } else {
                    format!("is {state}: {detail}")
                }
            );
            ExitCode::from(NOT_ENDED)
        }
    }
}
