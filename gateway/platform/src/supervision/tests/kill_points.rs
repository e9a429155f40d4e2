//! Kill points: the table and the sources agree, each point of supervision is survived, and trees do not affect each
//! other.

use std::collections::HashSet;
use std::path::Path;

use super::killpoints::{Arm, ArmError, KillAction, find as find_point};
use super::*;

pub(super) fn delay(name: &str, ms: u64) -> Arm {
    Arm::once(
        find_point(name).unwrap(),
        KillAction::Delay(Duration::from_millis(ms)),
    )
}

/// Names in `kill_point!(…, "name")`, independent of line breaks.
fn used_names(source: &str, into: &mut HashSet<String>) {
    for call in source.split("kill_point!(").skip(1) {
        let name = call
            .split_once('"')
            .and_then(|(_, rest)| rest.split_once('"'));
        into.extend(name.map(|(name, _)| name.to_owned()));
    }
}

fn walk(folder: &Path, into: &mut HashSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let prose = path.ends_with("killpoints.rs")
            || path.ends_with("tests")
            || path.ends_with("supervision/mod.rs");
        if path.is_dir() && !prose {
            walk(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !prose {
            used_names(&std::fs::read_to_string(&path).unwrap(), into);
        }
    }
}

#[test]
fn every_row_of_the_table_is_used_and_no_name_stands_twice() {
    let mut used = HashSet::new();
    let gateway = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    walk(&gateway.join("src"), &mut used);
    for entry in std::fs::read_dir(&gateway).unwrap() {
        let sources = entry.unwrap().path().join("src");
        // The page has a folder of this name too, without Rust.
        if sources.is_dir() {
            walk(&sources, &mut used);
        }
    }
    let rows: HashSet<String> = KILL_POINTS
        .iter()
        .map(|point| point.name.to_owned())
        .collect();
    assert_eq!(rows.len(), KILL_POINTS.len(), "a name stands twice");
    // A used name without a row does not compile; a row without a use is found here.
    assert_eq!(rows, used);
}

#[tokio::test]
async fn every_point_of_supervision_is_survived() {
    let own = KILL_POINTS
        .iter()
        .filter(|point| point.name.starts_with("actor.") || point.name.starts_with("supervision."));
    for point in own {
        let diary = Diary::default();
        let (child, address) = Script::new("a", &diary).spec().with_address();
        let tree = start(root().child(swift(SupervisorSpec::new("fleet")).child(child))).await;
        let points = tree.context().kill_points();
        let id = find_point(point.name).unwrap();
        points
            .arm(Arm {
                within: Some("roost/fleet".to_owned()),
                ..Arm::once(id, KillAction::Panic)
            })
            .unwrap();
        // The actor that ends now is restarted and answers again.
        let _ = ping(&address).await;
        let _ = address.cast(Order::Fail("oh"));
        until(point.name, || points.passes(id) > 0).await;
        let deadline = Instant::now() + PATIENCE;
        while ping(&address).await.is_err() || tree.context().living() != 3 {
            assert!(
                Instant::now() < deadline,
                "nobody answers after {}",
                point.name
            );
            tokio::task::yield_now().await;
        }
        end(tree).await;
    }
}

#[tokio::test]
async fn kill_point_fires_at_its_place_pass_and_count() {
    let tree = start(root()).await;
    let (a, b) = (
        Script::new("a", &Diary::default()),
        Script::new("b", &Diary::default()),
    );
    let address_a = tree.root().start_child(a.spec()).await.unwrap();
    let address_b = tree.root().start_child(b.spec()).await.unwrap();
    let id = find_point("actor.before_handle").unwrap();
    let order = Arm {
        after: 2,
        times: 2,
        within: Some("roost/a".to_owned()),
        ..Arm::once(id, KillAction::Panic)
    };
    tree.context().kill_points().arm(order).unwrap();
    for _ in 0..5 {
        assert_eq!(ping(&address_b).await, Ok(1), "the other is not meant");
    }
    assert_eq!(
        (ping(&address_a).await, ping(&address_a).await),
        (Ok(1), Ok(1)),
        "two passes are free"
    );
    assert!(ping(&address_a).await.is_err(), "the third strikes");
    until("it is back and dies again", || {
        a.born() == 2 && address_a.cast(Order::Fail("unread")).is_ok()
    })
    .await;
    until_incarnation(&address_a, 3).await;
    end(tree).await;
}

#[tokio::test]
async fn points_of_one_tree_do_not_strike_in_another() {
    let (armed, other) = (start(root()).await, start(root()).await);
    let id = find_point("actor.before_handle").unwrap();
    armed
        .context()
        .kill_points()
        .arm(Arm {
            times: 100,
            ..Arm::once(id, KillAction::Panic)
        })
        .unwrap();
    let address = other
        .root()
        .start_child(Script::new("a", &Diary::default()).spec())
        .await
        .unwrap();
    assert_eq!(ping(&address).await, Ok(1));
    end(armed).await;
    end(other).await;
}

#[test]
fn orders_are_read_from_text_and_mistakes_are_named() {
    let id = find_point("actor.before_handle").unwrap();
    let wait = KillAction::Delay(Duration::from_millis(20));
    let cases = [
        (
            "actor.before_handle=panic",
            Ok(Arm::once(id, KillAction::Panic)),
        ),
        (
            "actor.before_handle=abort@3",
            Ok(Arm {
                after: 3,
                ..Arm::once(id, KillAction::Abort)
            }),
        ),
        (" actor.before_handle=delay:20 ", Ok(Arm::once(id, wait))),
        (
            "nowhere=panic",
            Err(ArmError::Unknown("nowhere".to_owned())),
        ),
        (
            "actor.before_handle",
            Err(ArmError::Malformed("actor.before_handle".to_owned())),
        ),
        (
            "actor.before_handle=explode",
            Err(ArmError::Malformed(
                "actor.before_handle=explode".to_owned(),
            )),
        ),
        (
            "actor.before_handle=delay:x",
            Err(ArmError::Malformed(
                "actor.before_handle=delay:x".to_owned(),
            )),
        ),
        (
            "actor.before_handle=panic@x",
            Err(ArmError::Malformed(
                "actor.before_handle=panic@x".to_owned(),
            )),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(text.parse::<Arm>(), expected, "{text:?}");
        if let Ok(order) = expected {
            assert_eq!(order.to_string(), text.trim());
        }
    }
}

#[test]
fn nothing_can_be_armed_where_it_is_forbidden() {
    let order = Arm::once(
        find_point("actor.before_handle").unwrap(),
        KillAction::Panic,
    );
    assert_eq!(KillPoints::forbidden().arm(order), Err(ArmError::Forbidden));
}
