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
use roost_machines::sandboxes::{OwnerFacts, OwningTeam, Preferences, SandboxOwner};
use roost_organisation::teams::{self, TeamRow};
use roost_platform::WorkspaceScope;
use roost_platform::db::{Db, WriteTx};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{DoorId, NodeId, RunId, TeamId, UserId};
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
        let settings = match owner {
            SandboxOwner::Claw(agent) => teams::effective_settings(db, scope, agent, None).await?,
            SandboxOwner::Team(team) => match teams::find(db, scope, team).await? {
                Some(row) => teams::of_team(db, scope, &row).await?,
                None => return Ok(Preferences::default()),
            },
        };
        Ok(Preferences {
            machine: settings.machine,
            image: settings.image.kind,
            limits: settings.limits,
        })
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
    }
}
