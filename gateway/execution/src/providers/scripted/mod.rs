//! The `scripted` model: its answers come from a script file that anyone can read and replace. It is deterministic
//! and needs no key, and each of its answers carries a demonstration label. It uses the same loop and the same tools
//! as any model. The results of commands, their durations and test results come only from processes in the sandbox.

mod level_up;
mod narrative;
mod script;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

pub use script::{Script, ScriptError};

use super::{Call, Delta, Message, Model, ModelError, Purpose, Reply, Request, Stop, Usage};

/// The label before every thought of the script.
pub const SHORT_LABEL: &str = "[demonstration]";
/// The label before every answer.
pub const LABEL: &str = "[demonstration: a script speaks here, no model]";

/// The purposes of steps besides the work itself. A step's key ends with its purpose.
const PURPOSES: [&str; 5] = ["plan", "gate", "merge", "report", "verdict"];

/// The name of the binding.
pub const NAME: &str = "scripted";

/// The scripted model.
#[derive(Debug, Clone)]
pub struct Scripted {
    script: Arc<Script>,
}

impl Scripted {
    /// A model that uses this script.
    pub fn new(script: Arc<Script>) -> Self {
        Self { script }
    }
}

#[async_trait]
impl Model for Scripted {
    async fn turn(
        &self,
        request: &Request,
        heard: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, ModelError> {
        let purpose = request
            .step
            .rsplit('/')
            .next()
            .filter(|last| PURPOSES.contains(last));
        let purpose = purpose.unwrap_or("work");
        let slot = request.slot.as_deref().unwrap_or_default();
        let conversation = conversation(request);
        let alone = match request.purpose {
            Purpose::Turn => None,
            Purpose::Summary => Some(self.script.summary(slot, purpose, &conversation)),
            Purpose::Narrative => Some(narrative::answer(&conversation.prompt)),
            Purpose::LevelUp => Some(
                self.script
                    .level_up(&conversation)
                    .unwrap_or_else(|| level_up::answer(&conversation.prompt)),
            ),
        };
        if let Some(said) = alone {
            let text = format!("{LABEL}\n{said}");
            return Ok(Reply {
                usage: Usage {
                    input: words_of(request),
                    output: words(&text),
                    cached: 0,
                },
                text,
                calls: Vec::new(),
                cost_microusd: Some(0),
                stop: Stop::End,
            });
        }
        let line = self.script.line(slot, purpose, &conversation);
        if let Some(think) = line.think {
            heard(Delta::Think(format!("{SHORT_LABEL} {think}")));
        }
        let text = format!("{LABEL}\n{}", line.say);
        heard(Delta::Say(text.clone()));
        let calls: Vec<Call> = line
            .calls
            .into_iter()
            .enumerate()
            .map(|(place, (name, arguments))| Call {
                id: format!("call-{}-{place}", request.messages.len()),
                name,
                arguments,
                malformed: None,
                opaque: None,
            })
            .collect();
        let stop = match calls.is_empty() {
            true => Stop::End,
            false => Stop::Tools,
        };
        Ok(Reply {
            // Word counts, so that the figures of a demonstration change. They cost nothing.
            usage: Usage {
                input: words_of(request),
                output: words(&text),
                cached: 0,
            },
            text,
            calls,
            cost_microusd: Some(0),
            stop,
        })
    }
}

/// The conversation as the script sees it: the prompt, then the results of each turn.
pub(super) struct Conversation {
    pub prompt: String,
    pub results: Vec<String>,
    /// The names of the tools that are offered, as models see them.
    pub tools: Vec<String>,
}

fn conversation(request: &Request) -> Conversation {
    let mut conversation = Conversation {
        prompt: String::new(),
        results: Vec::new(),
        tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
    };
    for message in &request.messages {
        match message {
            Message::User(text) => {
                conversation.prompt.push_str(text);
                conversation.prompt.push('\n');
            }
            Message::Assistant { .. } => conversation.results.push(String::new()),
            Message::Tool { text, .. } => {
                if let Some(last) = conversation.results.last_mut() {
                    last.push_str(text);
                    last.push('\n');
                }
            }
        }
    }
    conversation
}

fn words_of(request: &Request) -> u64 {
    let messages = request
        .messages
        .iter()
        .map(|message| words(text_of(message)));
    words(&request.system) + messages.sum::<u64>()
}

fn text_of(message: &Message) -> &str {
    match message {
        Message::User(text) | Message::Assistant { text, .. } | Message::Tool { text, .. } => text,
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// The next answer of the script.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub think: Option<String>,
    pub say: String,
    pub calls: Vec<(String, Value)>,
}
