//! What a model's window holds: which turns of a conversation stay, and how the rest is cut when nobody can summarise
//! it. Pure code. The decisions depend on the conversation and the window alone, so a step that continues from its
//! journal makes the same context.

use roost_execution::providers::Message;

/// The largest tool result that a model gets whole, in bytes. Of a larger one it gets the head and the tail.
pub const SHOWN_BYTES: usize = 16 << 10;
/// The part of a large result that is its head. The rest is its tail, because a command's last lines say how it ended.
const HEAD: usize = 6;
const OF: usize = 16;
/// A token of text, code and JSON has at least this many bytes on average. A lower number would compact earlier.
const BYTES_OF_TOKEN: usize = 3;
/// The maximum number of tokens in one answer of the model.
const MOST_ANSWER: u32 = 16_384;
/// The smallest room for a conversation, in bytes, however large the instructions are. The provider refuses what does
/// not fit then.
const LEAST_ROOM: usize = 6 << 10;
/// After a summary that failed, this many turns pass before the next attempt.
const TURNS_BETWEEN_FAILURES: usize = 8;
/// The sizes to which results and texts of older turns are cut, in bytes, in this order, until the conversation fits.
const CUTS: [usize; 2] = [2 << 10, 256];

/// The window of a model, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window(pub u32);

impl Window {
    /// The maximum number of tokens of an answer.
    pub fn answer(self) -> u32 {
        (self.0 / 4).clamp(256, MOST_ANSWER)
    }

    /// The room for prompt and conversation, in bytes, beside `fixed` bytes of instructions and tools.
    pub fn room(self, fixed: usize) -> usize {
        let tokens = usize::try_from(self.0 - self.answer().min(self.0)).unwrap_or(usize::MAX);
        // The estimate of a token's size is coarse, so a tenth stays free.
        let bytes = (tokens - tokens / 10).saturating_mul(BYTES_OF_TOKEN);
        bytes.saturating_sub(fixed).max(LEAST_ROOM)
    }
}

/// What the session does before it asks the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// The conversation fits.
    Fits,
    /// The model summarises this many of the oldest turns.
    Summarise { turns: usize },
    /// The conversation is cut to the room.
    Cut,
}

/// The sizes of a conversation, in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The prompt with the summary of earlier turns.
    pub prompt: usize,
    /// Each turn with its results, oldest first, without those that a summary replaces.
    pub turns: Vec<usize>,
    /// How many of the last turns came after a summary that failed. Absent when none failed since the last summary.
    pub since_failure: Option<usize>,
}

/// What happens to a conversation of these sizes in this room. The newest turns stay: as many as fill a third of the
/// room, and at least one.
pub fn plan(sizes: &Sizes, room: usize) -> Plan {
    let whole = sizes.prompt + sizes.turns.iter().sum::<usize>();
    if whole <= room {
        return Plan::Fits;
    }
    if sizes
        .since_failure
        .is_some_and(|turns| turns < TURNS_BETWEEN_FAILURES)
    {
        return Plan::Cut;
    }
    let mut kept = 0;
    let newest = sizes.turns.iter().rev();
    let stay = newest
        .take_while(|size| {
            kept += **size;
            kept <= room / 3
        })
        .count()
        .max(1);
    match sizes.turns.len().saturating_sub(stay) {
        0 => Plan::Cut,
        turns => Plan::Summarise { turns },
    }
}

/// The text as a model gets it: whole, or its head and its tail with what lies between named. `place` is the entry of
/// the journal that has the whole text, when the model can read it there.
pub fn shown(text: &str, most: usize, place: Option<u32>) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / OF * HEAD);
    let tail = text.ceil_char_boundary(text.len() - (most - most / OF * HEAD));
    let left = tail - head;
    let how = match place {
        Some(place) => format!("; read_result with call {place} and offset {head} reads on"),
        None => String::new(),
    };
    format!(
        "{}\n[{left} bytes are left out here{how}]\n{}",
        &text[..head],
        &text[tail..]
    )
}

/// The size of a message, in bytes.
pub fn size_of(message: &Message) -> usize {
    match message {
        Message::User(text) | Message::Tool { text, .. } => text.len(),
        Message::Assistant { text, calls } => {
            let arguments = calls.iter().map(|call| call.arguments.to_string().len());
            text.len() + arguments.sum::<usize>()
        }
    }
}

/// Cuts a conversation to the room: first results, texts and arguments of older turns, then the newest results, and at
/// last it leaves out the oldest turns. Every call that stays keeps its result.
pub fn cut(messages: &mut Vec<Message>, room: usize) {
    let mut whole: usize = messages.iter().map(size_of).sum();
    let newest = newest_turn(messages);
    for most in CUTS {
        for message in &mut messages[1.min(newest)..newest] {
            if whole <= room {
                return;
            }
            whole = whole - size_of(message) + cut_to(message, most);
        }
    }
    for most in [SHOWN_BYTES / 4, CUTS[0], CUTS[1]] {
        for message in &mut messages[newest..] {
            if whole <= room {
                return;
            }
            if matches!(message, Message::Tool { .. }) {
                whole = whole - size_of(message) + cut_to(message, most);
            }
        }
    }
    let mut gone = 1;
    while whole > room && gone < newest {
        whole -= size_of(&messages[gone]);
        gone += 1;
        while gone < newest && !matches!(messages[gone], Message::Assistant { .. }) {
            whole -= size_of(&messages[gone]);
            gone += 1;
        }
    }
    if gone > 1 {
        messages.drain(1..gone);
    }
}

/// The place of the newest turn, or the end when there is none.
fn newest_turn(messages: &[Message]) -> usize {
    let is_turn = |message: &Message| matches!(message, Message::Assistant { .. });
    messages.iter().rposition(is_turn).unwrap_or(messages.len())
}

/// Cuts a message, and returns its new size.
fn cut_to(message: &mut Message, most: usize) -> usize {
    match message {
        Message::User(_) => {}
        Message::Tool { text, .. } => *text = shown(text, most, None),
        Message::Assistant { text, calls } => {
            *text = shown(text, most, None);
            for call in calls {
                cut_strings(&mut call.arguments, most);
            }
        }
    }
    size_of(message)
}

fn cut_strings(value: &mut serde_json::Value, most: usize) {
    match value {
        serde_json::Value::String(text) => *text = shown(text, most, None),
        serde_json::Value::Array(items) => {
            items.iter_mut().for_each(|item| cut_strings(item, most));
        }
        serde_json::Value::Object(fields) => {
            fields
                .values_mut()
                .for_each(|field| cut_strings(field, most));
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
