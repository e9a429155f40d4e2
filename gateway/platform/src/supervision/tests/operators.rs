//! Operators restart actors by id.

use super::*;

#[tokio::test]
async fn an_operator_restarts_by_id_what_lives_and_what_has_failed_for_good() {
    let diary = Diary::default();
    let (fixed, fixed_address) = Script::new("fixed", &diary).spec().with_address();
    let (fleet, handle) = swift(SupervisorSpec::new("fleet"))
        .intensity(Intensity {
            max: 0,
            within: PATIENCE,
        })
        .child(fixed)
        .with_handle();
    let tree = start(root().child(fleet)).await;
    let view = tree.view();
    let bad = handle
        .start_child(Script::new("node:1", &diary).spec())
        .await
        .unwrap();
    bad.cast(Order::Fail("oh")).unwrap();
    until("it failed for good", || bad.state() == ActorState::Failed).await;
    view.restart("roost/fleet/node:1")
        .await
        .expect("a tombstone comes back");
    assert_eq!(ping(&bad).await, Ok(2), "at its old address");
    view.restart("roost/fleet/fixed")
        .await
        .expect("a living one too");
    assert_eq!(ping(&fixed_address).await, Ok(2));
    assert!(
        diary.lines().contains(&"fixed stops".to_owned()),
        "it was stopped in order: {:?}",
        diary.lines()
    );
    view.restart("roost/fleet").await.expect("a whole branch");
    assert_eq!(ping(&fixed_address).await, Ok(3));
    assert_eq!(find(&tree, "roost/fleet").restarts, 1);
    end(tree).await;
}

#[tokio::test]
async fn actor_that_cannot_be_restarted_has_a_reason() {
    let tree = start(root()).await;
    let address = tree
        .root()
        .start_child(Script::new("a", &Diary::default()).spec())
        .await
        .unwrap();
    address.cast(Order::Job(JobPlan::Hangs)).unwrap();
    until("its job runs", || {
        find(&tree, "roost/a").children.len() == 1
    })
    .await;
    tree.root()
        .spawn_job("once", None, |_| std::future::pending())
        .await
        .unwrap();
    let cases = [
        (
            "roost",
            "roost cannot be restarted: it is the root; restart the gateway instead",
        ),
        (
            "elsewhere",
            "elsewhere cannot be restarted: there is no such actor",
        ),
        (
            "roost/nobody",
            "roost/nobody cannot be restarted: there is no such child",
        ),
        (
            "roost/a/work",
            "roost/a/work cannot be restarted: there is no such actor, or it is the job of an actor",
        ),
        (
            "roost/once",
            "roost/once cannot be restarted: it is work that runs once",
        ),
        (
            "other/a",
            "other/a cannot be restarted: there is no such actor, or it is the job of an actor",
        ),
    ];
    for (id, expected) in cases {
        assert_eq!(
            tree.view().restart(id).await.expect_err(id).to_string(),
            expected
        );
    }
    end(tree).await;
}

#[tokio::test]
async fn a_restart_that_does_not_start_answers_with_the_reason_and_leaves_a_tombstone() {
    let tree = start(root()).await;
    let script = Script::new("a", &Diary::default()).failing_at([2]);
    let address = tree.root().start_child(script.spec()).await.unwrap();
    let error = tree
        .view()
        .restart("roost/a")
        .await
        .expect_err("its second start fails");
    assert_eq!(
        failure::chain_text(&error),
        "roost/a did not start: no luck at start 2"
    );
    assert_eq!(find(&tree, "roost/a").state, ActorState::Failed);
    tree.view()
        .restart("roost/a")
        .await
        .expect("the third start works");
    assert_eq!(ping(&address).await, Ok(3));
    end(tree).await;
}

#[tokio::test]
async fn an_operators_restart_forgets_old_failures_and_lifts_the_tombstone() {
    let one = Intensity {
        max: 1,
        within: PATIENCE,
    };
    let tree = start(root().intensity(one).tombstones(1)).await;
    let mut addresses = Vec::new();
    for name in ["a", "b"] {
        let address = tree
            .root()
            .start_child(Script::new(name, &Diary::default()).spec())
            .await
            .unwrap();
        for round in 1..=2 {
            until_incarnation(&address, round).await;
            address.cast(Order::Fail("oh")).unwrap();
        }
        until(name, || address.state() == ActorState::Failed).await;
        if name == "a" {
            tree.view().restart("roost/a").await.unwrap();
            address.cast(Order::Fail("once more")).unwrap();
            until_incarnation(&address, 4).await;
        }
        addresses.push(address);
    }
    assert_eq!(
        tree.root().names(),
        ["a", "b"],
        "the tombstone of b did not push the living a out"
    );
    assert_eq!(ping(&addresses[0]).await, Ok(4));
    end(tree).await;
}
