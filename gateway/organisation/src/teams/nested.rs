//! Teams that work in a team: each must exist, and none may contain the team that it works in.

use sea_orm::DbErr;

use super::store;
use roost_execution::topology::{self, Graph, Nested, Nesting, NodeKind};
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
    own: (TeamId, &str),
    graph: &Graph,
    within: &str,
) -> Result<Vec<FieldError>, DbErr> {
    let nesting = below(tx, scope, own, graph).await?;
    let mut wrong = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let Some(team) = node.attributes.team.filter(|_| node.kind == NodeKind::Team) else {
            continue;
        };
        let detail = if !nesting.contains_key(&team) {
            "names no team of this workspace".to_owned()
        } else if let Err(circle) = topology::levels(&nesting, team) {
            let circle = topology::circle_in_words(&nesting, &circle);
            format!("names a team that would start itself without end: {circle}")
        } else {
            continue;
        };
        wrong.push(FieldError {
            pointer: format!("{within}/nodes/{place}/attributes"),
            detail,
        });
    }
    Ok(wrong)
}

/// The team with this graph, and all teams below it.
async fn below(
    tx: &WriteTx,
    scope: WorkspaceScope,
    (own, name): (TeamId, &str),
    graph: &Graph,
) -> Result<Nesting, DbErr> {
    let teams = topology::teams_of(graph);
    let mut next = teams.clone();
    let name = name.to_owned();
    let mut nesting = Nesting::from([(own.0, Nested { name, teams })]);
    while let Some(team) = next.pop() {
        if nesting.contains_key(&team) {
            continue;
        }
        let Some(row) = store::get(&**tx, scope, TeamId(team)).await? else {
            continue;
        };
        let graph = serde_json::from_str::<Graph>(&row.topology).ok();
        let teams = graph.as_ref().map(topology::teams_of).unwrap_or_default();
        next.extend(&teams);
        nesting.insert(
            team,
            Nested {
                name: row.name,
                teams,
            },
        );
    }
    Ok(nesting)
}
