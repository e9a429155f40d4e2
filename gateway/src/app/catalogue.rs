//! Wiring of what comes with Roost for agents: skills and team templates.

use super::Shared;
use crate::clock::SharedClock;
use crate::db::{Db, DbError};
use crate::domains::skills::routes::SkillsState;
use crate::domains::templates::routes::TemplatesState;
use crate::domains::{skills, templates};

/// Brings the catalogue up to this program's texts, in one transaction; of gateways that start at once one writes.
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
pub(super) fn skills(shared: &Shared<'_>) -> SkillsState {
    SkillsState {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
    }
}

/// What the routes of `templates` need.
pub(super) fn templates(shared: &Shared<'_>) -> TemplatesState {
    TemplatesState {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
    }
}
