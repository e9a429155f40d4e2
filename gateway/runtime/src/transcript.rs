//! An agent's conversation in one step, as its journal records it: model turns, calls and results. Pure code. A
//! replay of an interrupted step's journal gives exactly the point at which the step continues.

use roost_execution::providers::{Call, Message};
use roost_execution::runs::{Answer, DoorAnswer, Entry, Turn};

/// The maximum number of model turns in one step.
pub const MAX_TURNS: usize = 80;
/// This many equal calls with equal results in a row are a loop: first the model gets a hint, then the step ends.
const REPEATS_BEFORE_HINT: usize = 3;
const REPEATS_BEFORE_END: usize = 6;
/// The maximum size of a conversation that a model gets, in bytes. Older results are shortened first.
const MAX_PROMPT_BYTES: usize = 400 << 10;
/// The size of a shortened older result.
const OLD_RESULT_BYTES: usize = 2 << 10;

/// The conversation.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    turns: Vec<(Turn, Vec<Answer>)>,
    /// The number of entries in the journal, which is also the place of the next entry.
    entries: u32,
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
    /// The conversation has reached its maximum length.
    TooLong,
}

impl Transcript {
    /// Adds the next entry of the journal.
    pub fn push(&mut self, entry: Entry) {
        match entry {
            Entry::Model(turn) => self.push_turn(turn),
            Entry::Tool(answer) | Entry::Door(DoorAnswer { answer, .. }) => {
                self.push_answer(answer);
            }
            // It is no part of the conversation, but it has a place.
            Entry::Child(_) | Entry::Note(_) => self.entries += 1,
        }
    }

    /// Adds a turn of the model.
    pub fn push_turn(&mut self, turn: Turn) {
        self.turns.push((turn, Vec::new()));
        self.entries += 1;
    }

    /// Adds the result of a call.
    pub fn push_answer(&mut self, answer: Answer) {
        if let Some((_, answers)) = self.turns.last_mut() {
            answers.push(answer);
        }
        self.entries += 1;
    }

    /// The place of the next entry.
    pub fn place(&self) -> u32 {
        self.entries
    }

    /// The next action.
    pub fn next(&self) -> Next<'_> {
        let Some((turn, answers)) = self.turns.last() else {
            return Next::Ask;
        };
        if let Some(call) = turn.calls.get(answers.len()) {
            return Next::Call {
                call,
                place: self.entries,
            };
        }
        if turn.calls.is_empty() {
            return Next::Finished(turn);
        }
        if self.equal_turns_in_a_row() >= REPEATS_BEFORE_END {
            return Next::Looping;
        }
        if self.turns.len() >= MAX_TURNS {
            return Next::TooLong;
        }
        Next::Ask
    }

    /// How many of the last turns in a row have the same calls with the same results.
    fn equal_turns_in_a_row(&self) -> usize {
        let Some(last) = self.turns.last() else {
            return 0;
        };
        let same = |(turn, answers): &&(Turn, Vec<Answer>)| {
            let calls_of = |turn: &Turn| -> Vec<_> {
                let calls = turn.calls.iter();
                calls
                    .map(|call| (call.name.clone(), call.arguments.clone()))
                    .collect()
            };
            let texts = |answers: &[Answer]| -> Vec<String> {
                answers.iter().map(|answer| answer.text.clone()).collect()
            };
            calls_of(turn) == calls_of(&last.0) && texts(answers) == texts(&last.1)
        };
        self.turns.iter().rev().take_while(same).count()
    }

    /// The messages for the model: the prompt, then all turns and results. Older results are shortened when the whole
    /// is too large.
    pub fn messages(&self, prompt: &str) -> Vec<Message> {
        let mut messages = vec![Message::User(prompt.to_owned())];
        for (turn, answers) in &self.turns {
            messages.push(Message::Assistant {
                text: turn.text.clone(),
                calls: turn.calls.clone(),
            });
            for (call, answer) in turn.calls.iter().zip(answers) {
                messages.push(Message::Tool {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    text: answer.text.clone(),
                    is_error: answer.is_error,
                });
            }
        }
        if self.equal_turns_in_a_row() >= REPEATS_BEFORE_HINT {
            messages.push(Message::User(
                "You have asked for exactly this several times and got the same each time. Do something else, or say \
                 what keeps you from going on and end here."
                    .to_owned(),
            ));
        }
        shorten(&mut messages);
        messages
    }
}

/// Shortens results, oldest first, until the conversation fits.
fn shorten(messages: &mut [Message]) {
    let size = |message: &Message| match message {
        Message::User(text) | Message::Tool { text, .. } => text.len(),
        Message::Assistant { text, calls } => {
            text.len()
                + calls
                    .iter()
                    .map(|call| call.arguments.to_string().len())
                    .sum::<usize>()
        }
    };
    let mut whole: usize = messages.iter().map(size).sum();
    for message in messages {
        if whole <= MAX_PROMPT_BYTES {
            return;
        }
        if let Message::Tool { text, .. } = message
            && text.len() > OLD_RESULT_BYTES
        {
            let before = text.len();
            text.truncate(text.floor_char_boundary(OLD_RESULT_BYTES));
            text.push_str(
                "\n[the rest of this older result is left out; ask again if you need it]",
            );
            whole = whole.saturating_sub(before - text.len());
        }
    }
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
        assert_eq!(transcript.messages("go").len(), 5);
    }

    #[test]
    fn equal_calls_in_a_row_get_a_hint_and_then_end_the_step() {
        let mut transcript = Transcript::default();
        for round in 1..=REPEATS_BEFORE_END {
            assert_ne!(transcript.next(), Next::Looping, "round {round}");
            transcript.push_turn(turn(vec![call("1", "shell")]));
            transcript.push_answer(answer("1", "the same"));
            let has_hint = matches!(transcript.messages("go").last(), Some(Message::User(_)));
            assert_eq!(has_hint, round >= REPEATS_BEFORE_HINT, "round {round}");
        }
        assert_eq!(transcript.next(), Next::Looping);
    }

    #[test]
    fn transcript_is_too_long_after_the_maximum_number_of_turns() {
        let mut transcript = Transcript::default();
        for round in 0..MAX_TURNS {
            transcript.push_turn(turn(vec![call("1", "shell")]));
            transcript.push_answer(answer("1", &round.to_string()));
        }
        assert_eq!(transcript.next(), Next::TooLong);
    }

    #[test]
    fn messages_shorten_the_oldest_results_first_and_keep_the_prompt() {
        let mut transcript = Transcript::default();
        for round in 0..12 {
            transcript.push_turn(turn(vec![call("1", "shell")]));
            transcript.push_answer(answer("1", &format!("{round}{}", "x".repeat(48 << 10))));
        }
        let messages = transcript.messages("the goal");
        let Message::Tool { text: first, .. } = &messages[2] else {
            panic!("{messages:?}")
        };
        let Some(Message::Tool { text: last, .. }) = messages.last() else {
            panic!("{messages:?}")
        };
        assert!(first.len() < 3 << 10 && last.len() > 48 << 10);
        assert_eq!(messages[0], Message::User("the goal".to_owned()));
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
            }
            let mut replayed = Transcript::default();
            written.into_iter().for_each(|entry| replayed.push(entry));
            prop_assert_eq!(replayed.place(), live.place());
            prop_assert_eq!(replayed.next(), live.next());
            prop_assert_eq!(replayed.messages("go"), live.messages("go"));
        }
    }
}
