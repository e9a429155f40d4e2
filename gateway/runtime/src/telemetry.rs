//! `telemetry`: publishes every few seconds what each workspace with working agents uses now, from the journals of
//! runs.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sea_orm::{DbErr, FromQueryResult, Statement};

use super::Agents;
use roost_platform::events::{Event, Telemetry};
use roost_platform::ids::WorkspaceId;
use roost_platform::supervision::{ActorKind, ChildSpec, NoMessages, Nudge};
use roost_tenancy::auth::WorkspaceScope;

const EVERY: Duration = Duration::from_secs(5);

/// What a workspace used in the last minute.
#[derive(Debug, FromQueryResult)]
struct Minute {
    workspace_id: WorkspaceId,
    loops: i64,
    tokens: i64,
    cost: i64,
    doors: i64,
}

/// The worker that publishes the figures.
pub fn child(agents: &Agents) -> ChildSpec<NoMessages> {
    let agents = agents.clone();
    // The workspaces of the last round. A workspace without running agents gets one last event with zeros.
    let last_sent = Arc::new(Mutex::new(BTreeSet::new()));
    ChildSpec::periodic(
        "telemetry",
        ActorKind::Worker,
        EVERY,
        &Nudge::default(),
        move |_| {
            let (agents, last_sent) = (agents.clone(), last_sent.clone());
            async move {
                // These figures are only for people. Everything else works without them.
                let minutes = usage(&agents).await.unwrap_or_else(|error| {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(error, "the usage of the workspaces cannot be read");
                    Vec::new()
                });
                let now: BTreeSet<WorkspaceId> =
                    minutes.iter().map(|minute| minute.workspace_id).collect();
                let before = {
                    let mut last_sent = last_sent.lock().unwrap_or_else(PoisonError::into_inner);
                    std::mem::replace(&mut *last_sent, now.clone())
                };
                for quiet in before.difference(&now) {
                    let scope = WorkspaceScope::of_row(*quiet);
                    let nothing = Event::Telemetry(Minute::nothing(*quiet).to_event());
                    agents.events.emit(scope, nothing).await;
                }
                for minute in minutes {
                    let scope = WorkspaceScope::of_row(minute.workspace_id);
                    agents
                        .events
                        .emit(scope, Event::Telemetry(minute.to_event()))
                        .await;
                }
                Ok(())
            }
        },
    )
    .serves("what workspaces use")
}

impl Minute {
    fn nothing(workspace_id: WorkspaceId) -> Self {
        Self {
            workspace_id,
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
        "FROM topology_runs o JOIN run_calls c ON c.run_id = o.id WHERE o.workspace_id = r.workspace_id \
           AND (o.ended_ms IS NULL OR o.ended_ms > {now} - 60000) AND c.ended_ms > {now} - 60000"
    );
    let sql = format!(
        "SELECT r.workspace_id AS workspace_id, \
           COUNT(DISTINCT s.run_id || '/' || s.step_key || '#' || s.lap || '.' || s.shard) AS loops, \
           CAST(COALESCE((SELECT SUM(c.tokens_in + c.tokens_out) {lately}), 0) AS BIGINT) AS tokens, \
           CAST(COALESCE((SELECT SUM(c.cost_microusd) {lately}), 0) AS BIGINT) AS cost, \
           (SELECT COUNT(*) FROM doors d WHERE d.workspace_id = r.workspace_id AND d.state = 'pending') AS doors \
         FROM run_state r LEFT JOIN run_steps s ON s.run_id = r.run_id AND s.status = 'running' AND s.agent_id IS NOT NULL \
         WHERE r.status = 'running' GROUP BY r.workspace_id"
    );
    let statement = Statement::from_string(db.get_database_backend(), sql);
    Minute::find_by_statement(statement).all(db).await
}
