//! The fleet: paired machines, their latest health, and their reported tools.
//!
//! A node's row holds its connection. `conn_epoch` rises with each connection, `held_by` names the gateway that has the
//! socket, and `held_ms` is the expiry of that claim (by the database's clock).

use sea_orm_migration::{prelude::*, schema::*};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create(
                Table::create()
                    .table("nodes")
                    .col(uuid("id").primary_key())
                    .col(uuid("workspace_id"))
                    .col(string_null("name"))
                    .col(string_null("hostname"))
                    .col(string_null("local_ip"))
                    .col(string_null("mesh_ip"))
                    .col(string_null("os"))
                    .col(string_null("arch"))
                    .col(string_null("daemon_version"))
                    .col(uuid_null("install_id"))
                    .col(string_null("boot_id"))
                    .col(string_null("token_sha256"))
                    .col(string_null("join_code_sha256"))
                    .col(timestamp_with_time_zone_null("join_expires_at"))
                    .col(boolean("draining").default(false))
                    .col(big_integer("drain_turn").default(0))
                    .col(boolean("drained").default(false))
                    .col(boolean("paused").default(false))
                    .col(json_binary_null("engine"))
                    .col(string("image").default("unknown"))
                    .col(integer_null("most_sandboxes"))
                    .col(integer("sandboxes").default(0))
                    .col(string("connection").default("disconnected"))
                    .col(big_integer("conn_epoch").default(0))
                    .col(string_null("held_by"))
                    .col(big_integer("held_ms").default(0))
                    .col(timestamp_with_time_zone_null("first_seen_at"))
                    .col(timestamp_with_time_zone_null("last_seen_at"))
                    .col(string_null("trouble_code"))
                    .col(string_null("trouble"))
                    .col(timestamp_with_time_zone_null("trouble_at"))
                    .col(timestamp_with_time_zone("created_at"))
                    .col(timestamp_with_time_zone_null("deleted_at"))
                    .col(big_integer("version").default(1))
                    .foreign_key(
                        ForeignKey::create()
                            .from("nodes", "workspace_id")
                            .to("workspaces", "id"),
                    )
                    .to_owned(),
            )
            .await?;
        for (name, column, unique) in [
            ("nodes_by_token", "token_sha256", true),
            ("nodes_by_join_code", "join_code_sha256", true),
            ("nodes_by_workspace", "workspace_id", false),
        ] {
            let mut index = Index::create();
            index.name(name).table("nodes").col(column);
            if unique {
                index.unique();
            } else {
                index.col("id");
            }
            manager.index(index.to_owned()).await?;
        }
        let of_node = |table: &'static str| {
            ForeignKey::create()
                .from(table, "node_id")
                .to("nodes", "id")
                .on_delete(ForeignKeyAction::Cascade)
                .to_owned()
        };
        manager
            .create(
                Table::create()
                    .table("node_health")
                    .col(uuid("node_id").primary_key())
                    .col(timestamp_with_time_zone("at"))
                    .col(json_binary("sample"))
                    .foreign_key(&mut of_node("node_health"))
                    .to_owned(),
            )
            .await?;
        manager
            .create(
                Table::create()
                    .table("node_tools")
                    .col(uuid("node_id"))
                    .col(string("tool"))
                    .col(string("version"))
                    .col(timestamp_with_time_zone("reported_at"))
                    .primary_key(Index::create().col("node_id").col("tool"))
                    .foreign_key(&mut of_node("node_tools"))
                    .to_owned(),
            )
            .await
    }
}
