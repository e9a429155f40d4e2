//! The commands on templates, one use case a file.

mod change;
mod create;
mod delete;
mod upgrade;

pub use change::change;
pub use create::create;
pub use delete::delete;
pub use upgrade::{Former, Upgraded, upgrade};

use chrono::{DateTime, Utc};

use super::entity::template;
use super::{TemplateError, TemplatesContext};
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::UserId;
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

/// The user on whose authority a command runs, the workspace, and the time.
#[derive(Debug, Clone, Copy)]
pub struct By {
    pub scope: WorkspaceScope,
    pub user: UserId,
    pub now: DateTime<Utc>,
}

/// Writes the audit entry and the event of a change.
async fn note(
    state: &TemplatesContext,
    tx: &mut WriteTx,
    by: By,
    row: &template::Model,
    (action, mut details): (&str, serde_json::Value),
) -> Result<(), TemplateError> {
    details["name"] = row.name.clone().into();
    details["version"] = row.version.into();
    audit::record(
        tx,
        &state.ids,
        by.now,
        by.scope,
        by.user,
        action,
        ("team_template", &row.id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::TeamTemplate, row.id, row.version);
    events::append(tx, by.scope.workspace(), by.now, [fact]).await?;
    Ok(())
}
