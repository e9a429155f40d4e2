//! A conversation with a model, and its answer. Messages are stored as JSON, so these names are part of the stored
//! format.

use serde::{Deserialize, Serialize};

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The provider's name for the model.
    pub model: String,
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSpec>,
    pub max_tokens: u32,
    /// The role's slot. The scripted model selects its scene by it.
    pub slot: Option<String>,
    pub purpose: Purpose,
    /// The run and step of the call, for the broker's audit log.
    pub step: String,
}

/// What the answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// The next turn of the conversation.
    #[default]
    Turn,
    /// A summary that replaces the conversation.
    Summary,
    /// Proposals that improve an agent or a team, as JSON.
    LevelUp,
    /// Some sentences about a phase of a mission that ended.
    Narrative,
}

impl Request {
    /// The size of the model's input, in bytes.
    pub fn bytes(&self) -> usize {
        let messages = serde_json::to_string(&self.messages).map_or(0, |text| text.len());
        let tools = serde_json::to_string(&self.tools).map_or(0, |text| text.len());
        self.system.len() + messages + tools
    }
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// A JSON Schema of the arguments.
    pub schema: serde_json::Value,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "role", content = "content")]
pub enum Message {
    User(String),
    Assistant {
        text: String,
        calls: Vec<Call>,
    },
    /// The result of a tool.
    Tool {
        /// The call's id.
        call: String,
        name: String,
        text: String,
        is_error: bool,
    },
}

/// A tool call of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// From the provider, or from Roost when the provider gives none. Unique within the reply.
    pub id: String,
    pub name: String,
    /// An object, unless `malformed` is set.
    pub arguments: serde_json::Value,
    /// The model's text when it is not a JSON object. `arguments` is empty then, and the call cannot be executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
    /// The provider's opaque data, which goes back with the call unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<String>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Think(String),
    Say(String),
    /// A part of a tool call: first its name, then its arguments.
    Tool(String),
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    pub calls: Vec<Call>,
    pub usage: Usage,
    /// Millionths of a dollar. Absent when the price is not known.
    pub cost_microusd: Option<u64>,
    pub stop: Stop,
}

/// Token counts of the provider. Zero when the provider does not report them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens of the request, with those from a cache.
    pub input: u64,
    pub output: u64,
    /// The part of `input` that came from the provider's cache.
    pub cached: u64,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The answer is complete.
    End,
    /// The model waits for tool results.
    Tools,
    /// `max_tokens` was reached.
    Length,
    /// The provider refused to continue.
    Filtered,
}
