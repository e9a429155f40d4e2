//! `sb_exec`: a command in a sandbox, through its guest.
//!
//! ```text
//!  ledger: accepted ─▶ guest answers ─▶ ledger: starting(guest) ─▶ start ─▶ output ▶ spool … ─▶ exited ─▶ ledger: ended
//! ```
//! After a restart, the ledger and the guest's list together determine what happened: see [`Evidence`].
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::guest::{ExitCause, FromGuest, ToGuest};
use roost_protocol::ids::{InstanceId, OperationId, WorkspaceId};
use roost_protocol::limits::MAX_STREAMED_BYTES;
use roost_protocol::machine::ledger::{Effect, Evidence};
use roost_protocol::machine::stdin::Feed;
use roost_protocol::operation::{Exec, OperationRequest, TtySize};
use roost_protocol::output::Piece;
use roost_protocol::report::{Ended, ErrorKind, OperationError, Outcome, Report, Terminal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{PATIENCE, is_silence};
use crate::executor::chaos::KillPoint;
use crate::executor::ledger::Record;
use crate::executor::shared::Shared;
use crate::executor::snapshots;
use crate::executor::stream::{self, Stream};
use crate::{Events, GuestLink};

mod stdin;

/// Output that the guest may send before earlier output is stored, bytes.
const WINDOW: u64 = 1024 * 1024;
/// Number of stored bytes after which the guest gets new credit and can drop them from its ring.
const CREDIT_STEP: u64 = 256 * 1024;
/// How long after its deadline to wait for a command's end: the guest kills it by itself.
const OVERTIME: Duration = Duration::from_secs(30);

/// Input of the gateway for a running command.
#[derive(Debug)]
pub enum Input {
    Stdin {
        offset: u64,
        data: Vec<u8>,
        eof: bool,
    },
    Resize(TtySize),
}

/// One command being run.
struct Command<'a> {
    shared: &'a Arc<Shared>,
    request: &'a OperationRequest,
    exec: &'a Exec,
    stream: Arc<Stream>,
    cancel: CancellationToken,
    inputs: mpsc::Receiver<Input>,
    /// Stdin that the guest has not confirmed; absent until the guest of a resumed command has reported its offset.
    stdin: Option<Feed>,
    credited: u64,
}

/// How following a command's events ended.
enum Followed {
    Ended(Ended),
    /// The link broke for good; whether the command still runs must be checked.
    LinkLost,
}

pub async fn run(
    shared: &Arc<Shared>,
    request: &Arc<OperationRequest>,
    exec: &Exec,
    resumed: bool,
) {
    let id = request.id;
    let Some((cancel, inputs)) = shared
        .in_flight()
        .live
        .get_mut(&id)
        .and_then(|live| Some((live.cancel.clone(), live.inputs.take()?)))
    else {
        return;
    };
    let workspace = request.on_behalf.map(|on| on.workspace);
    let stream = open_stream(shared, id, workspace, resumed);
    let mut command = Command {
        shared,
        request,
        exec,
        stream,
        cancel,
        inputs,
        stdin: None,
        credited: 0,
    };
    // A shutdown leaves the command to its guest. The next start attaches to it again.
    let Some((ended, link)) = shared.stop.run_until_cancelled(command.run(resumed)).await else {
        return;
    };
    KillPoint::ExecExited.pass();
    let written = shared.finish(id, ended, Some(KillPoint::ExecEnded)).await;
    // After the end: a snapshot never delays it.
    if snapshots::may_change_files(exec) {
        shared.snapshots.due(exec.sandbox);
    }
    if let Some(link) = link.filter(|_| written) {
        // The ledger holds the end, so the guest may drop its ring. A guest that is gone has nothing to drop.
        let _ = link.send(ToGuest::Forget { operation: id }).await;
    }
}

fn open_stream(
    shared: &Arc<Shared>,
    id: OperationId,
    workspace: Option<WorkspaceId>,
    resumed: bool,
) -> Arc<Stream> {
    let stream = if resumed {
        let spool = shared.spools.open_running(id, workspace).unwrap_or_else(|error| {
            tracing::error!(operation = %id, %error, "cannot open a spool; its content becomes a gap");
            shared.spools.create(id, workspace)
        });
        Stream::found(id, spool)
    } else {
        Stream::new(id, shared.spools.create(id, workspace))
    };
    let stream = Arc::new(stream);
    let session = {
        let mut in_flight = shared.in_flight();
        in_flight.streams.insert(id, Arc::clone(&stream));
        let replay = in_flight
            .live
            .get_mut(&id)
            .and_then(|live| live.replay.take());
        if let Some(from) = replay {
            stream.replay(from);
        }
        in_flight.session.clone()
    };
    if let Some(session) = session {
        stream::pump(shared, Arc::clone(&stream), session);
    }
    stream
}

impl Command<'_> {
    fn id(&self) -> OperationId {
        self.request.id
    }

    /// Runs or resumes the command until it has an end.
    async fn run(&mut self, mut resumed: bool) -> (Ended, Option<GuestLink>) {
        loop {
            let (link, guest, held) = match self.reach(resumed).await {
                Ok(reached) => reached,
                Err(ended) => return (ended, None),
            };
            KillPoint::ExecLinked.pass();
            let mut events = link.events(self.id());
            if let Err(ended) = self.start_or_resume(&link, guest, held, resumed).await {
                return (ended, Some(link));
            }
            KillPoint::ExecAsked.pass();
            match self.follow(&link, &mut events).await {
                Followed::Ended(ended) => return (ended, Some(link)),
                Followed::LinkLost => resumed = true,
            }
        }
    }

    /// Links to the guest; returns the link, the guest's instance, and whether it holds this command.
    async fn reach(&self, resumed: bool) -> Result<(GuestLink, InstanceId, bool), Ended> {
        let begun = tokio::time::Instant::now();
        let mut pause = Duration::from_millis(200);
        loop {
            let error = match self.hello(resumed).await {
                Ok(reached) => return Ok(reached),
                Err(error) => error,
            };
            let silent = is_silence(error.kind) || error.kind == ErrorKind::GuestSilent;
            if resumed && silent && begun.elapsed() < PATIENCE && self.sandbox_may_live().await {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(5));
                continue;
            }
            return Err(if resumed {
                self.evidence(Evidence::SandboxGone)
                    .unwrap_or_else(|| error.into())
            } else {
                error.into()
            });
        }
    }

    async fn hello(&self, resumed: bool) -> Result<(GuestLink, InstanceId, bool), OperationError> {
        let link = self.shared.engine.attach(self.exec.sandbox).await?;
        if !resumed && let Some(instance) = link.known_instance() {
            // The guest answered a moment ago and cannot hold a new command: this saves a round trip.
            return Ok((link, instance, false));
        }
        let hello = link.hello().await?;
        let held = hello
            .processes
            .iter()
            .any(|process| process.operation == self.id());
        Ok((link, hello.instance, held))
    }

    /// False only when the engine answers that the sandbox does not run.
    async fn sandbox_may_live(&self) -> bool {
        self.shared
            .engine
            .running(self.exec.sandbox)
            .await
            .unwrap_or(true)
    }

    /// The end that the ledger's state machine derives from the evidence, if any.
    fn evidence(&self, evidence: Evidence) -> Option<Ended> {
        let now_ms = self.shared.now_ms();
        let output_end = self.stream.end();
        let effects = self
            .shared
            .in_flight()
            .live
            .get(&self.id())
            .map(|live| live.slot.clone().recover(evidence, output_end, now_ms))?;
        effects.into_iter().find_map(|effect| match effect {
            Effect::Report(Report::Ended(ended)) => Some(ended),
            _ => None,
        })
    }

    /// Starts the command, or requests the rest of one that the guest holds.
    async fn start_or_resume(
        &mut self,
        link: &GuestLink,
        guest: InstanceId,
        held: bool,
        resumed: bool,
    ) -> Result<(), Ended> {
        let recorded = self
            .shared
            .ledger
            .index()
            .get(self.id())
            .and_then(|entry| entry.guest);
        let evidence = match recorded {
            Some(recorded) if recorded != guest => Evidence::SandboxGone,
            _ if held => Evidence::GuestKnows,
            _ => Evidence::GuestDoesNotKnow,
        };
        if resumed && let Some(ended) = self.evidence(evidence) {
            return Err(ended);
        }
        let operation = self.id();
        if recorded.is_none() {
            // Written, not synced: a power cut that loses this record also ends the guest.
            let record = Record::Starting { operation, guest };
            self.shared.ledger.written(record).await.map_err(|error| {
                Ended::without_result(
                    Terminal::Failed,
                    ErrorKind::DiskFull,
                    format!("{error}; nothing was started"),
                )
            })?;
        }
        let end = self.stream.end();
        let first = if held {
            ToGuest::Replay {
                operation,
                from: end,
            }
        } else {
            ToGuest::Start {
                operation,
                argv: self.exec.argv.clone(),
                cwd: self
                    .exec
                    .cwd
                    .clone()
                    .unwrap_or_else(|| crate::policy::WORKSPACE.to_owned()),
                env: self.exec.env.clone(),
                stdin: self.exec.stdin,
                tty: self.exec.tty,
                deadline_ms: self.exec.lasts_s().saturating_mul(1000),
                stream_cap: MAX_STREAMED_BYTES,
            }
        };
        self.credited = end;
        let credit = ToGuest::Credit {
            operation,
            up_to: end + WINDOW,
            acked: end,
        };
        // If the link breaks here, the reader of its events detects it.
        let _ = link.send(first).await;
        let _ = link.send(credit).await;
        self.resume_stdin(link, held).await;
        Ok(())
    }

    /// Follows the guest's events until the command ends or the link breaks.
    async fn follow(&mut self, link: &GuestLink, events: &mut Events) -> Followed {
        let operation = self.id();
        let mut cancelled = false;
        let overtime = tokio::time::sleep(Duration::from_secs(self.exec.lasts_s()) + OVERTIME);
        tokio::pin!(overtime);
        loop {
            tokio::select! {
                message = events.recv() => match message {
                    Some(message) => {
                        if let Some(ended) = self.handle(link, message).await {
                            return Followed::Ended(ended);
                        }
                    }
                    None => return Followed::LinkLost,
                },
                Some(input) = self.inputs.recv(), if self.stdin.is_some() => match input {
                    Input::Stdin { offset, data, eof } => self.give(link, offset, &data, eof).await,
                    Input::Resize(size) => {
                        let _ = link.send(ToGuest::Resize { operation, size }).await;
                    }
                },
                () = self.cancel.cancelled(), if !cancelled => {
                    cancelled = true;
                    let _ = link.send(ToGuest::Cancel { operation }).await;
                }
                () = &mut overtime => {
                    let detail = "the deadline passed and the guest did not report how the command ended";
                    return Followed::Ended(self.lost(detail));
                }
            }
        }
    }

    async fn handle(&mut self, link: &GuestLink, message: FromGuest) -> Option<Ended> {
        match message {
            FromGuest::Output { piece, .. } => {
                self.store(link, &piece).await;
                None
            }
            FromGuest::StdinTaken { offset, .. } => {
                self.stdin_taken(link, offset).await;
                None
            }
            FromGuest::Exited {
                code,
                cause,
                output_end,
                output_dropped,
                duration_ms,
                ..
            } => {
                if output_end > self.stream.end() {
                    let from = self.stream.end();
                    self.stream.store(&Piece::Gap {
                        from,
                        to: output_end,
                    });
                }
                let (state, outcome) = match cause {
                    ExitCause::Deadline => (
                        Terminal::Failed,
                        error(
                            ErrorKind::Deadline,
                            format!(
                                "the deadline of {} s passed; the whole process tree was killed",
                                self.exec.deadline_s
                            ),
                        ),
                    ),
                    ExitCause::Cancelled => (
                        Terminal::Cancelled,
                        error(
                            ErrorKind::Cancelled,
                            "cancelled; the whole process tree was killed",
                        ),
                    ),
                    ExitCause::Exited | ExitCause::Unknown => {
                        (Terminal::Done, Outcome::Exited { code })
                    }
                };
                Some(Ended {
                    state,
                    outcome,
                    output_end: self.stream.end(),
                    output_dropped,
                    duration_ms,
                })
            }
            FromGuest::NotStarted { detail, .. } => {
                let program = self.exec.argv.first().map_or("", String::as_str);
                let detail = roost_protocol::text::clean(
                    &format!("{program}: {detail}"),
                    roost_protocol::limits::MAX_DETAIL_TEXT,
                );
                Some(Ended::without_result(
                    Terminal::Failed,
                    ErrorKind::NotStarted,
                    detail,
                ))
            }
            FromGuest::NoSuch { .. } => Some(self.lost("the guest no longer knows the command")),
            FromGuest::Started { .. } | FromGuest::Hello { .. } | FromGuest::Unknown => None,
        }
    }

    async fn store(&mut self, link: &GuestLink, piece: &Piece) {
        let end = self.stream.store(piece);
        if end >= self.credited + CREDIT_STEP {
            self.credited = end;
            let operation = self.id();
            let _ = link
                .send(ToGuest::Credit {
                    operation,
                    up_to: end + WINDOW,
                    acked: end,
                })
                .await;
        }
    }

    fn lost(&self, detail: &str) -> Ended {
        Ended {
            output_end: self.stream.end(),
            ..Ended::without_result(Terminal::Lost, ErrorKind::Interrupted, detail)
        }
    }
}

fn error(kind: ErrorKind, detail: impl Into<String>) -> Outcome {
    Outcome::Error {
        error: OperationError::new(kind, detail),
    }
}
