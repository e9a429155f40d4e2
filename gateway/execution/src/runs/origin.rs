//! Where a run comes from: one closed type. It is on the run's row, and it decides what follows the run's end, which
//! lists show the run, and what its events belong to. Pure code.

use sea_orm::DbErr;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::model::words;
use crate::topology::StepRef;
use roost_platform::ids::{
    A2aTaskId, FiringId, MissionId, MissionPhaseId, RoomId, RoomMessageId, RoutineId, RunId,
};

/// Where a run comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = RunOrigin)]
pub enum Origin {
    /// A person gave work to a team.
    Team,
    /// A person gave work to a company.
    Company,
    /// A person gave work to an organisation.
    Org,
    /// A phase of a mission.
    MissionPhase {
        mission: MissionId,
        phase: MissionPhaseId,
        /// The mission works on one node only, so its steps wait for that node without a limit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
    },
    /// A routine that fired.
    Routine {
        routine: RoutineId,
        firing: FiringId,
    },
    /// A message in a room.
    Room {
        room: RoomId,
        message: RoomMessageId,
    },
    /// A person gave work to one agent.
    Chat,
    /// Another program gave a task through A2A.
    A2a { task: A2aTaskId },
    /// The planner drafts a team.
    Planner,
    /// A call inside a step of another run.
    Call(Caller),
    /// A person compares teams.
    Compare,
    /// A fork repeats another run from one of its steps.
    Fork { of: RunId },
}

/// The place of a call: the run, the step in it, and the call in the step.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = RunCaller)]
pub struct Caller {
    pub run: RunId,
    pub step: String,
    /// Counts from 1.
    pub lap: u32,
    /// Counts from 0.
    pub shard: u32,
    /// Counts from 0.
    pub call: u32,
}

impl Caller {
    /// The step's name in its run.
    pub fn step_name(&self) -> String {
        let step = StepRef {
            key: self.step.clone(),
            lap: self.lap,
            shard: self.shard,
        };
        step.to_string()
    }
}

words! {
    /// The word of an origin, for filters.
    OriginWord as RunOriginWord {
        Team = "team",
        Company = "company",
        Org = "org",
        MissionPhase = "mission_phase",
        Routine = "routine",
        Room = "room",
        Chat = "chat",
        A2a = "a2a",
        Planner = "planner",
        Call = "call",
        Compare = "compare",
        Fork = "fork",
    }
}

impl OriginWord {
    /// All words.
    pub const ALL: [Self; 12] = [
        Self::Team,
        Self::Company,
        Self::Org,
        Self::MissionPhase,
        Self::Routine,
        Self::Room,
        Self::Chat,
        Self::A2a,
        Self::Planner,
        Self::Call,
        Self::Compare,
        Self::Fork,
    ];

    /// Whether a list shows such runs without being asked for all. Others are shown where they belong: a call in its
    /// parent, a message's run in its room, a firing in its routine's journal.
    pub const fn is_listed(self) -> bool {
        match self {
            Self::Team
            | Self::Company
            | Self::Org
            | Self::MissionPhase
            | Self::Compare
            | Self::Fork => true,
            Self::Routine | Self::Room | Self::Chat | Self::A2a | Self::Planner | Self::Call => {
                false
            }
        }
    }
}

impl Origin {
    /// The run whose step started this one.
    pub fn caller(&self) -> Option<RunId> {
        match self {
            Self::Call(caller) => Some(caller.run),
            _ => None,
        }
    }

    /// The word of this origin.
    pub const fn word(&self) -> OriginWord {
        match self {
            Self::Team => OriginWord::Team,
            Self::Company => OriginWord::Company,
            Self::Org => OriginWord::Org,
            Self::MissionPhase { .. } => OriginWord::MissionPhase,
            Self::Routine { .. } => OriginWord::Routine,
            Self::Room { .. } => OriginWord::Room,
            Self::Chat => OriginWord::Chat,
            Self::A2a { .. } => OriginWord::A2a,
            Self::Planner => OriginWord::Planner,
            Self::Call(_) => OriginWord::Call,
            Self::Compare => OriginWord::Compare,
            Self::Fork { .. } => OriginWord::Fork,
        }
    }

    /// The references of this origin as JSON. `None` when it has none.
    pub fn references(&self) -> Option<String> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else {
            return None;
        };
        fields.remove("type");
        (!fields.is_empty()).then(|| Value::Object(fields).to_string())
    }

    /// Reads an origin from its word and its references.
    ///
    /// # Errors
    /// When the two do not fit together.
    pub fn read(word: &str, references: Option<&str>) -> Result<Self, DbErr> {
        let bad = |error: serde_json::Error| DbErr::Type(format!("the origin {word:?}: {error}"));
        let mut fields: Map<String, Value> = match references {
            Some(json) => serde_json::from_str(json).map_err(bad)?,
            None => Map::new(),
        };
        fields.insert("type".to_owned(), word.into());
        serde_json::from_value(Value::Object(fields)).map_err(bad)
    }

    /// The mission and phase that this origin names.
    pub const fn phase(&self) -> Option<(MissionId, MissionPhaseId)> {
        match self {
            Self::MissionPhase { mission, phase, .. } => Some((*mission, *phase)),
            _ => None,
        }
    }

    /// Whether a step of the run waits for its machine without a limit.
    pub const fn waits_for_its_machine(&self) -> bool {
        matches!(self, Self::MissionPhase { pinned: true, .. })
    }

    /// The room that this origin names.
    pub const fn room(&self) -> Option<RoomId> {
        match self {
            Self::Room { room, .. } => Some(*room),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn one_of_each() -> Vec<Origin> {
        let id = Uuid::from_u128;
        vec![
            Origin::Team,
            Origin::Company,
            Origin::Org,
            Origin::MissionPhase {
                mission: MissionId(id(1)),
                phase: MissionPhaseId(id(2)),
                pinned: true,
            },
            Origin::Routine {
                routine: RoutineId(id(3)),
                firing: FiringId(id(4)),
            },
            Origin::Room {
                room: RoomId(id(5)),
                message: RoomMessageId(id(6)),
            },
            Origin::Chat,
            Origin::A2a {
                task: A2aTaskId(id(7)),
            },
            Origin::Planner,
            Origin::Call(Caller {
                run: RunId(id(8)),
                step: "hub/plan".to_owned(),
                lap: 2,
                shard: 1,
                call: 3,
            }),
            Origin::Compare,
            Origin::Fork { of: RunId(id(9)) },
        ]
    }

    #[test]
    fn origins_read_back_what_they_store() {
        let origins = one_of_each();
        let words: Vec<OriginWord> = origins.iter().map(Origin::word).collect();
        assert_eq!(words, OriginWord::ALL);
        for origin in origins {
            let (word, references) = (origin.word().as_str(), origin.references());
            assert_eq!(OriginWord::parse(word), Some(origin.word()));
            let read = Origin::read(word, references.as_deref());
            assert_eq!(read.as_ref(), Ok(&origin), "{word} {references:?}");
            let json = serde_json::to_value(&origin).unwrap();
            assert_eq!(json["type"], word);
        }
        // Rows of a mission that is pinned to no node are as older gateways wrote them.
        let ids = r#"{"mission":"00000000-0000-0000-0000-000000000001","phase":"00000000-0000-0000-0000-000000000002"}"#;
        let free = Origin::read("mission_phase", Some(ids)).expect("an origin");
        assert!(!free.waits_for_its_machine());
        assert_eq!(free.references().as_deref(), Some(ids));
    }

    #[test]
    fn origin_with_missing_or_foreign_references_is_an_error() {
        for (word, references) in [
            ("call", None),
            ("fork", Some("{}")),
            ("nobody", None),
            ("mission_phase", Some(r#"{"mission":"x"}"#)),
            ("team", Some("no JSON")),
        ] {
            let error = Origin::read(word, references).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn lists_show_the_work_of_people_teams_and_missions() {
        let listed = OriginWord::ALL.into_iter().filter(|word| word.is_listed());
        let words: Vec<&str> = listed.map(OriginWord::as_str).collect();
        let work = ["team", "company", "org", "mission_phase", "compare", "fork"];
        assert_eq!(words, work);
    }
}
