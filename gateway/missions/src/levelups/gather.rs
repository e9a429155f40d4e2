//! Reads the facts about an agent or a team from the database.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use sea_orm::{ConnectionTrait, DbErr};

use super::LevelUpError;
use super::facts::{AgentFacts, Facts, RunFacts, SkillFacts, StepFacts, Subject, TeamFacts};
use roost_agents::claws::{self, ClawRow, brain, runtime_record};
use roost_execution::runs::{self, RunsWanted, StepRow};
use roost_execution::tools::{Bundle, Profile};
use roost_execution::topology::{Checked, Graph};
use roost_organisation::{agent_skills, skills, teams};
use roost_platform::ids::{ClawId, RunId, TeamId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// The maximum number of members of a team whose texts are read.
const MOST_MEMBERS: usize = 24;
/// How many runs are read.
const MOST_RUNS: usize = 20;
/// How many of the newest runs are looked through for those that have ended.
const LOOKED_THROUGH: PageRequest = PageRequest {
    limit: 60,
    after: None,
};
/// The part of the catalogue that is read.
const CATALOGUE: PageRequest = PageRequest {
    limit: 200,
    after: None,
};
/// The maximum number of steps of a run that are read.
const MOST_STEPS: usize = 40;

/// Reads everything about a subject.
///
/// # Errors
/// [`LevelUpError::NoAgent`], [`LevelUpError::NoTeam`]; when the database fails.
pub async fn gather(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    subject: Subject,
) -> Result<Facts, LevelUpError> {
    let mut facts = match subject {
        Subject::Agent(id) => of_agent(db, scope, id).await?,
        Subject::Team(id) => of_team(db, scope, id).await?,
    };
    let listed = skills::list(db, scope, CATALOGUE, &skills::Filter::default()).await?;
    let mut names = HashSet::new();
    // A workspace's own skill replaces a built-in one of its name.
    let (own, builtin): (Vec<_>, Vec<_>) = listed
        .into_iter()
        .partition(|skill| skill.workspace_id.is_some());
    let all = own.into_iter().chain(builtin);
    let known = all.filter(|skill| names.insert(skill.name.clone()));
    facts.catalogue = known
        .map(|skill| SkillFacts {
            id: skill.id,
            name: skill.name,
            when_to_use: skill.when_to_use,
        })
        .collect();
    Ok(facts)
}

async fn of_agent(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: ClawId,
) -> Result<Facts, LevelUpError> {
    let claw = claws::find(db, scope, id)
        .await?
        .filter(|claw| claw.deleted_at.is_none())
        .ok_or(LevelUpError::NoAgent)?;
    let seats = teams::seats_of(db, scope, id).await?;
    let mut wanted = vec![RunsWanted {
        agent: Some(id),
        all: true,
        ..RunsWanted::default()
    }];
    wanted.extend(seats.iter().map(|(team, _)| of_this_team(team.id)));
    let runs = runs_of(db, scope, &wanted, Some(id)).await?;
    let mut slots: Vec<String> = seats.into_iter().map(|(_, seat)| seat.slot).collect();
    slots.extend(claw.role.clone());
    slots.sort();
    slots.dedup();
    let name = claw.name.clone();
    Ok(Facts {
        subject: Subject::Agent(id),
        name,
        team: None,
        agents: vec![agent(db, scope, claw, slots).await?],
        catalogue: Vec::new(),
        runs,
    })
}

async fn of_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: TeamId,
) -> Result<Facts, LevelUpError> {
    let team = teams::find(db, scope, id)
        .await?
        .filter(|team| !teams::is_going(team))
        .ok_or(LevelUpError::NoTeam)?;
    let seats = teams::members(db, &[id]).await?;
    let mut slots: BTreeMap<ClawId, Vec<String>> = BTreeMap::new();
    let mut order = Vec::new();
    for seat in seats {
        if !slots.contains_key(&seat.agent_id) {
            order.push(seat.agent_id);
        }
        slots.entry(seat.agent_id).or_default().push(seat.slot);
    }
    order.truncate(MOST_MEMBERS);
    let mut rows: BTreeMap<ClawId, ClawRow> = claws::find_some(db, scope, order.iter().copied())
        .await?
        .into_iter()
        .filter(|claw| claw.deleted_at.is_none())
        .map(|claw| (claw.id, claw))
        .collect();
    let mut agents = Vec::with_capacity(order.len());
    for member in order {
        if let Some(claw) = rows.remove(&member) {
            let slots = slots.remove(&member).unwrap_or_default();
            agents.push(agent(db, scope, claw, slots).await?);
        }
    }
    let topology = serde_json::from_str::<Graph>(&team.topology).map_or_else(
        |_| "unknown".to_owned(),
        |graph| graph.kind.as_str().to_owned(),
    );
    Ok(Facts {
        subject: Subject::Team(id),
        name: team.name,
        team: Some(TeamFacts {
            topology,
            description: team.description,
            profile: team.risk_profile.as_deref().and_then(Profile::parse),
            bundles: Bundle::from_stored(&team.mcp_bundles),
        }),
        agents,
        catalogue: Vec::new(),
        runs: runs_of(db, scope, &[of_this_team(id)], None).await?,
    })
}

fn of_this_team(team: TeamId) -> RunsWanted {
    RunsWanted {
        team: Some(team),
        all: true,
        ..RunsWanted::default()
    }
}

async fn agent(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    claw: ClawRow,
    slots: Vec<String>,
) -> Result<AgentFacts, DbErr> {
    let brain = brain::newest(db, scope, claw.id).await?;
    let record = runtime_record::get(db, scope, claw.id).await?;
    let skills = agent_skills::effective(db, scope, claw.id).await?;
    Ok(AgentFacts {
        id: claw.id,
        name: claw.name,
        slots,
        system_prompt: claw.system_prompt,
        brain_version: brain.as_ref().map_or(0, |brain| brain.version),
        brain: brain.map(|brain| brain.agent_md).unwrap_or_default(),
        skills: skills.into_iter().map(|skill| skill.name).collect(),
        profile: record
            .as_ref()
            .and_then(|record| Profile::parse(&record.risk_profile)),
        bundles: record
            .map(|record| Bundle::from_stored(&record.mcp_bundles))
            .unwrap_or_default(),
    })
}

/// The newest ended runs of any of these kinds. For an agent, only runs in which it had a step, with its steps only.
async fn runs_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    wanted: &[RunsWanted],
    agent: Option<ClawId>,
) -> Result<Vec<RunFacts>, DbErr> {
    // Newest first: ids are ordered by time.
    let mut found: BTreeMap<std::cmp::Reverse<RunId>, _> = BTreeMap::new();
    for wanted in wanted {
        for run in runs::list(db, scope, wanted, LOOKED_THROUGH).await? {
            if run.ended_ms.is_some() {
                found.insert(std::cmp::Reverse(run.id), run);
            }
        }
    }
    let mut facts = Vec::new();
    for run in found.into_values() {
        if facts.len() == MOST_RUNS {
            break;
        }
        let mut steps = runs::steps(db, run.id).await?;
        if let Some(agent) = agent {
            steps.retain(|step| step.agent_id == Some(agent));
            if steps.is_empty() {
                continue;
            }
        }
        steps.truncate(MOST_STEPS);
        let outcome = run
            .decided()
            .map_or("undecided", |outcome| outcome.as_str());
        facts.push(RunFacts {
            id: run.id,
            title: run.title.clone(),
            status: run.status.clone(),
            outcome: outcome.to_owned(),
            reason: run.outcome_reason,
            error: run.error,
            steps: steps.into_iter().map(step).collect(),
        });
    }
    Ok(facts)
}

fn step(row: StepRow) -> StepFacts {
    // Only the gateway writes them. A form of another version shows no checks.
    let checks: Vec<Checked> = row
        .checks
        .as_deref()
        .and_then(|checks| serde_json::from_str(checks).ok())
        .unwrap_or_default();
    StepFacts {
        key: row.step_key,
        lap: row.lap,
        shard: row.shard,
        agent: row.agent_id,
        status: row.status,
        output: row.output,
        error: row.error,
        checks: checks
            .into_iter()
            .map(|check| (check.words(), check.passed()))
            .collect(),
    }
}

/// The names among these under which the workspace sees a skill.
///
/// # Errors
/// When the database fails.
pub async fn taken(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    names: BTreeSet<String>,
) -> Result<HashSet<String>, DbErr> {
    if names.is_empty() {
        return Ok(HashSet::new());
    }
    let found = skills::ids_of(db, scope, names).await?;
    Ok(found.into_iter().map(|(name, _)| name).collect())
}
