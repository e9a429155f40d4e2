//! The plan of a new team: its roles, from the request and the template, and its topology. Pure code.

use super::dto::{NewRole, NewTeam};
use crate::templates::Content;
use roost_execution::topology::{self, Graph, Kind, NodeKind, Role, Seat};
use roost_platform::ids::ClawId;
use roost_web::problem::FieldError;

/// The error for a team of the kind `compare`.
pub const NO_COMPARISON: &str =
    "no team is of the kind compare: compare teams with POST /api/topology-runs/compare";

/// A member of a new team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub node: String,
    pub slot: String,
    pub name: String,
    pub title: String,
    pub system_prompt: Option<String>,
    pub brain_seed: Option<String>,
    pub model_binding: Option<String>,
    /// The existing agent, if the request names one.
    pub agent: Option<ClawId>,
    /// Whether the template has its slot.
    pub of_template: bool,
}

/// The plan of a new team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The nodes have no agents yet.
    pub graph: Graph,
    pub members: Vec<Member>,
}

/// Makes the plan of a team.
///
/// # Errors
/// The fields that do not fit together.
pub fn plan(new: &NewTeam, template: Option<&Content>) -> Result<Plan, Vec<FieldError>> {
    let roles = roles(new, template);
    let kind = match (&new.graph, new.topology, template) {
        (Some(graph), ..) => graph.kind,
        (None, Some(kind), _) => kind,
        (None, None, Some(template)) => template.default_topology.parse().unwrap_or(Kind::Pipeline),
        (None, None, None) if roles.len() == 1 => Kind::Single,
        (None, None, None) => Kind::Pipeline,
    };
    if kind == Kind::Compare {
        let pointer = match new.graph {
            Some(_) => "/graph/kind",
            None => "/topology",
        };
        return Err(vec![FieldError {
            pointer: pointer.to_owned(),
            detail: NO_COMPARISON.to_owned(),
        }]);
    }
    if let Some(mistakes) = idle(new, kind, &roles) {
        return Err(mistakes);
    }
    let graph = match &new.graph {
        Some(graph) => graph.clone(),
        None => {
            let seats: Vec<Role> = roles
                .iter()
                .map(|role| Role {
                    slot: role.slot.clone(),
                    title: role.title.clone().unwrap_or_else(|| role.slot.clone()),
                    seat: role.seat,
                    checks: role.checks.clone(),
                    on_reject: role.on_reject,
                    back_to: role.back_to.clone(),
                })
                .collect();
            topology::build(kind, &seats)
        }
    };
    if let Err(mistakes) = topology::check(&graph) {
        let within = match new.graph {
            Some(_) => "/graph",
            None => "/roles",
        };
        return Err(mistakes
            .into_iter()
            .map(|mistake| FieldError {
                pointer: match new.graph {
                    Some(_) => format!("{within}{}", mistake.pointer),
                    None => within.to_owned(),
                },
                detail: mistake.detail,
            })
            .collect());
    }
    let members = members(new, template, &graph, &roles)?;
    Ok(Plan { graph, members })
}

/// The mistakes for roles that would have no node in the team. No role is dropped silently.
fn idle(new: &NewTeam, kind: Kind, roles: &[NewRole]) -> Option<Vec<FieldError>> {
    let Some(graph) = &new.graph else {
        let slots: Vec<&str> = roles.iter().map(|role| role.slot.as_str()).collect();
        let detail = format!(
            "a team of the kind single is one agent, and these are {} roles ({}); name the one that works, or choose \
             another topology, such as pipeline",
            slots.len(),
            slots.join(", ")
        );
        return (kind == Kind::Single && slots.len() > 1).then(|| {
            vec![FieldError {
                pointer: "/roles".to_owned(),
                detail,
            }]
        });
    };
    let works = |slot: &str| {
        let mut nodes = graph.nodes.iter();
        nodes.any(|node| node.role.as_deref().unwrap_or(&node.id) == slot)
    };
    // Only the request's roles need a node. Unused roles of the template may be left out.
    let left = new.roles.iter().enumerate();
    let left: Vec<FieldError> = left
        .filter(|(_, role)| !works(&role.slot))
        .map(|(place, role)| FieldError {
            pointer: format!("/roles/{place}/slot"),
            detail: format!("no node of the graph has the role {}", role.slot),
        })
        .collect();
    (!left.is_empty()).then_some(left)
}

/// The requested roles, completed from the template.
fn roles(new: &NewTeam, template: Option<&Content>) -> Vec<NewRole> {
    let given = template
        .map(|content| content.roles.as_slice())
        .unwrap_or_default();
    let from_template = |slot: &str| given.iter().find(|role| role.slot == slot);
    let seat = |word: Option<&String>| -> Option<Seat> {
        serde_json::from_value(serde_json::Value::String(word?.clone())).ok()
    };
    let asked: Vec<NewRole> = match new.roles.is_empty() {
        true => given
            .iter()
            .map(|role| NewRole {
                slot: role.slot.clone(),
                ..NewRole::default()
            })
            .collect(),
        false => new.roles.clone(),
    };
    asked
        .into_iter()
        .map(|mut role| {
            if let Some(source) = from_template(&role.slot) {
                role.title.get_or_insert_with(|| source.title.clone());
                role.system_prompt
                    .get_or_insert_with(|| source.system_prompt.clone());
                role.seat = role.seat.or_else(|| seat(source.seat.as_ref()));
                role.on_reject = role.on_reject.or(source.on_reject);
                role.back_to = role.back_to.or_else(|| source.back_to.clone());
            }
            role
        })
        .collect()
}

fn members(
    new: &NewTeam,
    template: Option<&Content>,
    graph: &Graph,
    roles: &[NewRole],
) -> Result<Vec<Member>, Vec<FieldError>> {
    let mut members = Vec::new();
    let mut wrong = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        match node.kind {
            NodeKind::Agent => {}
            NodeKind::Team if node.attributes.team.is_some() => continue,
            _ => {
                wrong.push(FieldError {
                    pointer: format!("/graph/nodes/{place}"),
                    detail: "must be an agent, or a team that is named in its attributes"
                        .to_owned(),
                });
                continue;
            }
        }
        let slot = node.role.as_deref().unwrap_or(&node.id);
        let Some(role) = roles.iter().find(|role| role.slot == slot) else {
            wrong.push(FieldError {
                pointer: format!("/graph/nodes/{place}/role"),
                detail: format!("no role has the slot {slot}"),
            });
            continue;
        };
        let title = role.title.clone().unwrap_or_else(|| slot.to_owned());
        members.push(Member {
            node: node.id.clone(),
            slot: slot.to_owned(),
            name: role
                .name
                .clone()
                .unwrap_or_else(|| format!("{} {title}", new.name)),
            title,
            system_prompt: role.system_prompt.clone(),
            brain_seed: role.brain_seed.clone(),
            model_binding: role.model_binding.clone(),
            agent: role.agent_id,
            of_template: template.is_some_and(|content| content.role(slot).is_some()),
        });
    }
    match wrong.is_empty() {
        true => Ok(members),
        false => Err(wrong),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn planned(new: serde_json::Value) -> Result<Plan, Vec<FieldError>> {
        plan(&serde_json::from_value(new).expect("a request"), None)
    }

    #[test]
    fn a_single_takes_one_role_and_says_so_of_more() {
        let two = json!([{ "slot": "writer" }, { "slot": "editor" }]);
        let new = |kind: &str, roles: &serde_json::Value| json!({ "name": "Two", "topology": kind, "roles": roles });
        let refused = planned(new("single", &two)).unwrap_err();
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].pointer, "/roles");
        assert!(
            refused[0].detail.contains("2 roles (writer, editor)"),
            "{refused:?}"
        );
        assert_eq!(
            planned(new("pipeline", &two))
                .expect("both work")
                .members
                .len(),
            2
        );
        let one = json!([{ "slot": "writer" }]);
        assert_eq!(
            planned(new("single", &one))
                .expect("it works")
                .members
                .len(),
            1
        );
    }

    #[test]
    fn role_without_a_node_is_reported() {
        let graph = json!({ "kind": "single", "nodes": [{ "id": "writer", "kind": "agent", "label": "W" }], "edges": [] });
        let new = json!({ "name": "Two", "graph": graph, "roles": [{ "slot": "writer" }, { "slot": "editor" }] });
        let refused = planned(new).unwrap_err();
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].pointer, "/roles/1/slot");
    }
}
