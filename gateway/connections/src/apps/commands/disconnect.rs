//! Ending a connection.

use crate::apps::store::Which;
use crate::apps::{AppError, AppsContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{AppConnectionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

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
    let mut change = Change::begin(apps, scope, user).await?;
    let gone = store::end(&change, scope, Which::One(id), change.now()).await?;
    let row = gone.into_iter().next().ok_or(AppError::NotFound)?;
    let details = serde_json::json!({ "provider": row.provider, "auth_type": row.auth_type });
    change.record("app.disconnected", ("app_connection", &id), details);
    change.event(Event::changed(ResourceKind::AppConnection, id, 2));
    change.wake(&apps.credentials.sweeper);
    change.commit().await?;
    Ok(())
}
