//! What runs is pinned, whole: the graphs of all teams that a run may start, below it at any depth, are stored with the
//! root run when it is enqueued. Its children read their graphs there. So a team that is edited or deleted meanwhile
//! changes nothing.

use std::collections::BTreeMap;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QuerySelect, QueryTrait,
};
use sha2::{Digest, Sha256};

use super::entity::{run, state};
use super::handle::RunsHandle;
use super::model::{MOST_DEPTH, Status};
use super::pin_entity as pin;
use crate::topology::{self, Graph, Kind, Mistake, Nested, Nesting, Node, NodeKind};
use roost_platform::db::WriteTx;
use roost_platform::ids::{RunId, TeamId};
use roost_tenancy::auth::WorkspaceScope;

/// The graph of a team, as a step runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    pub team: TeamId,
    pub title: String,
    pub graph: Graph,
}

/// The graphs by their subjects.
pub(super) type Pins = BTreeMap<String, Pin>;

/// The name of a node's graph among the pins of a root run: a team, and the topology that the node wants of it.
fn subject(team: TeamId, arranged: Option<Kind>) -> String {
    match arranged {
        Some(kind) => format!("{team}={kind}"),
        None => team.to_string(),
    }
}

/// The team of a node, and the topology that the node wants of it.
fn wanted(node: &Node) -> Option<(TeamId, Option<Kind>)> {
    let team = node
        .attributes
        .team
        .filter(|_| node.kind == NodeKind::Team)?;
    Some((TeamId(team), node.attributes.topology))
}

/// The graphs that a run of this graph may start, as they are now. `own` is the team of the run.
///
/// # Errors
/// The inner error names the place of each node that cannot run: its team is gone, contains itself, or is nested too
/// deep.
pub(super) async fn closure(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    own: Option<TeamId>,
    graph: &Graph,
) -> Result<Result<Pins, Vec<Mistake>>, DbErr> {
    let mut pins = Pins::new();
    let mut nesting = Nesting::new();
    let mut mistakes = Vec::new();
    // The node of the run's own graph below which a node is.
    let mut next: Vec<(usize, Node)> = graph.nodes.iter().cloned().enumerate().collect();
    while let Some((place, node)) = next.pop() {
        let Some((team, arranged)) = wanted(&node) else {
            continue;
        };
        let subject = subject(team, arranged);
        if pins.contains_key(&subject) {
            continue;
        }
        let db = runs.inner.db.read();
        let found = runs.inner.subjects.read(db, scope, team).await?;
        let Some(found) = found.filter(|found| !found.is_going) else {
            mistakes.push(mistake(
                place,
                "names a team that is deleted or being taken down",
            ));
            continue;
        };
        let stored = serde_json::from_str::<Graph>(&found.topology);
        let stored = stored.map_err(|error| DbErr::Json(error.to_string()))?;
        nesting.entry(team.0).or_insert_with(|| Nested {
            name: found.name.clone(),
            teams: topology::teams_of(&stored),
        });
        let graph = match arranged.map(|kind| topology::rearranged(&stored, kind)) {
            None => stored,
            Some(Ok(graph)) => graph,
            Some(Err(why)) => {
                mistakes.push(mistake(
                    place,
                    &format!("names a team whose roles do not fit: {why}"),
                ));
                continue;
            }
        };
        next.extend(graph.nodes.iter().cloned().map(|node| (place, node)));
        let pin = Pin {
            team,
            title: found.name,
            graph,
        };
        pins.insert(subject, pin);
    }
    mistakes.extend(nested_badly(graph, own, nesting));
    mistakes.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    Ok(if mistakes.is_empty() {
        Ok(pins)
    } else {
        Err(mistakes)
    })
}

/// The nodes whose teams contain themselves, or are nested too deep. Pure.
fn nested_badly(graph: &Graph, own: Option<TeamId>, mut nesting: Nesting) -> Vec<Mistake> {
    if let Some(own) = own {
        nesting.entry(own.0).or_insert_with(|| Nested {
            name: "this team".to_owned(),
            teams: topology::teams_of(graph),
        });
    }
    let mut mistakes = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let Some((team, _)) = wanted(node) else {
            continue;
        };
        match topology::levels(&nesting, team.0) {
            Ok(levels) if levels > usize::try_from(MOST_DEPTH).unwrap_or(usize::MAX) => {
                let detail = format!(
                    "names teams that are nested {levels} deep, at most {MOST_DEPTH} are allowed"
                );
                mistakes.push(mistake(place, &detail));
            }
            Ok(_) => {}
            Err(circle) => {
                let circle = topology::circle_in_words(&nesting, &circle);
                mistakes.push(mistake(
                    place,
                    &format!("names a team that contains itself: {circle}"),
                ));
            }
        }
    }
    mistakes
}

fn mistake(place: usize, detail: &str) -> Mistake {
    Mistake {
        pointer: format!("/nodes/{place}/attributes/team"),
        detail: detail.to_owned(),
    }
}

/// Stores the pins of a root run.
///
/// # Errors
/// When the database fails.
pub(super) async fn insert(tx: &WriteTx, root: RunId, pins: Pins) -> Result<(), DbErr> {
    if pins.is_empty() {
        return Ok(());
    }
    let rows = pins.into_iter().map(|(subject, pin)| {
        let graph =
            serde_json::to_string(&pin.graph).expect("a graph of strings and numbers encodes");
        let row = pin::Model {
            root_run_id: root,
            subject,
            team_id: pin.team,
            title: pin.title,
            sha256: hex::encode(Sha256::digest(graph.as_bytes())),
            graph,
        };
        row.into_active_model()
    });
    pin::Entity::insert_many(rows)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// The pins of a root run. A fork gets those of its original.
///
/// # Errors
/// When the database fails, or a stored graph is invalid.
pub(super) async fn of_root(db: &impl ConnectionTrait, root: RunId) -> Result<Pins, DbErr> {
    let rows = pin::Entity::find()
        .filter(pin::Column::RootRunId.eq(root))
        .all(db)
        .await?;
    rows.into_iter()
        .map(|row| Ok((row.subject.clone(), pinned(row)?)))
        .collect()
}

/// The pinned graph of a node. `None` for a run from before graphs were pinned.
///
/// # Errors
/// When the database fails, or the stored graph is invalid.
pub(super) async fn of_node(
    db: &impl ConnectionTrait,
    root: RunId,
    node: &Node,
) -> Result<Option<Pin>, DbErr> {
    let Some((team, arranged)) = wanted(node) else {
        return Ok(None);
    };
    let row = pin::Entity::find_by_id((root, subject(team, arranged)))
        .one(db)
        .await?;
    row.map(pinned).transpose()
}

fn pinned(row: pin::Model) -> Result<Pin, DbErr> {
    let graph = serde_json::from_str(&row.graph).map_err(|error| DbErr::Json(error.to_string()))?;
    Ok(Pin {
        team: row.team_id,
        title: row.title,
        graph,
    })
}

/// Whether the run may have pins: it is a root run, and teams work in its graph.
pub(super) fn may_have(row: &run::Model) -> bool {
    row.parent_run_id.is_none() && row.graph.contains("\"team\":\"")
}

/// The teams that a root run has pinned.
///
/// # Errors
/// When the database fails.
pub(super) async fn teams(db: &impl ConnectionTrait, root: RunId) -> Result<Vec<TeamId>, DbErr> {
    pin::Entity::find()
        .select_only()
        .column(pin::Column::TeamId)
        .distinct()
        .filter(pin::Column::RootRunId.eq(root))
        .into_tuple()
        .all(db)
        .await
}

/// Whether a queued or running run has pinned the team.
///
/// # Errors
/// When the database fails.
pub async fn is_pinned(db: &impl ConnectionTrait, team: TeamId) -> Result<bool, DbErr> {
    let open = [Status::Queued.as_str(), Status::Running.as_str()];
    let roots = pin::Entity::find()
        .select_only()
        .column(pin::Column::RootRunId)
        .filter(pin::Column::TeamId.eq(team));
    let found = state::Entity::find()
        .filter(state::Column::RunId.in_subquery(roots.into_query()))
        .filter(state::Column::Status.is_in(open))
        .count(db)
        .await?;
    Ok(found > 0)
}

/// Deletes the pins of these root runs, in the caller's transaction.
///
/// # Errors
/// When the database fails.
pub(super) async fn delete(tx: &WriteTx, roots: &[RunId]) -> Result<(), DbErr> {
    pin::Entity::delete_many()
        .filter(pin::Column::RootRunId.is_in(roots.iter().copied()))
        .exec(&**tx)
        .await?;
    Ok(())
}
