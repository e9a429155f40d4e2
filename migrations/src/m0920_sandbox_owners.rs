//! A sandbox belongs to an agent or to a team. A team that shared the sandbox of one of its agents gets a sandbox of its
//! own, which begins with the newest files of that agent.

use sea_orm_migration::sea_orm::{DbBackend, Statement};
use sea_orm_migration::{prelude::*, schema::*};
use uuid::Uuid;

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

const CONTAINERS: &str = "node_id, container, epoch, state, operation_id, image, limits, fallback, detail, archive, \
     hardening, created_at, last_used_at, ended_at, version, image_digest, restored, snapshot_problem, drain";
const SNAPSHOTS: &str =
    "sandbox_id, node_id, digest, files, bytes, left_out, taken_at, received_at, uploaded_at";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // The foreign keys to agents go: an owner may be a team.
        match manager.get_database_backend() {
            DbBackend::Sqlite => rebuild(manager).await?,
            _ => alter(manager).await?,
        }
        run(
            manager,
            &[
                "ALTER TABLE run_step_files RENAME COLUMN agent_id TO owner_id",
                "ALTER TABLE run_start_files RENAME COLUMN agent_id TO owner_id",
                "ALTER TABLE run_start_files RENAME COLUMN snapshot_agent_id TO snapshot_owner_id",
                "ALTER TABLE run_checkouts RENAME COLUMN agent_id TO owner_id",
                "ALTER TABLE run_commits RENAME COLUMN agent_id TO owner_id",
                "ALTER TABLE node_operations RENAME COLUMN agent_id TO owner_id",
            ],
        )
        .await?;
        for table in ["run_step_files", "run_start_files", "run_commits"] {
            let kind = string("owner_kind").default("claw").take();
            let add = Table::alter().table(table).add_column(kind).to_owned();
            manager.alter(add).await?;
        }
        let shared = Table::alter()
            .table("teams")
            .add_column(boolean("shared_sandbox").default(false))
            .to_owned();
        manager.alter(shared).await?;
        let was_shared = "UPDATE teams SET shared_sandbox = TRUE WHERE workbench_id IS NOT NULL";
        run(manager, &[was_shared]).await?;
        give_files(manager).await?;
        run(manager, &["ALTER TABLE teams DROP COLUMN workbench_id"]).await
    }
}

async fn run(manager: &SchemaManager<'_>, all: &[&str]) -> Result<(), DbErr> {
    for sql in all {
        manager.run_sql(sql).await?;
    }
    Ok(())
}

async fn alter(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in ["agent_containers", "workspace_snapshots"] {
        let changes = [
            format!("ALTER TABLE {table} DROP CONSTRAINT {table}_agent_id_fkey"),
            format!("ALTER TABLE {table} RENAME COLUMN agent_id TO owner_id"),
            format!("ALTER TABLE {table} ADD COLUMN owner_kind VARCHAR NOT NULL DEFAULT 'claw'"),
        ];
        for change in &changes {
            run(manager, &[change]).await?;
        }
    }
    Ok(())
}

/// SQLite cannot drop a foreign key, so the rows move to new tables.
async fn rebuild(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for (table, created, columns) in [
        ("agent_containers", containers(), CONTAINERS),
        ("workspace_snapshots", snapshots(), SNAPSHOTS),
    ] {
        run(
            manager,
            &[&format!("ALTER TABLE {table} RENAME TO {table}_old")],
        )
        .await?;
        manager.create(created).await?;
        let moves = format!(
            "INSERT INTO {table} (id, workspace_id, owner_kind, owner_id, {columns}) \
             SELECT id, workspace_id, 'claw', agent_id, {columns} FROM {table}_old"
        );
        run(manager, &[&moves, &format!("DROP TABLE {table}_old")]).await?;
    }
    run(
        manager,
        &[
            "CREATE INDEX agent_containers_by_node ON agent_containers (node_id, state)",
            // An owner has at most one live sandbox: two concurrent requests cannot make two containers.
            "CREATE UNIQUE INDEX agent_containers_one_live ON agent_containers (owner_id) \
               WHERE state IN ('provisioning', 'running', 'destroying')",
            "CREATE INDEX agent_containers_by_agent ON agent_containers (owner_id, epoch)",
            // The same files are one snapshot, however often a workspace returns to them.
            "CREATE UNIQUE INDEX workspace_snapshots_once ON workspace_snapshots (owner_id, digest)",
            "CREATE INDEX workspace_snapshots_by_agent ON workspace_snapshots (owner_id, taken_at)",
            "CREATE INDEX workspace_snapshots_by_machine ON workspace_snapshots (node_id, owner_id)",
            "CREATE INDEX workspace_snapshots_by_digest ON workspace_snapshots (workspace_id, digest)",
        ],
    )
    .await
}

fn containers() -> TableCreateStatement {
    Table::create()
        .table("agent_containers")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(string("owner_kind").default("claw"))
        .col(uuid("owner_id"))
        .col(string("node_id").default("local"))
        .col(string_null("container"))
        .col(big_integer("epoch"))
        .col(string("state"))
        .col(uuid_null("operation_id"))
        .col(string("image"))
        .col(json_binary("limits"))
        .col(json_binary_null("fallback"))
        .col(text_null("detail"))
        .col(json_binary_null("archive"))
        .col(json_binary_null("hardening"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("last_used_at"))
        .col(timestamp_with_time_zone_null("ended_at"))
        .col(big_integer("version").default(1))
        .col(text_null("image_digest"))
        .col(json_binary_null("restored"))
        .col(text_null("snapshot_problem"))
        .col(json_binary_null("drain"))
        .foreign_key(&mut of_workspace("agent_containers"))
        .to_owned()
}

fn snapshots() -> TableCreateStatement {
    Table::create()
        .table("workspace_snapshots")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(string("owner_kind").default("claw"))
        .col(uuid("owner_id"))
        .col(uuid("sandbox_id"))
        .col(string("node_id"))
        .col(string("digest"))
        .col(big_integer("files"))
        .col(big_integer("bytes"))
        .col(json_binary("left_out"))
        .col(timestamp_with_time_zone("taken_at"))
        .col(timestamp_with_time_zone("received_at"))
        .col(timestamp_with_time_zone_null("uploaded_at"))
        .foreign_key(&mut of_workspace("workspace_snapshots"))
        .to_owned()
}

fn of_workspace(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "workspace_id")
        .to("workspaces", "id")
        .to_owned()
}

/// Each team that shared a sandbox gets the newest snapshot of the agent that had it.
async fn give_files(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let (db, backend) = (manager.get_connection(), manager.get_database_backend());
    let newest = "SELECT t.id AS team, s.id AS snapshot FROM teams t \
         JOIN workspace_snapshots s ON s.owner_id = t.workbench_id AND s.workspace_id = t.workspace_id \
         WHERE NOT EXISTS (SELECT 1 FROM workspace_snapshots n WHERE n.owner_id = s.owner_id \
           AND (n.taken_at > s.taken_at OR (n.taken_at = s.taken_at AND n.id > s.id)))";
    for row in db
        .query_all_raw(Statement::from_string(backend, newest))
        .await?
    {
        let (team, snapshot): (Uuid, Uuid) =
            (row.try_get("", "team")?, row.try_get("", "snapshot")?);
        let copy = format!(
            "INSERT INTO workspace_snapshots (id, workspace_id, owner_kind, owner_id, {SNAPSHOTS}) \
             SELECT $1, workspace_id, 'team', $2, {SNAPSHOTS} FROM workspace_snapshots WHERE id = $3"
        );
        let values = [Uuid::now_v7().into(), team.into(), snapshot.into()];
        db.execute_raw(Statement::from_sql_and_values(backend, copy, values))
            .await?;
    }
    Ok(())
}
