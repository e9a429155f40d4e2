//! Keys with shard and call: a step may be divided into shards, and each call of a step may start a run. `run_children`
//! replaces the one child of a step.

use sea_orm_migration::sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

const STEPS: &str = "position, node, purpose, agent_id, status, attempt, away_since_ms, output, error, started_ms, \
                     ended_ms, tokens_in, tokens_out, cost_microusd";
const CALLS: &str =
    "idx, kind, name, content, failed, started_ms, ended_ms, tokens_in, tokens_out, cost_microusd";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create(children()).await?;
        run(
            manager,
            &[
                // A step that has begun may have no child yet. It creates the child later, with its row here.
                "INSERT INTO run_children (run_id, step_key, lap, shard, idx, child_run_id) \
                   SELECT run_id, step_key, lap, 0, 0, child_run_id FROM run_steps s WHERE child_run_id IS NOT NULL \
                     AND EXISTS (SELECT 1 FROM topology_runs r WHERE r.id = s.child_run_id)",
                "CREATE INDEX run_children_by_child ON run_children (child_run_id)",
                "UPDATE run_calls SET kind = 'child' WHERE kind = 'run'",
            ],
        )
        .await?;
        match manager.get_database_backend() {
            DbBackend::Sqlite => rebuild(manager).await,
            _ => alter(manager).await,
        }
    }
}

async fn alter(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    run(
        manager,
        &[
            "ALTER TABLE run_steps ADD COLUMN shard INTEGER NOT NULL DEFAULT 0, DROP COLUMN child_run_id",
            "ALTER TABLE run_steps DROP CONSTRAINT run_steps_pkey, \
               ADD PRIMARY KEY (run_id, step_key, lap, shard)",
            "ALTER TABLE run_calls ADD COLUMN shard INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE run_calls DROP CONSTRAINT run_calls_pkey, \
               ADD PRIMARY KEY (run_id, step_key, lap, shard, idx)",
        ],
    )
    .await
}

/// SQLite cannot change a primary key, so the rows move to new tables.
async fn rebuild(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    run(
        manager,
        &[
            "ALTER TABLE run_steps RENAME TO run_steps_old",
            "ALTER TABLE run_calls RENAME TO run_calls_old",
            "DROP INDEX run_steps_at_work",
        ],
    )
    .await?;
    manager.create(steps()).await?;
    manager.create(calls()).await?;
    run(
        manager,
        &[
            &format!(
                "INSERT INTO run_steps (run_id, step_key, lap, shard, {STEPS}) \
                   SELECT run_id, step_key, lap, 0, {STEPS} FROM run_steps_old"
            ),
            &format!(
                "INSERT INTO run_calls (run_id, step_key, lap, shard, {CALLS}) \
                   SELECT run_id, step_key, lap, 0, {CALLS} FROM run_calls_old"
            ),
            "DROP TABLE run_steps_old",
            "DROP TABLE run_calls_old",
            "CREATE INDEX run_steps_at_work ON run_steps (agent_id) WHERE status = 'running'",
        ],
    )
    .await
}

async fn run(manager: &SchemaManager<'_>, all: &[&str]) -> Result<(), DbErr> {
    for sql in all {
        manager.run_sql(sql).await?;
    }
    Ok(())
}

fn steps() -> TableCreateStatement {
    Table::create()
        .table("run_steps")
        .col(uuid("run_id"))
        .col(string("step_key"))
        .col(integer("lap"))
        .col(integer("shard").default(0))
        .col(integer("position"))
        .col(string("node"))
        .col(string("purpose"))
        .col(uuid_null("agent_id"))
        .col(string("status"))
        .col(integer("attempt"))
        .col(big_integer_null("away_since_ms"))
        .col(text_null("output"))
        .col(text_null("error"))
        .col(big_integer("started_ms"))
        .col(big_integer_null("ended_ms"))
        .col(big_integer("tokens_in"))
        .col(big_integer("tokens_out"))
        .col(big_integer("cost_microusd"))
        .primary_key(
            Index::create()
                .col("run_id")
                .col("step_key")
                .col("lap")
                .col("shard"),
        )
        .foreign_key(&mut of_run("run_steps"))
        .to_owned()
}

fn calls() -> TableCreateStatement {
    Table::create()
        .table("run_calls")
        .col(uuid("run_id"))
        .col(string("step_key"))
        .col(integer("lap"))
        .col(integer("shard").default(0))
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
        .primary_key(&mut place())
        .foreign_key(&mut of_run("run_calls"))
        .to_owned()
}

fn children() -> TableCreateStatement {
    Table::create()
        .table("run_children")
        .col(uuid("run_id"))
        .col(string("step_key"))
        .col(integer("lap"))
        .col(integer("shard"))
        .col(integer("idx"))
        .col(uuid("child_run_id"))
        .primary_key(&mut place())
        .foreign_key(&mut of_run("run_children"))
        .to_owned()
}

/// The place of a call.
fn place() -> IndexCreateStatement {
    let mut place = Index::create();
    for column in ["run_id", "step_key", "lap", "shard", "idx"] {
        place.col(column);
    }
    place
}

fn of_run(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "run_id")
        .to("topology_runs", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
