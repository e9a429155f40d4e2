//! Hot and cold rows. `topology_runs` keeps what is read: it is written when a run is enqueued and when it ends.
//! `run_state` is narrow and holds what every step writes. `agent_state` counts the steps of an agent, so that a step
//! neither locks the agent's row nor counts steps. `run_owners` has one lease for each gateway, so that a gateway does
//! not renew its runs one by one.
//!
//! On PostgreSQL, `run_steps`, `run_calls` and `events` lose their foreign keys: the fence has locked the run, and the
//! head of the log has locked the workspace's log, when their rows are inserted. SQLite keeps them, because it cannot
//! drop one, and its check costs little.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

/// The columns of `topology_runs` that move to `run_state`.
const MOVED: [&str; 19] = [
    "status",
    "owner",
    "epoch",
    "claims",
    "cancel_requested_ms",
    "cancelled_by",
    "waiting_on",
    "started_ms",
    "updated_ms",
    "steps_done",
    "tokens_in",
    "tokens_out",
    "cost_microusd",
    "rolled_up",
    "version",
    "mux_workspace_id",
    "mux_tab_id",
    "mux_pane_id",
    // Computed from `parent_run_id` before, and only read by the claim.
    "depth",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let postgres = manager.get_database_backend() == DbBackend::Postgres;
        for mut table in [run_state(), agent_state(), run_owners()] {
            // Without it, SQLite keeps a second tree for the key of each table.
            if !postgres {
                table.extra("WITHOUT ROWID");
            }
            manager.create(table).await?;
        }
        for sql in MOVE {
            manager.run_sql(sql).await?;
        }
        for column in MOVED {
            let sql = format!("ALTER TABLE topology_runs DROP COLUMN {column}");
            manager.run_sql(&sql).await?;
        }
        manager
            .run_sql("ALTER TABLE claws DROP COLUMN status")
            .await?;
        if postgres {
            for sql in POSTGRES {
                manager.run_sql(sql).await?;
            }
        }
        Ok(())
    }
}

const MOVE: [&str; 11] = [
    "INSERT INTO run_state (run_id, workspace_id, status, owner, epoch, claims, cancel_requested_ms, cancelled_by, \
       waiting_on, queued_ms, started_ms, updated_ms, depth, steps_done, tokens_in, tokens_out, cost_microusd, rolled_up, \
       version, mux_workspace_id, mux_tab_id, mux_pane_id) \
     SELECT id, workspace_id, status, owner, epoch, claims, cancel_requested_ms, cancelled_by, waiting_on, created_ms, \
       started_ms, updated_ms, depth, steps_done, tokens_in, tokens_out, cost_microusd, rolled_up, version, \
       mux_workspace_id, mux_tab_id, mux_pane_id FROM topology_runs",
    "INSERT INTO agent_state (agent_id, workspace_id, at_work, sandbox_running, status, changed, updated_ms) \
     SELECT c.id, c.workspace_id, (SELECT count(*) FROM run_steps s WHERE s.agent_id = c.id AND s.status = 'running'), \
       EXISTS (SELECT 1 FROM agent_containers b WHERE b.agent_id = c.id AND b.state = 'running'), c.status, FALSE, 0 \
     FROM claws c",
    "DROP INDEX topology_runs_queued",
    "DROP INDEX topology_runs_running",
    "DROP INDEX topology_runs_by_owner",
    "DROP INDEX topology_runs_children_queued",
    // The counter of `agent_state` replaces it. Without it, the end of a step changes its row in place.
    "DROP INDEX run_steps_at_work",
    // The queue and the active runs. Both are small beside the history.
    "CREATE INDEX run_state_queued ON run_state (workspace_id, queued_ms, run_id) WHERE status = 'queued'",
    "CREATE INDEX run_state_running ON run_state (workspace_id) WHERE status = 'running'",
    "CREATE INDEX run_state_by_owner ON run_state (owner) WHERE status = 'running'",
    // What a workspace spent lately.
    "CREATE INDEX run_state_of_workspace ON run_state (workspace_id)",
];

/// Room on each page for the next version of its rows, and no look-ups of rows that are locked already.
const POSTGRES: [&str; 8] = [
    "ALTER TABLE topology_runs RESET (fillfactor)",
    "ALTER TABLE run_state SET (fillfactor = 60)",
    "ALTER TABLE agent_state SET (fillfactor = 60)",
    "ALTER TABLE run_steps SET (fillfactor = 80)",
    "ALTER TABLE event_heads SET (fillfactor = 50)",
    "ALTER TABLE run_steps DROP CONSTRAINT run_steps_run_id_fkey",
    "ALTER TABLE run_calls DROP CONSTRAINT run_calls_run_id_fkey",
    "ALTER TABLE events DROP CONSTRAINT events_workspace_id_fkey",
];

fn run_state() -> TableCreateStatement {
    Table::create()
        .table("run_state")
        .col(uuid("run_id").primary_key())
        .col(uuid("workspace_id"))
        .col(string("status"))
        .col(string_null("owner"))
        .col(big_integer("epoch"))
        .col(integer("claims"))
        .col(big_integer_null("cancel_requested_ms"))
        .col(uuid_null("cancelled_by"))
        .col(string_null("waiting_on"))
        .col(big_integer("queued_ms"))
        .col(big_integer_null("started_ms"))
        .col(big_integer("updated_ms"))
        .col(integer("depth"))
        .col(integer("steps_done"))
        .col(big_integer("tokens_in"))
        .col(big_integer("tokens_out"))
        .col(big_integer("cost_microusd"))
        .col(boolean("rolled_up"))
        .col(big_integer("version"))
        .col(string_null("mux_workspace_id"))
        .col(string_null("mux_tab_id"))
        .col(string_null("mux_pane_id"))
        .foreign_key(
            ForeignKey::create()
                .from("run_state", "run_id")
                .to("topology_runs", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn agent_state() -> TableCreateStatement {
    Table::create()
        .table("agent_state")
        .col(uuid("agent_id").primary_key())
        .col(uuid("workspace_id"))
        .col(integer("at_work"))
        .col(boolean("sandbox_running"))
        .col(string("status"))
        .col(boolean("changed"))
        .col(big_integer("updated_ms"))
        .foreign_key(
            ForeignKey::create()
                .from("agent_state", "agent_id")
                .to("claws", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn run_owners() -> TableCreateStatement {
    Table::create()
        .table("run_owners")
        .col(string("owner").primary_key())
        .col(big_integer("alive_until_ms"))
        .to_owned()
}
