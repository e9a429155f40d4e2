//! The SQL of the placement setting.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, IntoActiveModel};

use super::entity::placement;
use super::model::Setting;
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// The placement setting; local by default.
pub async fn placement(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<(Setting, i64), DbErr> {
    let row = placement::Entity::find_by_id(scope.workspace())
        .one(db)
        .await?;
    Ok(row.map_or((Setting::Local, 0), |row| {
        (
            row.node_id.map_or(Setting::Local, Setting::Node),
            row.version,
        )
    }))
}

/// The node on which new sandboxes are made. `None` is the gateway's own machine.
///
/// # Errors
/// When the database fails.
pub async fn placed_on(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Option<NodeId>, DbErr> {
    let (setting, _) = placement(db, scope).await?;
    Ok(match setting {
        Setting::Local => None,
        Setting::Node(node) => Some(node),
    })
}

/// Sets the placement; `None` is local. Returns the new version.
pub async fn set_placement(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    node: Option<NodeId>,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<i64, DbErr> {
    let (_, version) = placement(db, scope).await?;
    let row = placement::Model {
        workspace_id: scope.workspace(),
        node_id: node,
        set_by: user,
        updated_at: now,
        version: version + 1,
    };
    use placement::Column as C;
    placement::Entity::insert(row.into_active_model())
        .on_conflict(
            sea_orm::sea_query::OnConflict::column(C::WorkspaceId)
                .update_columns([C::NodeId, C::SetBy, C::UpdatedAt, C::Version])
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(version + 1)
}
