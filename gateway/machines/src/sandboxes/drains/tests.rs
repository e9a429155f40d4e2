//! Tests of the rules of draining.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

use super::model::{Facts, Left, Next, Notes, WaitsFor, next};
use crate::sandboxes::model::State;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

fn idle() -> Facts {
    Facts {
        state: State::Running,
        busy: false,
        used: false,
        uploaded: false,
        stays: false,
        notes: Notes::of(None, 3),
    }
}

fn saved() -> Facts {
    let notes = Notes::of(None, 3).saved("d".to_owned(), now());
    Facts { notes, ..idle() }
}

#[test]
fn idle_sandbox_is_saved_then_uploaded_then_ended() {
    assert_eq!(next(&idle(), true, now()), Next::Save);
    assert_eq!(next(&saved(), true, now()), Next::Wait(WaitsFor::Upload));
    let uploaded = Facts {
        uploaded: true,
        ..saved()
    };
    assert_eq!(next(&uploaded, true, now()), Next::End);
}

#[test]
fn sandbox_of_a_workspace_whose_files_stay_is_kept_until_the_setting_changes() {
    let stays = Facts {
        stays: true,
        ..saved()
    };
    assert_eq!(next(&stays, true, now()), Next::Wait(WaitsFor::Setting));
    // What the gateway has from before can move.
    let uploaded = Facts {
        uploaded: true,
        ..stays
    };
    assert_eq!(next(&uploaded, true, now()), Next::End);
    let left = Left {
        sandboxes: 0,
        unsaved: 1,
        stays: true,
        drained: true,
        connected: true,
    };
    assert!(!left.is_nothing());
    assert!(left.explain().contains("settings of the workspace"));
}

#[test]
fn command_is_waited_for_and_its_files_are_saved_again() {
    let busy = Facts {
        busy: true,
        uploaded: true,
        ..saved()
    };
    assert_eq!(next(&busy, true, now()), Next::Wait(WaitsFor::Command));
    let used = Facts {
        used: true,
        uploaded: true,
        ..saved()
    };
    assert_eq!(next(&used, true, now()), Next::Save);
}

#[test]
fn plain_drain_saves_once_and_ends_nothing() {
    let busy = Facts {
        busy: true,
        ..idle()
    };
    assert_eq!(next(&busy, false, now()), Next::Save);
    for uploaded in [false, true] {
        let used = Facts {
            used: true,
            uploaded,
            ..saved()
        };
        assert_eq!(next(&used, false, now()), Next::Stay);
    }
}

#[test]
fn failure_keeps_the_sandbox_and_waits_longer_each_time() {
    let mut notes = Notes::of(None, 3);
    let mut at = now();
    for wait in [5, 10, 20, 40, 80, 160, 300, 300] {
        notes = notes.failed("the disk is full".to_owned(), at);
        let failed = Facts {
            notes: notes.clone(),
            ..idle()
        };
        let early = at + TimeDelta::seconds(wait - 1);
        assert_eq!(
            next(&failed, true, early),
            Next::Wait(WaitsFor::NextTry),
            "{wait}"
        );
        at += TimeDelta::seconds(wait);
        assert_eq!(next(&failed, true, at), Next::Save, "{wait}");
    }
    let text = WaitsFor::NextTry.explain(&notes);
    assert!(
        text.contains("the disk is full. The sandbox stays"),
        "{text}"
    );
    assert_eq!(notes.saved("d".to_owned(), at).failed, None);
}

#[test]
fn notes_of_another_wish_do_not_count() {
    let column = serde_json::json!(Notes::of(None, 3).saved("d".to_owned(), now()));
    assert!(Notes::of(Some(&column), 3).saved.is_some());
    assert_eq!(Notes::of(Some(&column), 4), Notes::of(None, 4));
    assert_eq!(Notes::of(Some(&"else".into()), 4), Notes::of(None, 4));
}

#[test]
fn machine_is_empty_only_without_sandboxes_and_files_and_by_its_own_report() {
    let nothing = Left {
        sandboxes: 0,
        unsaved: 0,
        stays: false,
        drained: true,
        connected: true,
    };
    assert!(nothing.is_nothing());
    let cases = [
        Left {
            sandboxes: 1,
            ..nothing
        },
        Left {
            unsaved: 1,
            ..nothing
        },
        Left {
            drained: false,
            ..nothing
        },
    ];
    for left in cases {
        assert!(!left.is_nothing(), "{left:?}");
    }
    assert_eq!(cases[0].explain(), "1 sandbox left.");
    let text = cases[1].explain();
    assert!(text.contains("newest files of 1 agent"), "{text}");
    let text = cases[2].explain();
    assert!(text.contains("has not confirmed"), "{text}");
}

fn any_facts() -> impl Strategy<Value = Facts> {
    let state = proptest::sample::select(State::ALL.to_vec());
    let bits = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (state, bits, proptest::option::of(0_i64..600)).prop_map(
        |(state, (busy, used, uploaded, is_saved), again)| {
            let mut notes = Notes::of(None, 1);
            if is_saved {
                notes = notes.saved("d".to_owned(), now());
            }
            if again.is_some() {
                notes = notes.failed("why".to_owned(), now());
            }
            Facts {
                state,
                busy,
                used,
                uploaded,
                stays: false,
                notes,
            }
        },
    )
}

proptest! {
    #[test]
    fn only_a_saved_idle_sandbox_of_a_moving_drain_ends(facts in any_facts(), moves: bool, after in 0_i64..900) {
        let at = now() + TimeDelta::seconds(after);
        if next(&facts, moves, at) == Next::End {
            prop_assert!(moves && facts.uploaded && !facts.busy && !facts.used);
            prop_assert!(facts.notes.saved.is_some());
            prop_assert_eq!(facts.state, State::Running);
        }
    }
}
