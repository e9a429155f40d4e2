//! Where a run comes from (a word to filter by, and its references as JSON), the room that its events belong to, and its
//! outcome beside its status. Earlier runs get the origin that their other columns prove. They have no
//! outcome: nothing examined their steps.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        let origin = string("origin").default("team").to_owned();
        for column in [
            origin,
            text_null("origin_refs"),
            uuid_null("room_id"),
            string_null("outcome"),
            text_null("outcome_reason"),
            text_null("outcome_evidence"),
        ] {
            let add = Table::alter()
                .table("topology_runs")
                .add_column(column)
                .to_owned();
            manager.alter(add).await?;
        }
        for (table, column) in [
            // What follows when a role rejects the work, and the role that gets it back.
            ("team_template_roles", "on_reject"),
            ("team_template_roles", "back_to"),
        ] {
            let add = Table::alter()
                .table(table)
                .add_column(string_null(column))
                .to_owned();
            manager.alter(add).await?;
        }
        manager.create(graphs()).await?;
        let backend = manager.get_database_backend();
        for sql in earlier_runs(backend) {
            manager.run_sql(&sql).await?;
        }
        Ok(())
    }
}

/// The graphs of the teams that a run tree may start, as they were when the root run was enqueued.
fn graphs() -> TableCreateStatement {
    Table::create()
        .table("run_graphs")
        .col(uuid("root_run_id"))
        .col(string("subject"))
        .col(uuid("team_id"))
        .col(text("title"))
        .col(string("sha256"))
        .col(text("graph"))
        .primary_key(Index::create().col("root_run_id").col("subject"))
        .foreign_key(
            ForeignKey::create()
                .from("run_graphs", "root_run_id")
                .to("topology_runs", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

/// The order matters: the fork of a comparison is a fork.
fn earlier_runs(backend: DbBackend) -> [String; 5] {
    let (parent, forked) = (id(backend, "parent_run_id"), id(backend, "forked_from"));
    let (step, lap) = match backend {
        DbBackend::Postgres => (
            "split_part(parent_step, '#', 1)",
            "split_part(parent_step, '#', 2)",
        ),
        _ => (
            "substr(parent_step, 1, instr(parent_step, '#') - 1)",
            "substr(parent_step, instr(parent_step, '#') + 1)",
        ),
    };
    [
        "CREATE INDEX run_graphs_of_team ON run_graphs (team_id)".to_owned(),
        "UPDATE topology_runs SET origin = 'compare' WHERE kind = 'compare'".to_owned(),
        format!(
            "UPDATE topology_runs SET origin = 'fork', origin_refs = '{{\"of\":\"' || {forked} || '\"}}' \
             WHERE forked_from IS NOT NULL"
        ),
        // The names of steps have no character that JSON escapes.
        format!(
            "UPDATE topology_runs SET origin = 'call', origin_refs = '{{\"run\":\"' || {parent} || '\",\"step\":\"' || {step} \
             || '\",\"lap\":' || {lap} || ',\"shard\":0,\"call\":0}}' \
             WHERE parent_run_id IS NOT NULL AND parent_step IS NOT NULL"
        ),
        // `kind` says what works. The origin says that a run is a child.
        "UPDATE topology_runs SET kind = 'team' WHERE kind = 'child'".to_owned(),
    ]
}

/// The text of an id. SQLite keeps ids as bytes.
fn id(backend: DbBackend, column: &str) -> String {
    match backend {
        DbBackend::Postgres => format!("{column}::text"),
        _ => {
            let hex = format!("lower(hex({column}))");
            let part = |from: u8, length: u8| format!("substr({hex}, {from}, {length})");
            let parts = [
                part(1, 8),
                part(9, 4),
                part(13, 4),
                part(17, 4),
                part(21, 12),
            ];
            parts.join(" || '-' || ")
        }
    }
}
