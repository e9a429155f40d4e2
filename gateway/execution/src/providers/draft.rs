//! An answer that is being received. The draft joins its pieces and limits their size.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::error::{ErrorKind, ModelError};
use super::request::{Call, Delta, Reply, Stop, Usage};

/// The maximum size of the text, and of all tool arguments, in bytes.
pub(super) const MAX_TEXT: usize = 1 << 20;
/// The maximum number of tool calls.
pub(super) const MAX_CALLS: usize = 64;
/// The maximum size of a tool's name or a call's id, in bytes.
const MAX_NAME: usize = 256;
/// The maximum size of the provider's opaque data, in bytes.
const MAX_OPAQUE: usize = 64 << 10;

/// The received part of an answer.
#[derive(Default)]
pub(super) struct Draft {
    text: String,
    calls: BTreeMap<u64, Part>,
    argument_bytes: usize,
    thought_bytes: usize,
    pub(super) usage: Usage,
    /// Why the model stopped. Absent while the answer continues.
    pub(super) stop: Option<Stop>,
}

#[derive(Default)]
struct Part {
    id: String,
    name: String,
    arguments: String,
    opaque: Option<String>,
}

impl Draft {
    /// Adds text.
    pub(super) fn push_text(
        &mut self,
        piece: &str,
        heard: DeltaSink<'_>,
    ) -> Result<(), ModelError> {
        let piece = &*without_nul(piece);
        bounded(self.text.len() + piece.len(), MAX_TEXT, "bytes of text")?;
        self.text.push_str(piece);
        send_delta(heard, piece, Delta::Say);
        Ok(())
    }

    /// Adds reasoning, which is shown but not kept.
    pub(super) fn think(&mut self, piece: &str, heard: DeltaSink<'_>) -> Result<(), ModelError> {
        let piece = &*without_nul(piece);
        self.thought_bytes += piece.len();
        bounded(self.thought_bytes, MAX_TEXT, "bytes of reasoning")?;
        send_delta(heard, piece, Delta::Think);
        Ok(())
    }

    /// Adds to a tool call. `place` is the provider's number for it. The first id and name are kept.
    pub(super) fn call(
        &mut self,
        place: u64,
        id: &str,
        name: &str,
        arguments: &str,
        heard: DeltaSink<'_>,
    ) -> Result<(), ModelError> {
        let (id, name) = (&*without_nul(id), &*without_nul(name));
        bounded(id.len().max(name.len()), MAX_NAME, "bytes in a tool's name")?;
        self.argument_bytes += arguments.len();
        bounded(
            self.argument_bytes,
            MAX_TEXT,
            "bytes of arguments for tools",
        )?;
        let place = self.place_of(place, id);
        if !self.calls.contains_key(&place) {
            bounded(self.calls.len() + 1, MAX_CALLS, "tool calls")?;
        }
        let part = self.calls.entry(place).or_default();
        if part.id.is_empty() {
            id.clone_into(&mut part.id);
        }
        if part.name.is_empty() && !name.is_empty() {
            name.clone_into(&mut part.name);
            heard(Delta::Tool(format!("{name} ")));
        }
        part.arguments.push_str(arguments);
        send_delta(heard, arguments, Delta::Tool);
        Ok(())
    }

    /// Some providers number every call 0. A different id then means a different call.
    fn place_of(&self, place: u64, id: &str) -> u64 {
        let is_other = |part: &Part| !id.is_empty() && !part.id.is_empty() && part.id != id;
        match (self.calls.get(&place), self.calls.keys().next_back()) {
            (Some(part), Some(last)) if is_other(part) => last.saturating_add(1),
            _ => place,
        }
    }

    /// Adds the opaque data that the provider wants back with a call.
    pub(super) fn opaque(&mut self, place: u64, opaque: &str) -> Result<(), ModelError> {
        bounded(opaque.len(), MAX_OPAQUE, "bytes beside a tool call")?;
        if let Some(part) = self.calls.get_mut(&place) {
            part.opaque = Some(opaque.to_owned());
        }
        Ok(())
    }

    /// The size of all received parts, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.argument_bytes + self.thought_bytes
    }

    /// The number of calls.
    pub(super) fn calls(&self) -> u64 {
        self.calls.len() as u64
    }

    /// The reply, after the stream has ended. `turn` makes ids unique within the conversation when the provider gives
    /// none. A stream that ended without a stop reason was cut off, and the partial answer is an error.
    pub(super) fn finish(self, turn: usize) -> Result<Reply, ModelError> {
        let Some(stop) = self.stop else {
            return Err(cut_off());
        };
        let mut calls: Vec<Call> = Vec::with_capacity(self.calls.len());
        for (number, part) in self.calls.into_values().enumerate() {
            let taken = calls.iter().any(|call| call.id == part.id);
            let id = if part.id.is_empty() || taken {
                format!("call_{turn}_{number}")
            } else {
                part.id
            };
            let (arguments, malformed) = read(part.arguments);
            calls.push(Call {
                id,
                name: part.name,
                arguments,
                malformed,
                opaque: part.opaque,
            });
        }
        // Some providers report `stop` when they mean that they wait for a tool.
        let stop = match stop {
            Stop::End if !calls.is_empty() => Stop::Tools,
            Stop::Tools if calls.is_empty() => Stop::End,
            stop => stop,
        };
        Ok(Reply {
            text: self.text,
            calls,
            usage: self.usage,
            cost_microusd: None,
            stop,
        })
    }
}

/// PostgreSQL stores no NUL in a text, and the character has no use.
fn without_nul(piece: &str) -> Cow<'_, str> {
    match piece.contains('\0') {
        true => piece.replace('\0', "").into(),
        false => piece.into(),
    }
}

/// Receives the pieces.
pub(super) type DeltaSink<'a> = &'a mut (dyn FnMut(Delta) + Send);

fn send_delta(heard: DeltaSink<'_>, piece: &str, delta: impl FnOnce(String) -> Delta) {
    if !piece.is_empty() {
        heard(delta(piece.to_owned()));
    }
}

/// The arguments as an object. Anything else is kept as raw text.
fn read(arguments: String) -> (Value, Option<String>) {
    let empty = || Value::Object(serde_json::Map::new());
    if arguments.trim().is_empty() {
        return (empty(), None);
    }
    match serde_json::from_str(&arguments) {
        Ok(object @ Value::Object(_)) => (object, None),
        _ => (empty(), Some(arguments)),
    }
}

fn bounded(size: usize, most: usize, of: &str) -> Result<(), ModelError> {
    if size <= most {
        return Ok(());
    }
    Err(ModelError::new(
        ErrorKind::TooBig,
        format!("the model answered more than {most} {of}, so the answer was cut off"),
    ))
}

/// The error for a stream that ended too early.
pub(super) fn cut_off() -> ModelError {
    ModelError::new(
        ErrorKind::Retryable,
        "the model's answer broke off in the middle",
    )
}
