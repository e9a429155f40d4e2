//! What follows the end of a run: one match over where the run comes from. Each arm is a function of the wing that owns
//! it, and runs in the transaction of the end.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use sea_orm::DbErr;

use roost_execution::runs::{AfterRun, End, Origin};
use roost_missions::missions::{self, MissionsHandle};
use roost_missions::routines::{self, RoutinesHandle};
use roost_organisation::teams;
use roost_platform::WorkspaceScope;
use roost_platform::clock::SharedClock;
use roost_platform::db::WriteTx;
use roost_platform::events::{About, Stamped};
use roost_platform::ids::{RunId, SharedIds, TeamId, WorkspaceId};
use roost_platform::supervision::Nudge;

/// For `execution`: the wings that act on the end of a run.
pub(super) struct Ends {
    pub(super) ids: SharedIds,
    pub(super) clock: SharedClock,
    /// Wakes the worker that carries out sagas.
    pub(super) sagas: Nudge,
    /// Wakes the actors of missions.
    pub(super) missions: MissionsHandle,
    /// Wakes the scheduler of routines.
    pub(super) routines: RoutinesHandle,
}

#[async_trait]
impl AfterRun for Ends {
    async fn after(
        &self,
        tx: &mut WriteTx,
        ends: &[End],
    ) -> Result<Vec<(WorkspaceId, Stamped)>, DbErr> {
        let mut of_teams: Vec<&End> = Vec::new();
        for end in ends {
            match &end.origin {
                // A team's own run. A call and a fork work with a team too, and it may be their team's last run.
                Origin::Team | Origin::Call(_) | Origin::Fork { .. } => of_teams.push(end),
                Origin::MissionPhase { mission, .. } => {
                    missions::after_runs(tx, &self.missions, &[*mission]);
                    of_teams.push(end);
                }
                Origin::Routine { .. } => {
                    routines::after_runs(tx, &self.routines);
                    of_teams.push(end);
                }
                // No wing has companies, organisations, rooms or A2A tasks yet. Their wing's function comes before the
                // team's.
                Origin::Company
                | Origin::Org
                | Origin::Room { .. }
                | Origin::A2a { .. }
                | Origin::Planner => of_teams.push(end),
                // It pins the teams that it compares.
                Origin::Compare => of_teams.push(end),
                // One agent, and nothing waits for it.
                Origin::Chat => {}
            }
        }
        self.teams(tx, &of_teams).await
    }
}

impl Ends {
    /// An ephemeral team ends with its last run, and one that works in others with the last run that may start it.
    async fn teams(
        &self,
        tx: &mut WriteTx,
        ends: &[&End],
    ) -> Result<Vec<(WorkspaceId, Stamped)>, DbErr> {
        let mut over: BTreeMap<TeamId, teams::RunOver> = BTreeMap::new();
        for end in ends {
            let scope = WorkspaceScope::of_row(end.workspace);
            let run = end.run;
            for team in end.team.iter().chain(&end.pinned) {
                over.insert(*team, teams::RunOver { scope, run });
            }
        }
        if over.is_empty() {
            return Ok(Vec::new());
        }
        let going = teams::after_runs(tx, &self.ids, self.clock.now(), &over).await?;
        if !going.is_empty() {
            tx.wake(&self.sagas);
        }
        let about: HashMap<RunId, About> = ends.iter().map(|end| (end.run, end.about)).collect();
        let events = going.into_iter().map(|(over, event)| {
            let about = about.get(&over.run).copied().unwrap_or_default();
            (over.scope.workspace(), event.about(about))
        });
        Ok(events.collect())
    }
}
