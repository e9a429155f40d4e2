//! The context of missions.

use std::sync::Arc;
use std::time::Duration;

use super::handle::MissionsHandle;
use super::recurrence::Recurrence;
use crate::pdf::Program;
use roost_organisation::teams::TeamsContext;
use roost_platform::broker::Credentials;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_tenancy::change::ChangeContext;

/// What the handlers, the commands and the driver of missions need.
#[derive(Clone)]
pub struct MissionsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    /// Mints teams. It has the runs and the repositories too.
    pub teams: TeamsContext,
    pub handle: MissionsHandle,
    /// `summarizer_model`: the model that writes the narratives of summary cards. Absent: none does.
    pub summarizer: Option<Arc<str>>,
    /// Makes routines of missions with a schedule.
    pub recurrence: Arc<dyn Recurrence>,
    /// Places, keeps and forgets the pairing codes of runtimes.
    pub credentials: Credentials,
    /// How long the server of a runtime may take until it is paired.
    pub runtime_boot: Duration,
    /// Makes PDF files.
    pub pdf: Program,
}

impl ChangeContext for MissionsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
