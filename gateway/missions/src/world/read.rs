//! Reads what the landmarks are drawn from.

use sea_orm::DbErr;

use super::landmarks::{Facts, MissionMark, Named};
use crate::missions;
use roost_agents::claws;
use roost_connections::apps;
use roost_execution::models;
use roost_machines::fleet;
use roost_machines::sandboxes::{self, SandboxOwner};
use roost_organisation::teams;
use roost_platform::db::Db;
use roost_platform::events::WorldNodeId;
use roost_platform::ids::{ClawId, TeamId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// The most landmarks of each kind. A workspace with more shows the newest teams and missions, and the oldest agents and
/// machines.
pub(super) const MOST: u64 = 1_000;

/// Reads the facts of a workspace.
pub(super) async fn facts(db: &Db, scope: WorkspaceScope) -> Result<Facts, DbErr> {
    let page = PageRequest {
        limit: MOST,
        after: None,
    };
    let read = db.read();
    let teams: Vec<Named<TeamId>> = teams::list(read, scope, page)
        .await?
        .into_iter()
        .take(MOST as usize)
        .map(|team| Named {
            id: team.id,
            name: team.name,
        })
        .collect();
    let ids: Vec<TeamId> = teams.iter().map(|team| team.id).collect();
    let seats = teams::members(read, &ids).await?;
    let agents: Vec<Named<ClawId>> = claws::list(read, scope, page, false)
        .await?
        .into_iter()
        .take(MOST as usize)
        .map(|agent| Named {
            id: agent.id,
            name: agent.name,
        })
        .collect();
    let machines = fleet::list(read, scope, None, MOST).await?;
    let machines = machines.into_iter().map(|machine| Named {
        id: machine.id,
        name: machine.name.or(machine.hostname).unwrap_or_default(),
    });
    let flying = missions::in_flight(read, scope, MOST).await?;
    let minted = missions::teams_of(read, scope, flying.iter().map(|mission| mission.id)).await?;
    let missions = flying.into_iter().map(|mission| MissionMark {
        teams: minted
            .iter()
            .filter(|team| team.mission_id == mission.id)
            .map(|team| team.team_id)
            .collect(),
        machine: mission.target_node_id,
        id: mission.id,
        title: mission.title,
    });
    let places = sandboxes::running_places(read, scope, MOST).await?;
    let places = places.into_iter().map(|place| {
        let owner = match place.owner {
            SandboxOwner::Claw(agent) => WorldNodeId::Agent(agent),
            SandboxOwner::Team(team) => WorldNodeId::Team(team),
            SandboxOwner::Mission(mission) => WorldNodeId::Mission(mission.0),
        };
        (owner, place.node)
    });
    let connected = apps::connected(read, scope, MOST).await?;
    Ok(Facts {
        models: models::names(read, scope, MOST).await?,
        apps: connected,
        places: places.collect(),
        missions: missions.collect(),
        machines: machines.collect(),
        teams,
        agents,
        seats: seats
            .into_iter()
            .map(|seat| (seat.team_id, seat.agent_id))
            .collect(),
    })
}
