//! Proposals that improve an agent or a team.

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create(proposals()).await?;
        for (name, columns) in [
            (
                "level_up_proposals_by_status",
                ["workspace_id", "status", "id"].as_slice(),
            ),
            ("level_up_proposals_of_agent", &["agent_id", "id"]),
            ("level_up_proposals_of_team", &["team_id", "id"]),
        ] {
            let mut index = Index::create();
            index.name(name).table("level_up_proposals");
            for column in columns {
                index.col(*column);
            }
            manager.index(index.to_owned()).await?;
        }
        Ok(())
    }
}

fn proposals() -> TableCreateStatement {
    let exactly_one = Expr::cust("(agent_id IS NULL) <> (team_id IS NULL)");
    Table::create()
        .table("level_up_proposals")
        .col(uuid("id").primary_key())
        .col(uuid("workspace_id"))
        .col(uuid_null("agent_id"))
        .col(uuid_null("team_id"))
        .col(string("status"))
        .col(text("outline"))
        .col(text("payload"))
        .col(text("applied_items"))
        .col(text("model"))
        .col(big_integer("cost_microusd"))
        .col(uuid("created_by"))
        .col(uuid_null("approved_by"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("applied_at"))
        .check(exactly_one)
        .foreign_key(&mut of("agent_id", "claws"))
        .foreign_key(&mut of("team_id", "teams"))
        .to_owned()
}

fn of(column: &'static str, table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from("level_up_proposals", column)
        .to(table, "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
