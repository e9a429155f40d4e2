//! One operation in a sandbox. It is started, or found again by its key, and followed to its end.

use std::collections::BTreeMap;
use std::time::Duration;

use roost_protocol::operation::Purpose;
use roost_protocol::report::{Ended, ErrorKind, Outcome, Terminal};

use super::error::ToolError;
use super::model::{Capability, EffectKey};
use super::output::{Frame, Frames, Gathered, Keep};
use roost_machines::fleet::operations::{OperationsError, OutputItem, Part};
use roost_machines::sandboxes::{self, NewExec, SandboxError, SandboxesHandle, Starter, Worker};
use roost_platform::ids::OperationId;

/// How much longer than its deadline the gateway waits for an operation: its machine may be away for a moment.
const GRACE: Duration = Duration::from_secs(60);
/// After this long without output, the gateway checks whether the machine is connected.
const SILENCE: Duration = Duration::from_secs(10);
/// How often an operation may be refused before it began.
const ATTEMPTS: usize = 20;

/// Receives pieces of output.
pub(super) type FrameSink<'a> = &'a mut (dyn FnMut(Frame) + Send);

/// A process to run.
pub(super) struct SandboxCommand {
    /// The agent's request, for people.
    pub purpose: Purpose,
    pub argv: Vec<String>,
    pub cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    pub stdin: Option<String>,
    pub deadline_s: u64,
    pub keep: Keep,
    pub most: usize,
}

/// The end of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Exit {
    Code(i32),
    TimedOut,
    NotStarted(String),
}

/// The output and the end of a process.
pub(super) struct CommandResult {
    pub output: Gathered,
    pub exit: Exit,
}

/// Runs a process, or follows the operation that already has the key.
///
/// # Errors
/// When the end does not give the result: see [`ToolError`].
pub(super) async fn run(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    work: SandboxCommand,
    on_frame: Option<FrameSink<'_>>,
) -> Result<CommandResult, ToolError> {
    let (scope, owner) = (may.scope, may.sandbox_of);
    let key = attempt(sandboxes, may, key).await?;
    let wanted = NewExec {
        argv: work.argv,
        cwd: work.cwd,
        env: work.env,
        stdin: work.stdin,
        tty: None,
        deadline_s: Some(work.deadline_s),
        purpose: Some(work.purpose),
        worker: Worker {
            agent: may.agent,
            step: may.place.as_ref().map(|place| place.step.clone()),
        },
    };
    let (id, starter) = (key.operation(), Starter::Agent(may.about));
    let id = sandboxes::exec(sandboxes, scope, owner, id, wanted, false, starter).await?;
    let whole = Duration::from_secs(work.deadline_s) + GRACE;
    let follow = follow(
        sandboxes,
        may,
        id,
        Gathered::new(work.keep, work.most),
        on_frame,
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
    mut on_frame: Option<FrameSink<'_>>,
) -> Result<CommandResult, ToolError> {
    let mut stream = sandboxes::output(sandboxes, may.scope, may.sandbox_of, id, 0).await?;
    let mut frames = Frames::default();
    let begun = tokio::time::Instant::now();
    let mut silent_since = begun;
    loop {
        // Without a receiver, no frames are made.
        let due = on_frame
            .as_ref()
            .and_then(|_| frames.due_in(begun.elapsed()));
        let wait = due.map_or(SILENCE, |due| due.min(SILENCE));
        let Ok(next) = tokio::time::timeout(wait, stream.next()).await else {
            if due.is_some_and(|due| due <= wait) {
                show(&mut on_frame, frames.take(begun.elapsed()));
            }
            if silent_since.elapsed() >= SILENCE {
                // The operation continues there. A later call with the same key follows it when the machine is back.
                sandboxes::reached(sandboxes, may.scope, may.sandbox_of).await?;
                silent_since = tokio::time::Instant::now();
            }
            continue;
        };
        silent_since = tokio::time::Instant::now();
        match next {
            Some(OutputItem::Part(Part::Gap { from, to })) => output.skip(to - from),
            Some(OutputItem::Part(Part::Data { data, .. })) => {
                output.push(&data);
                if on_frame.is_some() {
                    frames.push(&data);
                }
            }
            Some(OutputItem::Ended(ended)) => {
                show(&mut on_frame, frames.rest());
                output.skip(ended.output_dropped);
                let exit = exit(&ended)?;
                return Ok(CommandResult { output, exit });
            }
            None => return Err(ToolError::TooSlow),
        }
    }
}

fn show(on_frame: &mut Option<FrameSink<'_>>, frame: Option<Frame>) {
    if let (Some(on_frame), Some(frame)) = (on_frame, frame) {
        on_frame(frame);
    }
}

/// The key under which the work runs or ran. A recorded end is final, so an operation that was refused before it
/// began (a draining machine, a sandbox that had just ended) gets another key. The keys always follow in the same
/// order.
async fn attempt(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
) -> Result<EffectKey, ToolError> {
    let mut now = key;
    for number in 1..=ATTEMPTS {
        match sandboxes::of_owner(sandboxes, may.scope, may.sandbox_of, now.operation()).await {
            Ok(standing)
                if standing
                    .row
                    .ended()
                    .is_some_and(|ended| was_refused_before_start(&ended)) =>
            {
                now = key.part(&format!("attempt {number}"));
            }
            Ok(_) | Err(SandboxError::NoOperation) => return Ok(now),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(now)
}

fn was_refused_before_start(ended: &Ended) -> bool {
    matches!(&ended.outcome, Outcome::Error { error }
        if ended.state == Terminal::Failed && is_before_start(error.kind))
}

/// Errors that mean that nothing was started, and that may pass.
fn is_before_start(kind: ErrorKind) -> bool {
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

/// Cancels the operation of a key, if there is one.
///
/// # Errors
/// When the cancellation cannot reach the machine now.
pub(super) async fn cancel(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
) -> Result<(), ToolError> {
    let id = attempt(sandboxes, may, key).await?.operation();
    match sandboxes::cancel(sandboxes, may.scope, may.sandbox_of, id).await {
        Ok(())
        | Err(SandboxError::NoOperation | SandboxError::Operations(OperationsError::Over(_))) => {
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Maps the end of an operation to the end of the process.
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
            kind if is_before_start(kind) => {
                Err(ToolError::Away(SandboxError::Refused(error.clone())))
            }
            _ => Err(ToolError::Refused(error.clone())),
        },
        (_, Terminal::Lost) => Err(ToolError::Unclear("its result was lost".to_owned())),
        (other, _) => Err(ToolError::Unclear(format!("it ended as {other:?}"))),
    }
}
