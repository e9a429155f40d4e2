//! A conversation with a model, and its answer. Messages are checkpointed as JSON: names here are stored.

use serde::{Deserialize, Serialize};

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The provider's name for it.
    pub model: String,
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSpec>,
    pub max_tokens: u32,
    /// The role's slot; the scripted model goes by it.
    pub slot: Option<String>,
    /// Whose call it is, for the broker's audit log: run and step.
    pub step: String,
}

impl Request {
    /// Bytes of what the model reads.
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
    /// A JSON Schema of its arguments.
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
    /// What a tool answered.
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
    /// Given by the provider, or by us where it gives none; unique within the reply.
    pub id: String,
    pub name: String,
    /// An object, unless `malformed` says otherwise.
    pub arguments: serde_json::Value,
    /// What the model wrote instead of a JSON object; `arguments` is empty then, and the call cannot be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
    /// What the provider wants back with the call, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<String>,
}

/// A piece of an answer, as it comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Think(String),
    Say(String),
    /// Of a tool call: its name, then its arguments.
    Tool(String),
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    pub calls: Vec<Call>,
    pub usage: Usage,
    /// Millionths of a dollar; none where the price is not known.
    pub cost_microusd: Option<u64>,
    pub stop: Stop,
}

/// Tokens, as the provider counts them; zero where it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// All of the request's, those from a cache among them.
    pub input: u64,
    pub output: u64,
    /// Of `input`: read from the provider's cache.
    pub cached: u64,
}

/// Why it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It had said all.
    End,
    /// It waits for its tools.
    Tools,
    /// `max_tokens` was reached.
    Length,
    /// The provider refused to go on.
    Filtered,
}
