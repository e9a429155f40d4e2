//! Wiring of Roost's own catalogue for agents: skills and team templates.

use super::Shared;
use roost_machines::sandboxes::SandboxesHandle;
use roost_organisation::skills::{self, SkillsContext};
use roost_organisation::templates::{self, TemplatesContext};
use roost_platform::clock::SharedClock;
use roost_platform::db::{Db, DbError};

/// Updates the stored catalogue to this program's texts, in one transaction. If gateways start at once, one of them
/// writes.
pub(super) async fn load(db: &Db, clock: &SharedClock) -> Result<(), DbError> {
    let failed = || DbError::statement("cannot load the built-in skills and templates");
    let tx = db.write().await.map_err(failed())?;
    let now = clock.now();
    let skills = skills::load(&tx, now).await.map_err(failed())?;
    let templates = templates::load(&tx, now).await.map_err(failed())?;
    if skills + templates > 0 {
        tx.commit().await.map_err(failed())?;
        tracing::info!(
            skills,
            templates,
            "the built-in catalogue was brought up to date"
        );
    }
    Ok(())
}

/// What the routes of `skills` need.
pub(super) fn skills(shared: &Shared<'_>) -> SkillsContext {
    SkillsContext {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
    }
}

/// What the routes of `templates` need.
pub(super) fn templates(shared: &Shared<'_>, sandboxes: SandboxesHandle) -> TemplatesContext {
    TemplatesContext {
        sandboxes,
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
    }
}
