//! Intensity and escalation: what happens when restarts do not help.

use super::*;
use crate::clock::TestClock;

fn two_in_a_while() -> Intensity {
    Intensity {
        max: 2,
        within: PATIENCE,
    }
}

#[tokio::test]
async fn static_children_share_an_allowance_and_the_root_that_has_used_it_up_ends_the_tree_with_the_reason()
 {
    let diary = Diary::default();
    let (a, address_a) = Script::new("a", &diary).spec().with_address();
    let (b, address_b) = Script::new("b", &diary).spec().with_address();
    let tree = start(root().intensity(two_in_a_while()).child(a).child(b)).await;
    address_a.cast(Order::Fail("first")).unwrap();
    until_incarnation(&address_a, 2).await;
    address_b.cast(Order::Fail("second")).unwrap();
    until_incarnation(&address_b, 2).await;
    diary.clear();
    address_a.cast(Order::Fail("third")).unwrap();
    let why =
        "roost gave up: more than 2 restarts within 20s; the last child to fail was roost/a: third";
    assert_eq!(
        tree.ended().await,
        TreeEnd::Failed {
            why: why.to_owned()
        }
    );
    assert_eq!(
        diary.lines(),
        ["b stops"],
        "the others are stopped in order before the root ends"
    );
    until("nothing lives", || tree.context().living() == 0).await;
}

#[tokio::test]
async fn a_nested_supervisor_that_gives_up_is_restarted_by_its_parent_with_a_fresh_allowance() {
    let diary = Diary::default();
    let (a, address) = Script::new("a", &diary).spec().with_address();
    let tree = start(
        root().child(
            swift(SupervisorSpec::new("fleet"))
                .intensity(two_in_a_while())
                .child(a),
        ),
    )
    .await;
    for round in 1..=4 {
        until_incarnation(&address, round).await;
        address.cast(Order::Fail("again")).unwrap();
    }
    until_incarnation(&address, 5).await;
    let fleet = find(&tree, "roost/fleet");
    assert_eq!(fleet.restarts, 1);
    let why = "roost/fleet gave up: more than 2 restarts within 20s; the last child to fail was roost/fleet/a: again";
    assert_eq!(fleet.last_failure.unwrap().text, why);
    end(tree).await;
}

#[tokio::test]
async fn failure_that_no_level_can_restart_reaches_the_root() {
    let (a, address) = Script::new("a", &Diary::default()).spec().with_address();
    let none = Intensity {
        max: 0,
        within: PATIENCE,
    };
    let inner = SupervisorSpec::new("inner").intensity(none).child(a);
    let outer = SupervisorSpec::new("outer").intensity(none).child(inner);
    let tree = start(SupervisorSpec::new("roost").intensity(none).child(outer)).await;
    address.cast(Order::Fail("deep down")).unwrap();
    let TreeEnd::Failed { why } = tree.ended().await else {
        panic!("it failed")
    };
    let order = [
        "roost gave up",
        "roost/outer gave up",
        "roost/outer/inner gave up",
        "roost/outer/inner/a: deep down",
    ];
    let places: Vec<_> = order.iter().map(|part| why.find(part)).collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{why}"
    );
}

#[tokio::test]
async fn failed_dynamic_child_is_a_visible_tombstone_without_effect_on_others() {
    let diary = Diary::default();
    let tree = start(root().intensity(two_in_a_while())).await;
    let other = tree
        .root()
        .start_child(Script::new("other", &diary).spec())
        .await
        .unwrap();
    let bad = tree
        .root()
        .start_child(Script::new("bad", &diary).spec())
        .await
        .unwrap();
    for round in 1..=3 {
        until_incarnation(&bad, round).await;
        bad.cast(Order::Fail("broken machine")).unwrap();
    }
    until("it has failed for good", || {
        bad.state() == ActorState::Failed
    })
    .await;
    let no_answer = NoAnswer::Failed {
        path: "roost/bad".to_owned(),
        failure: "broken machine".to_owned(),
    };
    assert_eq!(ping(&bad).await, Err(no_answer));
    assert_eq!(ping(&other).await, Ok(1), "its sibling was never touched");
    other.cast(Order::Fail("a little broken")).unwrap();
    until_incarnation(&other, 2).await;
    assert_eq!(find(&tree, "roost/bad").restarts, 2);
    let again = tree
        .root()
        .start_child(Script::new("bad", &diary).spec())
        .await
        .expect("a tombstone gives its name away");
    assert_eq!(ping(&again).await, Ok(1));
    end(tree).await;
}

#[tokio::test]
async fn restarts_long_ago_neither_count_nor_make_the_wait_longer() {
    let clock = TestClock::default();
    let (a, address) = Script::new("a", &Diary::default()).spec().with_address();
    let minute = Duration::from_secs(60);
    // After twenty doublings the wait would be a quarter of an hour.
    let back_off = BackOff {
        first: Duration::from_millis(1),
        cap: minute * 60,
    };
    let spec = root()
        .back_off(back_off)
        .intensity(Intensity {
            max: 1,
            within: minute,
        })
        .child(a);
    let options = TreeOptions {
        clock: Arc::new(clock.clone()),
        ..options()
    };
    let tree = Tree::start(options, spec).await.unwrap();
    for round in 1..=20 {
        until_incarnation(&address, round).await;
        clock.advance(minute);
        address.cast(Order::Fail("now and then")).unwrap();
    }
    until_incarnation(&address, 21).await;
    end(tree).await;
}

#[tokio::test]
async fn a_root_that_is_killed_ends_the_tree_with_an_error_and_takes_everything_along() {
    let tree = start(root().child(Script::new("a", &Diary::default()).spec())).await;
    tree.root()
        .address()
        .entry()
        .incarnation()
        .unwrap()
        .cell
        .kill();
    let TreeEnd::Failed { why } = tree.ended().await else {
        panic!("it was killed")
    };
    assert_eq!(why, "the root supervisor was killed or panicked");
    until("nothing lives", || tree.context().living() == 0).await;
}
