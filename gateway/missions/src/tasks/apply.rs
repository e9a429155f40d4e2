//! Applies markers to tasks, in the transaction of the mission's actor.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::{mark, task};
use super::model::{Marker, TaskStatus};
use super::scan::Found;
use super::store;
use roost_platform::ids::{MissionId, MissionPhaseId, fresh};
use roost_tenancy::change::Change;

/// The maximum number of tasks of one phase.
pub const MOST_TASKS: usize = 1_000;
/// The maximum number of markers that are shown with one task. Later ones still move it.
const MOST_MARKS: i64 = 100;

/// What markers did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The tasks that are new or moved.
    pub moved: usize,
    /// All tasks that a phase had no room for so far, by their phase. Only phases with a new one are here.
    pub dropped: BTreeMap<MissionPhaseId, u64>,
}

/// Writes markers that were not read before, and moves their tasks.
///
/// # Errors
/// When the database fails.
pub async fn apply(
    change: &mut Change,
    mission: MissionId,
    found: Vec<Found>,
    ids: &roost_platform::ids::SharedIds,
) -> Result<Applied, DbErr> {
    let scope = change.scope();
    let mut known = store::known(change, scope, &found).await?;
    let mut by_phase: BTreeMap<MissionPhaseId, Vec<Found>> = BTreeMap::new();
    for found in found {
        if known.insert((found.run, found.place.clone())) {
            by_phase.entry(found.phase).or_default().push(found);
        }
    }
    let mut applied = Applied::default();
    for (phase, found) in by_phase {
        let tasks = store::of_phase(change.tx(), scope, phase).await?;
        let mut shown = store::mark_counts(change, scope, phase).await?;
        let mut board = Board::new(tasks, change.now());
        let mut marks = Vec::new();
        for found in found {
            let moved = board.apply(&found, || task::Model {
                id: fresh(ids),
                workspace_id: scope.workspace(),
                mission_id: mission,
                phase_id: phase,
                external_id: found.mark.external_id.clone(),
                title: found.mark.external_id.clone(),
                body: String::new(),
                status: TaskStatus::Created.as_str().to_owned(),
                assigned_agent_id: None,
                ignored_marks: 0,
                created_at: change.now(),
                updated_at: change.now(),
            });
            let count = shown.entry(found.mark.external_id.clone()).or_default();
            *count += 1;
            marks.push(mark::Model {
                run_id: found.run,
                place: found.place,
                workspace_id: scope.workspace(),
                mission_id: mission,
                phase_id: phase,
                external_id: found.mark.external_id,
                marker: found.mark.marker.as_str().to_owned(),
                step: found.step,
                agent_id: found.agent,
                applied: moved == Some(true),
                kept: moved.is_some() && *count <= MOST_MARKS,
                at: DateTime::from_timestamp_millis(found.at_ms).unwrap_or(change.now()),
            });
        }
        let is_short = board.is_short;
        let changed = board.changed();
        applied.moved += changed.len();
        store::upsert(change, changed).await?;
        store::insert_marks(change, marks).await?;
        if is_short {
            let dropped = store::without_task(change, scope, phase).await?;
            applied.dropped.insert(phase, dropped);
        }
    }
    Ok(applied)
}

/// The tasks of a phase while markers move them.
struct Board {
    now: DateTime<Utc>,
    tasks: BTreeMap<String, task::Model>,
    changed: BTreeSet<String>,
    /// A marker had no room for its task.
    is_short: bool,
}

impl Board {
    fn new(tasks: Vec<task::Model>, now: DateTime<Utc>) -> Self {
        let tasks = tasks.into_iter();
        Self {
            now,
            tasks: tasks.map(|task| (task.external_id.clone(), task)).collect(),
            changed: BTreeSet::new(),
            is_short: false,
        }
    }

    /// Moves the task of a marker. Returns whether it moved, or `None` when there is no room for the task.
    fn apply(&mut self, found: &Found, new: impl FnOnce() -> task::Model) -> Option<bool> {
        let id = &found.mark.external_id;
        let is_new = !self.tasks.contains_key(id);
        if is_new && self.tasks.len() >= MOST_TASKS {
            self.is_short = true;
            return None;
        }
        let task = self.tasks.entry(id.clone()).or_insert_with(new);
        let next = TaskStatus::from_stored(&task.status).after(found.mark.marker);
        match next {
            Some(next) => next.as_str().clone_into(&mut task.status),
            None if !is_new => task.ignored_marks = task.ignored_marks.saturating_add(1),
            None => {}
        }
        let moved = next.is_some() || is_new;
        let described = found.mark.marker == Marker::Task
            && !found.mark.title.is_empty()
            && (task.title == task.external_id || is_new);
        if described {
            task.title.clone_from(&found.mark.title);
            task.body.clone_from(&found.mark.body);
        }
        task.updated_at = self.now;
        self.changed.insert(id.clone());
        Some(moved)
    }

    fn changed(mut self) -> Vec<task::Model> {
        let changed = std::mem::take(&mut self.changed);
        changed
            .iter()
            .filter_map(|id| self.tasks.remove(id))
            .collect()
    }
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
