//! What follows the end of a run: one match over where the run comes from. Each arm is a function of the wing that owns
//! it, and runs in the transaction of the end.

use std::collections::BTreeSet;

use async_trait::async_trait;
use sea_orm::DbErr;

use roost_execution::runs::{AfterRun, End, Origin};
use roost_organisation::teams;
use roost_platform::WorkspaceScope;
use roost_platform::clock::SharedClock;
use roost_platform::db::WriteTx;
use roost_platform::events::Stamped;
use roost_platform::ids::{SharedIds, TeamId};
use roost_platform::supervision::Nudge;

/// For `execution`: the wings that act on the end of a run.
pub(super) struct Ends {
    pub(super) ids: SharedIds,
    pub(super) clock: SharedClock,
    /// Wakes the worker that carries out sagas.
    pub(super) sagas: Nudge,
}

#[async_trait]
impl AfterRun for Ends {
    async fn after(&self, tx: &mut WriteTx, end: &End) -> Result<Vec<Stamped>, DbErr> {
        match &end.origin {
            // A team's own run. A call and a fork work with a team too, and it may be their team's last run.
            Origin::Team | Origin::Call(_) | Origin::Fork { .. } => self.team(tx, end).await,
            // No wing has companies, organisations, missions, routines, rooms or A2A tasks yet. Their wing's function
            // comes before the team's.
            Origin::Company
            | Origin::Org
            | Origin::MissionPhase { .. }
            | Origin::Routine { .. }
            | Origin::Room { .. }
            | Origin::A2a { .. }
            | Origin::Planner => self.team(tx, end).await,
            // It pins the teams that it compares.
            Origin::Compare => self.team(tx, end).await,
            // One agent, and nothing waits for it.
            Origin::Chat => Ok(Vec::new()),
        }
    }
}

impl Ends {
    /// An ephemeral team ends with its last run, and one that works in others with the last run that may start it.
    async fn team(&self, tx: &mut WriteTx, end: &End) -> Result<Vec<Stamped>, DbErr> {
        let scope = WorkspaceScope::of_row(end.workspace);
        let now = self.clock.now();
        // In the order of their ids, so that transactions cannot deadlock.
        let ended: BTreeSet<TeamId> = end.team.into_iter().chain(end.pinned.clone()).collect();
        let mut events = Vec::new();
        for team in ended {
            let going = teams::after_run(tx, &self.ids, now, scope, team, end.run).await?;
            events.extend(going.map(|event| event.about(end.about)));
        }
        if !events.is_empty() {
            tx.wake(&self.sagas);
        }
        Ok(events)
    }
}
