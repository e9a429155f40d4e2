//! `telemetry`: publishes every few seconds what each workspace with running runs uses now, from the journals of runs. For
//! a workspace without running runs, it publishes when the number of pending doors changes, and each minute while doors are
//! pending.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sea_orm::{DbErr, FromQueryResult, Statement};

use super::Agents;
use roost_platform::events::{Event, Telemetry};
use roost_platform::ids::WorkspaceId;
use roost_platform::supervision::{ActorKind, ChildSpec, NoMessages, Nudge};
use roost_tenancy::auth::WorkspaceScope;

const EVERY: Duration = Duration::from_secs(5);

/// After this many rounds the figures of a quiet workspace are sent again, for subscribers that came later.
const QUIET_ROUNDS: u32 = 12;

/// What a workspace used in the last minute.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
struct Minute {
    workspace_id: WorkspaceId,
    /// The number of running runs.
    runs: i64,
    loops: i64,
    tokens: i64,
    cost: i64,
    doors: i64,
}

/// The worker that publishes the figures.
pub fn child(agents: &Agents) -> ChildSpec<NoMessages> {
    let agents = agents.clone();
    let told = Arc::new(Mutex::new(Told::default()));
    ChildSpec::periodic(
        "telemetry",
        ActorKind::Worker,
        EVERY,
        &Nudge::default(),
        move |_| {
            let (agents, told) = (agents.clone(), told.clone());
            async move {
                // These figures are only for people. Everything else works without them. A failed read must not look like
                // workspaces that became quiet.
                let minutes = match usage(&agents).await {
                    Ok(minutes) => minutes,
                    Err(error) => {
                        let error: &dyn std::error::Error = &error;
                        tracing::warn!(error, "the usage of the workspaces cannot be read");
                        return Ok(());
                    }
                };
                let due = {
                    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                    told.due(minutes)
                };
                for minute in due {
                    let scope = WorkspaceScope::of_row(minute.workspace_id);
                    let event = Event::Telemetry(minute.to_event());
                    agents.events.emit(scope, event).await;
                }
                Ok(())
            }
        },
    )
    .serves("what workspaces use")
}

/// The last event of each workspace that has figures, and the rounds since then.
#[derive(Debug, Default)]
struct Told(BTreeMap<WorkspaceId, (Minute, u32)>);

impl Told {
    /// The figures to send in this round. A workspace that has none any more gets zeros, once.
    fn due(&mut self, minutes: Vec<Minute>) -> Vec<Minute> {
        let mut before = std::mem::take(&mut self.0);
        let mut due = Vec::new();
        for minute in minutes {
            let last = before.remove(&minute.workspace_id);
            match last {
                Some((last, rounds))
                    if minute.runs == 0 && last == minute && rounds + 1 < QUIET_ROUNDS =>
                {
                    self.0.insert(minute.workspace_id, (last, rounds + 1));
                }
                _ => {
                    self.0.insert(minute.workspace_id, (minute.clone(), 0));
                    due.push(minute);
                }
            }
        }
        due.extend(before.into_keys().map(Minute::nothing));
        due
    }
}

impl Minute {
    fn nothing(workspace_id: WorkspaceId) -> Self {
        Self {
            workspace_id,
            runs: 0,
            loops: 0,
            tokens: 0,
            cost: 0,
            doors: 0,
        }
    }

    fn to_event(&self) -> Telemetry {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let number = |n: i64| n as f64;
        Telemetry {
            tokens_per_min: Some(number(self.tokens)),
            cost_per_hr: Some(number(self.cost) * 60.0 / 1e6),
            loops: Some(u64::try_from(self.loops).unwrap_or(0)),
            doors_pending: Some(u64::try_from(self.doors).unwrap_or(0)),
        }
    }
}

async fn usage(agents: &Agents) -> Result<Vec<Minute>, DbErr> {
    let db = agents.db.read();
    let now = agents.db.backend().now_ms();
    // Do not read the journals of runs that ended long ago: they are long.
    let lately = format!(
        "FROM topology_runs o JOIN run_calls c ON c.run_id = o.id WHERE o.workspace_id = w.workspace_id \
           AND (o.ended_ms IS NULL OR o.ended_ms > {now} - 60000) AND c.ended_ms > {now} - 60000"
    );
    let sql = format!(
        "SELECT w.workspace_id AS workspace_id, COUNT(DISTINCT r.run_id) AS runs, \
           COUNT(DISTINCT s.run_id || '/' || s.step_key || '#' || s.lap || '.' || s.shard) AS loops, \
           CAST(COALESCE((SELECT SUM(c.tokens_in + c.tokens_out) {lately}), 0) AS BIGINT) AS tokens, \
           CAST(COALESCE((SELECT SUM(c.cost_microusd) {lately}), 0) AS BIGINT) AS cost, \
           (SELECT COUNT(*) FROM doors d WHERE d.workspace_id = w.workspace_id AND d.state = 'pending') AS doors \
         FROM (SELECT workspace_id FROM run_state WHERE status = 'running' \
           UNION SELECT workspace_id FROM doors WHERE state = 'pending') w \
         LEFT JOIN run_state r ON r.workspace_id = w.workspace_id AND r.status = 'running' \
         LEFT JOIN run_steps s ON s.run_id = r.run_id AND s.status = 'running' AND s.agent_id IS NOT NULL \
         GROUP BY w.workspace_id"
    );
    let statement = Statement::from_string(db.get_database_backend(), sql);
    Minute::find_by_statement(statement).all(db).await
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn minute(workspace: u128, runs: i64, doors: i64) -> Minute {
        Minute {
            runs,
            doors,
            ..Minute::nothing(WorkspaceId(Uuid::from_u128(workspace)))
        }
    }

    #[test]
    fn workspace_without_runs_is_told_of_when_its_doors_change_and_each_minute() {
        let mut told = Told::default();
        assert_eq!(told.due(vec![minute(1, 0, 1)]), [minute(1, 0, 1)]);
        for _ in 1..QUIET_ROUNDS {
            assert_eq!(told.due(vec![minute(1, 0, 1)]), []);
        }
        assert_eq!(
            told.due(vec![minute(1, 0, 1)]),
            [minute(1, 0, 1)],
            "a minute later"
        );
        assert_eq!(
            told.due(vec![minute(1, 0, 2)]),
            [minute(1, 0, 2)],
            "changed"
        );
        assert_eq!(told.due(Vec::new()), [minute(1, 0, 0)], "zeros, once");
        assert_eq!(told.due(Vec::new()), []);
    }

    #[test]
    fn workspace_with_runs_is_told_of_in_each_round() {
        let mut told = Told::default();
        for _ in 0..3 {
            assert_eq!(told.due(vec![minute(1, 1, 0)]), [minute(1, 1, 0)]);
        }
        assert_eq!(
            told.due(vec![minute(1, 0, 3)]),
            [minute(1, 0, 3)],
            "only doors are left"
        );
    }
}
