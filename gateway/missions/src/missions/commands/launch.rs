//! Launches a mission: mints its teams and starts it, in one transaction.

use serde_json::{Map, Value};

use crate::missions::entity::{mission, mission_team};
use crate::missions::model::{PhaseKind, RuntimeKind, Status};
use crate::missions::plan::{self, Mint};
use crate::missions::touch::touch;
use crate::missions::{MissionError, MissionsContext, runtime, store};
use roost_connections::repos;
use roost_machines::fleet;
use roost_machines::images::Wanted;
use roost_organisation::teams::{self, NewTeam, TeamError, TeamRepo, TeamRow};
use roost_organisation::templates::{self, Content};
use roost_platform::ids::{MissionId, TeamId, UserId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// The rights and choices of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    /// The caller may choose machines.
    pub may_place: bool,
    /// Mint teams although their sandboxes lack something.
    pub accept_lacks: bool,
}

/// Launches the mission. One that was launched before stays unchanged: then the result is `(row, false)`.
///
/// # Errors
/// [`MissionError::NoTeam`], [`MissionError::NoRepo`], [`MissionError::RepoGone`], [`MissionError::NodeDeleted`],
/// [`MissionError::TemplateGone`], and those of new teams: the quota of agents, what their sandboxes lack.
pub async fn launch(
    state: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    how: Launch,
) -> Result<(mission::Model, bool), MissionError> {
    let mut change = Change::begin(state, scope, user).await?;
    let (row, launched) = launch_in(state, &mut change, id, how).await?;
    if launched {
        change.commit().await?;
    }
    Ok((row, launched))
}

/// As [`launch`], in the caller's change.
///
/// # Errors
/// As [`launch`].
pub async fn launch_in(
    state: &MissionsContext,
    change: &mut Change,
    id: MissionId,
    how: Launch,
) -> Result<(mission::Model, bool), MissionError> {
    let scope = change.scope();
    let mut row = store::locked(change, scope, id)
        .await?
        .ok_or(MissionError::NotFound)?;
    let status = Status::parse(&row.status).unwrap_or(Status::Failed);
    match status {
        Status::Draft => {}
        Status::Running | Status::Paused => return Ok((row, false)),
        from => {
            let to = Status::Running;
            return Err(MissionError::Move { from, to });
        }
    }
    let kinds = kinds_of(change, scope, id).await?;
    no_way_to_launch(change, scope, &row, &kinds).await?;
    mint(state, change, &mut row, &kinds, how).await?;
    Status::Running.as_str().clone_into(&mut row.status);
    row.launched_at = Some(change.now());
    let details = serde_json::json!({ "title": row.title, "phases": kinds.len() });
    change.record("mission.launched", ("mission", &id), details);
    let row = touch(change, row).await?;
    change.wake(state.handle.scheduler());
    Ok((row, true))
}

/// A team that was minted.
pub(super) struct Minted {
    pub mint: Mint,
    pub team: TeamRow,
    pub template: Content,
}

/// Mints the teams of a mission.
pub(super) async fn mint(
    state: &MissionsContext,
    change: &mut Change,
    row: &mut mission::Model,
    kinds: &[PhaseKind],
    how: Launch,
) -> Result<Vec<Minted>, MissionError> {
    if !how.accept_lacks && kinds.iter().any(|kind| kind.has_teams()) {
        of_runtime(state, change, row).await?;
    }
    let mut all = Vec::new();
    let config = config_of(row);
    let mints = plan::mints(&config, row.team_template_id, kinds);
    for (place, mint) in mints.iter().copied().enumerate() {
        let id: TeamId = fresh(&state.ids);
        let scope = change.scope();
        let template = templates::find(change.tx(), scope, mint.template).await?;
        let Some(template) = template else {
            let name = templates::name_of_deleted(change.tx(), scope, mint.template).await?;
            return Err(MissionError::TemplateGone {
                id: mint.template,
                name,
                place: plan::place_of(&config, &mints, place),
            });
        };
        let new = NewTeam {
            name: name_of(&template.row.name, &row.title),
            template_id: Some(mint.template),
            machine_id: machine_of(row),
            repo: row.repo_id.map(|repo_id| TeamRepo {
                repo_id,
                base: row.base_ref.clone(),
            }),
            model_binding: row.model_binding.clone(),
            accept_lacks: how.accept_lacks,
            ..NewTeam::default()
        };
        let team = teams::create_in(&state.teams, change, id, how.may_place, &new).await?;
        let minted = mission_team::Model {
            team_id: id,
            workspace_id: scope.workspace(),
            mission_id: row.id,
            purpose: mint.purpose.as_str().to_owned(),
            created_at: change.now(),
        };
        store::insert_team(change, minted).await?;
        row.team_id = row.team_id.or(Some(id));
        all.push(Minted {
            mint,
            team,
            template: template.content(),
        });
    }
    Ok(all)
}

/// Checks that the image of the runtime is where its sandbox will be made.
async fn of_runtime(
    state: &MissionsContext,
    change: &Change,
    row: &mission::Model,
) -> Result<(), MissionError> {
    let Some(runtime) = runtime::config::of(&row.config) else {
        return Ok(());
    };
    let (sandboxes, machine) = (&state.teams.sandboxes, machine_of(row));
    let here = sandboxes.here(change.tx(), change.scope(), machine.as_deref());
    let wanted = Wanted {
        image: Some(&runtime.image),
        needs: &[],
    };
    match sandboxes.lacks(wanted, &here.await?) {
        lacks if lacks.is_empty() => Ok(()),
        lacks => Err(TeamError::Lacks(lacks).into()),
    }
}

/// The kinds of its phases, in order.
pub(super) async fn kinds_of(
    change: &Change,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Vec<PhaseKind>, MissionError> {
    let phases = store::phases(change.tx(), scope, &[id]).await?;
    let kinds = phases
        .iter()
        .filter_map(|phase| PhaseKind::parse(&phase.kind));
    Ok(kinds.collect())
}

/// Refuses a launch that cannot work.
pub(super) async fn no_way_to_launch(
    change: &Change,
    scope: WorkspaceScope,
    row: &mission::Model,
    kinds: &[PhaseKind],
) -> Result<(), MissionError> {
    // Phases of commands need no team.
    let needs_team = kinds.iter().any(|kind| kind.has_teams());
    if needs_team && plan::mints(&config_of(row), row.team_template_id, kinds).is_empty() {
        return Err(MissionError::NoTeam);
    }
    let db = change.tx();
    match row.repo_id {
        Some(repo) => match repos::upstream(db, scope, repo).await? {
            Some(found) if !found.is_gone => {}
            Some(found) => return Err(MissionError::RepoGone(found.full_name)),
            None => return Err(MissionError::RepoGone("of the mission".to_owned())),
        },
        None if kinds.iter().any(|kind| !kind.has_teams()) => return Err(MissionError::NoRepo),
        None => {}
    }
    if RuntimeKind::parse(&row.runtime_kind) == Some(RuntimeKind::LocalNode) {
        let node = row.target_node_id.ok_or(MissionError::NodeDeleted)?;
        let there = fleet::availability(db, scope, node).await?;
        there.ok_or(MissionError::NodeDeleted)?;
    }
    Ok(())
}

/// The config as it was given.
pub(super) fn config_of(row: &mission::Model) -> Map<String, Value> {
    serde_json::from_str(&row.config).unwrap_or_default()
}

fn machine_of(row: &mission::Model) -> Option<String> {
    match RuntimeKind::parse(&row.runtime_kind) {
        Some(RuntimeKind::LocalNode) => row.target_node_id.map(|node| node.to_string()),
        _ => None,
    }
}

/// The name of a team: that of its template, and the begin of the mission's title. Its agents are called after it, so it is
/// short.
fn name_of(template: &str, title: &str) -> String {
    let mut short: String = title.chars().take(SHORT_TITLE).collect();
    if short.len() < title.len() {
        // Whole words, unless the first one is longer.
        let end = short.rfind(' ').filter(|end| *end > 0);
        short.truncate(end.unwrap_or(short.len()));
        short.push('…');
    }
    let name = format!("{template} · {short}");
    name.chars().take(MOST_NAME).collect()
}

/// The maximum length of a team's name, in characters.
const MOST_NAME: usize = 100;
/// The characters of a mission's title in the names of its teams.
const SHORT_TITLE: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_team_has_the_first_whole_words_of_the_title() {
        let name = |title: &str| name_of("Readers", title);
        assert_eq!(name("Faster parser"), "Readers · Faster parser");
        assert_eq!(
            name("Find out why the ledger is slow, and mend it."),
            "Readers · Find out why the ledger is…"
        );
        assert_eq!(
            name(&"é".repeat(40)),
            format!("Readers · {}…", "é".repeat(32))
        );
        let long = "x".repeat(200);
        assert_eq!(name_of(&long, "y").chars().count(), MOST_NAME);
    }
}
