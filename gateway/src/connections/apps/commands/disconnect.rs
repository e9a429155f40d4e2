//! Ending a connection.

use crate::connections::apps::store::Which;
use crate::connections::apps::{AppError, AppsContext, store};
use crate::platform::events::{Event, ResourceKind};
use crate::platform::ids::{AppConnectionId, UserId};
use crate::tenancy::auth::WorkspaceScope;
use crate::tenancy::change::Change;

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
