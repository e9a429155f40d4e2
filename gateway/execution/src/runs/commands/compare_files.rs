//! The files that the candidates of a comparison begin with: a person chooses when they would differ.

use std::collections::BTreeSet;

use crate::runs::comparison::{FilesFrom, FilesOf, NewComparison};
use crate::runs::subjects::Subject;
use crate::runs::{RunError, store};
use crate::topology::{Graph, StepRef};
use roost_machines::sandboxes::step_files::{self, CommonStart, Start};
use roost_platform::db::WriteTx;
use roost_platform::ids::{SandboxOwnerId, TeamId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::problem::FieldError;

/// What all sandboxes of the comparison begin with. `None`: each keeps what it has. The inner error is for the person who
/// compares.
pub(super) async fn start(
    tx: &WriteTx,
    scope: WorkspaceScope,
    new: &NewComparison,
    teams: &[Subject],
) -> Result<Result<Option<CommonStart>, FieldError>, RunError> {
    let ids: Vec<TeamId> = new.candidates.iter().map(|one| one.team_id).collect();
    let Some(files) = &new.files else {
        return Ok(match would_differ(tx, scope, &ids, teams).await? {
            false => Ok(None),
            true => Err(wrong(
                "/files",
                "must be chosen, because sandboxes of the candidates have files already: `empty` or a `step` for equal \
                 files, `own` for those that each has",
            )),
        });
    };
    if files.from == FilesFrom::Own {
        return Ok(Ok(None));
    }
    if let Some(place) = repeated(&ids) {
        let detail = "is the same team again, which works in the same sandbox; equal files need different teams";
        return Ok(Err(wrong(&format!("/candidates/{place}/team_id"), detail)));
    }
    match files.from {
        FilesFrom::Own => Ok(Ok(None)),
        FilesFrom::Empty => Ok(Ok(Some(CommonStart::Empty))),
        FilesFrom::Step => {
            let found = of_step(tx, scope, files).await?;
            Ok(found.map(|start| Some(CommonStart::OfStep(start))))
        }
    }
}

/// Whether the candidates would begin with different files.
async fn would_differ(
    tx: &WriteTx,
    scope: WorkspaceScope,
    ids: &[TeamId],
    teams: &[Subject],
) -> Result<bool, RunError> {
    // The same team begins with the same files.
    if ids.iter().collect::<BTreeSet<_>>().len() < 2 {
        return Ok(false);
    }
    let owners: Vec<SandboxOwnerId> = teams.iter().flat_map(owners_of).collect();
    Ok(step_files::any_files(&**tx, scope, &owners).await?)
}

/// The owners of the sandboxes that a team works in.
fn owners_of(team: &Subject) -> Vec<SandboxOwnerId> {
    if team.shares_sandbox {
        return vec![SandboxOwnerId(team.id.0)];
    }
    // A graph that cannot be read was refused before.
    let graph = serde_json::from_str::<Graph>(&team.topology).ok();
    let nodes = graph.iter().flat_map(|graph| &graph.nodes);
    let agents = nodes.filter_map(|node| node.attributes.agent);
    agents.map(SandboxOwnerId).collect()
}

/// The place of the first team that was named before.
fn repeated(ids: &[TeamId]) -> Option<usize> {
    (1..ids.len()).find(|place| ids[..*place].contains(&ids[*place]))
}

/// The files of the step that the person named.
async fn of_step(
    tx: &WriteTx,
    scope: WorkspaceScope,
    files: &FilesOf,
) -> Result<Result<Start, FieldError>, RunError> {
    let (Some(run), Some(key)) = (files.run_id, &files.step) else {
        return Ok(Err(wrong("/files", "must name a run and a step")));
    };
    if store::get(&**tx, scope, run).await?.is_none() {
        return Ok(Err(wrong(
            "/files/run_id",
            "is not a run of this workspace",
        )));
    }
    let step = StepRef {
        key: key.clone(),
        lap: files.lap.unwrap_or(1),
        shard: 0,
    };
    let step = step.to_string();
    let Some(row) = step_files::of_step(&**tx, scope, run, &step).await? else {
        return Ok(Err(wrong("/files/step", "has no recorded files")));
    };
    let files = row.began();
    let is_there = match files.snapshot_id {
        Some(snapshot) => step_files::is_there(&**tx, scope, snapshot).await?,
        None => false,
    };
    if !is_there {
        let why = files.missing.unwrap_or_default();
        return Ok(Err(wrong(
            "/files/step",
            format!("its files are not there. {why}"),
        )));
    }
    Ok(Ok(Start {
        owner: row.owner(),
        files,
        step,
    }))
}

fn wrong(pointer: &str, detail: impl Into<String>) -> FieldError {
    FieldError {
        pointer: pointer.to_owned(),
        detail: detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn team(id: u128, shares_sandbox: bool) -> Subject {
        let agent = |id: u128| Uuid::from_u128(id);
        let node = |name: &str, id: u128| serde_json::json!({ "id": name, "kind": "agent", "attributes": { "agent": agent(id) } });
        Subject {
            id: TeamId(Uuid::from_u128(id)),
            name: "a team".to_owned(),
            topology: serde_json::json!({
                "kind": "pipeline", "nodes": [node("one", 7), node("two", 8)],
                "edges": [{ "from": "one", "to": "two" }],
            })
            .to_string(),
            shares_sandbox,
            is_going: false,
        }
    }

    #[test]
    fn team_works_in_its_own_sandbox_or_in_those_of_its_agents() {
        let ids = |team: &Subject| {
            let owners = owners_of(team).into_iter();
            owners.map(|owner| owner.0.as_u128()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&team(1, true)), [1]);
        assert_eq!(ids(&team(1, false)), [7, 8]);
    }

    #[test]
    fn first_team_that_is_named_again_is_found() {
        let team = |id: u128| TeamId(Uuid::from_u128(id));
        assert_eq!(repeated(&[team(1), team(2)]), None);
        assert_eq!(repeated(&[team(1), team(2), team(1), team(2)]), Some(2));
    }
}
