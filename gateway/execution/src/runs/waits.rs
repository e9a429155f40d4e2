//! What a step waits for. Pure code.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_platform::ids::{DoorId, NodeId, RunId};

/// The word of [`WaitOn::Child`] in the database.
pub(super) const CHILD: &str = "child";

/// What a step waits for. Whatever it is wakes the step in its own transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = RunWaitsFor)]
pub enum WaitOn {
    /// A person decides on a door, and the gateway performs it.
    Door { door: DoorId },
    /// A machine is away or draining.
    Machine { machine: NodeId },
    /// A run that the step started has to end.
    Child { run: RunId },
    /// A person has to resume the step's own run.
    Pause { run: RunId },
}

impl WaitOn {
    /// The word in the database.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Door { .. } => "door",
            Self::Machine { .. } => "machine",
            Self::Child { .. } => CHILD,
            Self::Pause { .. } => "pause",
        }
    }

    /// Whether something is missing that people may have to bring. A child is at work, and a person chose the pause.
    pub const fn is_absence(self) -> bool {
        !matches!(self, Self::Child { .. } | Self::Pause { .. })
    }

    /// The id in the database.
    pub fn subject(self) -> String {
        match self {
            Self::Door { door } => door.to_string(),
            Self::Machine { machine } => machine.to_string(),
            Self::Child { run } | Self::Pause { run } => run.to_string(),
        }
    }

    /// Parses the columns of the database.
    pub fn parse(kind: &str, subject: &str) -> Option<Self> {
        match kind {
            "door" => Some(Self::Door {
                door: subject.parse().ok()?,
            }),
            "machine" => Some(Self::Machine {
                machine: subject.parse().ok()?,
            }),
            CHILD => Some(Self::Child {
                run: subject.parse().ok()?,
            }),
            "pause" => Some(Self::Pause {
                run: subject.parse().ok()?,
            }),
            _ => None,
        }
    }
}

/// Why a whole run waits, in the column `waiting_on` of its state. The column is empty while the run works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    pub on: WaitOn,
    /// For people.
    pub text: String,
    /// Since when, by the database's clock.
    pub since_ms: i64,
}

impl Waiting {
    /// Reads the column.
    pub fn read(column: Option<&str>) -> Option<Self> {
        serde_json::from_str(column?).ok()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_a_step_waits_for_is_read_back_from_its_columns() {
        let id = Uuid::from_u128(7);
        for on in [
            WaitOn::Door { door: DoorId(id) },
            WaitOn::Machine {
                machine: NodeId(id),
            },
            WaitOn::Child { run: RunId(id) },
            WaitOn::Pause { run: RunId(id) },
        ] {
            assert_eq!(WaitOn::parse(on.kind(), &on.subject()), Some(on));
            let waiting = Waiting {
                on,
                text: "it waits".to_owned(),
                since_ms: 9,
            };
            let column = serde_json::to_string(&waiting).unwrap();
            assert_eq!(Waiting::read(Some(&column)), Some(waiting));
        }
        assert_eq!(WaitOn::parse("magic", &id.to_string()), None);
        assert_eq!(WaitOn::parse("door", "not an id"), None);
    }
}
