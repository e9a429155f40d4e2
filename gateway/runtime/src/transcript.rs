//! An agent's conversation in one step, as its journal records it: model turns, calls and results, and summaries of
//! turns that the model's window does not hold any more. Pure code. A replay of an interrupted step's journal gives
//! exactly the point at which the step continues, with the same context.

use std::collections::BTreeSet;

use super::window::{self, SHOWN_BYTES, Sizes, shown};
use roost_execution::providers::{Call, Message};
use roost_execution::runs::{Answer, CheckMade, Compaction, DoorAnswer, Entry, Note, Said, Turn};
use roost_platform::ids::RunMessageId;

/// This many equal calls with equal results in a row are a loop: first the model gets a hint, then the step ends.
const REPEATS_BEFORE_HINT: usize = 3;
const REPEATS_BEFORE_END: usize = 6;
/// A summary names the results of this many of the latest calls that it replaces.
const NAMED_RESULTS: usize = 40;

/// A turn of the model with the results of its calls.
#[derive(Debug, Clone)]
struct Exchange {
    /// What people said before the turn.
    said: Vec<String>,
    turn: Turn,
    /// The place of the turn in the journal.
    place: u32,
    /// The results with their places.
    answers: Vec<(u32, Answer)>,
}

/// The conversation.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    exchanges: Vec<Exchange>,
    /// What people said after the last exchange.
    said: Vec<String>,
    /// The messages that the agent has heard.
    heard: BTreeSet<RunMessageId>,
    /// The checks that were made after the last turn.
    checks: Vec<CheckMade>,
    /// The number of entries in the journal, which is also the place of the next entry.
    entries: u32,
    /// How many of the oldest exchanges the summary replaces.
    replaced: usize,
    summary: Option<String>,
    /// The number of exchanges when the last summary failed. Absent when a later one succeeded.
    failed_at: Option<usize>,
}

/// The next action of the session.
#[derive(Debug, PartialEq)]
pub enum Next<'a> {
    /// Ask the model.
    Ask,
    /// Execute this call of the model. Its result gets this place in the journal.
    Call { call: &'a Call, place: u32 },
    /// The model has finished. This turn is what the agent hands over.
    Finished(&'a Turn),
    /// The model repeats the same calls.
    Looping,
}

impl Transcript {
    /// Adds the next entry of the journal.
    pub fn push(&mut self, entry: Entry) {
        match entry {
            Entry::Model(turn) => self.push_turn(turn),
            Entry::Tool(answer) | Entry::Door(DoorAnswer { answer, .. }) => {
                self.push_answer(answer);
            }
            Entry::Note(note) => self.push_note(note),
            Entry::Check(made) => self.push_check(made),
            // It is no part of the conversation, but it has a place.
            Entry::Child(_) | Entry::Command(_) => self.entries += 1,
        }
    }

    /// Adds a turn of the model.
    pub fn push_turn(&mut self, turn: Turn) {
        self.exchanges.push(Exchange {
            said: std::mem::take(&mut self.said),
            turn,
            place: self.entries,
            answers: Vec::new(),
        });
        self.entries += 1;
    }

    /// Adds the result of a call.
    pub fn push_answer(&mut self, answer: Answer) {
        if let Some(last) = self.exchanges.last_mut() {
            last.answers.push((self.entries, answer));
        }
        self.entries += 1;
    }

    /// Adds a check of the work. It is no part of the conversation.
    pub fn push_check(&mut self, made: CheckMade) {
        self.checks.push(made);
        self.entries += 1;
    }

    /// The checks that were made.
    pub fn checks(&self) -> &[CheckMade] {
        &self.checks
    }

    /// Whether the agent has heard this message.
    pub fn has_heard(&self, message: RunMessageId) -> bool {
        self.heard.contains(&message)
    }

    /// Adds a note. A summary replaces the turns before its place. The agent hears a message before its next turn.
    pub fn push_note(&mut self, note: Note) {
        if let Some(Said { id, by }) = &note.message {
            self.heard.insert(*id);
            self.said.push(said(by, &note.text));
        }
        match note.compaction {
            Some(Compaction {
                before,
                summarised: true,
            }) => {
                let replaced = |exchange: &&Exchange| exchange.place < before;
                self.replaced = self.exchanges.iter().take_while(replaced).count();
                self.summary = Some(note.text);
                self.failed_at = None;
            }
            Some(_) => self.failed_at = Some(self.exchanges.len()),
            None => {}
        }
        self.entries += 1;
    }

    /// What the model said last.
    pub fn words(&self) -> &str {
        self.exchanges.last().map_or("", |last| &last.turn.text)
    }

    /// The place of the next entry.
    pub fn place(&self) -> u32 {
        self.entries
    }

    /// The number of the model's turns, also of those that a summary replaces.
    pub fn turns(&self) -> usize {
        self.exchanges.len()
    }

    /// The next action.
    pub fn next(&self) -> Next<'_> {
        let Some(last) = self.exchanges.last() else {
            return Next::Ask;
        };
        if let Some(call) = last.turn.calls.get(last.answers.len()) {
            return Next::Call {
                call,
                place: self.entries,
            };
        }
        if last.turn.calls.is_empty() && self.said.is_empty() {
            return Next::Finished(&last.turn);
        }
        if self.equal_turns_in_a_row() >= REPEATS_BEFORE_END {
            return Next::Looping;
        }
        Next::Ask
    }

    /// How many of the last turns in a row have the same calls with the same results. A turn after a message of a person
    /// begins a new row.
    fn equal_turns_in_a_row(&self) -> usize {
        let Some(last) = self.exchanges.last() else {
            return 0;
        };
        if last.turn.calls.is_empty() || !self.said.is_empty() {
            return 0;
        }
        let same = |exchange: &&Exchange| {
            let mut calls = exchange.turn.calls.iter().zip(&last.turn.calls);
            let mut answers = exchange.answers.iter().zip(&last.answers);
            exchange.turn.calls.len() == last.turn.calls.len()
                && exchange.answers.len() == last.answers.len()
                && calls.all(|(a, b)| (&a.name, &a.arguments) == (&b.name, &b.arguments))
                && answers.all(|((_, a), (_, b))| a.text == b.text)
        };
        let equal = self.exchanges.iter().rev().take_while(same);
        let mut row = 0;
        for exchange in equal {
            row += 1;
            if !exchange.said.is_empty() {
                break;
            }
        }
        row
    }

    /// The whole text of a result by its place in the journal.
    pub fn result(&self, place: u32) -> Option<&str> {
        let at = self
            .exchanges
            .partition_point(|exchange| exchange.place <= place);
        let exchange = self.exchanges.get(at.checked_sub(1)?)?;
        let answer = exchange.answers.iter().find(|(at, _)| *at == place)?;
        Some(&answer.1.text)
    }

    /// Whether the model does not see every result whole, so that it needs a way to read more.
    pub fn has_more_to_read(&self) -> bool {
        let large = |(_, answer): &(u32, Answer)| answer.text.len() > SHOWN_BYTES;
        self.replaced > 0
            || self
                .exchanges
                .iter()
                .any(|exchange| exchange.answers.iter().any(large))
    }

    /// The sizes for the plan of the window.
    pub fn sizes(&self, prompt: &str) -> Sizes {
        let turns = self.exchanges[self.replaced..].iter();
        Sizes {
            prompt: self.prompt(prompt).len(),
            turns: turns
                .map(|exchange| messages_of(exchange).iter().map(window::size_of).sum())
                .collect(),
            since_failure: self.failed_at.map(|at| self.exchanges.len() - at),
        }
    }

    /// The oldest `turns` turns that no summary replaces, as messages to summarise, and the place before which the
    /// summary replaces everything.
    pub fn oldest(&self, prompt: &str, turns: usize) -> (Vec<Message>, u32) {
        let until = (self.replaced + turns).min(self.exchanges.len());
        let before = self
            .exchanges
            .get(until)
            .map_or(self.entries, |next| next.place);
        let mut messages = vec![Message::User(self.prompt(prompt))];
        messages.extend(
            self.exchanges[self.replaced..until]
                .iter()
                .flat_map(messages_of),
        );
        (messages, before)
    }

    /// The messages for the model, within `room` bytes: the prompt, the summary of older turns, then all turns and
    /// results. What does not fit is cut.
    pub fn messages(&self, prompt: &str, room: usize) -> Vec<Message> {
        let mut messages = vec![Message::User(self.prompt(prompt))];
        messages.extend(self.exchanges[self.replaced..].iter().flat_map(messages_of));
        messages.extend(self.said.iter().cloned().map(Message::User));
        window::cut(&mut messages, room);
        if self.equal_turns_in_a_row() >= REPEATS_BEFORE_HINT {
            messages.push(Message::User(
                "You have asked for exactly this several times and got the same each time. Do something else, or say \
                 what keeps you from going on and end here."
                    .to_owned(),
            ));
        }
        messages
    }

    /// The prompt, with the summary of the turns that it replaces.
    fn prompt(&self, prompt: &str) -> String {
        let Some(summary) = &self.summary else {
            return prompt.to_owned();
        };
        let replaced = &self.exchanges[..self.replaced];
        let results = replaced
            .iter()
            .flat_map(|exchange| exchange.turn.calls.iter().zip(&exchange.answers));
        let mut named: Vec<String> = results
            .rev()
            .take(NAMED_RESULTS)
            .map(|(call, (place, answer))| {
                format!("call {place} {} ({} bytes)", call.name, answer.text.len())
            })
            .collect();
        named.reverse();
        let heard: String = replaced
            .iter()
            .flat_map(|exchange| &exchange.said)
            .map(|said| format!("\n\n{said}"))
            .collect();
        format!(
            "{prompt}{heard}\n\n# What you have done so far\nYour first {} turns are replaced by your own summary of them:\n\n{summary}\n\n\
             read_result still gives the results of these calls: {}.",
            self.replaced,
            named.join(", ")
        )
    }
}

/// What an agent reads of a message.
fn said(by: &str, text: &str) -> String {
    format!("Message from {by}, who follows this run:\n\n{text}")
}

fn messages_of(exchange: &Exchange) -> Vec<Message> {
    let Exchange {
        turn,
        answers,
        said: heard,
        ..
    } = exchange;
    let heard = heard.iter().cloned().map(Message::User);
    let said = Message::Assistant {
        text: turn.text.clone(),
        calls: turn.calls.clone(),
    };
    let results = turn
        .calls
        .iter()
        .zip(answers)
        .map(|(call, (place, answer))| Message::Tool {
            call: call.id.clone(),
            name: call.name.clone(),
            text: shown(&answer.text, SHOWN_BYTES, Some(*place)),
            is_error: answer.is_error,
        });
    heard.chain(std::iter::once(said)).chain(results).collect()
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
