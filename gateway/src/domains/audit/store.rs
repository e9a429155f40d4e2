//! Reading the audit log. It is written in `record` alone, and nothing changes or removes an entry.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::entity::entry;
use crate::domains::auth::WorkspaceScope;
use crate::http::pagination::PageRequest;

/// Entries of a workspace, newest first.
pub(super) async fn newest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    request: PageRequest,
) -> Result<Vec<entry::Model>, DbErr> {
    let mut query = entry::Entity::find().filter(entry::Column::WorkspaceId.eq(scope.workspace()));
    if let Some(after) = request.after {
        query = query.filter(entry::Column::Id.lt(after));
    }
    query
        .order_by_desc(entry::Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}
