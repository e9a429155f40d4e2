//! The caller's side: exactly one end, for any inputs in any order (P1).
use proptest::prelude::*;
use roost_protocol::ids::OperationId;
use roost_protocol::inventory::LedgerEntry;
use roost_protocol::machine::operation::{Caller, Input, Output, Stage};
use roost_protocol::report::{Ended, ErrorKind, Outcome, Report, Terminal};
use uuid::Uuid;

fn ended(state: Terminal, output_end: u64) -> Ended {
    Ended {
        state,
        outcome: Outcome::Exited { code: 0 },
        output_end,
        output_dropped: 0,
        duration_ms: 1,
    }
}

fn entry(ended: Option<Ended>) -> LedgerEntry {
    LedgerEntry {
        operation: OperationId(Uuid::nil()),
        output_end: 0,
        ended,
    }
}

#[derive(Clone, Debug)]
enum Event {
    Connected(Option<LedgerEntry>),
    Disconnected,
    Report(Report),
    Stored(u64),
    Cancel,
    NodeDeleted,
    /// The gateway dies; its successor knows the stage of an earlier moment.
    Restart {
        stale: bool,
    },
}

fn terminal() -> impl Strategy<Value = Terminal> {
    prop_oneof![
        Just(Terminal::Done),
        Just(Terminal::Failed),
        Just(Terminal::Cancelled),
        Just(Terminal::Lost)
    ]
}

fn some_end() -> impl Strategy<Value = Ended> {
    (terminal(), 0u64..3).prop_map(|(state, end)| ended(state, end))
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        proptest::option::of(proptest::option::of(some_end()))
            .prop_map(|listed| Event::Connected(listed.map(entry))),
        Just(Event::Disconnected),
        Just(Event::Report(Report::Accepted)),
        Just(Event::Report(Report::Progress { detail: "x".into() })),
        Just(Event::Report(Report::NeverSeen)),
        Just(Event::Report(Report::Unknown)),
        some_end().prop_map(|end| Event::Report(Report::Ended(end))),
        (0u64..4).prop_map(Event::Stored),
        Just(Event::Cancel),
        Just(Event::NodeDeleted),
        any::<bool>().prop_map(|stale| Event::Restart { stale }),
    ]
}

proptest! {
    #[test]
    fn operation_ends_exactly_once_in_any_history(events in proptest::collection::vec(event(), 0..40)) {
        let mut caller = Caller::new();
        let mut stored = Stage::Requested;
        let mut ends = Vec::new();
        let (mut connected, mut asked, mut sent_here) = (false, false, false);
        for event in events {
            let accepted = caller.stage() == Stage::Accepted;
            let outputs = match &event {
                Event::Connected(listed) => {
                    (connected, asked, sent_here) = (true, false, false);
                    caller.step(Input::Connected { listed: listed.as_ref() })
                }
                Event::Disconnected => {
                    (connected, asked) = (false, false);
                    caller.step(Input::Disconnected)
                }
                Event::Report(report) => caller.step(Input::Report(report)),
                Event::Stored(up_to) => caller.step(Input::OutputStored { up_to: *up_to }),
                Event::Cancel => caller.step(Input::Cancel),
                Event::NodeDeleted => caller.step(Input::NodeDeleted),
                Event::Restart { stale } => {
                    // Only the end is stored before it is reported.
                    let stage = if *stale && ends.is_empty() { stored } else { caller.stage() };
                    caller = Caller::restore(stage, caller.cancelling());
                    (connected, asked) = (false, false);
                    Vec::new()
                }
            };
            for output in outputs {
                match output {
                    Output::End(end) => {
                        if end.state == Terminal::Lost && !matches!(event, Event::Report(Report::Ended(_)) | Event::Connected(_)) {
                            let told = accepted && asked && matches!(event, Event::Report(Report::NeverSeen));
                            prop_assert!(told || matches!(event, Event::NodeDeleted), "lost after {event:?}");
                        }
                        ends.push(end);
                    }
                    Output::Send => {
                        prop_assert!(connected && !sent_here, "sent twice on one connection");
                        prop_assert!(ends.is_empty(), "sent after the end");
                        sent_here = true;
                    }
                    Output::Reconcile => { prop_assert!(connected); asked = true; }
                    Output::Cancel => prop_assert!(connected, "a cancel into the void"),
                    Output::Ack => prop_assert!(connected && !ends.is_empty(), "acknowledged before the end"),
                    Output::Progress(_) => prop_assert!(ends.is_empty(), "progress after the end"),
                }
            }
            stored = caller.stage();
            prop_assert!(ends.len() <= 1, "ended {} times", ends.len());
            prop_assert_eq!(caller.is_ended(), ends.len() == 1);
            if let (Some(end), Stage::Ended(state)) = (ends.first(), caller.stage()) {
                prop_assert_eq!(end.state, state);
            }
        }
    }

    #[test]
    fn operation_always_ends_with_an_honest_node(
        events in proptest::collection::vec(event(), 0..20),
        knows in any::<bool>(),
    ) {
        let mut caller = Caller::new();
        for event in events {
            match event {
                Event::Connected(listed) => drop(caller.step(Input::Connected { listed: listed.as_ref() })),
                Event::Disconnected => drop(caller.step(Input::Disconnected)),
                Event::Cancel => drop(caller.step(Input::Cancel)),
                Event::Restart { .. } => caller = Caller::restore(caller.stage(), caller.cancelling()),
                Event::Report(Report::Accepted) => drop(caller.step(Input::Report(&Report::Accepted))),
                _ => {}
            }
        }
        // A node that answers queries consistently.
        let listed = entry(None);
        let mut todo = caller.step(Input::Connected { listed: knows.then_some(&listed) });
        for _ in 0..4 {
            let mut next = Vec::new();
            for output in todo {
                let answer = match output {
                    Output::Send | Output::Cancel => Report::Ended(ended(Terminal::Done, 0)),
                    Output::Reconcile => Report::NeverSeen,
                    _ => continue,
                };
                next.extend(caller.step(Input::Report(&answer)));
            }
            todo = next;
        }
        if !caller.is_ended() {
            caller.step(Input::Report(&Report::Ended(ended(Terminal::Done, 0))));
        }
        prop_assert!(caller.is_ended());
    }
}

#[test]
fn unsent_operation_is_cancelled_at_once_and_sent_one_is_not() {
    let mut fresh = Caller::new();
    let outputs = fresh.step(Input::Cancel);
    assert!(matches!(&outputs[..], [Output::End(end)] if end.state == Terminal::Cancelled));

    let mut restored = Caller::restore(Stage::Requested, false);
    assert_eq!(restored.step(Input::Cancel), []);
    assert_eq!(
        restored.step(Input::Connected { listed: None }),
        [Output::Reconcile]
    );
    let outputs = restored.step(Input::Report(&Report::NeverSeen));
    assert!(matches!(&outputs[..], [Output::End(end)] if end.state == Terminal::Cancelled));
}

#[test]
fn accepted_operation_is_lost_only_after_a_query() {
    let mut caller = Caller::restore(Stage::Accepted, false);
    assert_eq!(caller.step(Input::Report(&Report::NeverSeen)), []);
    assert_eq!(
        caller.step(Input::Connected { listed: None }),
        [Output::Reconcile]
    );
    let outputs = caller.step(Input::Report(&Report::NeverSeen));
    let [Output::End(end)] = &outputs[..] else {
        panic!("{outputs:?}")
    };
    assert_eq!(end.state, Terminal::Lost);
    assert!(
        matches!(&end.outcome, Outcome::Error { error } if error.kind == ErrorKind::Interrupted)
    );
}

#[test]
fn silence_decides_nothing() {
    let mut caller = Caller::new();
    caller.step(Input::Connected { listed: None });
    caller.step(Input::Report(&Report::Accepted));
    assert_eq!(caller.step(Input::Disconnected), []);
    assert_eq!(caller.stage(), Stage::Accepted);
}

#[test]
fn ack_waits_for_output_and_is_repeated_when_the_end_is_listed_again() {
    let mut caller = Caller::new();
    caller.step(Input::Connected { listed: None });
    let end = ended(Terminal::Done, 10);
    let outputs = caller.step(Input::Report(&Report::Ended(end.clone())));
    assert_eq!(outputs, [Output::End(end.clone())]);
    assert_eq!(caller.step(Input::OutputStored { up_to: 9 }), []);
    assert_eq!(
        caller.step(Input::OutputStored { up_to: 10 }),
        [Output::Ack]
    );
    assert_eq!(caller.step(Input::OutputStored { up_to: 10 }), []);
    caller.step(Input::Disconnected);
    let listed = entry(Some(end));
    assert_eq!(
        caller.step(Input::Connected {
            listed: Some(&listed)
        }),
        [Output::Ack]
    );
}
