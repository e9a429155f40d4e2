//! `roost sandbox exec`: streams output, forwards stdin and the exit code, resumes by offset when the stream breaks.

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};

use super::sse::Messages;
use super::terminal::{RawMode, size};
use super::{Api, claws, show};

/// A command in a sandbox.
#[derive(Debug, clap::Args)]
pub struct Exec {
    /// Id or name of the agent
    claw: String,
    /// Use a terminal
    #[arg(long, short)]
    tty: bool,
    /// Working directory, absolute [default: the workspace]
    #[arg(long, value_name = "PATH")]
    cwd: Option<String>,
    /// Environment, as NAME=VALUE; may be repeated
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = super::super::key_value)]
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

impl Exec {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let claw = claws::find(api, &self.claw).await?;
        let path = format!("/api/claws/{claw}/sandbox/exec");
        let taken = api.post(&path, &self.body()).await?;
        let id = taken["operation_id"]
            .as_str()
            .context("the gateway's answer names no operation")?
            .to_owned();
        let operation = format!("{path}/{id}");
        let raw = if self.tty { RawMode::enter() } else { None };
        let end = tokio::select! {
            end = follow(api, &operation) => end,
            error = feed(api, &operation) => Err(error),
            error = resized(api, &operation, self.tty) => Err(error),
            _ = tokio::signal::ctrl_c(), if raw.is_none() => {
                api.call(Method::DELETE, &operation, None).await?;
                follow(api, &operation).await
            }
        };
        drop(raw);
        Ok(code_of(&end?, api.json))
    }

    fn body(&self) -> Value {
        let mut body = json!({ "argv": self.argv });
        if !self.env.is_empty() {
            body["env"] = self
                .env
                .iter()
                .cloned()
                .collect::<std::collections::BTreeMap<_, _>>()
                .into_iter()
                .collect();
        }
        if let Some(cwd) = &self.cwd {
            body["cwd"] = cwd.clone().into();
        }
        if let Some(deadline) = self.deadline {
            body["deadline_s"] = deadline.into();
        }
        if self.tty {
            body["tty"] = size().map_or(
                json!(true),
                |(rows, cols)| json!({ "rows": rows, "cols": cols }),
            );
        }
        body
    }
}

/// Writes output as it comes until the end; goes on by offset when the stream breaks.
async fn follow(api: &Api, operation: &str) -> anyhow::Result<Value> {
    let (mut offset, mut broken) = (0u64, 0);
    loop {
        let error = match api.stream(&format!("{operation}?offset={offset}")).await {
            Err(error) => error,
            Ok(response) => {
                let mut messages = Messages::of(response);
                loop {
                    match messages.next().await {
                        Ok(Some(message)) => {
                            broken = 0;
                            let data: Value =
                                serde_json::from_str(&message.data).unwrap_or(Value::Null);
                            match message.event.as_str() {
                                "output" => offset = write(&data)?,
                                "gap" => {
                                    let (from, to) = (
                                        data["from"].as_u64().unwrap_or(0),
                                        data["to"].as_u64().unwrap_or(0),
                                    );
                                    eprintln!(
                                        "roost: {} bytes of output are no longer to be had",
                                        to.saturating_sub(from)
                                    );
                                    offset = to;
                                }
                                "exit" => return Ok(data),
                                _ => {}
                            }
                        }
                        Ok(None) => break anyhow::anyhow!("the stream ended before the command"),
                        Err(error) => break error,
                    }
                }
            }
        };
        broken += 1;
        if broken > RETRIES {
            return Err(error);
        }
        tokio::time::sleep(Duration::from_millis(100 << broken.min(6))).await;
    }
}

fn write(data: &Value) -> anyhow::Result<u64> {
    let bytes = STANDARD.decode(data["data_base64"].as_str().unwrap_or_default())?;
    if data["stream"] == "stderr" {
        let mut stderr = std::io::stderr().lock();
        stderr.write_all(&bytes)?;
        stderr.flush()?;
    } else {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&bytes)?;
        stdout.flush()?;
    }
    Ok(data["offset"].as_u64().unwrap_or(0) + bytes.len() as u64)
}

/// Forwards stdin; comes back only with an error.
async fn feed(api: &Api, operation: &str) -> anyhow::Error {
    let mut offset = 0u64;
    loop {
        let piece = match tokio::task::spawn_blocking(read_piece).await {
            Ok(Ok(piece)) => piece,
            Ok(Err(error)) => return error.into(),
            Err(error) => return error.into(),
        };
        let count = piece.len();
        let path = format!("{operation}/stdin?offset={offset}&eof={}", count == 0);
        if let Err(error) = api.send(&path, piece).await {
            // A command that does not read its stdin may end first; then the end tells.
            if !std::io::stderr().is_terminal() {
                tracing::debug!(%error, "stdin was not taken");
            }
            return std::future::pending().await;
        }
        offset += count as u64;
        if count == 0 {
            return std::future::pending().await;
        }
    }
}

fn read_piece() -> std::io::Result<Vec<u8>> {
    let mut piece = vec![0; STDIN_PIECE];
    let count = std::io::stdin().lock().read(&mut piece)?;
    piece.truncate(count);
    Ok(piece)
}

/// Tells each new size of the terminal; comes back only with an error.
async fn resized(api: &Api, operation: &str, tty: bool) -> anyhow::Error {
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
        if let Some((rows, cols)) = size() {
            // A command that has just ended has no terminal any more: its end tells.
            let _ = api
                .post(
                    &format!("{operation}/resize"),
                    &json!({ "rows": rows, "cols": cols }),
                )
                .await;
        }
    }
}

fn code_of(end: &Value, json: bool) -> ExitCode {
    if json {
        eprintln!(
            "{}",
            roost_protocol::text::json_for_terminals(&end.to_string())
        );
    }
    if end["truncated"] == json!(true) {
        eprintln!("roost: there was more output than is streamed; the rest was dropped");
    }
    match end["code"].as_i64() {
        Some(code) => ExitCode::from(u8::try_from(code & 0xff).unwrap_or(NOT_ENDED)),
        None => {
            let state = show::field(end, "state");
            let detail = show::field(end, "detail");
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
