//! The commands on templates, one use case a file.

mod change;
mod create;
mod delete;
mod upgrade;

pub use change::change;
pub use create::create;
pub use delete::delete;
pub use upgrade::{Former, Upgraded, upgrade};

use super::entity::template;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::UserId;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// The user on whose authority a command runs, and the workspace.
#[derive(Debug, Clone, Copy)]
pub struct By {
    pub scope: WorkspaceScope,
    pub user: UserId,
}

/// Notes the audit entry and the event of a change.
fn note(change: &mut Change, row: &template::Model, action: &str, mut details: serde_json::Value) {
    details["name"] = row.name.clone().into();
    details["version"] = row.version.into();
    change.record(action, ("team_template", &row.id), details);
    change.event(Event::changed(
        ResourceKind::TeamTemplate,
        row.id,
        row.version,
    ));
}
