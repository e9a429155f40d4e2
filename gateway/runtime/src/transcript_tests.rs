//! Tests of the conversation.

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
        message: None,
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
        message: None,
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

fn message(id: u128, text: &str) -> Note {
    Note {
        text: text.to_owned(),
        compaction: None,
        message: Some(Said {
            id: RunMessageId(uuid::Uuid::from_u128(id)),
            by: "Ada".to_owned(),
        }),
    }
}

fn heard(messages: &[Message]) -> usize {
    let is_heard = |message: &&Message| matches!(message, Message::User(text) if text.contains("Message from Ada"));
    messages.iter().filter(is_heard).count()
}

#[test]
fn agent_that_has_ended_takes_one_more_turn_after_a_message() {
    let mut transcript = Transcript::default();
    transcript.push_turn(turn(Vec::new()));
    transcript.push(Entry::Note(message(1, "use tabs")));
    assert_eq!(transcript.next(), Next::Ask);
    assert!(matches!(
        transcript.messages("go", 1 << 20).last(),
        Some(Message::User(text)) if text.contains("use tabs")
    ));
    transcript.push_turn(turn(Vec::new()));
    assert!(matches!(transcript.next(), Next::Finished(_)));
    assert!(transcript.has_heard(RunMessageId(uuid::Uuid::from_u128(1))));
    assert!(!transcript.has_heard(RunMessageId(uuid::Uuid::from_u128(2))));
}

#[test]
fn message_stays_when_a_summary_replaces_the_turns_around_it() {
    let mut transcript = Transcript::default();
    transcript.push_turn(turn(vec![call("1", "shell")]));
    transcript.push_answer(answer("1", "done"));
    transcript.push_note(message(1, "use tabs"));
    for round in 0..3 {
        transcript.push_turn(turn(vec![call("1", "shell")]));
        transcript.push_answer(answer("1", &format!("done {round}")));
    }
    assert_eq!(heard(&transcript.messages("go", 1 << 20)), 1);
    transcript.push_note(summary("So far.", 7));
    let messages = transcript.messages("go", 1 << 20);
    assert_eq!(heard(&messages), 1);
    assert!(matches!(&messages[0], Message::User(text) if text.contains("use tabs")));
}

#[test]
fn message_begins_a_new_row_of_equal_calls() {
    let mut transcript = Transcript::default();
    for _ in 0..REPEATS_BEFORE_END {
        transcript.push_turn(turn(vec![call("1", "shell")]));
        transcript.push_answer(answer("1", "the same"));
    }
    assert_eq!(transcript.next(), Next::Looping);
    transcript.push_note(message(1, "try the other file"));
    assert_eq!(transcript.next(), Next::Ask);
    transcript.push_turn(turn(vec![call("1", "shell")]));
    transcript.push_answer(answer("1", "the same"));
    assert_eq!(transcript.next(), Next::Ask);
}
