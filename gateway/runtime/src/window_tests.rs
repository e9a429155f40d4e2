//! Properties of the plan and of the cut.

use proptest::prelude::*;
use roost_execution::providers::Call;
use serde_json::json;

use super::*;

fn sizes() -> impl Strategy<Value = (Sizes, usize)> {
    let turns = proptest::collection::vec(0usize..40_000, 0..40);
    let failure = proptest::option::of(0usize..20);
    (0usize..20_000, turns, failure, 1_000usize..200_000).prop_map(
        |(prompt, turns, since_failure, room)| {
            let sizes = Sizes {
                prompt,
                turns,
                since_failure,
            };
            (sizes, room)
        },
    )
}

proptest! {
    #[test]
    fn plan_keeps_the_newest_turn_and_summarises_only_what_does_not_fit((sizes, room) in sizes()) {
        let whole = sizes.prompt + sizes.turns.iter().sum::<usize>();
        match plan(&sizes, room) {
            Plan::Fits => prop_assert!(whole <= room),
            Plan::Summarise { turns } => {
                prop_assert!(whole > room);
                prop_assert!(turns >= 1 && turns < sizes.turns.len());
                // One more turn would not stay within a third of the room.
                let more: usize = sizes.turns[turns - 1..].iter().sum();
                prop_assert!(more > room / 3);
            }
            Plan::Cut => prop_assert!(whole > room),
        }
    }

    /// Each summary replaces turns, so summaries end also when each of them is as large as it may be.
    #[test]
    fn plan_comes_to_an_end((mut sizes, room) in sizes(), summary in 0usize..10_000) {
        sizes.since_failure = None;
        let mut rounds = 0;
        while let Plan::Summarise { turns } = plan(&sizes, room) {
            sizes.turns.drain(..turns);
            sizes.prompt += summary;
            rounds += 1;
            prop_assert!(rounds <= 40);
        }
    }

    #[test]
    fn failed_summary_is_not_repeated_at_once((sizes, room) in sizes(), turns in 0usize..TURNS_BETWEEN_FAILURES) {
        let sizes = Sizes { since_failure: Some(turns), ..sizes };
        let summarises = matches!(plan(&sizes, room), Plan::Summarise { .. });
        prop_assert!(!summarises);
    }

    #[test]
    fn shown_text_has_head_and_tail_and_stays_near_its_bound(text in "\\PC{0,3000}", most in 64usize..2048) {
        let view = shown(&text, most, Some(7));
        if text.len() <= most {
            prop_assert_eq!(view, text);
        } else {
            prop_assert!(view.len() <= most + 160, "{} for {most}", view.len());
            let head: String = text.chars().take(5).collect();
            prop_assert!(view.starts_with(&head));
            prop_assert!(view.contains("read_result with call 7"));
        }
    }

    /// A cut conversation fits, begins with the prompt, keeps the newest turn, and each call has its result.
    #[test]
    fn cut_conversation_fits_and_every_call_keeps_its_result(
        turns in proptest::collection::vec((0usize..30_000, proptest::collection::vec(0usize..40_000, 0..4)), 0..12),
        room in 6_000usize..120_000,
    ) {
        let mut messages = vec![Message::User("the goal".to_owned())];
        for (at, (said, results)) in turns.iter().enumerate() {
            let call = |n: usize| Call {
                id: format!("{at}-{n}"), name: "shell".to_owned(), arguments: json!({ "command": "x".repeat(*said) }),
                malformed: None, opaque: None,
            };
            messages.push(Message::Assistant { text: "t".repeat(*said), calls: (0..results.len()).map(call).collect() });
            for (n, size) in results.iter().enumerate() {
                messages.push(Message::Tool { call: format!("{at}-{n}"), name: "shell".to_owned(), text: "r".repeat(*size), is_error: false });
            }
        }
        let before = messages.clone();
        let newest = newest_turn(&before);
        cut(&mut messages, room);
        let mut again = before.clone();
        cut(&mut again, room);
        prop_assert_eq!(&again, &messages);
        prop_assert_eq!(&messages[0], &before[0]);
        // What the model itself just said is never cut, so only the rest can fit.
        let said = before.get(newest).map_or(0, size_of);
        let whole: usize = messages.iter().map(size_of).sum();
        prop_assert!(whole <= room.max(said + 8 + 4 * 420), "{whole} in {room}");
        let mut open: Vec<String> = Vec::new();
        for message in &messages {
            match message {
                Message::Assistant { calls, .. } => {
                    prop_assert!(open.is_empty());
                    open = calls.iter().map(|call| call.id.clone()).collect();
                }
                Message::Tool { call, .. } => {
                    prop_assert_eq!(open.first(), Some(call));
                    open.remove(0);
                }
                Message::User(_) => prop_assert!(open.is_empty()),
            }
        }
        prop_assert!(open.is_empty());
        if newest < before.len() {
            prop_assert!(messages.contains(&before[newest]));
        }
    }
}

#[test]
fn window_leaves_room_for_the_answer_and_for_a_conversation() {
    let large = Window(200_000);
    assert_eq!(large.answer(), 16_384);
    assert!(large.room(30_000) > 400_000 && large.room(30_000) < 600_000);
    let small = Window(4_096);
    assert_eq!(small.answer(), 1_024);
    assert_eq!(small.room(1 << 20), LEAST_ROOM);
}
