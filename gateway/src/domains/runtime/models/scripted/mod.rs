//! The `scripted` model: what it says stands in a file that anybody may read and replace. It is deterministic, needs no
//! key, and says in everything it says that it is a demonstration. It goes through the same loop and the same tools as any
//! model: what commands find, how long they take and whether tests pass comes from processes in the sandbox alone.

mod script;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

pub use script::{Script, ScriptError};

use super::{Call, Delta, Message, Model, ModelError, Reply, Request, Stop, Usage};

/// What stands above everything that the script says.
pub const SHORT_LABEL: &str = "[demonstration]";
/// Before everything that it says.
pub const LABEL: &str = "[demonstration: a script speaks here, no model]";

/// What a step may be for beside the work itself; its key ends with it.
const PURPOSES: [&str; 4] = ["plan", "gate", "merge", "report"];

/// The name by which it is bound.
pub const NAME: &str = "scripted";

/// The model.
#[derive(Debug, Clone)]
pub struct Scripted {
    script: Arc<Script>,
}

impl Scripted {
    /// Speaks this script.
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
        let line = self.script.line(slot, purpose, &said(&request.messages));
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
            // Words, so that the figures of a demonstration move; they cost nothing.
            usage: Usage {
                input: words(&request.system)
                    + request
                        .messages
                        .iter()
                        .map(|m| words(text_of(m)))
                        .sum::<u64>(),
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

/// A conversation as the script sees it: the prompt, then for each of its own turns what came back.
pub(super) struct Said {
    pub prompt: String,
    pub results: Vec<String>,
}

fn said(messages: &[Message]) -> Said {
    let mut said = Said {
        prompt: String::new(),
        results: Vec::new(),
    };
    for message in messages {
        match message {
            Message::User(text) => {
                said.prompt.push_str(text);
                said.prompt.push('\n');
            }
            Message::Assistant { .. } => said.results.push(String::new()),
            Message::Tool { text, .. } => {
                if let Some(last) = said.results.last_mut() {
                    last.push_str(text);
                    last.push('\n');
                }
            }
        }
    }
    said
}

fn text_of(message: &Message) -> &str {
    match message {
        Message::User(text) | Message::Assistant { text, .. } | Message::Tool { text, .. } => text,
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// What is said next.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub think: Option<String>,
    pub say: String,
    pub calls: Vec<(String, Value)>,
}
