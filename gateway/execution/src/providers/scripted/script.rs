//! The file format of the scripted model. It has scenes, one for each role, and each scene is a list of turns in
//! order. A turn with a condition is skipped unless the last results match it.
//!
//! ```toml
//! [[scene]]
//! slot = "tester"                 # the role's slot; absent: any
//! purpose = "work"                # work, plan, gate, merge, report; absent: any
//!   [[scene.turn]]
//!   say = "I run the tests."
//!   calls = [{ tool = "shell", arguments = { command = "cargo test 2>&1; echo status=$?" } }]
//!   [[scene.turn]]
//!   when = 'status=0'             # a regular expression over the results of the turn before
//!   say = "TEST_PASS: INT-01"
//!   [[scene.turn]]
//!   when = 'status=(?<code>\d+)'  # texts and tool arguments can use its named groups as ${code}
//!   say = "It failed with ${code}."
//! ```
//! A scene with `prompt = 'demo/tally'` is used only where the prompt matches this regular expression. The first scene that fits
//! is used. `unless` is the opposite of `when`. A turn with `offered = "door.ask"` is skipped where that tool is not offered. The conversation ends with a turn without calls. A skipped turn is never used
//! later.
//!
//! `window = 9000` before the scenes sets the number of tokens that the model takes in at once. When a conversation exceeds
//! it, the model summarises: with the first turn of a scene with `purpose = "summary"`, and with a bookmark, from which the
//! script continues when the summary has replaced the conversation.
//!
//! A scene with `purpose = "level_up"` answers when an agent or a team is to be improved. Without one, the answer is made
//! from the facts in the question (`level_up.rs`).

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Conversation, Line};

/// The scenes of a mission come first, because they fit their own repository only.
const DEMONSTRATION: &str = concat!(
    include_str!("mission.toml"),
    include_str!("demonstration.toml")
);

/// A parsed and checked script.
#[derive(Debug)]
pub struct Script {
    /// The number of tokens that the model takes in at once.
    pub window: u32,
    scenes: Vec<Scene>,
}

/// The window of a script that names none.
const WINDOW: u32 = 200_000;
/// Before a bookmark in a summary. After it follows the place as JSON, on the same line.
const BOOKMARK: &str = "bookmark of the script: ";

/// Where a script stands in a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Place {
    /// The turn to say next. Absent when the script knows none.
    turn: Option<usize>,
    /// The values of named groups.
    known: BTreeMap<String, String>,
}

/// Why a script is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read the script {path}")]
    Read {
        path: String,
        source: std::io::Error,
    },
    #[error("the script does not have the documented form")]
    Form(#[from] toml::de::Error),
    #[error("in scene {scene}, turn {turn}: the condition is not a regular expression")]
    Condition {
        scene: usize,
        turn: usize,
        source: Box<regex::Error>,
    },
    #[error("in scene {scene}: the condition on the prompt is not a regular expression")]
    Prompt {
        scene: usize,
        source: Box<regex::Error>,
    },
    #[error("scene {0} has no turn; add one")]
    Empty(usize),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    window: Option<u32>,
    scene: Vec<WrittenScene>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenScene {
    slot: Option<String>,
    purpose: Option<String>,
    prompt: Option<String>,
    turn: Vec<WrittenTurn>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTurn {
    when: Option<String>,
    unless: Option<String>,
    offered: Option<String>,
    think: Option<String>,
    say: String,
    #[serde(default)]
    calls: Vec<WrittenCall>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    tool: String,
    arguments: Value,
}

#[derive(Debug)]
struct Scene {
    slot: Option<String>,
    purpose: Option<String>,
    prompt: Option<Regex>,
    turns: Vec<Turn>,
}

#[derive(Debug)]
struct Turn {
    when: Option<Regex>,
    unless: Option<Regex>,
    /// The name of a tool, as models see it.
    offered: Option<String>,
    think: Option<String>,
    say: String,
    calls: Vec<WrittenCall>,
}

impl Script {
    /// The script that comes with Roost.
    ///
    /// # Panics
    /// Never: a test parses it.
    pub fn demonstration() -> Self {
        Self::parse(DEMONSTRATION).expect("the script that comes with Roost is read in a test")
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// [`ScriptError`].
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScriptError::Read {
            path: path.display().to_string(),
            source,
        })?;
        Self::parse(&text)
    }

    /// Parses a script.
    ///
    /// # Errors
    /// [`ScriptError`].
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let written: Written = toml::from_str(text)?;
        let mut scenes = Vec::with_capacity(written.scene.len());
        for (number, scene) in written.scene.into_iter().enumerate() {
            if scene.turn.is_empty() {
                return Err(ScriptError::Empty(number + 1));
            }
            let prompt = scene.prompt.as_deref().map(Regex::new).transpose();
            let prompt = prompt.map_err(|source| ScriptError::Prompt {
                scene: number + 1,
                source: Box::new(source),
            })?;
            let mut turns = Vec::with_capacity(scene.turn.len());
            for (place, turn) in scene.turn.into_iter().enumerate() {
                let condition = |text: Option<String>| {
                    let read = text.as_deref().map(Regex::new).transpose();
                    read.map_err(|source| ScriptError::Condition {
                        scene: number + 1,
                        turn: place + 1,
                        source: Box::new(source),
                    })
                };
                turns.push(Turn {
                    when: condition(turn.when)?,
                    unless: condition(turn.unless)?,
                    offered: turn.offered.map(|tool| tool.replace('.', "_")),
                    think: turn.think,
                    say: turn.say,
                    calls: turn.calls,
                });
            }
            scenes.push(Scene {
                slot: scene.slot,
                purpose: scene.purpose,
                prompt,
                turns,
            });
        }
        Ok(Self {
            window: written.window.unwrap_or(WINDOW),
            scenes,
        })
    }

    /// The next answer in this conversation. The position in the script follows from the conversation alone.
    pub(super) fn line(&self, slot: &str, purpose: &str, conversation: &Conversation) -> Line {
        let Some(scene) = self.scene(slot, purpose, conversation) else {
            return spoken_out(&format!("The script has no scene for the role `{slot}`."));
        };
        let Place { turn, known } = scene.place(conversation);
        match turn.and_then(|turn| scene.turns.get(turn)) {
            Some(turn) => Line {
                think: turn.think.as_deref().map(|text| filled(text, &known)),
                say: filled(&turn.say, &known),
                calls: turn
                    .calls
                    .iter()
                    .map(|call| (call.tool.clone(), filled_in(&call.arguments, &known)))
                    .collect(),
            },
            None => spoken_out("The script does not know what to say to what came back."),
        }
    }

    /// The summary of a conversation: what the script's scene for summaries says, and a bookmark.
    pub(super) fn summary(&self, slot: &str, purpose: &str, conversation: &Conversation) -> String {
        let place = self
            .scene(slot, purpose, conversation)
            .map(|scene| scene.place(conversation));
        let of_summary = |scene: &&Scene| {
            scene.purpose.as_deref() == Some(SUMMARY)
                && scene.slot.as_deref().is_none_or(|wanted| wanted == slot)
                && scene.is_for(&conversation.prompt)
        };
        let said = match self.scenes.iter().find(of_summary) {
            Some(scene) => scene.turns[0].say.as_str(),
            None => "What was done so far is in the results that are named below.",
        };
        let place = serde_json::json!(place.unwrap_or_default());
        format!("{said}\n{BOOKMARK}{place}")
    }

    /// The answer of the script's scene for level-ups. `None` when it has no such scene.
    pub(super) fn level_up(&self, conversation: &Conversation) -> Option<String> {
        let of_level_ups = |scene: &&Scene| {
            scene.purpose.as_deref() == Some(LEVEL_UP) && scene.is_for(&conversation.prompt)
        };
        let scene = self.scenes.iter().find(of_level_ups)?;
        let Place { turn, known } = scene.place(conversation);
        let turn = turn.and_then(|turn| scene.turns.get(turn))?;
        Some(filled(&turn.say, &known))
    }

    fn scene(&self, slot: &str, purpose: &str, conversation: &Conversation) -> Option<&Scene> {
        let fits = |scene: &&Scene| {
            scene.slot.as_deref().is_none_or(|wanted| wanted == slot)
                && scene
                    .purpose
                    .as_deref()
                    .is_none_or(|wanted| wanted == purpose)
                && scene.is_for(&conversation.prompt)
        };
        self.scenes.iter().find(fits)
    }
}

/// The purpose of a scene that says what the model summarises.
const SUMMARY: &str = "summary";
/// The purpose of a scene that answers when an agent or a team is to be improved.
const LEVEL_UP: &str = "level_up";

/// The last bookmark in a prompt.
fn bookmark(prompt: &str) -> Option<Place> {
    let (_, after) = prompt.rsplit_once(BOOKMARK)?;
    serde_json::from_str(after.lines().next()?).ok()
}

impl Scene {
    fn is_for(&self, prompt: &str) -> bool {
        let condition = self.prompt.as_ref();
        condition.is_none_or(|condition| condition.is_match(prompt))
    }

    /// The place in this conversation. It follows from the conversation alone.
    fn place(&self, conversation: &Conversation) -> Place {
        let Place {
            mut turn,
            mut known,
        } = bookmark(&conversation.prompt).unwrap_or_else(|| {
            let mut known = BTreeMap::new();
            let turn = self.next(0, conversation, &conversation.prompt, &mut known);
            Place { turn, known }
        });
        for result in &conversation.results {
            turn = turn.and_then(|turn| self.next(turn + 1, conversation, result, &mut known));
        }
        Place { turn, known }
    }

    /// The first turn from `from` on whose condition matches. The values of its named groups are kept.
    fn next(
        &self,
        from: usize,
        conversation: &Conversation,
        came_back: &str,
        known: &mut BTreeMap<String, String>,
    ) -> Option<usize> {
        let later = self.turns.iter().enumerate().skip(from);
        for (place, turn) in later {
            if turn
                .unless
                .as_ref()
                .is_some_and(|unless| unless.is_match(came_back))
            {
                continue;
            }
            let is_offered = |tool: &String| conversation.tools.contains(tool);
            if !turn.offered.as_ref().is_none_or(is_offered) {
                continue;
            }
            let Some(when) = &turn.when else {
                return Some(place);
            };
            if let Some(found) = when.captures(came_back) {
                for name in when.capture_names().flatten() {
                    if let Some(text) = found.name(name) {
                        known.insert(name.to_owned(), text.as_str().to_owned());
                    }
                }
                return Some(place);
            }
        }
        None
    }
}

fn spoken_out(why: &str) -> Line {
    Line {
        think: None,
        say: format!(
            "{why} A model would go on here; bind one to this agent, or extend the script."
        ),
        calls: Vec::new(),
    }
}

/// Replaces `${name}` by the value of that name. An unknown name stays.
fn filled(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut filled = text.to_owned();
    for (name, value) in known {
        filled = filled.replace(&format!("${{{name}}}"), value);
    }
    filled
}

fn filled_in(value: &Value, known: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => Value::String(filled(text, known)),
        Value::Array(items) => items.iter().map(|item| filled_in(item, known)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), filled_in(value, known)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
