//! The thirteen event types of the specification: fields, which of them are required, words, ranges, defaults.

use serde_json::{Value, json};

/// What a field may hold.
#[derive(Debug, Clone, Copy)]
pub enum Holds {
    Text,
    /// A whole number from 0.
    Whole,
    Number,
    /// A number from 0 to 1.
    Share,
    Flag,
    /// RFC 3339.
    Time,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of objects with these fields.
    List(&'static [Field]),
}

/// A field of an event.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub holds: Holds,
    pub need: Need,
}

/// What the absence of a field means.
#[derive(Debug, Clone, Copy)]
pub enum Need {
    Required,
    Optional,
    /// Absent means this word.
    Default(&'static str),
    /// Absent means 1.
    DefaultOne,
    /// Absent means `false`.
    DefaultFalse,
}

impl Need {
    /// The default as JSON.
    pub fn default(self) -> Option<Value> {
        match self {
            Self::Required | Self::Optional => None,
            Self::Default(word) => Some(json!(word)),
            Self::DefaultOne => Some(json!(1)),
            Self::DefaultFalse => Some(json!(false)),
        }
    }

    /// Whether it must be there.
    pub fn is_required(self) -> bool {
        matches!(self, Self::Required)
    }
}

/// A type of event.
#[derive(Debug, Clone, Copy)]
pub struct Specified {
    pub kind: &'static str,
    pub fields: &'static [Field],
    /// Whether a part of Roost sends it today. The test compares it with `Event::EMITTED`. All are documented.
    pub sent: bool,
}

use Holds::{Flag, List, Number, Share, Text, Time, Whole, Word};
use Need::{Default, DefaultFalse, DefaultOne, Optional, Required};

const fn field(name: &'static str, holds: Holds, need: Need) -> Field {
    Field { name, holds, need }
}

/// Whether something is a lasting service or a single event.
const SERVICE_OR_EVENT: Holds = Word(&["service", "event"]);

/// The thirteen types, in the order of the specification.
pub const EVENTS: [Specified; 13] = [
    Specified {
        kind: "agent.status",
        sent: true,
        fields: &[
            field("agentId", Text, Required),
            field(
                "status",
                Word(&["online", "working", "idle", "offline"]),
                Required,
            ),
            field("role", Text, Optional),
        ],
    },
    Specified {
        kind: "agent.task.update",
        sent: true,
        fields: &[
            field("agentId", Text, Required),
            field("taskId", Text, Required),
            field("title", Text, Required),
            field("elapsedMs", Whole, Optional),
            field(
                "steps",
                List(&[
                    field("label", Text, Required),
                    field("state", Word(&["done", "active", "pending"]), Required),
                ]),
                Optional,
            ),
        ],
    },
    Specified {
        kind: "agent.reasoning.delta",
        sent: true,
        fields: &[
            field("agentId", Text, Required),
            field("text", Text, Required),
            field("channel", Word(&["think", "say", "tool"]), Default("think")),
        ],
    },
    Specified {
        kind: "agent.computer.frame",
        sent: true,
        fields: &[
            field("agentId", Text, Required),
            field(
                "app",
                Word(&["browser", "terminal", "slack", "claw-chat"]),
                Required,
            ),
            field("url", Text, Optional),
            field(
                "lines",
                List(&[
                    field("text", Text, Required),
                    field(
                        "kind",
                        Word(&["plain", "add", "del", "ok", "warn", "cursor"]),
                        Default("plain"),
                    ),
                ]),
                Optional,
            ),
        ],
    },
    Specified {
        kind: "agent.tool.call",
        sent: true,
        fields: &[
            field("agentId", Text, Required),
            field("tool", Text, Required),
            field("target", Text, Optional),
            field("doorRequired", Flag, DefaultFalse),
        ],
    },
    Specified {
        kind: "door.request",
        sent: true,
        fields: &[
            field("doorId", Text, Required),
            field("agentId", Text, Required),
            field("action", Text, Required),
            field("target", Text, Optional),
            field("summary", Text, Optional),
        ],
    },
    Specified {
        kind: "door.resolve",
        sent: true,
        fields: &[
            field("doorId", Text, Required),
            field("decision", Word(&["approve", "deny"]), Required),
            field("by", Text, Optional),
        ],
    },
    Specified {
        kind: "agent.message",
        sent: false,
        fields: &[
            field("fromAgentId", Text, Required),
            field("toAgentId", Text, Required),
            field("text", Text, Required),
            field("ts", Time, Optional),
        ],
    },
    Specified {
        kind: "world.touch",
        sent: true,
        fields: &[
            field("agentId", Text, Required),
            field("nodeId", Text, Required),
            field("kind", SERVICE_OR_EVENT, Default("service")),
            field("weight", Share, DefaultOne),
        ],
    },
    Specified {
        kind: "node.activity",
        sent: true,
        fields: &[
            field("nodeId", Text, Required),
            field("label", Text, Optional),
            field("kind", SERVICE_OR_EVENT, Optional),
            field("heat", Share, Optional),
        ],
    },
    Specified {
        kind: "topology.update",
        sent: true,
        fields: &[
            field("formation", Word(&["hierarchy", "flat", "live"]), Required),
            field(
                "nodes",
                List(&[
                    field("id", Text, Required),
                    field(
                        "tier",
                        Word(&["org", "company", "team", "agent", "service", "event"]),
                        Required,
                    ),
                    field("label", Text, Optional),
                    field("parentId", Text, Optional),
                ]),
                Optional,
            ),
            field(
                "edges",
                List(&[
                    field("from", Text, Required),
                    field("to", Text, Required),
                    field("kind", Word(&["parent", "peer", "flow"]), Default("parent")),
                ]),
                Optional,
            ),
        ],
    },
    Specified {
        kind: "telemetry",
        sent: true,
        fields: &[
            field("tokensPerMin", Number, Optional),
            field("costPerHr", Number, Optional),
            field("loops", Whole, Optional),
            field("doorsPending", Whole, Optional),
        ],
    },
    Specified {
        kind: "routine.update",
        sent: true,
        fields: &[
            field("routineId", Text, Required),
            field("name", Text, Required),
            field("kind", Word(&["cron", "loop"]), Required),
            field("owner", Text, Optional),
            field("schedule", Text, Optional),
            field("progress", Share, Optional),
            field(
                "state",
                Word(&["running", "scheduled", "done", "failed", "door"]),
                Optional,
            ),
        ],
    },
];

/// The specified type of this name.
pub fn specified(kind: &str) -> Option<&'static Specified> {
    EVENTS.iter().find(|event| event.kind == kind)
}

/// Checks the data of an event that was received. Types of Roost's own are not checked.
///
/// # Errors
/// The difference between the data and the specification.
pub fn check(kind: &str, data: &Value) -> Result<(), String> {
    specified(kind).map_or(Ok(()), |event| check_object(event.fields, data, kind))
}

fn check_object(fields: &[Field], data: &Value, at: &str) -> Result<(), String> {
    let object = data.as_object().ok_or(format!("{at} is not an object"))?;
    if let Some(extra) = object
        .keys()
        .find(|key| !fields.iter().any(|field| field.name == key.as_str()))
    {
        return Err(format!("{at}.{extra} is not specified"));
    }
    for field in fields {
        let at = format!("{at}.{}", field.name);
        match object.get(field.name) {
            None if field.need.is_required() => return Err(format!("{at} is missing")),
            None => {}
            Some(value) => check_value(field.holds, value, &at)?,
        }
    }
    Ok(())
}

fn check_value(holds: Holds, value: &Value, at: &str) -> Result<(), String> {
    let fits = match holds {
        Text => value.is_string(),
        Whole => value.is_u64(),
        Number => value.is_number(),
        Share => value
            .as_f64()
            .is_some_and(|share| (0.0..=1.0).contains(&share)),
        Flag => value.is_boolean(),
        Time => value
            .as_str()
            .is_some_and(|time| chrono::DateTime::parse_from_rfc3339(time).is_ok()),
        Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        List(fields) => {
            let items = value.as_array().ok_or(format!("{at} is not a list"))?;
            for item in items {
                check_object(fields, item, at)?;
            }
            true
        }
    };
    if fits {
        Ok(())
    } else {
        Err(format!("{at} is {value}, which is not {holds:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_differs_from_the_specification_is_refused() {
        let touch = |data: Value| check("world.touch", &data);
        touch(json!({ "agentId": "a", "nodeId": "n" })).unwrap();
        touch(json!({ "agentId": "a", "nodeId": "n", "kind": "event", "weight": 0.5 })).unwrap();
        for (wrong, why) in [
            (json!({ "agentId": "a" }), "world.touch.nodeId is missing"),
            (
                json!({ "agentId": "a", "nodeId": "n", "size": 1 }),
                "world.touch.size is not specified",
            ),
            (
                json!({ "agentId": "a", "nodeId": "n", "weight": 2 }),
                "world.touch.weight is 2",
            ),
            (
                json!({ "agentId": "a", "nodeId": "n", "kind": "ghost" }),
                "world.touch.kind is \"ghost\"",
            ),
            (json!([]), "world.touch is not an object"),
        ] {
            let refused = touch(wrong).unwrap_err();
            assert!(refused.starts_with(why), "{refused}");
        }
        let edge = json!({ "formation": "flat", "edges": [{ "from": "a" }] });
        let refused = check("topology.update", &edge).unwrap_err();
        assert_eq!(refused, "topology.update.edges.to is missing");
        check("resource.changed", &json!({})).unwrap();
    }
}
