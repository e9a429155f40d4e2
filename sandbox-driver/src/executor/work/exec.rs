//! `sb_exec`: a command in a sandbox, through its guest.
//!
//! ```text
//!  ledger: accepted ─▶ guest answers ─▶ ledger: starting(guest) ─▶ start ─▶ output ▶ spool … ─▶ exited ─▶ ledger: ended
//! ```
//! After a restart the ledger and the guest's own list say together what happened: see [`Evidence`].
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::guest::{ExitCause, FromGuest, ToGuest};
use roost_protocol::ids::{InstanceId, OperationId};
use roost_protocol::limits::MAX_STREAMED_BYTES;
use roost_protocol::machine::ledger::{Effect, Evidence};
use roost_protocol::operation::{Exec, OperationRequest, TtySize};
use roost_protocol::output::Piece;
use roost_protocol::report::{Ended, ErrorKind, OperationError, Outcome, Report, Terminal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{PATIENCE, is_silence};
use crate::executor::chaos::KillPoint;
use crate::executor::event::Event;
use crate::executor::ledger::Record;
use crate::executor::shared::Shared;
use crate::executor::stream::{self, Stream};
use crate::{Events, GuestLink};

/// Output that the guest may send ahead of what is stored, bytes.
const WINDOW: u64 = 1024 * 1024;
/// Stored bytes after which the guest is told, so that its ring can let them go.
const CREDIT_STEP: u64 = 256 * 1024;
/// How long after its deadline a command may stay unended before it is given up: the guest kills by itself.
const OVERTIME: Duration = Duration::from_secs(30);

/// What the gateway sends into a running command.
#[derive(Debug)]
pub enum Input {
    Stdin {
        offset: u64,
        data: Vec<u8>,
        eof: bool,
    },
    Resize(TtySize),
}

/// One command on its way.
struct Command<'a> {
    shared: &'a Arc<Shared>,
    request: &'a OperationRequest,
    exec: &'a Exec,
    stream: Arc<Stream>,
    cancel: CancellationToken,
    inputs: mpsc::Receiver<Input>,
    credited: u64,
}

/// How following a command's events ended.
enum Followed {
    Ended(Ended),
    /// The line broke for good; whether the command still runs is to be asked.
    LineLost,
}

pub async fn run(
    shared: &Arc<Shared>,
    request: &Arc<OperationRequest>,
    exec: &Exec,
    resumed: bool,
) {
    let id = request.id;
    let Some((cancel, inputs)) = shared
        .desk()
        .live
        .get_mut(&id)
        .and_then(|live| Some((live.cancel.clone(), live.inputs.take()?)))
    else {
        return;
    };
    let stream = open_stream(shared, id, resumed);
    let mut command = Command {
        shared,
        request,
        exec,
        stream,
        cancel,
        inputs,
        credited: 0,
    };
    // A shutdown leaves the command to its guest; the next life attaches to it again.
    let Some((ended, link)) = shared.stop.run_until_cancelled(command.run(resumed)).await else {
        return;
    };
    KillPoint::ExecExited.pass();
    let written = shared.finish(id, ended, Some(KillPoint::ExecEnded)).await;
    if let Some(link) = link.filter(|_| written) {
        // The end is in the ledger: the guest may drop its ring. A guest that is gone has nothing to drop.
        let _ = link.send(ToGuest::Forget { operation: id }).await;
    }
}

fn open_stream(shared: &Arc<Shared>, id: OperationId, resumed: bool) -> Arc<Stream> {
    let stream = if resumed {
        let spool = shared.spools.open_spool(id).unwrap_or_else(|error| {
            tracing::error!(operation = %id, %error, "a spool cannot be opened; what it held is a gap");
            shared.spools.create(id)
        });
        Stream::found(id, spool, false)
    } else {
        Stream::new(id, shared.spools.create(id))
    };
    let stream = Arc::new(stream);
    let session = {
        let mut desk = shared.desk();
        desk.streams.insert(id, Arc::clone(&stream));
        desk.session.clone()
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

    /// Runs or takes up the command until it has an end.
    async fn run(&mut self, mut resumed: bool) -> (Ended, Option<GuestLink>) {
        loop {
            let (link, guest, held) = match self.reach(resumed).await {
                Ok(reached) => reached,
                Err(ended) => return (ended, None),
            };
            KillPoint::ExecLinked.pass();
            let mut events = link.events(self.id());
            if let Err(ended) = self.tell_guest(&link, guest, held, resumed).await {
                return (ended, Some(link));
            }
            KillPoint::ExecAsked.pass();
            match self.follow(&link, &mut events).await {
                Followed::Ended(ended) => return (ended, Some(link)),
                Followed::LineLost => resumed = true,
            }
        }
    }

    /// A line to the guest, its instance, and whether it holds this command.
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
        if !resumed && let Some(instance) = link.heard_instance() {
            // It just spoke, and it cannot hold a new command: one round trip less.
            return Ok((link, instance, false));
        }
        let hello = link.hello().await?;
        let held = hello
            .processes
            .iter()
            .any(|process| process.operation == self.id());
        Ok((link, hello.instance, held))
    }

    /// False only when the engine answers and says that the sandbox does not run.
    async fn sandbox_may_live(&self) -> bool {
        self.shared
            .engine
            .running(self.exec.sandbox)
            .await
            .unwrap_or(true)
    }

    /// What the ledger's machine makes of the evidence, when that is an end.
    fn evidence(&self, evidence: Evidence) -> Option<Ended> {
        let now_ms = self.shared.now_ms();
        let output_end = self.stream.end();
        let effects = self
            .shared
            .desk()
            .live
            .get(&self.id())
            .map(|live| live.slot.clone().recover(evidence, output_end, now_ms))?;
        effects.into_iter().find_map(|effect| match effect {
            Effect::Report(Report::Ended(ended)) => Some(ended),
            _ => None,
        })
    }

    /// Starts the command, or asks for the rest of one that the guest holds.
    async fn tell_guest(
        &mut self,
        link: &GuestLink,
        guest: InstanceId,
        held: bool,
        resumed: bool,
    ) -> Result<(), Ended> {
        let told = self
            .shared
            .ledger
            .book()
            .get(self.id())
            .and_then(|entry| entry.guest);
        let evidence = match told {
            Some(told) if told != guest => Evidence::SandboxGone,
            _ if held => Evidence::GuestKnows,
            _ => Evidence::GuestDoesNotKnow,
        };
        if resumed && let Some(ended) = self.evidence(evidence) {
            return Err(ended);
        }
        let operation = self.id();
        if told.is_none() {
            // Written, not synced: what a power cut takes from the ledger, it takes from the guest as well.
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
                deadline_ms: self.exec.deadline_s.saturating_mul(1000),
                stream_cap: MAX_STREAMED_BYTES,
            }
        };
        self.credited = end;
        let credit = ToGuest::Credit {
            operation,
            up_to: end + WINDOW,
            acked: end,
        };
        // A line that breaks here is found broken by the reader of its events.
        let _ = link.send(first).await;
        let _ = link.send(credit).await;
        Ok(())
    }

    /// Follows the guest's events until the command ends or the line breaks.
    async fn follow(&mut self, link: &GuestLink, events: &mut Events) -> Followed {
        let operation = self.id();
        let mut cancelled = false;
        let overtime = tokio::time::sleep(Duration::from_secs(self.exec.deadline_s) + OVERTIME);
        tokio::pin!(overtime);
        loop {
            tokio::select! {
                message = events.recv() => match message {
                    Some(message) => {
                        if let Some(ended) = self.hear(link, message).await {
                            return Followed::Ended(ended);
                        }
                    }
                    None => return Followed::LineLost,
                },
                Some(input) = self.inputs.recv() => {
                    let message = match input {
                        Input::Stdin { offset, data, eof } => ToGuest::Stdin { operation, offset, data, eof },
                        Input::Resize(size) => ToGuest::Resize { operation, size },
                    };
                    let _ = link.send(message).await;
                }
                () = self.cancel.cancelled(), if !cancelled => {
                    cancelled = true;
                    let _ = link.send(ToGuest::Cancel { operation }).await;
                }
                () = &mut overtime => {
                    let detail = "the deadline passed and the guest did not say how the command ended";
                    return Followed::Ended(self.lost(detail));
                }
            }
        }
    }

    async fn hear(&mut self, link: &GuestLink, message: FromGuest) -> Option<Ended> {
        match message {
            FromGuest::Output { piece, .. } => {
                self.store(link, &piece).await;
                None
            }
            FromGuest::StdinTaken { operation, offset } => {
                let reply = roost_protocol::control::ControlReply::StdinTaken { operation, offset };
                self.shared.tell(Event::Reply(reply)).await;
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
            FromGuest::NoSuch { .. } => {
                Some(self.lost("the guest does not know the command any more"))
            }
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
        error: OperationError {
            kind,
            detail: detail.into(),
        },
    }
}
