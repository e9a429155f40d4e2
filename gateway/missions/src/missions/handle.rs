//! The part of missions that other domains use: it wakes the actors.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roost_platform::ids::MissionId;
use roost_platform::supervision::{Nudge, SupervisorHandle};

/// The parts from which the handle is made.
pub struct Parts {
    /// The name of this process in the leases.
    pub owner: String,
    /// `roost/missions/live`: the supervisor of the actors.
    pub live: SupervisorHandle,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct MissionsHandle {
    inner: Arc<Inner>,
}

struct Inner {
    owner: String,
    live: SupervisorHandle,
    /// Wakes the scheduler: a mission was launched.
    scheduler: Nudge,
    /// Wakes the renderer: a PDF was asked for.
    pdfs: Nudge,
    /// Wakes the actors that live here.
    nudges: Mutex<HashMap<MissionId, Nudge>>,
}

impl MissionsHandle {
    /// Creates the handle.
    pub fn new(parts: Parts) -> Self {
        Self {
            inner: Arc::new(Inner {
                owner: parts.owner,
                live: parts.live,
                scheduler: Nudge::default(),
                pdfs: Nudge::default(),
                nudges: Mutex::default(),
            }),
        }
    }

    /// The name of this process in the leases.
    pub(super) fn owner(&self) -> &str {
        &self.inner.owner
    }

    /// The supervisor of the actors.
    pub(super) fn live(&self) -> &SupervisorHandle {
        &self.inner.live
    }

    /// Wakes the scheduler.
    pub(super) fn scheduler(&self) -> &Nudge {
        &self.inner.scheduler
    }

    /// Wakes the renderer.
    pub(super) fn pdfs(&self) -> &Nudge {
        &self.inner.pdfs
    }

    /// Wakes the mission's actor, where it lives here.
    pub(super) fn nudge_of(&self, mission: MissionId) -> Option<Nudge> {
        self.nudges().get(&mission).cloned()
    }

    /// The nudge of an actor that starts here.
    pub(super) fn starts(&self, mission: MissionId) -> Nudge {
        self.nudges().entry(mission).or_default().clone()
    }

    /// The actor has ended here.
    pub(super) fn has_ended(&self, mission: MissionId) {
        self.nudges().remove(&mission);
    }

    fn nudges(&self) -> MutexGuard<'_, HashMap<MissionId, Nudge>> {
        self.inner
            .nudges
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
