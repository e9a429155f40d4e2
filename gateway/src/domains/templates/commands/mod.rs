//! What can be done with templates, one use case a file.

mod change;
mod create;
mod delete;
mod upgrade;

pub use change::change;
pub use create::create;
pub use delete::delete;
pub use upgrade::{Former, Upgraded, upgrade};

use chrono::{DateTime, Utc};

use super::TemplateError;
use super::entity::template;
use super::routes::TemplatesState;
use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::events::{self, Event, ResourceKind};
use crate::ids::UserId;

/// On whose authority, and where.
#[derive(Debug, Clone, Copy)]
pub struct By {
    pub scope: WorkspaceScope,
    pub user: UserId,
    pub now: DateTime<Utc>,
}

/// Audit entry and event of a change.
async fn note(
    state: &TemplatesState,
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
