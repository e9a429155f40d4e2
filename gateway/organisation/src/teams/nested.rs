//! Teams that work in a team: each must exist, and none may contain the team that it works in.

use std::collections::BTreeSet;

use sea_orm::DbErr;

use super::store;
use roost_execution::topology::{Graph, NodeKind};
use roost_platform::db::WriteTx;
use roost_platform::ids::TeamId;
use roost_tenancy::auth::WorkspaceScope;
use roost_web::problem::FieldError;

/// The mistakes in the teams that a team's graph names. Pointers begin with `within`.
///
/// # Errors
/// When the database fails.
pub async fn mistakes(
    tx: &WriteTx,
    scope: WorkspaceScope,
    own: TeamId,
    graph: &Graph,
    within: &str,
) -> Result<Vec<FieldError>, DbErr> {
    let mut wrong = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        if node.kind != NodeKind::Team {
            continue;
        }
        let Some(other) = node.attributes.team.map(TeamId) else {
            continue;
        };
        let detail = if other == own {
            "names the team itself: it would start itself without end"
        } else if store::get(&**tx, scope, other).await?.is_none() {
            "names no team of this workspace"
        } else if comes_back(tx, scope, other, own).await? {
            "names a team in which this one works: they would start each other without end"
        } else {
            continue;
        };
        wrong.push(FieldError {
            pointer: format!("{within}/nodes/{place}/attributes"),
            detail: detail.to_owned(),
        });
    }
    Ok(wrong)
}

/// Whether a run of the team `from` would start a run of `own`.
async fn comes_back(
    tx: &WriteTx,
    scope: WorkspaceScope,
    from: TeamId,
    own: TeamId,
) -> Result<bool, DbErr> {
    let mut seen = BTreeSet::from([from]);
    let mut next = vec![from];
    while let Some(team) = next.pop() {
        let Some(row) = store::get(&**tx, scope, team).await? else {
            continue;
        };
        let graph = serde_json::from_str::<Graph>(&row.topology).ok();
        let nodes = graph.into_iter().flat_map(|graph| graph.nodes);
        for other in nodes.filter_map(|node| node.attributes.team.map(TeamId)) {
            if other == own {
                return Ok(true);
            }
            if seen.insert(other) {
                next.push(other);
            }
        }
    }
    Ok(false)
}
