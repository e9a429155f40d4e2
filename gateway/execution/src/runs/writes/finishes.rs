//! The runs that end in a batch: what is written for all of them together.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::{Finishing, RunWrite, store};
use crate::runs::ends::{AfterRun, End};
use crate::runs::fence::Passed;
use crate::runs::wakes::RunWakes;
use crate::runs::{comparison, completion, queue};
use roost_platform::db::WriteTx;
use roost_platform::events::{EventId, Stamped};
use roost_platform::ids::{ClawId, RunId, WorkspaceId};

/// When children end in a batch, locks its runs and the parents of these children, in the order of their ids. A parent that
/// is about to park waits for the end, or the end finds its wait.
pub(super) async fn lock_parents(tx: &WriteTx, writes: &[&RunWrite]) -> Result<(), DbErr> {
    let ends = writes.iter().filter_map(|write| write.finish.as_deref());
    let parents: Vec<RunId> = ends.filter_map(|of| of.end.origin.caller()).collect();
    if parents.is_empty() {
        return Ok(());
    }
    let runs = writes.iter().map(|write| write.fence.run).chain(parents);
    store::lock(tx, runs).await
}

/// The runs that end in a batch.
pub(super) struct Finishes<'a> {
    runs: Vec<(usize, &'a Finishing, Passed)>,
    /// The place in the batch of the write that ends each run.
    pub places: HashMap<RunId, usize>,
}

impl<'a> Finishes<'a> {
    pub fn of(writes: &[(&'a RunWrite, Passed)]) -> Self {
        let runs = writes.iter().enumerate();
        let runs: Vec<(usize, &Finishing, Passed)> = runs
            .filter_map(|(place, (write, passed))| Some((place, write.finish.as_deref()?, *passed)))
            .collect();
        let places = runs.iter().map(|(place, of, _)| (of.end.run, *place));
        Self {
            places: places.collect(),
            runs,
        }
    }

    /// Cancels the steps that had no end, and writes the comparisons. Returns the agents that worked on these steps.
    pub async fn close(&self, tx: &WriteTx) -> Result<Vec<(RunId, ClawId)>, DbErr> {
        let ids: Vec<RunId> = self.runs.iter().map(|(_, of, _)| of.end.run).collect();
        let rested = queue::close_steps(tx, &ids).await?;
        for (_, of, _) in &self.runs {
            if let Some(row) = &of.compared {
                comparison::keep(tx, row, of.finish.status).await?;
            }
        }
        Ok(rested)
    }

    /// Calls what follows the ends. Returns the events to append.
    pub async fn follow(
        &self,
        tx: &mut WriteTx,
        with: (&dyn AfterRun, &RunWakes),
        now: DateTime<Utc>,
    ) -> Result<Vec<(WorkspaceId, Stamped)>, DbErr> {
        if self.runs.is_empty() {
            return Ok(Vec::new());
        }
        let ends: Vec<End> = self.runs.iter().map(|(_, of, _)| of.end.clone()).collect();
        completion::follow(with, now, tx, &ends).await
    }

    /// Writes the results. `last_event` has the last event of the write at a place.
    pub async fn record(
        &self,
        tx: &WriteTx,
        last_event: impl Fn(usize) -> Option<EventId>,
    ) -> Result<(), DbErr> {
        if self.runs.is_empty() {
            return Ok(());
        }
        let rows = self.runs.iter().map(|(place, of, passed)| store::Recorded {
            run: of.end.run,
            finish: &of.finish,
            ended_ms: passed.updated_ms,
            last_event: last_event(*place),
        });
        store::record(tx, &rows.collect::<Vec<_>>()).await
    }
}
