//! Missions: their phases, teams, tasks, artifacts, benchmark snapshots and summary cards.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [
            missions(),
            phases(),
            phase_runs(),
            teams(),
            tasks(),
            marks(),
            artifacts(),
            cards(),
        ] {
            manager.create(table).await?;
        }
        for (name, table, columns) in [
            ("missions_of_workspace", "missions", ["workspace_id", "id"]),
            ("missions_at_work", "missions", ["status", "id"]),
            (
                "topology_runs_of_mission",
                "topology_runs",
                ["mission_id", "id"],
            ),
            (
                "mission_phases_in_order",
                "mission_phases",
                ["mission_id", "position"],
            ),
            (
                "mission_phase_runs_of_phase",
                "mission_phase_runs",
                ["phase_id", "attempt"],
            ),
            (
                "mission_teams_of_mission",
                "mission_teams",
                ["mission_id", "created_at"],
            ),
            (
                "mission_tasks_of_mission",
                "mission_tasks",
                ["mission_id", "external_id"],
            ),
            (
                "mission_task_marks_of_task",
                "mission_task_marks",
                ["phase_id", "external_id"],
            ),
            (
                "mission_artifacts_of_mission",
                "mission_artifacts",
                ["mission_id", "id"],
            ),
        ] {
            let mut index = Index::create();
            index.name(name).table(table);
            for column in columns {
                index.col(column);
            }
            manager.index(index.to_owned()).await?;
        }
        Ok(())
    }
}

fn missions() -> TableCreateStatement {
    Table::create()
        .table("missions")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(text("title"))
        .col(text("goal"))
        .col(string("template_kind"))
        .col(uuid_null("team_id"))
        .col(uuid_null("team_template_id"))
        .col(text_null("schedule"))
        .col(string("status"))
        .col(string_null("status_reason"))
        .col(text_null("status_detail"))
        .col(text("config"))
        .col(uuid_null("repo_id"))
        .col(text_null("base_ref"))
        .col(string("runtime_kind"))
        .col(uuid_null("target_node_id"))
        .col(text_null("runtime_container_name"))
        .col(text_null("runtime_endpoint"))
        .col(text_null("runtime_pairing_code"))
        .col(big_integer_null("budget_microusd"))
        .col(text_null("model_binding"))
        .col(uuid("created_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .col(timestamp_with_time_zone_null("launched_at"))
        .col(timestamp_with_time_zone_null("ended_at"))
        .col(big_integer("version"))
        .to_owned()
}

fn phases() -> TableCreateStatement {
    Table::create()
        .table("mission_phases")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid("mission_id"))
        .col(integer("position"))
        .col(string("kind"))
        .col(string("status"))
        .col(integer("attempt"))
        .col(text_null("reason"))
        .col(text_null("input"))
        .col(integer("dropped_tasks"))
        .col(timestamp_with_time_zone_null("started_at"))
        .col(timestamp_with_time_zone_null("ended_at"))
        .foreign_key(&mut of("mission_phases", "mission_id", "missions"))
        .to_owned()
}

fn phase_runs() -> TableCreateStatement {
    Table::create()
        .table("mission_phase_runs")
        .col(uuid("phase_id"))
        .col(integer("attempt"))
        .col(uuid_null("team_id"))
        .col(uuid("workspace_id"))
        .col(uuid("mission_id"))
        .col(uuid("run_id").primary_key())
        .col(boolean("held"))
        .foreign_key(&mut of("mission_phase_runs", "phase_id", "mission_phases"))
        .to_owned()
}

fn teams() -> TableCreateStatement {
    Table::create()
        .table("mission_teams")
        .col(uuid("team_id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid("mission_id"))
        .col(string("purpose"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(&mut of("mission_teams", "mission_id", "missions"))
        .to_owned()
}

fn tasks() -> TableCreateStatement {
    Table::create()
        .table("mission_tasks")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid("mission_id"))
        .col(uuid("phase_id"))
        .col(string("external_id"))
        .col(text("title"))
        .col(text("body"))
        .col(string("status"))
        .col(uuid_null("assigned_agent_id"))
        .col(integer("ignored_marks"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .index(
            Index::create()
                .name("mission_tasks_of_phase")
                .unique()
                .col("phase_id")
                .col("external_id"),
        )
        .foreign_key(&mut of("mission_tasks", "phase_id", "mission_phases"))
        .to_owned()
}

fn marks() -> TableCreateStatement {
    Table::create()
        .table("mission_task_marks")
        .col(uuid("run_id"))
        .col(string("place"))
        .col(uuid("workspace_id"))
        .col(uuid("mission_id"))
        .col(uuid("phase_id"))
        .col(string("external_id"))
        .col(string("marker"))
        .col(string("step"))
        .col(uuid_null("agent_id"))
        .col(boolean("applied"))
        .col(timestamp_with_time_zone("at"))
        .primary_key(Index::create().col("run_id").col("place"))
        .foreign_key(&mut of("mission_task_marks", "phase_id", "mission_phases"))
        .to_owned()
}

fn artifacts() -> TableCreateStatement {
    Table::create()
        .table("mission_artifacts")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid("mission_id"))
        .col(uuid_null("phase_id"))
        .col(integer("attempt"))
        .col(string("kind"))
        .col(text("title"))
        .col(string("status"))
        .col(text_null("path"))
        .col(text_null("error"))
        .col(text_null("content"))
        .col(uuid_null("run_id"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .foreign_key(&mut of("mission_artifacts", "mission_id", "missions"))
        .to_owned()
}

fn cards() -> TableCreateStatement {
    Table::create()
        .table("mission_phase_cards")
        .col(uuid("phase_id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid("mission_id"))
        .col(integer("attempt"))
        .col(text("card"))
        .col(text_null("model"))
        .col(timestamp_with_time_zone("created_at"))
        .foreign_key(&mut of("mission_phase_cards", "phase_id", "mission_phases"))
        .to_owned()
}

/// The rows go with the row that they belong to.
fn of(
    table: &'static str,
    column: &'static str,
    parent: &'static str,
) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, column)
        .to(parent, "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
