//! Durable runs of topologies: the run, its steps (one row per step and lap), and the events inside a step (one row per
//! model turn or tool result). Times are milliseconds of the database's own clock, because leases are compared with
//! them.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create(runs()).await?;
        manager.create(steps()).await?;
        manager.create(calls()).await?;
        for sql in [
            // The queue and the active runs. Both are small beside the history.
            "CREATE INDEX topology_runs_queued ON topology_runs (workspace_id, created_ms, id) WHERE status = 'queued'",
            "CREATE INDEX topology_runs_running ON topology_runs (workspace_id, updated_ms) WHERE status = 'running'",
            "CREATE INDEX topology_runs_by_owner ON topology_runs (owner) WHERE status = 'running'",
            "CREATE INDEX topology_runs_listed ON topology_runs (workspace_id, created_ms DESC, id DESC)",
            "CREATE INDEX topology_runs_of_team ON topology_runs (team_id, created_ms)",
            // The event stream of one run, live and afterwards.
            "CREATE INDEX events_by_run ON events (run_id, seq) WHERE run_id IS NOT NULL",
            "CREATE INDEX topology_runs_of_parent ON topology_runs (parent_run_id)",
        ] {
            manager.run_sql(sql).await?;
        }
        Ok(())
    }
}

fn runs() -> TableCreateStatement {
    Table::create()
        .table("topology_runs")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        // Older rows default to `completed`.
        .col(string("status").default("completed"))
        .col(string("kind"))
        .col(string("tier"))
        .col(text("title"))
        // Fixed when the run is enqueued: later edits of the topology change nothing here.
        .col(text("graph"))
        .col(string("graph_sha256"))
        .col(text("input"))
        .col(text_null("comparison"))
        .col(text_null("result"))
        .col(text_null("error"))
        .col(string_null("error_code"))
        .col(string_null("last_event_id"))
        .col(uuid("created_by"))
        .col(big_integer("created_ms"))
        .col(big_integer("updated_ms"))
        .col(big_integer_null("started_ms"))
        .col(big_integer_null("ended_ms"))
        .col(uuid_null("team_id"))
        .col(uuid_null("mission_id"))
        .col(uuid_null("mission_phase_id"))
        .col(uuid_null("parent_run_id"))
        .col(string_null("parent_step"))
        .col(uuid("root_run_id"))
        .col(integer("depth"))
        .col(uuid_null("forked_from"))
        .col(string_null("forked_step"))
        .col(string_null("mux_workspace_id"))
        .col(string_null("mux_tab_id"))
        .col(string_null("mux_pane_id"))
        .col(string_null("owner"))
        .col(big_integer("epoch"))
        .col(integer("claims"))
        .col(big_integer_null("cancel_requested_ms"))
        .col(uuid_null("cancelled_by"))
        .col(string_null("waiting_on"))
        .col(integer("steps_done"))
        .col(integer("steps_most"))
        .col(big_integer("tokens_in"))
        .col(big_integer("tokens_out"))
        .col(big_integer("cost_microusd"))
        .col(big_integer_null("cost_ceiling_microusd"))
        .col(big_integer("version"))
        .foreign_key(
            ForeignKey::create()
                .from("topology_runs", "workspace_id")
                .to("workspaces", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn steps() -> TableCreateStatement {
    Table::create()
        .table("run_steps")
        .col(uuid("run_id"))
        .col(string("step_key"))
        .col(integer("lap"))
        .col(integer("position"))
        .col(string("node"))
        .col(string("purpose"))
        .col(uuid_null("agent_id"))
        .col(uuid_null("child_run_id"))
        .col(string("status"))
        .col(integer("attempt"))
        .col(text_null("output"))
        .col(text_null("error"))
        .col(big_integer("started_ms"))
        .col(big_integer_null("ended_ms"))
        .col(big_integer("tokens_in"))
        .col(big_integer("tokens_out"))
        .col(big_integer("cost_microusd"))
        .primary_key(Index::create().col("run_id").col("step_key").col("lap"))
        .foreign_key(&mut of_run("run_steps"))
        .to_owned()
}

fn calls() -> TableCreateStatement {
    Table::create()
        .table("run_calls")
        .col(uuid("run_id"))
        .col(string("step_key"))
        .col(integer("lap"))
        .col(integer("idx"))
        .col(string("kind"))
        .col(text("name"))
        .col(text("content"))
        .col(boolean("failed"))
        .col(big_integer("started_ms"))
        .col(big_integer("ended_ms"))
        .col(big_integer("tokens_in"))
        .col(big_integer("tokens_out"))
        .col(big_integer("cost_microusd"))
        .primary_key(
            Index::create()
                .col("run_id")
                .col("step_key")
                .col("lap")
                .col("idx"),
        )
        .foreign_key(&mut of_run("run_calls"))
        .to_owned()
}

fn of_run(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "run_id")
        .to("topology_runs", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
