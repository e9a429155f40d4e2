//! Stops and shutdown: order, grace, kills, leaks.

use super::*;

#[tokio::test]
async fn a_shutdown_stops_dynamic_children_first_and_static_ones_backwards_level_by_level() {
    let diary = Diary::default();
    let (fleet, handle) = SupervisorSpec::new("fleet")
        .child(Script::new("f1", &diary).spec())
        .child(Script::new("f2", &diary).spec())
        .with_handle();
    let tree = start(
        root()
            .child(Script::new("r1", &diary).spec())
            .child(fleet)
            .child(Script::new("r3", &diary).spec()),
    )
    .await;
    handle
        .start_child(Script::new("node", &diary).spec())
        .await
        .unwrap();
    diary.clear();
    assert_eq!(end(tree).await, ShutdownReport::default());
    assert_eq!(
        diary.lines(),
        ["r3 stops", "node stops", "f2 stops", "f1 stops", "r1 stops"]
    );
}

#[tokio::test]
async fn child_over_its_grace_is_killed_and_the_rest_stops_in_order() {
    let diary = Diary::default();
    let stuck = Script::new("stuck", &diary)
        .hanging_in_stop()
        .spec()
        .grace(Duration::from_millis(5));
    let (busy, busy_address) = Script::new("busy", &diary)
        .spec()
        .grace(Duration::from_millis(5))
        .with_address();
    let tree = start(
        root()
            .child(Script::new("first", &diary).spec())
            .child(stuck)
            .child(busy),
    )
    .await;
    busy_address.cast(Order::Hang).unwrap();
    until("it hangs", || {
        find(&tree, "roost/busy")
            .mailbox
            .is_some_and(|mailbox| mailbox.len == 1)
    })
    .await;
    diary.clear();
    let view = tree.view();
    let report = end(tree).await;
    assert_eq!(report.killed, ["roost/busy", "roost/stuck"]);
    assert_eq!(report.abandoned, Vec::<String>::new());
    assert_eq!(diary.lines(), ["first stops"]);
    assert_eq!(view.snapshot().forced_kills, 2);
}

#[tokio::test]
async fn a_thousand_dynamic_children_that_need_their_grace_take_one_grace_together() {
    let tree = start(root()).await;
    let starts = (0..1_000).map(|index| {
        let name: &'static str = Box::leak(format!("n{index}").into_boxed_str());
        tree.root().start_child(
            Script::new(name, &Diary::default())
                .hanging_in_stop()
                .spec()
                .grace(Duration::from_millis(50)),
        )
    });
    for started in futures::future::join_all(starts).await {
        started.unwrap();
    }
    // One after the other they would need 50 s, more than the timeout of `end`.
    let report = end(tree).await;
    assert_eq!(report.killed.len(), 100, "the list is bounded");
}

#[tokio::test]
async fn a_child_that_drains_handles_its_mailbox_before_it_stops_and_another_loses_it_countably() {
    for (drains, expected) in [(true, 3), (false, 0)] {
        let diary = Diary::default();
        let spec = Script::new("a", &diary).spec();
        let (child, address) = if drains { spec.drains() } else { spec }.with_address();
        let tree = start(root().child(child)).await;
        tree.context()
            .kill_points()
            .arm(kill_points::delay("actor.before_handle", 50))
            .unwrap();
        for word in ["one", "two", "three"] {
            address.cast(Order::JobEnded(word.to_owned())).unwrap();
        }
        let view = tree.view();
        end(tree).await;
        let noted = diary
            .lines()
            .iter()
            .filter(|line| ["one", "two", "three"].contains(&line.as_str()))
            .count();
        let snapshot = view.snapshot();
        let seen = snapshot.find("roost/a").expect("a static child stays");
        // Without draining, the actor finishes the current message, and the waiting ones are lost.
        assert!(
            if drains {
                noted == expected
            } else {
                noted <= 1
            },
            "{noted} of {expected}"
        );
        assert_eq!(
            (seen.handled, seen.lost),
            (noted as u64, 3 - noted as u64),
            "drains: {drains}"
        );
    }
}

#[tokio::test]
async fn a_supervisor_in_the_middle_of_starts_and_restarts_shuts_down_cleanly() {
    let hour = Duration::from_secs(3_600);
    let tree = start(root().back_off(BackOff {
        first: hour,
        cap: hour,
    }))
    .await;
    let failing = tree
        .root()
        .start_child(Script::new("failing", &Diary::default()).spec())
        .await
        .unwrap();
    failing.cast(Order::Fail("oh")).unwrap();
    until("it backs off", || failing.state() == ActorState::BackingOff).await;
    end(tree).await;
}

#[tokio::test]
#[should_panic(expected = "a tree was dropped with 2 living actors")]
async fn a_tree_that_is_dropped_alive_fails_the_test() {
    drop(start(root().child(Script::new("a", &Diary::default()).spec())).await);
}

#[tokio::test]
async fn a_stop_waits_for_the_jobs_too_before_an_older_sibling_is_stopped() {
    let diary = Diary::default();
    let (child, address) = Script::new("young", &diary).spec().with_address();
    let tree = start(root().child(Script::new("old", &diary).spec()).child(child)).await;
    address.cast(Order::Job(JobPlan::Hangs)).unwrap();
    until("its job runs", || {
        find(&tree, "roost/young").children.len() == 1
    })
    .await;
    ping(&address).await.unwrap();
    diary.clear();
    end(tree).await;
    assert_eq!(
        diary.lines(),
        ["the job is dropped", "young stops", "old stops"]
    );
}
