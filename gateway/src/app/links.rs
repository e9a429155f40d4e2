//! What a lower wing needs from a higher one. The lower wing defines the trait; this file has the implementation.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{DatabaseConnection, DbErr};

use roost_agents::claws;
use roost_connections::doors::AskingRuns;
use roost_execution::runs::{self, RunWakes, Subject, Subjects, WaitOn};
use roost_execution::tools::tokens;
use roost_machines::fleet::WaitingWork;
use roost_machines::sandboxes::{OwnerFacts, OwningMission, OwningTeam, Preferences, SandboxOwner};
use roost_missions::missions;
use roost_organisation::teams::{self, EffectiveSettings, TeamRow};
use roost_platform::WorkspaceScope;
use roost_platform::db::{Db, WriteTx};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{DoorId, MissionId, NodeId, RunId, TeamId, TemplateId, UserId};
use roost_tenancy::workspaces::Departures;

/// For `tenancy`: agents and their tokens, when a person loses access.
pub(super) struct AgentsLeft;

#[async_trait]
impl Departures for AgentsLeft {
    async fn leave(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        user: UserId,
        heir: UserId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, DbErr> {
        // The person knows these tokens, and the agents stay, so the tokens must end.
        tokens::revoke_made_in(&**tx, scope, user, now).await?;
        let handed = claws::hand_over(&**tx, scope, user, heir, now).await?;
        Ok(handed
            .iter()
            .map(|claw| Event::changed(ResourceKind::Claw, claw.id, claw.version))
            .collect())
    }

    async fn end_tokens(
        &self,
        tx: &WriteTx,
        user: UserId,
        now: DateTime<Utc>,
    ) -> Result<u64, DbErr> {
        tokens::revoke_made_by(&**tx, user, now).await
    }
}

/// For `machines`: the agents and the teams that own sandboxes.
pub(super) struct Owners {
    pub(super) db: Db,
}

#[async_trait]
impl OwnerFacts for Owners {
    async fn preferences(
        &self,
        scope: WorkspaceScope,
        owner: SandboxOwner,
    ) -> Result<Preferences, DbErr> {
        let db = self.db.read();
        match owner {
            SandboxOwner::Claw(agent) => {
                let settings = teams::effective_settings(db, scope, agent, None).await?;
                let pinned = match settings.team {
                    Some(team) => missions::pin_of_team(db, scope, team).await?,
                    None => None,
                };
                Ok(preferences_of(settings, pinned))
            }
            SandboxOwner::Team(team) => {
                let pinned = missions::pin_of_team(db, scope, team).await?;
                self.of_team(scope, team, pinned).await
            }
            SandboxOwner::Mission(mission) => {
                let wish = missions::sandbox_wish(db, scope, mission).await?;
                let like = match wish.like {
                    Some(team) => self.of_team(scope, team, wish.pinned).await?,
                    None => Preferences {
                        pinned: wish.pinned,
                        ..Preferences::default()
                    },
                };
                Ok(Preferences {
                    image: wish.image.or(like.image),
                    ..like
                })
            }
        }
    }

    async fn lock_mission(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        mission: MissionId,
    ) -> Result<Option<OwningMission>, DbErr> {
        let found = missions::lock_live(tx, scope, mission).await?;
        Ok(found.map(|(title, is_live)| OwningMission { title, is_live }))
    }

    async fn mission_titles(
        &self,
        scope: WorkspaceScope,
        missions: &[MissionId],
    ) -> Result<HashMap<MissionId, String>, DbErr> {
        missions::titles(self.db.read(), scope, missions).await
    }

    async fn lock_team(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        team: TeamId,
    ) -> Result<Option<OwningTeam>, DbErr> {
        let row = teams::locked(tx, scope, team).await?;
        Ok(row.map(|row| OwningTeam {
            is_going: teams::is_going(&row),
            shares_sandbox: row.shared_sandbox,
            name: row.name,
        }))
    }

    async fn team_names(
        &self,
        scope: WorkspaceScope,
        teams: &[TeamId],
    ) -> Result<HashMap<TeamId, String>, DbErr> {
        teams::names(self.db.read(), scope, teams).await
    }
}

impl Owners {
    async fn of_team(
        &self,
        scope: WorkspaceScope,
        team: TeamId,
        pinned: Option<NodeId>,
    ) -> Result<Preferences, DbErr> {
        let db = self.db.read();
        let settings = match teams::find(db, scope, team).await? {
            Some(row) => teams::of_team(db, scope, &row).await?,
            None => {
                return Ok(Preferences {
                    pinned,
                    ..Preferences::default()
                });
            }
        };
        Ok(preferences_of(settings, pinned))
    }
}

fn preferences_of(settings: EffectiveSettings, pinned: Option<NodeId>) -> Preferences {
    Preferences {
        machine: settings.machine,
        image: settings.image.kind,
        limits: settings.limits,
        pinned,
    }
}

/// For `machines`: the steps that wait for a machine.
pub(super) struct StepsOfMachines(pub(super) RunWakes);

#[async_trait]
impl WaitingWork for StepsOfMachines {
    async fn wake(&self, tx: &mut WriteTx, machine: NodeId) -> Result<(), DbErr> {
        self.0.wake(tx, WaitOn::Machine { machine }).await
    }
}

/// For `connections`: the runs whose steps request doors.
pub(super) struct StepsOfDoors(pub(super) RunWakes);

#[async_trait]
impl AskingRuns for StepsOfDoors {
    async fn lock(&self, tx: &WriteTx, run: RunId) -> Result<bool, DbErr> {
        runs::lock_working(tx, run).await
    }

    async fn wake(&self, tx: &mut WriteTx, door: DoorId) -> Result<(), DbErr> {
        self.0.wake(tx, WaitOn::Door { door }).await
    }
}

/// For `execution`: the teams of runs.
pub(super) struct Teams;

#[async_trait]
impl Subjects for Teams {
    async fn read(
        &self,
        db: &DatabaseConnection,
        scope: WorkspaceScope,
        team: TeamId,
    ) -> Result<Option<Subject>, DbErr> {
        Ok(teams::find(db, scope, team).await?.map(subject))
    }

    async fn of_template(
        &self,
        db: &DatabaseConnection,
        scope: WorkspaceScope,
        template: TemplateId,
    ) -> Result<Vec<TeamId>, DbErr> {
        teams::of_template(db, scope, template).await
    }

    async fn lock(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        team: TeamId,
    ) -> Result<Option<Subject>, DbErr> {
        Ok(teams::locked(tx, scope, team).await?.map(subject))
    }
}

fn subject(row: TeamRow) -> Subject {
    Subject {
        is_going: teams::is_going(&row),
        id: row.id,
        name: row.name,
        topology: row.topology,
        shares_sandbox: row.shared_sandbox,
    }
}
