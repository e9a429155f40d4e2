//! SQL of draining: the notes of each sandbox.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::model::Notes;
use crate::fleet::Draining;
use crate::sandboxes::entity::container;
use roost_platform::db::TenantEntity;
use roost_platform::ids::SandboxId;
use roost_tenancy::auth::WorkspaceScope;

/// Writes the notes. The version stays, because people decide nothing by them.
pub(super) async fn note(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SandboxId,
    notes: &Notes,
) -> Result<(), DbErr> {
    container::Entity::update_in(scope)
        .col_expr(
            container::Column::Drain,
            Expr::value(Some(serde_json::json!(notes))),
        )
        .filter(container::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// The sandboxes of a machine that ended since it drains and stored their files.
pub(super) async fn ended_on(
    db: &impl ConnectionTrait,
    machine: &Draining,
) -> Result<Vec<container::Model>, DbErr> {
    container::Entity::find()
        .filter(container::Column::NodeId.eq(machine.node.to_string()))
        .filter(container::Column::WorkspaceId.eq(machine.workspace))
        .filter(container::Column::EndedAt.gte(machine.since))
        .filter(container::Column::Archive.is_not_null())
        .all(db)
        .await
}
