//! The context of level-ups: what its handlers and commands need.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use roost_execution::models::Resolver;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::KillPoints;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct LevelUpsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub models: Resolver,
    /// `level_up_model`. Absent: the workspace's default model.
    pub model: Option<Arc<str>>,
    pub in_flight: InFlight,
    pub kill_points: KillPoints,
}

impl ChangeContext for LevelUpsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

/// The agents and teams for which this gateway asks a model now. One question at a time for each, because each costs
/// money.
#[derive(Debug, Clone, Default)]
pub struct InFlight(Arc<Mutex<HashSet<Uuid>>>);

/// A place in the set. Dropping it frees the place.
#[derive(Debug)]
pub(super) struct Asking {
    of: InFlight,
    subject: Uuid,
}

impl InFlight {
    /// Takes the place of an agent or a team. `None` when it is taken.
    pub(super) fn begin(&self, subject: Uuid) -> Option<Asking> {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        set.insert(subject).then(|| Asking {
            of: self.clone(),
            subject,
        })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut set = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        set.remove(&self.subject);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_at_a_time_for_each_subject() {
        let (set, a, b) = (InFlight::default(), Uuid::from_u128(1), Uuid::from_u128(2));
        let first = set.begin(a);
        assert!(first.is_some() && set.begin(a).is_none() && set.begin(b).is_some());
        drop(first);
        assert!(set.begin(a).is_some());
    }
}
