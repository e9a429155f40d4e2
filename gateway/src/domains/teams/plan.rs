//! What a new team will be: its roles, from the request and the template, and its topology. Pure.

use super::dto::{NewRole, NewTeam};
use crate::domains::templates::model::Content;
use crate::domains::topology::{self, Graph, Kind, NodeKind, Role, Seat};
use crate::http::problem::FieldError;
use crate::ids::ClawId;

/// What a team is told that wants to be a comparison.
pub const NO_COMPARISON: &str =
    "no team is of the kind compare: compare teams with POST /api/topology-runs/compare";

/// A member that is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub node: String,
    pub slot: String,
    pub name: String,
    pub title: String,
    pub system_prompt: Option<String>,
    pub brain_seed: Option<String>,
    pub model_binding: Option<String>,
    /// It is there already.
    pub agent: Option<ClawId>,
    /// Its slot is one of the template.
    pub of_template: bool,
}

/// A team that is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Nobody is bound yet.
    pub graph: Graph,
    pub members: Vec<Member>,
}

/// Works out the team.
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
    let graph = match &new.graph {
        Some(graph) => graph.clone(),
        None => {
            let seats: Vec<Role> = roles
                .iter()
                .map(|role| Role {
                    slot: role.slot.clone(),
                    title: role.title.clone().unwrap_or_else(|| role.slot.clone()),
                    seat: role.seat,
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

/// The roles as asked for, with what the template says of each.
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
