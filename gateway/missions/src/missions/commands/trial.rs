//! What a launch would do: it is tried, and taken back.

use super::launch::{Launch, Minted, config_of, kinds_of, mint, no_way_to_launch};
use crate::missions::dto_plan::{LaunchPlan, PlannedProbes, PlannedTeam};
use crate::missions::model::{PhaseKind, Status};
use crate::missions::{MissionError, MissionsContext, entity::mission, sandbox_facts, store};
use crate::probes::{SecuritySettings, scans_with};
use roost_execution::topology::{self, Graph};
use roost_machines::{fleet, sandboxes};
use roost_organisation::teams::TeamError;
use roost_platform::ids::{MissionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::error::ApiError;
use roost_web::json::Mistakes;

/// What a launch would do now: it is tried in a transaction that is taken back.
///
/// # Errors
/// [`MissionError::NotFound`], [`MissionError::Move`] for a mission that was launched, or the database's.
pub async fn plan_launch(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    may_place: bool,
) -> Result<LaunchPlan, MissionError> {
    let found = store::get(state.db.read(), scope, id).await?;
    let row = found.ok_or(MissionError::NotFound)?;
    let from = Status::parse(&row.status).unwrap_or(Status::Failed);
    if from != Status::Draft {
        let to = Status::Running;
        return Err(MissionError::Move { from, to });
    }
    let mut planned = LaunchPlan {
        teams: Vec::new(),
        agents: 0,
        place: place_of(state, scope, &row).await?,
        blockers: Vec::new(),
        lacks: Vec::new(),
        probes: None,
    };
    for accept_lacks in [false, true] {
        let how = Launch {
            may_place,
            accept_lacks,
        };
        match tried(state, scope, user, row.clone(), how).await {
            Ok(minted) => {
                planned.agents = minted.iter().map(|one| one.agents).sum();
                planned.teams = minted.into_iter().map(|one| one.team).collect();
                planned.probes = probes_of(state, scope, &row, &planned.teams).await?;
                break;
            }
            Err(MissionError::Db(error)) => return Err(MissionError::Db(error)),
            Err(MissionError::Team(TeamError::Lacks(lacks))) => {
                let lacks = lacks.into_iter();
                planned.lacks = lacks
                    .map(|lack| format!("{} {}", lack.detail, lack.remedy))
                    .collect();
            }
            Err(error) => {
                planned.blockers.push(ApiError::from(error).detail_text());
                break;
            }
        }
    }
    Ok(planned)
}

/// A team of a launch that was tried.
struct Tried {
    team: PlannedTeam,
    agents: u32,
}

/// Mints the teams, and drops the transaction.
async fn tried(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    mut row: mission::Model,
    how: Launch,
) -> Result<Vec<Tried>, MissionError> {
    let mut change = Change::begin(state, scope, user).await?;
    let kinds = kinds_of(&change, scope, row.id).await?;
    no_way_to_launch(&change, scope, &row, &kinds).await?;
    let minted = mint(state, &mut change, &mut row, &kinds, how).await?;
    let mut tried = Vec::new();
    for Minted {
        mint,
        team,
        template,
    } in minted
    {
        let graph: Graph = serde_json::from_str(&team.topology).map_err(|_| TeamError::NotFound)?;
        let roles = template.roles.into_iter().map(|role| role.slot);
        tried.push(Tried {
            agents: u32::try_from(graph.nodes.len()).unwrap_or(u32::MAX),
            team: PlannedTeam {
                purpose: mint.purpose,
                template_id: mint.template,
                name: team.name,
                roles: roles.collect(),
                steps: topology::expected(&graph),
                image: template.image,
            },
        });
    }
    Ok(tried)
}

/// The mission's own sandbox. Nothing without a phase that measures or scans.
async fn probes_of(
    state: &MissionsContext,
    scope: WorkspaceScope,
    row: &mission::Model,
    teams: &[PlannedTeam],
) -> Result<Option<PlannedProbes>, MissionError> {
    let phases = store::phases(state.db.read(), scope, &[row.id]).await?;
    let has = |kind: PhaseKind| phases.iter().any(|phase| phase.kind == kind.as_str());
    if !has(PhaseKind::Benchmark) && !has(PhaseKind::SecurityScan) {
        return Ok(None);
    }
    // As the sandbox is made: of the config, else as the coding team's.
    let coding = teams
        .iter()
        .find(|team| team.purpose == PhaseKind::Coding)
        .or(teams.first())
        .and_then(|team| team.image.clone());
    let wanted = sandbox_facts::image_of(row).or(coding);
    let images = state.teams.sandboxes.images();
    let entry = images.entry(wanted.as_deref());
    let name = entry.map(|entry| entry.name.clone()).or(wanted);
    let image = name.unwrap_or_else(|| "default".to_owned());
    let tools = entry.map_or(&[][..], |entry| &entry.tools);
    let settings = SecuritySettings::of(&config_of(row), &mut Mistakes::default());
    let scans = has(PhaseKind::SecurityScan).then(|| scans_with(&settings, &image, tools));
    let (scanners, lacks) = scans.map_or_else(Default::default, |found| (found.has, found.lacks));
    Ok(Some(PlannedProbes {
        image,
        scanners,
        lacks,
    }))
}

/// Where the sandboxes of a mission are made, in words.
async fn place_of(
    state: &MissionsContext,
    scope: WorkspaceScope,
    row: &mission::Model,
) -> Result<String, MissionError> {
    let db = state.db.read();
    let placed = match row.target_node_id {
        Some(node) => Some(node),
        None => sandboxes::placed_on(db, scope).await?,
    };
    let Some(node) = placed else {
        return Ok(
            "Where the workspace's placement says: on the gateway's own machine.".to_owned(),
        );
    };
    let found = fleet::availability(db, scope, node).await?;
    let name = found.and_then(|found| found.name);
    let name = name.unwrap_or_else(|| node.to_string());
    Ok(match row.target_node_id {
        Some(_) => format!(
            "On the node {name}, and nowhere else. While the node is away, the mission waits for it."
        ),
        None => format!("Where the workspace's placement says: on the node {name}."),
    })
}
