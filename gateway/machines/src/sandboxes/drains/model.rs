//! Pure rules of draining: what follows for a sandbox, and when a machine is empty.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::sandboxes::model::State;

/// The first and the longest wait after a failure.
const FIRST_WAIT_S: i64 = 5;
const LONGEST_WAIT_S: i64 = 300;

/// What a drain has done for a sandbox: the column `drain`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// The turn of the wish.
    pub turn: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<Saved>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failed>,
}

/// The snapshot that was taken for the drain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    pub digest: String,
    /// Before it was requested.
    pub at: DateTime<Utc>,
}

/// The last attempt, which failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    pub why: String,
    pub tries: u32,
    pub again_at: DateTime<Utc>,
}

impl Notes {
    /// Reads the column. Notes of another wish do not count.
    pub fn of(column: Option<&serde_json::Value>, turn: i64) -> Self {
        column
            .and_then(|column| serde_json::from_value::<Self>(column.clone()).ok())
            .filter(|notes| notes.turn == turn)
            .unwrap_or(Self {
                turn,
                ..Self::default()
            })
    }

    /// A snapshot was taken.
    pub fn saved(self, digest: String, at: DateTime<Utc>) -> Self {
        Self {
            saved: Some(Saved { digest, at }),
            failed: None,
            ..self
        }
    }

    /// An attempt failed. The waits between attempts double.
    pub fn failed(self, why: String, now: DateTime<Utc>) -> Self {
        let tries = self.failed.as_ref().map_or(0, |failed| failed.tries);
        let wait = FIRST_WAIT_S
            .saturating_mul(1_i64.checked_shl(tries).unwrap_or(i64::MAX))
            .clamp(FIRST_WAIT_S, LONGEST_WAIT_S);
        Self {
            failed: Some(Failed {
                why,
                tries: tries.saturating_add(1),
                again_at: now + TimeDelta::seconds(wait),
            }),
            ..self
        }
    }
}

/// A sandbox on a draining machine, as the rows show it.
#[derive(Debug, Clone)]
pub struct Facts {
    pub state: State,
    /// A command runs in it.
    pub busy: bool,
    /// A command ended in it after its snapshot was requested.
    pub used: bool,
    /// The gateway's store has the snapshot of the notes.
    pub uploaded: bool,
    /// The setting of the workspace keeps its files on their machines.
    pub stays: bool,
    pub notes: Notes,
}

/// What a sandbox waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = DrainWait)]
pub enum WaitsFor {
    /// It is being made.
    Start,
    /// A command runs in it.
    Command,
    /// Its files are being saved on the machine.
    Snapshot,
    /// Saving failed; the gateway tries again.
    NextTry,
    /// The machine sends its files to the gateway.
    Upload,
    /// A setting of the workspace keeps its files on this machine.
    Setting,
    /// The machine removes it.
    End,
}

impl WaitsFor {
    /// For people.
    pub fn explain(self, notes: &Notes) -> String {
        let why = notes.failed.as_ref().map(|failed| failed.why.as_str());
        match self {
            Self::Start => "It is being made. It moves after that.".to_owned(),
            Self::Command => {
                "A command runs in it. It moves when the command has ended.".to_owned()
            }
            Self::Snapshot => "The machine saves its files.".to_owned(),
            Self::NextTry => format!(
                "Its files could not be saved: {}. The sandbox stays, and the gateway tries again.",
                why.unwrap_or("the reason is not known")
                    .trim_end_matches('.')
            ),
            Self::Upload => {
                "Its files are saved. The machine sends them to the gateway.".to_owned()
            }
            Self::Setting => "The files of this workspace stay on their machines, as its settings say, so the sandbox stays too. Let machines send files to the gateway, or end the sandbox.".to_owned(),
            Self::End => "The gateway has its files. The machine removes it.".to_owned(),
        }
    }
}

/// What follows for a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Wait(WaitsFor),
    /// The machine is asked for a snapshot.
    Save,
    /// The machine is asked to end it.
    End,
    /// It stays there.
    Stay,
}

impl Next {
    /// What the sandbox waits for; `None`: for nothing.
    pub fn waits_for(self) -> Option<WaitsFor> {
        match self {
            Self::Wait(wait) => Some(wait),
            Self::Save => Some(WaitsFor::Snapshot),
            Self::End => Some(WaitsFor::End),
            Self::Stay => None,
        }
    }
}

/// Decides about a sandbox. `moves`: the sandboxes of the machine move elsewhere.
pub fn next(sandbox: &Facts, moves: bool, now: DateTime<Utc>) -> Next {
    match sandbox.state {
        State::Provisioning => return Next::Wait(WaitsFor::Start),
        State::Destroying => return Next::Wait(WaitsFor::End),
        State::Running => {}
        // Nothing of it runs.
        State::Stopped | State::Lost | State::Failed | State::Destroyed => return Next::Stay,
    }
    if moves && sandbox.busy {
        return Next::Wait(WaitsFor::Command);
    }
    let is_saved = match moves {
        true => sandbox.notes.saved.is_some() && !sandbox.used,
        false => sandbox.notes.saved.is_some(),
    };
    if !is_saved {
        let failed = sandbox.notes.failed.as_ref();
        return match failed.is_some_and(|failed| now < failed.again_at) {
            true => Next::Wait(WaitsFor::NextTry),
            false => Next::Save,
        };
    }
    match (moves, sandbox.uploaded) {
        (false, _) => Next::Stay,
        (true, false) if sandbox.stays => Next::Wait(WaitsFor::Setting),
        (true, false) => Next::Wait(WaitsFor::Upload),
        (true, true) => Next::End,
    }
}

/// What is left on a machine whose sandboxes move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Sandboxes that are, or should be, there.
    pub sandboxes: usize,
    /// Agents whose newest files are only there.
    pub unsaved: usize,
    /// The setting of the workspace keeps files on their machines.
    pub stays: bool,
    /// The machine itself reports that it has no sandbox.
    pub drained: bool,
    /// The machine is connected.
    pub connected: bool,
}

impl Left {
    /// Whether nothing that is needed is on the machine.
    pub fn is_nothing(self) -> bool {
        self.sandboxes == 0 && self.unsaved == 0 && self.drained
    }

    /// One sentence for people.
    pub fn explain(self) -> String {
        let counted = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let mut text = match (self.sandboxes, self.unsaved) {
            (0, 0) if self.drained => "Nothing that is needed is left.".to_owned(),
            (0, 0) => "No sandbox is left. The machine has not confirmed it yet.".to_owned(),
            (0, unsaved) if self.stays => format!(
                "No sandbox is left. The newest files of {} stay on the machine, as the settings of the workspace say.",
                counted(unsaved, "agent", "agents")
            ),
            (0, unsaved) => format!(
                "No sandbox is left. The machine still has to send the newest files of {} to the gateway.",
                counted(unsaved, "agent", "agents")
            ),
            (sandboxes, _) => format!("{} left.", counted(sandboxes, "sandbox", "sandboxes")),
        };
        if !self.connected {
            text.push_str(" The machine is not connected. It goes on when the machine is back.");
        }
        text
    }
}
