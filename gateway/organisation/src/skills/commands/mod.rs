//! The commands on skills, one use case a file.

mod change;
mod choose;
mod create;
mod delete;

pub use change::{change, restore};
pub use choose::{choose, choose_in, take_back};
pub use create::{create, create_in};
pub use delete::delete;

use chrono::{DateTime, Utc};

use super::SkillError;
use super::dto::SkillText;
use super::entity::{skill, version};
use super::model::{KEPT, Origin, PromotedFrom, SourceKind};
use super::store;
use roost_agents::claws;
use roost_platform::db::unique_violation;
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

/// The row with a new text.
fn written(row: skill::Model, text: &SkillText, now: DateTime<Utc>) -> skill::Model {
    let kind = match text.promoted_from {
        Some(_) => SourceKind::Promoted,
        None => SourceKind::from_stored(&row.source_kind),
    };
    skill::Model {
        title: text.title.clone(),
        when_to_use: text.when_to_use.clone(),
        tags: text.tags_json(),
        body: text.body.clone(),
        source_kind: kind.as_str().to_owned(),
        updated_at: now,
        deleted_at: None,
        ..row
    }
}

fn says_the_same(a: &skill::Model, b: &skill::Model) -> bool {
    let text = |row: &skill::Model| {
        (
            row.title.clone(),
            row.when_to_use.clone(),
            row.tags.clone(),
            row.body.clone(),
        )
    };
    text(a) == text(b)
}

/// Checks that the source of a text exists. Agents are checked here, and other sources are accepted without a check.
async fn check_origin(change: &Change, origin: Option<&PromotedFrom>) -> Result<(), SkillError> {
    let Some(origin) = origin.filter(|origin| origin.kind != Origin::ResearchArtifact) else {
        return Ok(());
    };
    let agent = origin.id.parse().map_err(|_| SkillError::NoOrigin)?;
    let found = claws::find(change.tx(), change.scope(), agent).await?;
    found.map(drop).ok_or(SkillError::NoOrigin)
}

/// Records the present version of a row: history, audit entry, event.
async fn record(
    change: &mut Change,
    row: &skill::Model,
    (action, promoted_from, restored_from): (&str, Option<&PromotedFrom>, Option<i64>),
) -> Result<(), SkillError> {
    let version = version::Model {
        skill_id: row.id,
        version: row.current_version,
        workspace_id: row.workspace_id,
        title: row.title.clone(),
        when_to_use: row.when_to_use.clone(),
        tags: row.tags.clone(),
        body: row.body.clone(),
        promoted_from: promoted_from.map(|from| serde_json::json!(from)),
        restored_from,
        author: change.actor(),
        at: change.now(),
    };
    store::insert_version(change.tx(), version)
        .await
        .map_err(|error| {
            // PostgreSQL: another transaction wrote between this transaction's read and write.
            match unique_violation(&error) {
                true => SkillError::VersionMismatch {
                    current: row.current_version,
                },
                false => error.into(),
            }
        })?;
    store::remove_versions_up_to(change.tx(), row.id, row.current_version - KEPT).await?;
    note(change, row, action, restored_from);
    Ok(())
}

fn note(change: &mut Change, row: &skill::Model, action: &str, restored_from: Option<i64>) {
    let mut details = serde_json::json!({ "name": row.name, "version": row.current_version });
    if let Some(from) = restored_from {
        details["restored_from"] = from.into();
    }
    change.record(action, ("skill", &row.id), details);
    change.event(Event::changed(
        ResourceKind::Skill,
        row.id,
        row.current_version,
    ));
}
