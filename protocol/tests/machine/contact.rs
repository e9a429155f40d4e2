//! Connected, suspect, disconnected.
use proptest::prelude::*;
use roost_protocol::machine::contact::{Connection, Contact};

#[test]
fn suspect_after_one_and_a_half_and_disconnected_after_three_intervals() {
    let contact = Contact::new(10, 1_000);
    for (after_ms, state) in [
        (0, Connection::Connected),
        (14_999, Connection::Connected),
        (15_000, Connection::Suspect),
        (29_999, Connection::Suspect),
        (30_000, Connection::Disconnected),
    ] {
        assert_eq!(
            contact.state(1_000 + after_ms),
            state,
            "after {after_ms} ms"
        );
    }
}

#[test]
fn frame_restores_a_suspect_connection_but_not_a_dead_one() {
    let mut contact = Contact::new(10, 0);
    assert!(contact.heard(29_999));
    assert_eq!(contact.state(29_999), Connection::Connected);
    assert!(!contact.heard(60_000));
    assert_eq!(contact.state(29_999), Connection::Disconnected);
    let mut contact = Contact::new(10, 0);
    contact.close();
    assert!(!contact.heard(1));
}

proptest! {
    #[test]
    fn the_timer_fires_exactly_at_the_changes(interval_s in 1u32..1000, now_ms in 0u64..1 << 40, silent_ms in 0u64..4_000_000) {
        let contact = Contact::new(interval_s, now_ms);
        let later = now_ms + silent_ms;
        match contact.next_change_ms(later) {
            Some(at) => {
                prop_assert!(at > later);
                prop_assert_eq!(contact.state(at - 1), contact.state(later));
                prop_assert!(contact.state(at) > contact.state(later));
            }
            None => prop_assert_eq!(contact.state(later), Connection::Disconnected),
        }
    }

    #[test]
    fn backward_clock_counts_as_no_time(now_ms in 1u64..1 << 40, back in 1u64..1 << 40) {
        let contact = Contact::new(10, now_ms);
        prop_assert_eq!(contact.state(now_ms.saturating_sub(back)), Connection::Connected);
    }
}
