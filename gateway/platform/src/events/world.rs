//! The names of nodes in the world view. `topology.update`, `world.touch` and `node.activity` use the same names, so a view
//! that drew a node finds it again. Nothing else builds or reads such a name.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use super::WorldTier;
use crate::ids::{ClawId, NodeId, RunId, TeamId};

/// The longest name of a service or an event, in characters.
const LONGEST: usize = 200;
/// The gateway's own host, as the id of a machine.
const LOCAL: &str = "local";

/// A node of the world view. Its text is `<kind>:<id>`. A machine's world node is another thing than the machine
/// ([`NodeId`]); its name is derived from the machine's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorldNodeId {
    Org(Uuid),
    Company(Uuid),
    Team(TeamId),
    Agent(ClawId),
    /// A machine; `None` is the gateway's own host.
    Machine(Option<NodeId>),
    /// Something lasting that agents use, by name: a model, an app.
    Service(String),
    /// Something that happens once or for a time, by name: the use of a tool, a run.
    Event(String),
    Mission(Uuid),
}

impl WorldNodeId {
    /// A model.
    pub fn model(name: &str) -> Self {
        Self::Service(named(format_args!("model/{name}")))
    }

    /// An app that agents are connected to.
    pub fn app(provider: &str) -> Self {
        Self::Service(named(format_args!("app/{provider}")))
    }

    /// The use of a tool.
    pub fn tool(name: &str) -> Self {
        Self::Event(named(format_args!("tool/{name}")))
    }

    /// A run without a team.
    pub fn run(run: RunId) -> Self {
        Self::Event(named(format_args!("run/{run}")))
    }

    /// A place in a topology that no agent and no team holds. `root` is the node of the whole topology.
    pub fn place(root: &Self, node: &str) -> Self {
        match root {
            Self::Event(name) => Self::Event(named(format_args!("{name}/{node}"))),
            other => Self::Event(named(format_args!("{other}/{node}"))),
        }
    }

    /// The level at which the world view draws the node.
    pub fn tier(&self) -> WorldTier {
        match self {
            Self::Org(_) => WorldTier::Org,
            Self::Company(_) => WorldTier::Company,
            Self::Team(_) => WorldTier::Team,
            Self::Agent(_) => WorldTier::Agent,
            Self::Machine(_) | Self::Service(_) => WorldTier::Service,
            Self::Event(_) | Self::Mission(_) => WorldTier::Event,
        }
    }
}

/// A name without characters that a screen does not show, and not too long.
fn named(text: fmt::Arguments<'_>) -> String {
    let text = text.to_string();
    let shown = text.chars().filter(|letter| !letter.is_control());
    shown.take(LONGEST).collect()
}

impl fmt::Display for WorldNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Org(id) => write!(f, "org:{id}"),
            Self::Company(id) => write!(f, "company:{id}"),
            Self::Team(id) => write!(f, "team:{id}"),
            Self::Agent(id) => write!(f, "agent:{id}"),
            Self::Machine(Some(id)) => write!(f, "machine:{id}"),
            Self::Machine(None) => write!(f, "machine:{LOCAL}"),
            Self::Service(name) => write!(f, "service:{name}"),
            Self::Event(name) => write!(f, "event:{name}"),
            Self::Mission(id) => write!(f, "mission:{id}"),
        }
    }
}

/// The text does not name a node of the world view.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a world node is `org`, `company`, `team`, `agent`, `machine`, `service`, `event` or `mission`, a colon and an id"
)]
pub struct NotAWorldNode;

impl FromStr for WorldNodeId {
    type Err = NotAWorldNode;

    fn from_str(text: &str) -> Result<Self, NotAWorldNode> {
        let (kind, id) = text.split_once(':').ok_or(NotAWorldNode)?;
        let uuid = || Uuid::parse_str(id).map_err(|_| NotAWorldNode);
        let name = || match named(format_args!("{id}")) == id && !id.is_empty() {
            true => Ok(id.to_owned()),
            false => Err(NotAWorldNode),
        };
        Ok(match kind {
            "org" => Self::Org(uuid()?),
            "company" => Self::Company(uuid()?),
            "team" => Self::Team(TeamId(uuid()?)),
            "agent" => Self::Agent(ClawId(uuid()?)),
            "machine" if id == LOCAL => Self::Machine(None),
            "machine" => Self::Machine(Some(NodeId(uuid()?))),
            "service" => Self::Service(name()?),
            "event" => Self::Event(name()?),
            "mission" => Self::Mission(uuid()?),
            _ => return Err(NotAWorldNode),
        })
    }
}

impl Serialize for WorldNodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl PartialSchema for WorldNodeId {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "A node of the world view: a kind, a colon, and an id. A machine's id is `local` for the gateway's own \
                 host. A service and an event have names, for example `service:model/<name>`, `service:app/<provider>`, `event:tool/<name>`, \
                 `event:run/<id>`.",
            ))
            .pattern(Some(
                "^(org|company|team|agent|machine|service|event|mission):.+$",
            ))
            .into()
    }
}

impl ToSchema for WorldNodeId {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("WorldNodeId")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nodes() -> impl Strategy<Value = WorldNodeId> {
        let id = any::<u128>().prop_map(Uuid::from_u128);
        let word = "[ -~]{0,80}";
        prop_oneof![
            id.clone().prop_map(WorldNodeId::Org),
            id.clone().prop_map(WorldNodeId::Company),
            id.clone().prop_map(|id| WorldNodeId::Team(TeamId(id))),
            id.clone().prop_map(|id| WorldNodeId::Agent(ClawId(id))),
            id.clone()
                .prop_map(|id| WorldNodeId::Machine(Some(NodeId(id)))),
            Just(WorldNodeId::Machine(None)),
            word.prop_map(|name| WorldNodeId::model(&name)),
            word.prop_map(|name| WorldNodeId::app(&name)),
            word.prop_map(|name| WorldNodeId::tool(&name)),
            (id.clone(), word)
                .prop_map(|(id, node)| { WorldNodeId::place(&WorldNodeId::run(RunId(id)), &node) }),
            (id.clone(), word).prop_map(|(id, node)| {
                WorldNodeId::place(&WorldNodeId::Team(TeamId(id)), &node)
            }),
            id.clone().prop_map(|id| WorldNodeId::run(RunId(id))),
            id.prop_map(WorldNodeId::Mission),
        ]
    }

    proptest! {
        #[test]
        fn name_reads_back_as_the_node_that_it_was_made_of(node in nodes()) {
            prop_assert_eq!(node.to_string().parse::<WorldNodeId>().unwrap(), node);
        }
    }

    #[test]
    fn text_of_another_kind_or_without_an_id_is_refused() {
        let of_old = "0d3b4f0e-5b0e-7000-8000-000000000000";
        for text in [
            "",
            "agent",
            "agent:",
            "agent:x",
            "model:m",
            "event:",
            "event:a\nb",
            of_old,
        ] {
            assert_eq!(text.parse::<WorldNodeId>(), Err(NotAWorldNode), "{text:?}");
        }
    }

    #[test]
    fn name_of_a_service_shows_no_control_characters_and_has_an_end() {
        let WorldNodeId::Service(name) = WorldNodeId::model(&"a\u{1b}b".repeat(500)) else {
            panic!("a model is a service");
        };
        assert!(name.starts_with("model/abab") && name.chars().count() == LONGEST);
    }
}
