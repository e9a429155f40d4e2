//! Draining: no new placements, and drained only when the node itself reports it (P7).
use proptest::prelude::*;
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::machine::drain::{GatewayDrain, Holding, NodeDrain, Progress};

fn turn_of(control: Option<Control>) -> (bool, u64) {
    match control {
        Some(Control::Drain { on, turn }) => (on, turn),
        other => panic!("{other:?}"),
    }
}

#[test]
fn drained_needs_an_empty_reply_for_this_turn_and_connection() {
    let mut drain = GatewayDrain::default();
    assert!(drain.may_place());
    let (on, turn) = turn_of(drain.set(true));
    assert!(on && !drain.may_place());
    assert_eq!(drain.progress(), Progress::Asked);
    drain.reply(true, turn, false);
    assert_eq!(drain.progress(), Progress::Draining);
    drain.reply(true, turn, true);
    assert_eq!(drain.progress(), Progress::Drained);
    drain.disconnected();
    assert_eq!(drain.progress(), Progress::Asked);
    assert_eq!(turn_of(drain.connected()), (true, turn));
}

#[test]
fn late_reply_to_an_earlier_drain_is_ignored() {
    let mut drain = GatewayDrain::default();
    let (_, first) = turn_of(drain.set(true));
    let (_, second) = turn_of(drain.set(false));
    let (_, third) = turn_of(drain.set(true));
    assert!(first < second && second < third);
    drain.reply(true, first, true);
    assert_eq!(drain.progress(), Progress::Asked);
    drain.reply(true, third, true);
    assert_eq!(drain.progress(), Progress::Drained);
}

#[test]
fn repeated_wish_changes_nothing() {
    let mut drain = GatewayDrain::default();
    assert_eq!(drain.set(false), None);
    drain.set(true);
    assert_eq!(drain.set(true), None);
    let restored = GatewayDrain::restore(drain.wish());
    assert_eq!(restored.progress(), Progress::Asked);
    assert_eq!(GatewayDrain::default().connected(), None);
}

#[test]
fn node_is_not_empty_during_a_provision_or_without_its_engine() {
    for holding in [
        Holding {
            sandboxes: 1,
            ..Holding::default()
        },
        Holding {
            provisions: 1,
            ..Holding::default()
        },
        Holding {
            engine_silent: true,
            ..Holding::default()
        },
    ] {
        assert!(!holding.is_empty(), "{holding:?}");
    }
    assert!(Holding::default().is_empty());
}

proptest! {
    #[test]
    fn node_reports_exactly_when_emptiness_changes(counts in proptest::collection::vec(0usize..3, 0..30)) {
        let mut node = NodeDrain::default();
        prop_assert_eq!(node.changed(Holding::default()), None, "no change to report");
        node.welcomed(true);
        prop_assert!(node.draining());
        let holding = |sandboxes| Holding { sandboxes, ..Holding::default() };
        node.drain(true, 4, holding(1));
        let mut said = false;
        for count in counts {
            match node.changed(holding(count)) {
                Some(ControlReply::Draining { on, turn, empty }) => {
                    prop_assert_eq!((on, turn, empty), (true, 4, count == 0));
                    prop_assert_ne!(empty, said);
                    said = empty;
                }
                Some(other) => prop_assert!(false, "{other:?}"),
                None => prop_assert_eq!(count == 0, said),
            }
        }
        node.drain(false, 5, holding(0));
        prop_assert!(!node.draining());
        prop_assert_eq!(node.changed(holding(1)), None);
    }
}
