//! The node's side: an id starts at most once, and a report is never contradicted (P2).
use proptest::prelude::*;
use roost_protocol::limits::RESULT_RETENTION_S;
use roost_protocol::machine::ledger::{Effect, Evidence, Kind, Slot, Stage};
use roost_protocol::report::{Ended, ErrorKind, Outcome, Report, Terminal};

const KINDS: [Kind; 7] = [
    Kind::Verify,
    Kind::Provision,
    Kind::Exec,
    Kind::Destroy,
    Kind::Health,
    Kind::List,
    Kind::Flush,
];

fn done() -> Ended {
    Ended {
        state: Terminal::Done,
        outcome: Outcome::Exited { code: 0 },
        output_end: 5,
        output_dropped: 0,
        duration_ms: 1,
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Begin,
    Finish,
    Cancel,
    Ack,
    Tick(u64),
    /// The next write fails.
    DiskFull,
    /// The daemon dies and its successor finds this.
    Restart(Evidence),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Begin),
        Just(Event::Finish),
        Just(Event::Cancel),
        Just(Event::Ack),
        (0u64..RESULT_RETENTION_S * 1500).prop_map(Event::Tick),
        Just(Event::DiskFull),
        Just(Event::Restart(Evidence::GuestKnows)),
        Just(Event::Restart(Evidence::GuestDoesNotKnow)),
        Just(Event::Restart(Evidence::SandboxGone)),
        Just(Event::Restart(Evidence::Silent)),
    ]
}

proptest! {
    #[test]
    fn command_starts_once_and_its_end_never_changes(events in proptest::collection::vec(event(), 0..40)) {
        let mut now_ms = 0;
        let (mut slot, first) = Slot::record(Kind::Exec, now_ms);
        prop_assert_eq!(&first[..1], &[Effect::Write(Stage::Recorded)][..], "synced before anything else");
        let mut disk = Some(Stage::Recorded);
        let (mut runs, mut gone, mut ran, mut told, mut disk_full, mut acked) = (false, false, 0, None, false, false);
        for event in events {
            let mut effects = match event {
                Event::Begin => {
                    if slot.begin() { ran += 1; runs = true; }
                    Vec::new()
                }
                Event::Finish if runs => slot.finish(done(), now_ms),
                Event::Finish => Vec::new(),
                Event::Cancel => slot.cancel(now_ms),
                Event::Ack if told.is_some() => { acked = true; slot.ack(now_ms) }
                Event::Ack => Vec::new(),
                Event::Tick(by) => { now_ms += by; slot.tick(now_ms) }
                Event::DiskFull => { disk_full = true; Vec::new() }
                Event::Restart(evidence) => {
                    // Evidence must be true: a guest knows exactly what runs, and what is gone stays gone.
                    let possible = match evidence {
                        Evidence::GuestKnows => runs && !gone,
                        Evidence::GuestDoesNotKnow => !runs && !gone,
                        Evidence::SandboxGone | Evidence::Silent => true,
                    };
                    let Some(stage) = disk.clone().filter(|_| possible) else { continue };
                    slot = Slot::load(Kind::Exec, stage, now_ms);
                    if evidence == Evidence::SandboxGone { (runs, gone) = (false, true); }
                    slot.recover(evidence, 3, now_ms)
                }
            };
            let mut index = 0;
            while index < effects.len() {
                match effects[index].clone() {
                    Effect::Write(_) if disk_full => {
                        disk_full = false;
                        effects = slot.write_failed("full");
                        index = 0;
                        continue;
                    }
                    Effect::Write(stage) => disk = Some(stage),
                    Effect::Report(Report::Ended(end)) => {
                        let durable = match &disk {
                            Some(Stage::Ended { ended } | Stage::Acked { ended }) => *ended == end,
                            _ => false,
                        };
                        prop_assert!(durable, "said {end:?} while the disk holds {disk:?}");
                        prop_assert!(told.is_none_or(|state| state == end.state), "said {told:?} before");
                        told = Some(end.state);
                        if end.state == Terminal::Cancelled && ran > 0 {
                            prop_assert!(false, "said that nothing ran");
                        }
                    }
                    Effect::Erase => {
                        prop_assert!(acked, "forgotten without an ack");
                        return Ok(());
                    }
                    Effect::Stop => prop_assert!(runs),
                    Effect::Start | Effect::Reattach | Effect::TrimOutput | Effect::Report(_) => {}
                }
                index += 1;
            }
            prop_assert!(ran <= 1, "started {ran} times");
            if told.is_some() {
                prop_assert!(!slot.begin(), "begins after its end");
                prop_assert!(matches!(slot.answer(), Report::Ended(_)));
            }
        }
    }

    #[test]
    fn unacknowledged_end_is_kept_for_ever(ages in proptest::collection::vec(0u64..u64::MAX / 8, 1..6)) {
        for kind in KINDS {
            let (mut slot, _) = Slot::record(kind, 0);
            slot.begin();
            slot.finish(done(), 0);
            let mut now_ms = 0u64;
            for age in &ages {
                now_ms = now_ms.saturating_add(*age);
                prop_assert_eq!(slot.tick(now_ms), []);
                prop_assert!(slot.listed());
            }
        }
    }
}

#[test]
fn acknowledged_end_is_kept_for_the_retention() {
    let (mut slot, _) = Slot::record(Kind::Exec, 0);
    slot.begin();
    slot.finish(done(), 10);
    let effects = slot.ack(20);
    assert_eq!(
        effects,
        [
            Effect::Write(Stage::Acked { ended: done() }),
            Effect::TrimOutput
        ]
    );
    assert!(!slot.listed());
    assert_eq!(slot.ack(30), []);
    assert_eq!(slot.tick(20 + RESULT_RETENTION_S * 1000 - 1), []);
    assert_eq!(slot.tick(20 + RESULT_RETENTION_S * 1000), [Effect::Erase]);
}

#[test]
fn recovery_depends_on_the_kind_of_work() {
    for kind in KINDS {
        for evidence in [
            Evidence::GuestKnows,
            Evidence::GuestDoesNotKnow,
            Evidence::SandboxGone,
            Evidence::Silent,
        ] {
            let mut slot = Slot::load(kind, Stage::Recorded, 0);
            let effects = slot.recover(evidence, 7, 0);
            let expected = match (kind, evidence) {
                (Kind::Exec, Evidence::GuestKnows) => "reattach",
                (Kind::Exec, Evidence::SandboxGone) => "lost",
                (Kind::Exec, Evidence::Silent) => "wait",
                _ => "start",
            };
            let got = match &effects[..] {
                [] => "wait",
                [Effect::Start] => "start",
                [Effect::Reattach] => "reattach",
                [Effect::Write(_), Effect::Report(Report::Ended(end))]
                    if end.state == Terminal::Lost && end.output_end == 7 =>
                {
                    "lost"
                }
                other => panic!("{other:?}"),
            };
            assert_eq!(got, expected, "{kind:?} {evidence:?}");
        }
    }
}

#[test]
fn cancel_after_a_restart_does_not_report_that_nothing_ran() {
    let mut slot = Slot::load(Kind::Provision, Stage::Recorded, 0);
    slot.recover(Evidence::SandboxGone, 0, 0);
    assert_eq!(slot.cancel(0), []);
    assert!(slot.stopping() && slot.begin());

    let mut slot = Slot::load(Kind::Exec, Stage::Recorded, 0);
    assert_eq!(slot.cancel(0), []);
    assert_eq!(
        slot.recover(Evidence::GuestKnows, 0, 0),
        [Effect::Reattach, Effect::Stop]
    );
}

#[test]
fn failed_record_write_refuses_and_leaves_nothing() {
    let (mut slot, _) = Slot::record(Kind::Exec, 0);
    let effects = slot.write_failed("no space left on device");
    let [Effect::Report(Report::Ended(end)), Effect::Erase] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(matches!(&end.outcome, Outcome::Error { error } if error.kind == ErrorKind::DiskFull));
    assert!(!slot.begin());
}
