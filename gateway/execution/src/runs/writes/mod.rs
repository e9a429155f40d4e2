//! The writes of runs' owners, which the committer groups. A write passes the fence of its run, and everything else in
//! it is made only for the runs that passed. A refused write changes nothing, and refuses no other.
//!
//! In one transaction, the locks are taken in the order of all writers: the runs, their agents, the workspaces' logs.

mod batch;
mod checkpoint;
mod finishes;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::DbErr;

use super::ends::{AfterRun, End};
use super::entity::run;
use super::fence::{Ended, Fence, FenceError, Finish, Passed, Used};
use super::model::Status;
use super::wakes::RunWakes;
use crate::tools::Pane;
use crate::topology::StepRef;
use checkpoint::Checkpoint;
use finishes::Finishes;
use roost_agents::claws::status;
use roost_platform::clock::SharedClock;
use roost_platform::committer::{self, Writes};
use roost_platform::db::WriteTx;
use roost_platform::events::{self, Stamped};
use roost_platform::ids::{ClawId, RunId, WorkspaceId};

/// The committer of runs.
pub(super) type Committer = committer::Committer<RunWrites>;
/// Its worker.
pub type Lane = committer::Lane<RunWrites>;

/// A write of a run's owner.
#[derive(Debug)]
pub struct RunWrite {
    pub fence: Fence,
    /// What a turn of a model used. It counts for the run and for the entry's step.
    pub used: Used,
    /// The location of a starting agent's shells.
    pub pane: Option<Pane>,
    pub ends: Vec<(StepRef, Ended)>,
    pub begins: Vec<Begin>,
    /// Parked steps that were woken, and work again.
    pub resumes: Vec<StepRef>,
    /// The end of the run. It is the last write of its owner.
    pub finish: Option<Box<Finishing>>,
    /// The step in which something was used, or whose journal gets the entry.
    pub step: Option<StepRef>,
    pub entry: Option<Entry>,
    /// The step waited for something absent, and does so no more.
    pub waited: bool,
    /// Publishes that the run has changed.
    pub publish: bool,
    /// Published before what the write itself causes.
    pub opening: Option<Stamped>,
}

/// A step to begin.
#[derive(Debug)]
pub struct Begin {
    pub at: StepRef,
    pub position: i32,
    pub node: String,
    pub purpose: &'static str,
    pub agent: Option<ClawId>,
}

/// The end of a run.
#[derive(Debug)]
pub struct Finishing {
    pub finish: Finish,
    pub end: End,
    /// A run that keeps its comparison.
    pub compared: Option<run::Model>,
}

/// An entry of the journal of `RunWrite::step`.
#[derive(Debug)]
pub struct Entry {
    pub index: i32,
    pub kind: &'static str,
    pub name: String,
    pub content: String,
    pub failed: bool,
    pub took_ms: i64,
}

impl RunWrite {
    /// A write that only passes the fence.
    pub fn of(fence: Fence) -> Self {
        Self {
            fence,
            used: Used::default(),
            pane: None,
            ends: Vec::new(),
            begins: Vec::new(),
            resumes: Vec::new(),
            finish: None,
            step: None,
            entry: None,
            waited: false,
            publish: false,
            opening: None,
        }
    }

    /// The status with which the run ends.
    fn ends_with(&self) -> Option<Status> {
        self.finish
            .as_ref()
            .map(|finishing| finishing.finish.status)
    }

    /// The number of its steps that end with an output.
    fn done(&self) -> i32 {
        let done = self.ends.iter().filter(|(_, ended)| ended.is_done());
        i32::try_from(done.count()).unwrap_or(i32::MAX)
    }
}

/// Why the fence refused a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Lost,
    Cancelled,
}

impl From<Refusal> for FenceError {
    fn from(why: Refusal) -> Self {
        match why {
            Refusal::Lost => Self::Lost,
            Refusal::Cancelled => Self::Cancelled,
        }
    }
}

/// Writes durably with the writes that wait at the same moment.
///
/// # Errors
/// [`FenceError`]. After [`FenceError::Db`] the write may have happened.
pub(super) async fn commit(committer: &Committer, write: RunWrite) -> Result<Passed, FenceError> {
    Ok(committer.commit(write).await??)
}

/// How writes of runs are written.
pub struct RunWrites {
    pub(super) clock: SharedClock,
    /// Acts on the end of runs.
    pub(super) after: Arc<dyn AfterRun>,
    /// Wakes the parents of runs that end.
    pub(super) wakes: RunWakes,
}

impl Writes for RunWrites {
    type Write = RunWrite;
    type Done = Result<Passed, Refusal>;

    fn bytes(write: &RunWrite) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let ends = write.ends.iter();
        let ends = ends.map(|(_, ended)| text(&ended.output) + text(&ended.error));
        let entry = write.entry.as_ref();
        let finish = write.finish.as_ref().map(|finishing| &finishing.finish);
        let finish = finish.map_or(0, |finish| text(&finish.result) + text(&finish.error));
        ends.sum::<usize>() + entry.map_or(0, |entry| entry.content.len()) + finish + 100
    }

    fn write<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        writes: &'a [&'a RunWrite],
    ) -> BoxFuture<'a, Result<Vec<Self::Done>, DbErr>> {
        async move {
            finishes::lock_parents(tx, writes).await?;
            let checkpoint = checkpoint::write(tx, writes).await?;
            let answers = batch::answers(writes, &checkpoint.passed);
            let refused = writes.iter().zip(&answers);
            let refused: BTreeSet<RunId> = refused
                .filter(|(_, passed)| passed.is_none())
                .map(|(write, _)| write.fence.run)
                .collect();
            let cancelled = store::cancelled(tx, &refused).await?;
            self.follow(tx, writes, &answers, checkpoint).await?;
            let answer = |(write, passed): (&&RunWrite, Option<Passed>)| {
                let (run, epoch) = (write.fence.run, write.fence.epoch);
                passed.ok_or(match cancelled.contains(&(run, epoch)) {
                    true => Refusal::Cancelled,
                    false => Refusal::Lost,
                })
            };
            Ok(writes.iter().zip(answers).map(answer).collect())
        }
        .boxed()
    }
}

impl RunWrites {
    /// Everything that follows from the fences that passed.
    async fn follow(
        &self,
        tx: &mut WriteTx,
        writes: &[&RunWrite],
        answers: &[Option<Passed>],
        checkpoint: Checkpoint,
    ) -> Result<(), DbErr> {
        let writes: Vec<(&RunWrite, Passed)> = writes
            .iter()
            .zip(answers)
            .filter_map(|(write, passed)| Some((*write, (*passed)?)))
            .collect();
        if writes.is_empty() {
            return Ok(());
        }
        let Checkpoint {
            ended, mut begun, ..
        } = checkpoint;
        begun.extend(store::resume(tx, &writes).await?);
        store::spend(tx, &batch::spent(&writes)).await?;
        let back = store::clear_waits(tx, &writes).await?;
        // The agents whose state changes, with the last write that names each.
        let mut agents: HashMap<ClawId, usize> = HashMap::new();
        let mut steps: Vec<(ClawId, i32)> = Vec::new();
        let of_step = batch::places(&writes);
        let changed = ended.iter().map(|step| (step, -1));
        for (step, n) in changed.chain(begun.iter().map(|step| (step, 1))) {
            if let Some(agent) = step.agent_id {
                let place = of_step.get(&step.name()).copied().unwrap_or(0);
                let last = agents.entry(agent).or_insert(place);
                *last = place.max(*last);
                steps.push((agent, n));
            }
        }
        let finishing = Finishes::of(&writes);
        for (run, agent) in finishing.close(tx).await? {
            let place = finishing.places.get(&run).copied().unwrap_or(0);
            let last = agents.entry(agent).or_insert(place);
            *last = place.max(*last);
            steps.push((agent, -1));
        }
        let mut of_write: BTreeMap<usize, Vec<(WorkspaceId, Stamped)>> = BTreeMap::new();
        for (place, (write, _)) in writes.iter().enumerate() {
            if let Some(opening) = &write.opening {
                of_write.insert(place, vec![(write.fence.workspace, opening.clone())]);
            }
        }
        for (agent, workspace, event) in status::work(tx, steps).await? {
            let place = agents.get(&agent).copied().unwrap_or(0);
            let event = match writes.get(place) {
                Some((write, _)) => event.of(write.fence.about),
                None => event,
            };
            of_write.entry(place).or_default().push((workspace, event));
        }
        for (place, (write, passed)) in writes.iter().enumerate() {
            let waited = write.step.as_ref().map(|at| (write.fence.run, at.clone()));
            if write.publish
                || write.finish.is_some()
                || waited.is_some_and(|step| back.contains(&step))
            {
                let workspace = write.fence.workspace;
                let fact = write.fence.changed(passed.version);
                of_write.entry(place).or_default().push((workspace, fact));
            }
        }
        let mut events = finishing
            .follow(tx, (&*self.after, &self.wakes), self.clock.now())
            .await?;
        // The last event of each write that has some.
        let mut last: HashMap<usize, usize> = HashMap::new();
        for (place, of_write) in of_write {
            events.extend(of_write);
            last.insert(place, events.len() - 1);
        }
        // Do this last: other writers of these workspaces wait from here until the commit.
        let ids = events::append_all(tx, self.clock.now(), events).await?;
        finishing
            .record(tx, |place| ids.get(*last.get(&place)?).copied())
            .await
    }
}
