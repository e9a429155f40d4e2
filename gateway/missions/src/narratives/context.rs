//! The context of narratives.

use std::sync::Arc;

use crate::missions::MissionsContext;
use roost_execution::models::Resolver;
use roost_platform::db::Db;

/// What the worker of narratives needs.
#[derive(Clone)]
pub struct NarrativesContext {
    pub missions: MissionsContext,
    pub models: Resolver,
}

impl NarrativesContext {
    pub(super) fn db(&self) -> &Db {
        &self.missions.db
    }

    /// The name of the model that writes narratives.
    pub(super) fn model(&self) -> Option<&Arc<str>> {
        self.missions.summarizer.as_ref()
    }
}
