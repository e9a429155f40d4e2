//! Creates a team: its agents, its topology and its seats. All of it is one transaction, so a
//! team exists completely or not at all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::teams::dto::{NewTeam, TeamRepo};
use crate::teams::entity::{member, team};
use crate::teams::layout::layout;
use crate::teams::model::State;
use crate::teams::plan::{self, Member};
use crate::teams::{TeamError, TeamsContext, nested, store};
use crate::templates::model::works_with_files;
use crate::templates::{self, Content, Template};
use roost_agents::claws::runtime_record::Record;
use roost_agents::claws::{self, ClawError, NewClaw};
use roost_connections::repos;
use roost_execution::models;
use roost_execution::tools::{Bundle, Grant, Profile, effective};
use roost_execution::topology::Graph;
use roost_machines::images::{Lack, Wanted};
use roost_machines::sandboxes;
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, TeamId, UserId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces::{QuotaKind, quota};
use roost_web::problem::FieldError;

/// Creates the team `id`. A repeat with the same id returns the existing team. `may_place`: whether the caller may
/// choose machines.
///
/// # Errors
/// [`TeamError::Wrong`], [`TeamError::NoTemplate`], [`TeamError::MayNotPlace`], the quota of agents.
pub async fn create(
    state: &TeamsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: TeamId,
    may_place: bool,
    new: NewTeam,
) -> Result<team::Model, TeamError> {
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(present) = store::get(change.tx(), scope, id).await? {
        return Ok(present);
    }
    let row = create_in(state, &mut change, id, may_place, &new).await?;
    change.commit().await?;
    Ok(row)
}

/// As [`create`], in the caller's change, and without the look for an existing team.
///
/// # Errors
/// As [`create`].
pub async fn create_in(
    state: &TeamsContext,
    change: &mut Change,
    id: TeamId,
    may_place: bool,
    new: &NewTeam,
) -> Result<team::Model, TeamError> {
    let (scope, user, now) = (change.scope(), change.actor(), change.now());
    let template = match new.template_id {
        Some(id) => Some(
            templates::find(change.tx(), scope, id)
                .await?
                .ok_or(TeamError::NoTemplate)?,
        ),
        None => None,
    };
    let content: Option<Content> = template.as_ref().map(Template::content);
    let plan = plan::plan(new, content.as_ref()).map_err(TeamError::Wrong)?;
    let places = Places {
        may: may_place,
        present: &BTreeSet::new(),
    };
    machines(
        change,
        scope,
        places,
        "/graph",
        new.machine_id.as_deref(),
        Some(&plan.graph),
    )
    .await?;
    let mut wrong = nested::mistakes(change, scope, (id, &new.name), &plan.graph, "/graph").await?;
    wrong.extend(unbound(change, scope, new).await?);
    wrong.extend(no_image(state, new.image.as_deref()));
    wrong.extend(no_repo(change, scope, new.repo.as_ref()).await?);
    if !wrong.is_empty() {
        return Err(TeamError::Wrong(wrong));
    }
    lacks_accepted(state, change, scope, new, (content.as_ref(), &plan.graph)).await?;
    let new_agents = plan.members.iter().filter(|member| member.agent.is_none());
    let count = new_agents.count() as u64;
    // Reserve the quota for all agents at once, so that a refusal reports only agents that exist.
    quota::take(change, scope, &state.claws.plans, QuotaKind::Agents, count)
        .await
        .map_err(ClawError::from)?;
    let mut agents: HashMap<String, ClawId> = HashMap::new();
    for (place, member) in plan.members.iter().enumerate() {
        let agent = match member.agent {
            Some(agent) => present_agent(change, scope, agent, place).await?,
            None => {
                let agent = fresh(&state.ids);
                let binding = member.model_binding.as_ref().or(new.model_binding.as_ref());
                let name = name_of(change, scope, new, member).await?;
                let claw = claw_of(member, name, binding.cloned());
                // The record itself never allows file or shell tools: the team and its template add them.
                claws::create_in(change, agent, claw, &Record::minted()).await?;
                if let Some(template) = template.as_ref().filter(|_| member.of_template) {
                    let (of, version) = (template.row.id, template.row.version);
                    templates::link::link_in(change, agent, of, version, &member.slot).await?;
                    templates::link::seed_in(change, agent).await?;
                }
                agent
            }
        };
        agents.insert(member.node.clone(), agent);
    }
    let mut graph = plan.graph;
    for node in &mut graph.nodes {
        if let Some(agent) = agents.get(&node.id) {
            node.attributes.agent = Some(agent.0);
        }
    }
    let row = team::Model {
        id,
        workspace_id: scope.workspace(),
        name: new.name.trim().to_owned(),
        description: new.description.clone(),
        state: State::Ready.as_str().to_owned(),
        risk_profile: new.risk_profile.map(|profile| profile.as_str().to_owned()),
        mcp_bundles: Bundle::stored(new.mcp_bundles.iter().copied()),
        lifecycle: new.lifecycle.as_str().to_owned(),
        template_id: template.as_ref().map(|template| template.row.id),
        template_version: template.as_ref().map(|template| template.row.version),
        topology: serde_json::to_string(&graph).expect("a graph of strings and numbers encodes"),
        shared_sandbox: new.shared_sandbox.unwrap_or(true),
        model_binding: new.model_binding.clone(),
        created_by: user,
        created_at: now,
        updated_at: now,
        version: 1,
        machine_id: new.machine_id.clone(),
        image: new.image.clone(),
        limits: new.limits.stored(),
        repo_id: new.repo.as_ref().map(|repo| repo.repo_id),
        repo_base: new.repo.as_ref().and_then(|repo| repo.base.clone()),
    };
    let seats = plan
        .members
        .iter()
        .zip(0..)
        .map(|(seat, position)| member::Model {
            team_id: id,
            node: seat.node.clone(),
            agent_id: agents[&seat.node],
            slot: seat.slot.clone(),
            position,
        });
    store::insert(change.tx(), row.clone(), seats.collect()).await?;
    let details = serde_json::json!({
        "name": row.name, "template": row.template_id, "agents": plan.members.len(), "topology": graph.kind,
        "machine": row.machine_id, "image": row.image, "limits": row.limits, "repo": row.repo_id,
    });
    change.record("team.created", ("team", &id), details);
    change.event(Event::changed(ResourceKind::Team, id, row.version));
    change.events(layout(&row));
    Ok(row)
}

/// What is wrong with the repository that a team names.
pub(super) async fn no_repo(
    tx: &WriteTx,
    scope: WorkspaceScope,
    named: Option<&TeamRepo>,
) -> Result<Option<FieldError>, TeamError> {
    let Some(named) = named else {
        return Ok(None);
    };
    let found = repos::upstream(&**tx, scope, named.repo_id).await?;
    let detail = match found {
        Some(found) if !found.is_gone => return Ok(None),
        Some(found) => format!("the code host does not list {} any more", found.full_name),
        None => "the workspace has no such repository; `/api/repos` lists them".to_owned(),
    };
    Ok(Some(FieldError {
        pointer: "/repo/repo_id".to_owned(),
        detail,
    }))
}

/// Refuses a team whose sandboxes would lack something, unless the request accepts that.
async fn lacks_accepted(
    state: &TeamsContext,
    tx: &WriteTx,
    scope: WorkspaceScope,
    new: &NewTeam,
    (content, graph): (Option<&Content>, &Graph),
) -> Result<(), TeamError> {
    if new.accept_lacks || (content.is_none() && new.image.is_none()) {
        return Ok(());
    }
    let template = content.map(Content::grant);
    let own = Grant::from_stored(
        new.risk_profile.map(Profile::as_str),
        new.mcp_bundles.iter().copied().collect(),
    );
    let (profile, bundles) = effective(&Grant::default(), template.as_ref(), Some(&own));
    if !works_with_files(profile, &bundles) {
        return Ok(());
    }
    let of_template = content.and_then(|content| content.image.as_deref());
    let wanted = Wanted {
        image: new.image.as_deref().or(of_template),
        needs: content.map_or(&[], |content| &content.needs),
    };
    let mut lacks: Vec<Lack> = Vec::new();
    for machine in machines_of(new.machine_id.as_deref(), graph) {
        let here = state.sandboxes.here(&**tx, scope, machine).await?;
        lacks.extend(state.sandboxes.lacks(wanted, &here));
    }
    // What no machine has is said once.
    let mut said = BTreeSet::new();
    lacks.retain(|lack| said.insert(lack.detail.clone()));
    match lacks.is_empty() {
        true => Ok(()),
        false => Err(TeamError::Lacks(lacks)),
    }
}

/// The machines on which the team's sandboxes would be made: that of each node, else the team's.
fn machines_of<'a>(of_team: Option<&'a str>, graph: &'a Graph) -> BTreeSet<Option<&'a str>> {
    let nodes = graph.nodes.iter();
    nodes
        .map(|node| node.attributes.machine.as_deref().or(of_team))
        .collect()
}

/// The caller's rights to name machines in a team.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// Whether the caller may choose machines.
    pub may: bool,
    /// Machines that the team already names. They may stay, also when the caller may not choose machines.
    pub present: &'a BTreeSet<String>,
}

/// Checks that the team's machine and those of single nodes exist in the workspace, and that the caller may choose
/// them. A machine that is removed later is not an error: its sandboxes fall back, as with the workspace's placement.
pub(super) async fn machines(
    tx: &WriteTx,
    scope: WorkspaceScope,
    places: Places<'_>,
    within: &str,
    of_team: Option<&str>,
    graph: Option<&Graph>,
) -> Result<(), TeamError> {
    let nodes = graph.map_or(&[][..], |graph| &graph.nodes);
    let of_nodes = nodes.iter().enumerate().filter_map(|(place, node)| {
        let pointer = format!("{within}/nodes/{place}/attributes/machine");
        Some((pointer, node.attributes.machine.as_deref()?))
    });
    let of_team = of_team.map(|machine| ("/machine_id".to_owned(), machine));
    let mut wrong = Vec::new();
    let mut known = BTreeMap::new();
    for (pointer, machine) in of_team.into_iter().chain(of_nodes) {
        if !places.may && !places.present.contains(machine) {
            return Err(TeamError::MayNotPlace);
        }
        let is_there = match known.get(machine) {
            Some(is_there) => *is_there,
            None => sandboxes::has_machine(&**tx, scope, machine).await?,
        };
        known.insert(machine, is_there);
        if !is_there {
            wrong.push(FieldError {
                pointer,
                detail: sandboxes::SandboxError::NO_MACHINE.to_owned(),
            });
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(TeamError::Wrong(wrong)),
    }
}

/// The name of a new agent. A name from the request must be free. A name that the gateway makes gets a number when
/// another agent has it.
async fn name_of(
    tx: &WriteTx,
    scope: WorkspaceScope,
    new: &NewTeam,
    member: &Member,
) -> Result<String, TeamError> {
    let role = new.roles.iter().position(|role| role.slot == member.slot);
    let given = role.filter(|place| new.roles[*place].name.is_some());
    let wanted: String = member.name.trim().chars().take(MOST_NAME).collect();
    for number in 1.. {
        let name = numbered(&wanted, number);
        if !claws::is_called(&**tx, scope, &name).await? {
            return Ok(name);
        }
        if let Some(place) = given {
            let pointer = format!("/roles/{place}/name");
            return Err(TeamError::NameTaken { pointer, name });
        }
    }
    unreachable!("there are more numbers than agents")
}

/// The maximum length of an agent's name, in characters.
const MOST_NAME: usize = 100;

/// The name itself, then the name with 2, 3 and so on.
fn numbered(name: &str, number: u32) -> String {
    if number == 1 {
        return name.to_owned();
    }
    let end = format!(" {number}");
    let kept: String = name.chars().take(MOST_NAME - end.len()).collect();
    kept + &end
}

fn claw_of(member: &Member, name: String, model_binding: Option<String>) -> NewClaw {
    NewClaw {
        name,
        role: Some(member.title.clone()),
        system_prompt: member.system_prompt.clone(),
        model_binding,
        brain_seed: member.brain_seed.clone(),
    }
}

/// Bindings in the request to models that the workspace does not have.
async fn unbound(
    tx: &WriteTx,
    scope: WorkspaceScope,
    new: &NewTeam,
) -> Result<Vec<FieldError>, TeamError> {
    let of_roles = new.roles.iter().enumerate();
    let of_roles = of_roles.filter_map(|(place, role)| {
        let pointer = format!("/roles/{place}/model_binding");
        Some((pointer, role.model_binding.as_deref()?))
    });
    let of_team = new.model_binding.as_deref();
    let of_team = of_team.map(|binding| ("/model_binding".to_owned(), binding));
    let mut wrong = Vec::new();
    for (pointer, binding) in of_team.into_iter().chain(of_roles) {
        if !models::is_there(&**tx, scope, binding).await? {
            wrong.push(no_model(pointer, binding));
        }
    }
    Ok(wrong)
}

/// The mistake of an image that the deployment does not have.
pub(super) fn no_image(state: &TeamsContext, image: Option<&str>) -> Option<FieldError> {
    let detail = state.sandboxes.images().refusal(image?)?;
    Some(FieldError {
        pointer: "/image".to_owned(),
        detail,
    })
}

pub(super) fn no_model(pointer: String, binding: &str) -> FieldError {
    FieldError {
        pointer,
        detail: format!(
            "names no model of this workspace: add {binding:?} under Models, or leave it out"
        ),
    }
}

async fn present_agent(
    tx: &WriteTx,
    scope: WorkspaceScope,
    agent: ClawId,
    place: usize,
) -> Result<ClawId, TeamError> {
    let found = claws::find(&**tx, scope, agent).await?;
    match found.filter(|claw| claw.deleted_at.is_none()) {
        Some(claw) => Ok(claw.id),
        None => Err(TeamError::Wrong(vec![FieldError {
            pointer: format!("/roles/{place}/agent_id"),
            detail: "is not an agent of this workspace".to_owned(),
        }])),
    }
}
