//! An agent's conversation in one step, as its journal records it: model turns, calls and results, and summaries of
//! turns that the model's window does not hold any more. Pure code. A replay of an interrupted step's journal gives
//! exactly the point at which the step continues, with the same context.

use super::window::{self, SHOWN_BYTES, Sizes, shown};
use roost_execution::providers::{Call, Message};
use roost_execution::runs::{Answer, CheckMade, Compaction, DoorAnswer, Entry, Note, Turn};

/// This many equal calls with equal results in a row are a loop: first the model gets a hint, then the step ends.
const REPEATS_BEFORE_HINT: usize = 3;
const REPEATS_BEFORE_END: usize = 6;
/// A summary names the results of this many of the latest calls that it replaces.
const NAMED_RESULTS: usize = 40;

/// A turn of the model with the results of its calls.
#[derive(Debug, Clone)]
struct Exchange {
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
            Entry::Child(_) => self.entries += 1,
        }
    }

    /// Adds a turn of the model.
    pub fn push_turn(&mut self, turn: Turn) {
        self.exchanges.push(Exchange {
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

    /// Adds a note. A summary replaces the turns before its place.
    pub fn push_note(&mut self, note: Note) {
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
        if last.turn.calls.is_empty() {
            return Next::Finished(&last.turn);
        }
        if self.equal_turns_in_a_row() >= REPEATS_BEFORE_END {
            return Next::Looping;
        }
        Next::Ask
    }

    /// How many of the last turns in a row have the same calls with the same results.
    fn equal_turns_in_a_row(&self) -> usize {
        let Some(last) = self.exchanges.last() else {
            return 0;
        };
        let same = |exchange: &&Exchange| {
            let mut calls = exchange.turn.calls.iter().zip(&last.turn.calls);
            let mut answers = exchange.answers.iter().zip(&last.answers);
            exchange.turn.calls.len() == last.turn.calls.len()
                && exchange.answers.len() == last.answers.len()
                && calls.all(|(a, b)| (&a.name, &a.arguments) == (&b.name, &b.arguments))
                && answers.all(|((_, a), (_, b))| a.text == b.text)
        };
        self.exchanges.iter().rev().take_while(same).count()
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
        format!(
            "{prompt}\n\n# What you have done so far\nYour first {} turns are replaced by your own summary of them:\n\n{summary}\n\n\
             read_result still gives the results of these calls: {}.",
            self.replaced,
            named.join(", ")
        )
    }
}

fn messages_of(exchange: &Exchange) -> Vec<Message> {
    let Exchange { turn, answers, .. } = exchange;
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
    std::iter::once(said).chain(results).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use roost_execution::providers::Stop;
    use serde_json::json;

    use super::*;

    fn call(id: &str, name: &str) -> Call {
        Call {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: json!({ "path": "a" }),
            malformed: None,
            opaque: None,
        }
    }

    fn turn(calls: Vec<Call>) -> Turn {
        Turn {
            text: "so".to_owned(),
            thought: None,
            stop: if calls.is_empty() {
                Stop::End
            } else {
                Stop::Tools
            },
            calls,
        }
    }

    fn answer(id: &str, text: &str) -> Answer {
        Answer {
            call: id.to_owned(),
            arguments: json!({}),
            text: text.to_owned(),
            is_error: false,
            exit_code: None,
            cut: false,
        }
    }

    #[test]
    fn next_executes_each_call_once_and_then_asks_the_model() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.next(), Next::Ask);
        transcript.push_turn(turn(vec![call("1", "shell"), call("2", "read_file")]));
        assert!(matches!(transcript.next(), Next::Call { call, place: 1 } if call.id == "1"));
        transcript.push_answer(answer("1", "done"));
        assert!(matches!(transcript.next(), Next::Call { call, place: 2 } if call.id == "2"));
        transcript.push_answer(answer("2", "done"));
        assert_eq!(transcript.next(), Next::Ask);
        transcript.push_turn(turn(Vec::new()));
        assert!(matches!(transcript.next(), Next::Finished(_)));
        assert_eq!(transcript.messages("go", 1 << 20).len(), 5);
    }

    #[test]
    fn equal_calls_in_a_row_get_a_hint_and_then_end_the_step() {
        let mut transcript = Transcript::default();
        for round in 1..=REPEATS_BEFORE_END {
            assert_ne!(transcript.next(), Next::Looping, "round {round}");
            transcript.push_turn(turn(vec![call("1", "shell")]));
            transcript.push_answer(answer("1", "the same"));
            let has_hint = matches!(
                transcript.messages("go", 1 << 20).last(),
                Some(Message::User(_))
            );
            assert_eq!(has_hint, round >= REPEATS_BEFORE_HINT, "round {round}");
        }
        assert_eq!(transcript.next(), Next::Looping);
    }

    fn summary(text: &str, before: u32) -> Note {
        Note {
            text: text.to_owned(),
            compaction: Some(Compaction {
                before,
                summarised: true,
            }),
        }
    }

    #[test]
    fn summary_replaces_older_turns_and_names_their_results() {
        let mut transcript = Transcript::default();
        for round in 0..4 {
            transcript.push_turn(turn(vec![call("1", "shell")]));
            transcript.push_answer(answer("1", &format!("result {round}")));
        }
        let (oldest, before) = transcript.oldest("the goal", 3);
        assert_eq!((oldest.len(), before), (7, 6));
        transcript.push_note(summary("I looked around.", before));
        let messages = transcript.messages("the goal", 1 << 20);
        assert_eq!(messages.len(), 3);
        let Message::User(prompt) = &messages[0] else {
            panic!("{messages:?}")
        };
        assert!(prompt.starts_with("the goal\n"), "{prompt}");
        assert!(prompt.contains("I looked around."), "{prompt}");
        assert!(
            prompt.contains("call 1 shell (8 bytes), call 3 shell (8 bytes), call 5 shell"),
            "{prompt}"
        );
        assert!(matches!(&messages[2], Message::Tool { text, .. } if text == "result 3"));
        assert_eq!(transcript.result(5), Some("result 2"));
        assert_eq!(transcript.result(4), None);
        // The note has a place, too.
        assert_eq!(transcript.place(), 9);
        assert_eq!(transcript.turns(), 4);
        transcript.push_turn(turn(vec![call("1", "shell")]));
        transcript.push_answer(answer("1", "result 4"));
        assert_eq!(transcript.result(10), Some("result 4"));
    }

    #[test]
    fn failed_summary_replaces_nothing_and_is_remembered() {
        let mut transcript = Transcript::default();
        for _ in 0..2 {
            transcript.push_turn(turn(vec![call("1", "shell")]));
            transcript.push_answer(answer("1", "x"));
        }
        let compaction = Some(Compaction {
            before: 2,
            summarised: false,
        });
        transcript.push_note(Note {
            text: "No summary.".to_owned(),
            compaction,
        });
        assert_eq!(transcript.messages("go", 1 << 20).len(), 5);
        assert_eq!(transcript.sizes("go").since_failure, Some(0));
        transcript.push_note(summary("So far.", 2));
        assert_eq!(transcript.sizes("go").since_failure, None);
    }

    #[test]
    fn large_result_is_shown_by_head_and_tail_and_stays_whole_in_the_transcript() {
        let mut transcript = Transcript::default();
        assert!(!transcript.has_more_to_read());
        let large: String = (0..9_000).map(|n| format!("line {n}\n")).collect();
        transcript.push_turn(turn(vec![call("1", "shell")]));
        transcript.push_answer(answer("1", &large));
        assert!(transcript.has_more_to_read());
        let messages = transcript.messages("go", 1 << 20);
        let Message::Tool { text, .. } = &messages[2] else {
            panic!("{messages:?}")
        };
        assert!(text.len() < SHOWN_BYTES + 200);
        assert!(text.starts_with("line 0\n") && text.ends_with("line 8999\n"));
        assert!(text.contains("read_result with call 1"), "{text}");
        assert_eq!(transcript.result(1), Some(large.as_str()));
    }

    proptest! {
        /// A conversation that is interrupted at any point continues from its journal at the same point.
        #[test]
        fn replay_restores_the_position_of_an_interrupted_step(
            shape in proptest::collection::vec(0usize..4, 1..8), cut in 0usize..40,
        ) {
            let mut written: Vec<Entry> = Vec::new();
            let mut live = Transcript::default();
            for calls in shape {
                let calls: Vec<Call> = (0..calls).map(|n| call(&n.to_string(), "shell")).collect();
                let answers = calls.iter().map(|call| Entry::Tool(answer(&call.id, "x")));
                for entry in std::iter::once(Entry::Model(turn(calls.clone()))).chain(answers) {
                    if written.len() == cut { break; }
                    written.push(entry.clone());
                    match entry {
                        Entry::Model(turn) => live.push_turn(turn),
                        Entry::Tool(answer) => live.push_answer(answer),
                        other => panic!("{other:?} was not written"),
                    }
                }
                // A summary of all turns but the newest one.
                if written.len() < cut && live.turns() > 1 {
                    let (_, before) = live.oldest("go", live.turns() - 1);
                    written.push(Entry::Note(summary("so far", before)));
                    live.push_note(summary("so far", before));
                }
            }
            let mut replayed = Transcript::default();
            written.into_iter().for_each(|entry| replayed.push(entry));
            prop_assert_eq!(replayed.place(), live.place());
            prop_assert_eq!(replayed.next(), live.next());
            prop_assert_eq!(replayed.sizes("go"), live.sizes("go"));
            for room in [500, 6_000, 1 << 20] {
                prop_assert_eq!(replayed.messages("go", room), live.messages("go", room));
            }
        }
    }
}
