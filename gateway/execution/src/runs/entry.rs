//! The entries of a journal, typed. This is the only place that reads or writes their stored form.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::call;
use super::fence::Used;
use super::model::Status;
use crate::providers::{Call, Stop};
use crate::topology::Checked;
use roost_platform::ids::{DoorId, RunId, RunMessageId};

/// What happened at one place of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// The model answered.
    Model(Turn),
    /// A tool returned.
    Tool(Answer),
    /// A check of the step's work was made.
    Check(CheckMade),
    /// A command that Roost ran itself has ended.
    Command(CommandMade),
    /// A run that the step started has ended.
    Child(ChildEnd),
    /// An action outside Roost, which a person decided on.
    Door(DoorAnswer),
    /// Something that the runtime noted for itself.
    Note(Note),
}

/// The kind of a journal entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CallKind)]
pub enum EntryKind {
    /// A model's answer.
    Model,
    /// A tool's result.
    Tool,
    /// A check of the step's work.
    Check,
    /// A command that Roost ran itself.
    Command,
    /// The end of a run that the step started.
    Child,
    /// The end of an action outside Roost, which a person decided on.
    Door,
    /// A note of the runtime.
    Note,
}

impl EntryKind {
    /// The word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Check => "check",
            Self::Command => "command",
            Self::Child => "child",
            Self::Door => "door",
            Self::Note => "note",
        }
    }

    /// Parses the word of the database.
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Model,
            Self::Tool,
            Self::Check,
            Self::Command,
            Self::Child,
            Self::Door,
            Self::Note,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == word)
    }
}

/// A model's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub text: String,
    /// What the model thought before, as far as its provider shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
    #[serde(default)]
    pub calls: Vec<Call>,
    pub stop: Stop,
}

/// A tool's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The id of the call.
    pub call: String,
    pub arguments: serde_json::Value,
    pub text: String,
    pub is_error: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub cut: bool,
}

/// A check of the step's work, and what its command wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckMade {
    #[serde(flatten)]
    pub check: Checked,
    pub text: String,
    #[serde(default)]
    pub cut: bool,
}

/// A command of a step without an agent, and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandMade {
    /// Its place among the node's commands, from 0.
    pub place: u32,
    /// What it does, for people.
    pub what: String,
    /// Absent when it did not run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub text: String,
    #[serde(default)]
    pub cut: bool,
}

/// The end of a run that the step started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildEnd {
    pub run: RunId,
    pub status: Status,
}

/// The end of a door. The conversation continues with `answer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoorAnswer {
    pub door: DoorId,
    #[serde(flatten)]
    pub answer: Answer,
}

/// A note of the runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub text: String,
    /// Set when the conversation was compacted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
    /// Set when a person said it to the run while the step worked. Then the agent hears it before its next turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Said>,
}

/// Who said a message to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub id: RunMessageId,
    /// The name of the person at that time.
    pub by: String,
}

/// A conversation that outgrew its model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// The note's text replaces the turns before this place of the journal.
    pub before: u32,
    /// False when the model gave no summary. Then the note replaces nothing.
    pub summarised: bool,
}

impl Entry {
    /// The kind.
    pub fn kind(&self) -> EntryKind {
        match self {
            Self::Model(_) => EntryKind::Model,
            Self::Tool(_) => EntryKind::Tool,
            Self::Check(_) => EntryKind::Check,
            Self::Command(_) => EntryKind::Command,
            Self::Child(_) => EntryKind::Child,
            Self::Door(_) => EntryKind::Door,
            Self::Note(_) => EntryKind::Note,
        }
    }

    /// Whether it records a failure.
    pub fn failed(&self) -> bool {
        match self {
            Self::Tool(answer) | Self::Door(DoorAnswer { answer, .. }) => answer.is_error,
            Self::Check(made) => !made.check.passed(),
            Self::Command(made) => made.exit_code != Some(0),
            Self::Child(end) => end.status != Status::Completed,
            Self::Model(_) | Self::Note(_) => false,
        }
    }

    /// The stored and displayed form.
    pub fn to_json(&self) -> serde_json::Value {
        let json = match self {
            Self::Model(turn) => serde_json::to_value(turn),
            Self::Tool(answer) => serde_json::to_value(answer),
            Self::Check(made) => serde_json::to_value(made),
            Self::Command(made) => serde_json::to_value(made),
            Self::Child(end) => serde_json::to_value(end),
            Self::Door(answer) => serde_json::to_value(answer),
            Self::Note(note) => serde_json::to_value(note),
        };
        json.expect("texts, numbers and JSON encode")
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub fn parse(row: &call::Model) -> Result<Self, Unreadable> {
        let unreadable = |why: String| Unreadable { at: row.idx, why };
        let kind = EntryKind::parse(&row.kind)
            .ok_or_else(|| unreadable(format!("its kind is {}", row.kind)))?;
        Self::read(kind, &row.content).map_err(|error| unreadable(error.to_string()))
    }

    /// Reads the stored form of an entry of this kind.
    ///
    /// # Errors
    /// When this version of the gateway did not write it.
    pub(super) fn read(kind: EntryKind, json: &str) -> serde_json::Result<Self> {
        match kind {
            EntryKind::Model => serde_json::from_str(json).map(Self::Model),
            EntryKind::Tool => serde_json::from_str(json).map(Self::Tool),
            EntryKind::Check => serde_json::from_str(json).map(Self::Check),
            EntryKind::Command => serde_json::from_str(json).map(Self::Command),
            EntryKind::Child => serde_json::from_str(json).map(Self::Child),
            EntryKind::Door => serde_json::from_str(json).map(Self::Door),
            EntryKind::Note => serde_json::from_str(json).map(Self::Note),
        }
    }
}

/// The journal contains an entry that this version of the gateway did not write.
#[derive(Debug, thiserror::Error)]
#[error("the journal of the step cannot be read at entry {at}: {why}")]
pub struct Unreadable {
    pub at: i32,
    pub why: String,
}

/// An entry to write.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// The place in the step, counted from 0.
    pub index: u32,
    /// The name of the model, the tool or the run.
    pub name: String,
    pub entry: Entry,
    pub took_ms: i64,
    pub used: Used,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(kind: &str, content: &str) -> call::Model {
        call::Model {
            run_id: RunId(uuid::Uuid::nil()),
            step_key: "coder".to_owned(),
            lap: 1,
            shard: 0,
            idx: 4,
            kind: kind.to_owned(),
            name: String::new(),
            content: content.to_owned(),
            failed: false,
            started_ms: 0,
            ended_ms: 0,
            tokens_in: 0,
            tokens_out: 0,
            cost_microusd: 0,
        }
    }

    fn answer() -> Answer {
        Answer {
            call: "1".to_owned(),
            arguments: json!({ "command": "true" }),
            text: "done".to_owned(),
            is_error: false,
            exit_code: Some(0),
            cut: false,
        }
    }

    #[test]
    fn entry_of_each_kind_is_read_back_as_it_was_written() {
        let all = [
            Entry::Model(Turn {
                text: "so".to_owned(),
                thought: Some("why not".to_owned()),
                calls: Vec::new(),
                stop: Stop::End,
            }),
            Entry::Tool(answer()),
            Entry::Check(CheckMade {
                check: Checked {
                    command: "cargo test".to_owned(),
                    exit_code: Some(101),
                },
                text: "test failed".to_owned(),
                cut: false,
            }),
            Entry::Command(CommandMade {
                place: 2,
                what: "Benchmark before, 1 of 6".to_owned(),
                exit_code: None,
                text: "sum: 12 ns".to_owned(),
                cut: false,
            }),
            Entry::Child(ChildEnd {
                run: RunId(uuid::Uuid::nil()),
                status: Status::Failed,
            }),
            Entry::Door(DoorAnswer {
                door: DoorId(uuid::Uuid::nil()),
                answer: answer(),
            }),
            Entry::Note(Note {
                text: "a note".to_owned(),
                compaction: Some(Compaction {
                    before: 7,
                    summarised: true,
                }),
                message: None,
            }),
            Entry::Note(Note {
                text: "use tabs".to_owned(),
                compaction: None,
                message: Some(Said {
                    id: RunMessageId(uuid::Uuid::nil()),
                    by: "Ada".to_owned(),
                }),
            }),
        ];
        for entry in all {
            let row = row(entry.kind().as_str(), &entry.to_json().to_string());
            assert_eq!(Entry::parse(&row).unwrap(), entry);
        }
    }

    /// Journals of earlier versions are read by later ones, so these texts never change.
    #[test]
    fn entries_of_earlier_versions_are_read() {
        let turn =
            r#"{"text":"a","calls":[{"id":"c","name":"shell","arguments":{}}],"stop":"tools"}"#;
        let Entry::Model(turn) = Entry::parse(&row("model", turn)).unwrap() else {
            panic!("it is a turn");
        };
        assert_eq!(
            (turn.calls[0].name.as_str(), turn.stop),
            ("shell", Stop::Tools)
        );
        let answer =
            r#"{"call":"c","arguments":{},"text":"b","is_error":true,"exit_code":3,"cut":false}"#;
        assert!(Entry::parse(&row("tool", answer)).unwrap().failed());
        let end = r#"{"run":"00000000-0000-0000-0000-000000000007","status":"completed"}"#;
        assert!(!Entry::parse(&row("child", end)).unwrap().failed());
    }

    #[test]
    fn unknown_entry_names_its_place() {
        for (kind, content) in [("magic", "{}"), ("model", "{}"), ("tool", "[")] {
            let error = Entry::parse(&row(kind, content)).unwrap_err();
            assert!(error.to_string().contains("at entry 4"), "{error}");
        }
    }
}
