//! The handshake: which connection is welcomed, which replaces another, and which is a clone.
use roost_protocol::hello::{Capabilities, Hello, RefusedReason};
use roost_protocol::ids::{ConnectionEpoch, InstanceId};
use roost_protocol::inventory::Inventory;
use roost_protocol::machine::handshake::{Decision, First, Known, Open, decide, decide_for};
use roost_protocol::version::{SUPPORTED, Version, VersionRange};
use uuid::Uuid;

fn instance(n: u128) -> InstanceId {
    Uuid::from_u128(n).into()
}

fn hello(boot: &str, daemon: u128) -> Hello {
    Hello {
        versions: SUPPORTED,
        daemon_version: "0.1.0".into(),
        install_id: Uuid::from_u128(1).into(),
        instance_id: instance(daemon),
        boot_id: boot.into(),
        hostname: "h".into(),
        os: "linux".into(),
        arch: "x86_64".into(),
        capabilities: Capabilities::default(),
        inventory: Inventory::default(),
    }
}

fn known(first: Option<(&str, u128)>) -> Known {
    Known {
        install_id: Uuid::from_u128(1).into(),
        revoked: false,
        stopping: false,
        first: first.map(|(boot, daemon)| Open {
            boot_id: boot.into(),
            instance_id: instance(daemon),
            epoch: ConnectionEpoch(1),
        }),
    }
}

fn refused(decision: Decision) -> Option<RefusedReason> {
    match decision {
        Decision::Refuse(refused) => {
            assert!(refused.detail.len() > 10, "a refusal says what to do");
            Some(refused.reason)
        }
        _ => None,
    }
}

const VERSION: Version = SUPPORTED.highest;

#[test]
fn the_first_connection_is_welcomed() {
    let decision = decide(&hello("a", 1), &known(None), First::NotAsked);
    assert_eq!(decision, Decision::Welcome { version: VERSION });
}

#[test]
fn same_daemon_or_successor_replaces_an_open_connection() {
    for daemon in [5, 6] {
        let decision = decide(&hello("a", daemon), &known(Some(("a", 5))), First::NotAsked);
        assert_eq!(decision, Decision::Replace { version: VERSION });
    }
}

#[test]
fn other_boot_is_refused_if_the_first_answers_and_replaces_it_if_silent() {
    let (second, known) = (hello("b", 9), known(Some(("a", 5))));
    assert_eq!(decide(&second, &known, First::NotAsked), Decision::AskFirst);
    assert_eq!(
        refused(decide(&second, &known, First::Answered)),
        Some(RefusedReason::Cloned)
    );
    let decision = decide(&second, &known, First::Silent);
    assert_eq!(decision, Decision::Replace { version: VERSION });
}

#[test]
fn older_daemon_of_the_same_boot_does_not_replace_the_newer_one() {
    let (older, known) = (hello("a", 4), known(Some(("a", 5))));
    assert_eq!(decide(&older, &known, First::NotAsked), Decision::AskFirst);
    assert_eq!(
        refused(decide(&older, &known, First::Answered)),
        Some(RefusedReason::Cloned)
    );
}

#[test]
fn foreign_revoked_and_incompatible_daemons_are_refused_first() {
    let mut foreign = hello("a", 1);
    foreign.install_id = Uuid::from_u128(2).into();
    let reason = refused(decide(&foreign, &known(None), First::NotAsked));
    assert_eq!(reason, Some(RefusedReason::WrongInstall));

    let mut gone = known(None);
    gone.revoked = true;
    let reason = refused(decide(&hello("a", 1), &gone, First::NotAsked));
    assert_eq!(reason, Some(RefusedReason::Revoked));

    let mut stopping = known(None);
    stopping.stopping = true;
    let reason = refused(decide(&hello("a", 1), &stopping, First::NotAsked));
    assert_eq!(reason, Some(RefusedReason::Stopping));

    let later = Version { major: 2, minor: 0 };
    let ours = VersionRange {
        lowest: later,
        highest: later,
    };
    let decision = decide_for(ours, &hello("a", 1), &known(None), First::NotAsked);
    assert_eq!(refused(decision), Some(RefusedReason::Version));
}

#[test]
fn only_temporary_refusals_are_retried() {
    for (reason, retry) in [
        (RefusedReason::Version, false),
        (RefusedReason::WrongInstall, false),
        (RefusedReason::Revoked, false),
        (RefusedReason::Cloned, true),
        (RefusedReason::Stopping, true),
        (RefusedReason::Other, true),
    ] {
        assert_eq!(reason.retry(), retry, "{reason:?}");
    }
}
