//! Epochs and sequence: an older connection neither sends nor receives (P6).
use proptest::prelude::*;
use roost_protocol::frame::Envelope;
use roost_protocol::hello::Welcome;
use roost_protocol::ids::ConnectionEpoch;
use roost_protocol::machine::session::{
    CloseCause, Incoming, NO_EPOCH, NodeEpochs, Outgoing, Verdict, next_epoch,
};
use roost_protocol::version::Version;
use uuid::Uuid;

fn frame(epoch: u64, seq: u64) -> Envelope<()> {
    Envelope {
        epoch: ConnectionEpoch(epoch),
        seq,
        message: (),
    }
}

fn welcome(epoch: u64) -> Welcome {
    Welcome {
        image: None,
        images: Vec::new(),
        version: Version { major: 1, minor: 0 },
        node_id: Uuid::nil().into(),
        epoch: ConnectionEpoch(epoch),
        heartbeat_s: 10,
        lease_s: 60,
        draining: false,
    }
}

proptest! {
    #[test]
    fn frames_are_taken_in_order_and_once(frames in proptest::collection::vec((0u64..3, 0u64..8), 0..60)) {
        let mut incoming = Incoming::of_gateway();
        prop_assert_eq!(incoming.judge(&frame(0, 0)), Verdict::Take);
        incoming.welcomed(ConnectionEpoch(2));
        let (mut next, mut closed) = (1, false);
        for (epoch, seq) in frames {
            match incoming.judge(&frame(epoch, seq)) {
                Verdict::Take => {
                    prop_assert!(!closed && epoch == 2 && seq == next);
                    next += 1;
                }
                Verdict::Duplicate => prop_assert!(!closed && seq < next),
                Verdict::Close(_) => {
                    prop_assert!(closed || seq > next || epoch != 2);
                    closed = true;
                }
            }
        }
    }

    #[test]
    fn frames_of_one_end_are_accepted_by_the_other(count in 1u64..50, epoch in 1u64..u64::MAX) {
        let mut sender = Outgoing::new(ConnectionEpoch(epoch));
        let opening = sender.wrap(());
        let mut epochs = NodeEpochs::default();
        let mut incoming = epochs.welcome(&opening, &welcome(epoch)).expect("it is the first");
        for _ in 0..count {
            prop_assert_eq!(incoming.judge(&sender.wrap(())), Verdict::Take);
        }
    }

    #[test]
    fn epochs_rise_even_when_database_or_clock_go_back(last in any::<u64>(), clocks in proptest::collection::vec(any::<u64>(), 1..10)) {
        let mut epoch = ConnectionEpoch(last % (u64::MAX / 2));
        for clock in clocks {
            let next = next_epoch(epoch, clock % (u64::MAX / 2));
            prop_assert!(next > epoch && next.0 >= clock % (u64::MAX / 2));
            epoch = next;
        }
    }
}

#[test]
fn closed_connection_accepts_nothing() {
    let mut incoming = Incoming::of_node(ConnectionEpoch(5));
    assert_eq!(incoming.judge(&frame(5, 1)), Verdict::Take);
    incoming.close();
    assert_eq!(
        incoming.judge(&frame(5, 2)),
        Verdict::Close(CloseCause::Closed)
    );
}

#[test]
fn repeated_hello_is_a_duplicate_not_a_foreign_frame() {
    let mut incoming = Incoming::of_gateway();
    assert_eq!(incoming.judge(&frame(0, 0)), Verdict::Take);
    incoming.welcomed(ConnectionEpoch(9));
    assert_eq!(incoming.judge(&frame(0, 0)), Verdict::Duplicate);
    assert_eq!(incoming.duplicates(), 1);
    assert_eq!(incoming.judge(&frame(9, 1)), Verdict::Take);
}

#[test]
fn only_hello_is_accepted_before_the_welcome() {
    let mut incoming = Incoming::of_gateway();
    assert!(matches!(
        incoming.judge(&frame(3, 0)),
        Verdict::Close(CloseCause::ForeignEpoch { .. })
    ));
}

#[test]
fn daemon_accepts_only_newer_epochs() {
    let mut epochs = NodeEpochs::default();
    assert!(epochs.welcome(&frame(5, 0), &welcome(5)).is_ok());
    for stale in [4, 5] {
        assert!(matches!(
            epochs.welcome(&frame(stale, 0), &welcome(stale)),
            Err(CloseCause::StaleWelcome { .. })
        ));
    }
    assert!(matches!(
        epochs.welcome(&frame(6, 1), &welcome(6)),
        Err(CloseCause::Missing { .. })
    ));
    assert!(matches!(
        epochs.welcome(&frame(7, 0), &welcome(6)),
        Err(CloseCause::ForeignEpoch { .. })
    ));
    assert!(epochs.welcome(&frame(6, 0), &welcome(6)).is_ok());
    assert_eq!(Outgoing::new(NO_EPOCH).wrap(()).epoch, NO_EPOCH);
}
