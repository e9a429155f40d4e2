//! One operation in a sandbox: started or found again by its key, heard to its end.

use std::collections::BTreeMap;
use std::time::Duration;

use roost_protocol::report::{Ended, ErrorKind, Outcome, Terminal};

use super::error::ToolError;
use super::model::{Capability, EffectKey};
use super::output::{Frame, Frames, Gathered, Keep};
use crate::domains::sandboxes::dto::NewExec;
use crate::domains::sandboxes::{SandboxError, SandboxesHandle, commands};
use crate::ids::OperationId;
use crate::operations::{Heard, OperationsError, Part};

/// How much longer than its deadline an operation is waited for: its machine may be away for a moment.
const GRACE: Duration = Duration::from_secs(60);
/// After so long without a word it is looked whether the machine is there at all.
const SILENCE: Duration = Duration::from_secs(10);
/// How often work may be turned away before it began.
const ATTEMPTS: usize = 20;

/// What hears pieces of output.
pub(super) type Hearer<'a> = &'a mut (dyn FnMut(Frame) + Send);

/// What is to be run.
pub(super) struct Work {
    pub argv: Vec<String>,
    pub cwd: Option<String>,
    pub stdin: Option<String>,
    pub deadline_s: u64,
    pub keep: Keep,
    pub most: usize,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Exit {
    Code(i32),
    TimedOut,
    NotStarted(String),
}

/// What came of it.
pub(super) struct Done {
    pub output: Gathered,
    pub exit: Exit,
}

/// Runs it, or hears again what it did.
///
/// # Errors
/// When there is no end that tells what it did: see [`ToolError`].
pub(super) async fn run(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    work: Work,
    heard: Option<Hearer<'_>>,
) -> Result<Done, ToolError> {
    let (scope, agent) = (may.scope, may.sandbox_of);
    let key = attempt(sandboxes, may, key).await?;
    let wanted = NewExec {
        argv: work.argv,
        cwd: work.cwd,
        env: BTreeMap::new(),
        stdin: work.stdin,
        tty: None,
        deadline_s: Some(work.deadline_s),
    };
    let id = commands::exec(sandboxes, scope, agent, key.operation(), wanted, false).await?;
    let whole = Duration::from_secs(work.deadline_s) + GRACE;
    let follow = follow(
        sandboxes,
        may,
        id,
        Gathered::new(work.keep, work.most),
        heard,
    );
    match tokio::time::timeout(whole, follow).await {
        Ok(done) => done,
        Err(_) => Err(ToolError::TooSlow),
    }
}

async fn follow(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    id: OperationId,
    mut output: Gathered,
    mut heard: Option<Hearer<'_>>,
) -> Result<Done, ToolError> {
    let mut stream = commands::output(sandboxes, may.scope, may.sandbox_of, id).await?;
    let mut frames = Frames::default();
    let begun = tokio::time::Instant::now();
    let mut silent_since = begun;
    loop {
        // Of nobody who listens nothing is made.
        let due = heard.as_ref().and_then(|_| frames.due_in(begun.elapsed()));
        let wait = due.map_or(SILENCE, |due| due.min(SILENCE));
        let Ok(next) = tokio::time::timeout(wait, stream.next()).await else {
            if due.is_some_and(|due| due <= wait) {
                show(&mut heard, frames.take(begun.elapsed()));
            }
            if silent_since.elapsed() >= SILENCE {
                // What runs there goes on; it is heard again under its key when the machine is back.
                commands::reached(sandboxes, may.scope, may.sandbox_of).await?;
                silent_since = tokio::time::Instant::now();
            }
            continue;
        };
        silent_since = tokio::time::Instant::now();
        match next {
            Some(Heard::Part(Part::Gap { from, to })) => output.skip(to - from),
            Some(Heard::Part(Part::Data { data, .. })) => {
                output.push(&data);
                if heard.is_some() {
                    frames.push(&data);
                }
            }
            Some(Heard::Ended(ended)) => {
                show(&mut heard, frames.rest());
                output.skip(ended.output_dropped);
                let exit = exit(&ended)?;
                return Ok(Done { output, exit });
            }
            None => return Err(ToolError::TooSlow),
        }
    }
}

fn show(heard: &mut Option<Hearer<'_>>, frame: Option<Frame>) {
    if let (Some(heard), Some(frame)) = (heard, frame) {
        heard(frame);
    }
}

/// The key under which the work is or was done. An end is recorded for good, so work that was turned away before it began
/// (a machine that was draining, a sandbox that had just ended) gets another key, always the same ones in the same order.
async fn attempt(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
) -> Result<EffectKey, ToolError> {
    let mut now = key;
    for number in 1..=ATTEMPTS {
        match commands::of_agent(sandboxes, may.scope, may.sandbox_of, now.operation()).await {
            Ok(standing)
                if standing
                    .row
                    .ended()
                    .is_some_and(|ended| turned_away(&ended)) =>
            {
                now = key.part(&format!("attempt {number}"));
            }
            Ok(_) | Err(SandboxError::NoOperation) => return Ok(now),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(now)
}

fn turned_away(ended: &Ended) -> bool {
    matches!(&ended.outcome, Outcome::Error { error }
        if ended.state == Terminal::Failed && before_it_began(error.kind))
}

/// Causes that say that nothing was started, and that may be over later.
fn before_it_began(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NoSandbox
            | ErrorKind::Paused
            | ErrorKind::Draining
            | ErrorKind::EngineUnavailable
            | ErrorKind::DiskFull
            | ErrorKind::Busy
    )
}

/// Stops what runs under a key, if anything does.
///
/// # Errors
/// When it cannot be said to the machine now.
pub(super) async fn cancel(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
) -> Result<(), ToolError> {
    let id = attempt(sandboxes, may, key).await?.operation();
    match commands::cancel(sandboxes, may.scope, may.sandbox_of, id).await {
        Ok(())
        | Err(SandboxError::NoOperation | SandboxError::Operations(OperationsError::Over(_))) => {
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// What an end says of the process.
fn exit(ended: &Ended) -> Result<Exit, ToolError> {
    match (&ended.outcome, ended.state) {
        (_, Terminal::Cancelled) => Err(ToolError::Cancelled),
        (Outcome::Exited { code }, _) => Ok(Exit::Code(*code)),
        (Outcome::Error { error }, Terminal::Lost) => Err(ToolError::Unclear(error.detail.clone())),
        (Outcome::Error { error }, _) => match error.kind {
            ErrorKind::Deadline => Ok(Exit::TimedOut),
            ErrorKind::NotStarted => Ok(Exit::NotStarted(error.detail.clone())),
            ErrorKind::Interrupted | ErrorKind::GuestSilent => {
                Err(ToolError::Unclear(error.detail.clone()))
            }
            ErrorKind::NoSandbox => Err(ToolError::NoSandbox),
            kind if before_it_began(kind) => {
                Err(ToolError::Away(SandboxError::Refused(error.clone())))
            }
            _ => Err(ToolError::Refused(error.clone())),
        },
        (_, Terminal::Lost) => Err(ToolError::Unclear("its result was lost".to_owned())),
        (other, _) => Err(ToolError::Unclear(format!("it ended as {other:?}"))),
    }
}
