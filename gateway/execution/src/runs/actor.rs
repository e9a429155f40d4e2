//! One live run. The actor begins the steps that the topology names, writes their outputs, and ends the run. All its
//! state is in its rows, so it may be killed at any line. Every write passes the fence of its epoch.
//!
//! Parent: `roost/runs/live`. Children: one job for each step at work, which ends with the actor. Restart: transient.
//! A restart resumes the run with a new epoch.

use std::collections::{BTreeMap, BTreeSet};

use super::actor_end::Closing;
use super::children;
use super::fence::{Ended, Fence, FenceError, Used};
use super::handle::RunsHandle;
use super::inbox::{Inbox, SharedInbox};
use super::journal::Journal;
use super::model::{Class, StepStatus};
use super::progress::{Move, Progress};
use super::step_executor::{StepJob, StepResult};
use super::writes::{self, RunWrite};
use super::{entity::run, parking, queue, status_events, stops, store};
use crate::tools::Pane;
use crate::topology::{NodeKind, Output, Step, StepRef};
use roost_platform::events::Stamped;
use roost_platform::ids::{ClawId, RunId};
use roost_platform::kill_point;
use roost_platform::supervision::{Context, Failure, JobFailure, JobHandle, Serve};

/// The messages of the actor.
pub enum Msg {
    /// Begin the next steps.
    Proceed,
    /// The job of a step has ended.
    StepEnded {
        at: StepRef,
        outcome: Result<StepResult, JobFailure>,
    },
    /// The wait before the next attempt is over.
    RetryDue(StepRef),
    /// A parked step was woken.
    Woken,
    /// A person asked to stop steps.
    StopAsked,
    /// The time of the run is up.
    TimeUp,
    /// The run must be cancelled.
    CancelAsked,
    /// Another gateway has the lease.
    LeaseLost,
}

/// The start arguments of the actor.
pub struct Args {
    pub runs: RunsHandle,
    pub id: RunId,
    /// The claimed row, for the first start only. A restart needs a new epoch, because a previous actor may still
    /// write with this one.
    pub claimed: Option<run::Model>,
}

/// The actor.
pub struct RunActor {
    pub(super) runs: RunsHandle,
    pub(super) row: run::Model,
    pub(super) fence: Fence,
    pub(super) progress: Progress,
    /// What people want of the run, as the last checkpoint found it.
    pub(super) inbox: Inbox,
    pub(super) jobs: BTreeMap<StepRef, JobHandle>,
    steps: BTreeMap<StepRef, Step>,
    /// Steps that wait for their next attempt.
    pub(super) resting: BTreeSet<StepRef>,
    /// Steps that wait for something outside.
    pub(super) parked: BTreeSet<StepRef>,
    /// Steps that were parked, and begin to work again with the next checkpoint.
    pub(super) woken: BTreeSet<StepRef>,
    /// The class of the last failure, for the run's error code.
    pub(super) last: Option<Class>,
    /// The gateway that the run moves to. No job starts here any more.
    pub(super) leaves_to: Option<String>,
    /// The topology, published with the first steps of the run.
    opening: Option<Stamped>,
    /// The end of the run is written, or the run is parked or handed over.
    pub(super) over: bool,
}

impl Serve for RunActor {
    type Msg = Msg;
    type Args = Args;

    async fn start(args: Args, cx: &Context<Msg>) -> Result<Self, Failure> {
        let Args { runs, id, claimed } = args;
        let taken = match claimed {
            Some(row) => Some(row),
            None => queue::take_over(&runs.inner.db, &runs.inner.owner, id).await?,
        };
        let row = taken.ok_or("another gateway owns the run, or the run has ended")?;
        let fence = Fence::of(&row)?;
        let steps = store::steps(runs.inner.db.read(), id).await?;
        let graph = serde_json::from_str(&row.graph)?;
        let opening = steps
            .is_empty()
            .then(|| status_events::topology(&row, &graph));
        if opening.is_none() {
            // The run went back into the queue, and subscribers saw that. Publish that it works again.
            fence.resumed(&runs.inner.db).await?;
        }
        let mut progress = Progress::read(graph, row.input.clone(), &steps);
        if row.forked_from.is_some() {
            progress.keep(id, &store::children(runs.inner.db.read(), id).await?);
        }
        let waits = match steps
            .iter()
            .any(|step| step.status == StepStatus::Waiting.as_str())
        {
            true => parking::waits_of(runs.inner.db.read(), id).await?,
            false => Vec::new(),
        };
        let (woken, parked) = parking::sorted(&steps, &waits);
        cx.cast_self(match stops::any_asked(&steps) {
            _ if row.is_overdue() => Msg::TimeUp,
            true => Msg::StopAsked,
            false => Msg::Proceed,
        })?;
        let inbox = Inbox {
            messages: row.messages,
            paused: row.paused_ms.is_some(),
        };
        Ok(Self {
            fence,
            inbox,
            runs,
            row,
            progress,
            jobs: BTreeMap::new(),
            steps: BTreeMap::new(),
            resting: BTreeSet::new(),
            parked,
            woken,
            last: None,
            leaves_to: None,
            opening,
            over: false,
        })
    }

    async fn handle(&mut self, message: Msg, cx: &Context<Msg>) -> Result<(), Failure> {
        if self.over {
            // The run has ended, is parked or is handed over. Another actor may own it.
            return Ok(());
        }
        let done = match message {
            Msg::Proceed => self.proceed(cx, None).await,
            Msg::StepEnded { at, outcome } => self.step_ended(cx, at, outcome).await,
            Msg::RetryDue(at) => {
                self.resting.remove(&at);
                self.start_job(cx, &at);
                Ok(())
            }
            Msg::Woken => self.wake(cx).await,
            Msg::StopAsked => self.stop_steps(cx).await,
            Msg::TimeUp => self.time_is_up(cx).await,
            Msg::CancelAsked => Err(FenceError::Cancelled),
            Msg::LeaseLost => Err(FenceError::Lost),
        };
        let done = match done {
            Ok(()) => self.hand_over(cx).await,
            refused => refused,
        };
        match done {
            Ok(()) => Ok(()),
            Err(FenceError::Cancelled) => self.cancel(cx).await,
            Err(FenceError::Lost) => {
                self.drop_jobs();
                tracing::info!(run = %self.row.id, "the run continues on another gateway, or has ended");
                cx.stop();
                Ok(())
            }
            Err(FenceError::Db(error)) => Err(error.into()),
        }
    }

    async fn stop(&mut self, _: &Context<Msg>) -> Result<(), Failure> {
        self.drop_jobs();
        if self.over {
            return Ok(());
        }
        // No-op if another gateway owns the run.
        queue::release(&self.runs.inner.db, self.row.id, self.fence.epoch).await?;
        Ok(())
    }
}

impl RunActor {
    /// Writes the end of a step, if one ended, and what follows from it, in one transaction. Then starts the next
    /// steps.
    pub(super) async fn proceed(
        &mut self,
        cx: &Context<Msg>,
        ended: Option<(StepRef, Ended)>,
    ) -> Result<(), FenceError> {
        if let Some((at, ended)) = &ended {
            self.progress.checked(at, ended.checks.clone());
            self.progress.end(at.clone(), output(ended), ended.outcome);
        }
        match self.progress.next() {
            Move::Done(text) => {
                let result = serde_json::json!({ "text": text }).to_string();
                self.finish(cx, ended, Closing::done(result)).await
            }
            Move::Failed(detail) => {
                let closing = Closing::of_step(self.last, detail);
                self.finish(cx, ended, closing).await
            }
            Move::Work(steps) => self.checkpoint(cx, ended, steps).await,
        }
    }

    async fn checkpoint(
        &mut self,
        cx: &Context<Msg>,
        ended: Option<(StepRef, Ended)>,
        steps: Vec<Step>,
    ) -> Result<(), FenceError> {
        let mut begun: Vec<(Step, i32)> = Vec::new();
        let mut to_start: Vec<StepRef> = Vec::new();
        for step in steps {
            let at = step.name();
            if self.jobs.contains_key(&at) || self.resting.contains(&at) {
                continue;
            }
            if self.parked.contains(&at) {
                self.steps.insert(at, step);
                continue;
            }
            // A row without a job: its owner crashed. The step continues from its journal.
            if let Some(position) = self.progress.begin(&at) {
                begun.push((step.clone(), position));
            }
            self.steps.insert(at.clone(), step);
            to_start.push(at);
        }
        if ended.is_some() || !begun.is_empty() || !self.woken.is_empty() {
            self.write(cx, ended, &begun).await?;
        }
        for at in to_start {
            self.start_job(cx, &at);
        }
        self.park_run(cx).await
    }

    async fn write(
        &mut self,
        cx: &Context<Msg>,
        ended: Option<(StepRef, Ended)>,
        begun: &[(Step, i32)],
    ) -> Result<(), FenceError> {
        let begins: Vec<writes::Begin> = begun
            .iter()
            .map(|(step, position)| {
                let node = self.progress.node(step);
                writes::Begin {
                    at: step.name(),
                    position: *position,
                    node: step.node.clone(),
                    purpose: step.purpose.as_str(),
                    agent: node.and_then(|node| node.attributes.agent).map(ClawId),
                }
            })
            .collect();
        let last = begins.iter().rev().find_map(|begin| begin.agent);
        let write = RunWrite {
            pane: last.map(|agent| Pane::of_run(self.row.id, agent)),
            ends: Vec::from_iter(ended),
            begins,
            resumes: self.woken.iter().cloned().collect(),
            publish: true,
            opening: self.opening.take(),
            ..RunWrite::of(self.fence)
        };
        kill_point!(cx, "runs.checkpoint.before_commit");
        let passed = writes::commit(&self.runs.inner.committer, write).await?;
        self.inbox = passed.inbox;
        self.woken.clear();
        kill_point!(cx, "runs.checkpoint.after_commit");
        Ok(())
    }

    /// Starts the job of a step.
    pub(super) fn start_job(&mut self, cx: &Context<Msg>, at: &StepRef) {
        if self.leaves_to.is_some() {
            return;
        }
        let (Some(step), Some(work)) = (self.steps.get(at), self.progress.at_work(at)) else {
            return;
        };
        let Some(node) = self.progress.node(step).cloned() else {
            return;
        };
        let cancelled = cx.cancellation().child_token();
        let job = StepJob {
            prompt: self.progress.prompt(step),
            run: self.row.clone(),
            step: step.clone(),
            journal: Journal {
                db: self.runs.inner.db.clone(),
                committer: self.runs.inner.committer.clone(),
                fence: self.fence,
                step: at.clone(),
                waited: work.away,
                inbox: SharedInbox::new(self.inbox),
            },
            attempt: work.attempt,
            node,
            cancelled,
        };
        let runs = self.runs.clone();
        let name = at.to_string();
        let step_ref = at.clone();
        let paused = self.inbox.paused;
        let work = async move {
            if paused {
                return StepResult::paused(job.run.id);
            }
            match job.node.kind {
                NodeKind::Agent | NodeKind::Commands => runs.inner.step_executor.execute(job).await,
                _ => children::run(&runs, job).await,
            }
        };
        let handle = cx.job(&name, work, move |outcome| Msg::StepEnded {
            at: step_ref,
            outcome,
        });
        self.jobs.insert(at.clone(), handle);
    }

    async fn step_ended(
        &mut self,
        cx: &Context<Msg>,
        at: StepRef,
        outcome: Result<StepResult, JobFailure>,
    ) -> Result<(), FenceError> {
        if self.jobs.remove(&at).is_none() {
            // The job was dropped before, and its end is already handled.
            return Ok(());
        }
        let end = match outcome {
            Ok(end) => end,
            Err(JobFailure::Panicked(text)) => {
                StepResult::retryable(format!("the step's work broke off: {text}"))
            }
            Err(JobFailure::Cancelled) => return Ok(()),
        };
        let ended = match end {
            StepResult::Fenced => {
                // The fence gives the reason for the refusal.
                let tx = self.runs.inner.db.write().await?;
                let passed = self.fence.pass(&tx, Used::default(), 0).await;
                drop(tx);
                passed?;
                StepResult::retryable("a write of the step was refused")
            }
            other => other,
        };
        match ended {
            StepResult::Done(text) => self.proceed(cx, Some((at, done(text)))).await,
            StepResult::DoneChecked { text, checks } => {
                let ended = Ended {
                    checks,
                    ..done(text)
                };
                self.proceed(cx, Some((at, ended))).await
            }
            StepResult::DoneRun { text, outcome } => {
                let ended = Ended {
                    outcome: Some(outcome),
                    ..done(text)
                };
                self.proceed(cx, Some((at, ended))).await
            }
            StepResult::Failed {
                class,
                detail,
                after,
            } => self.failed(cx, at, class, detail, after).await,
            StepResult::Waits { on, detail } => self.park(cx, at, on, detail).await,
            StepResult::Elsewhere { owner, detail } => self.elsewhere(cx, at, owner, detail).await,
            StepResult::Fenced => Ok(()),
        }
    }

    pub(super) fn drop_jobs(&mut self) {
        for job in std::mem::take(&mut self.jobs).into_values() {
            job.cancel();
        }
    }
}

/// The end of a step with an output.
fn done(text: String) -> Ended {
    Ended {
        status: StepStatus::Done,
        output: Some(text),
        error: None,
        outcome: None,
        checks: Vec::new(),
    }
}

fn output(ended: &Ended) -> Output {
    let text = ended.output.clone().unwrap_or_default();
    match ended.status {
        StepStatus::Done => Output::Done(text),
        _ => Output::Failed(ended.error.clone().unwrap_or_default()),
    }
}
