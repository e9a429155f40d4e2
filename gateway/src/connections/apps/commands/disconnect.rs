//! Ending a connection.

use crate::connections::apps::store::Which;
use crate::connections::apps::{AppError, AppsContext, store};
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{AppConnectionId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

/// Ends a connection. The broker deletes its token soon after, and revokes it if the issuer supports that.
///
/// # Errors
/// [`AppError::NotFound`].
pub async fn disconnect(
    apps: &AppsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: AppConnectionId,
) -> Result<(), AppError> {
    let now = apps.clock.now();
    let mut tx = apps.db.write().await?;
    let gone = store::end(&tx, scope, Which::One(id), now).await?;
    let row = gone.into_iter().next().ok_or(AppError::NotFound)?;
    let details = serde_json::json!({ "provider": row.provider, "auth_type": row.auth_type });
    audit::record(
        &tx,
        &apps.ids,
        now,
        scope,
        user,
        "app.disconnected",
        ("app_connection", &id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::AppConnection, id, 2);
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
    apps.credentials.nudge();
    Ok(())
}
