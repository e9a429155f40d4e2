//! Ending a connection.

use crate::domains::apps::routes::AppsState;
use crate::domains::apps::store::Which;
use crate::domains::apps::{AppError, store};
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::events::{self, Event, ResourceKind};
use crate::ids::{AppConnectionId, UserId};

/// Ends a connection; its token is forgotten by the broker soon after, and revoked where its issuer can.
///
/// # Errors
/// [`AppError::NotFound`].
pub async fn disconnect(
    apps: &AppsState,
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
