//! The roster and its readers: what they show, to which readers, and that its size is limited.

use chrono::TimeDelta;

use super::*;
use crate::clock::TestClock;

#[tokio::test]
async fn created_stays_while_started_moves_and_counts_go_on_across_restarts() {
    let clock = TestClock::default();
    let (child, address) = Script::new("a", &Diary::default())
        .spec()
        .serves("the probe")
        .with_address();
    let tree = Tree::start(
        TreeOptions {
            clock: Arc::new(clock.clone()),
            ..options()
        },
        root().child(child),
    )
    .await
    .unwrap();
    let born = find(&tree, "roost/a");
    for _ in 0..3 {
        ping(&address).await.unwrap();
    }
    clock.advance(Duration::from_secs(90));
    address.cast(Order::Fail("oh")).unwrap();
    until("it was restarted", || find(&tree, "roost/a").restarts == 1).await;
    until_incarnation(&address, 2).await;
    until("three pings before and one after are counted", || {
        find(&tree, "roost/a").handled >= 4
    })
    .await;
    let seen = find(&tree, "roost/a");
    assert_eq!((seen.created_at, seen.restarts), (born.created_at, 1));
    assert_eq!(
        seen.started_at.unwrap() - born.started_at.unwrap(),
        TimeDelta::seconds(90)
    );
    assert_eq!(
        seen.last_failure,
        Some(LastFailure {
            at: seen.started_at.unwrap(),
            text: "oh".to_owned()
        })
    );
    assert_eq!(seen.lost, 1, "the message that killed it");
    assert_eq!(seen.serves.as_deref(), Some("the probe"));
    end(tree).await;
}

#[tokio::test]
async fn a_stuck_actor_shows_in_the_age_of_its_oldest_message() {
    let clock = TestClock::default();
    let (child, address) = Script::new("a", &Diary::default())
        .spec()
        .mailbox_bound(10)
        .grace(Duration::ZERO)
        .with_address();
    let tree = Tree::start(
        TreeOptions {
            clock: Arc::new(clock.clone()),
            ..options()
        },
        root().child(child),
    )
    .await
    .unwrap();
    address.cast(Order::Hang).unwrap();
    clock.advance(Duration::from_secs(30));
    address.cast(Order::Leave).unwrap();
    let mailbox = find(&tree, "roost/a").mailbox;
    assert_eq!(
        mailbox,
        Some(MailboxSnapshot {
            len: 2,
            oldest_ms: Some(30_000),
            bound: Some(10)
        })
    );
    end(tree).await;
}

#[tokio::test]
async fn tombstones_of_failed_children_are_bounded_oldest_first() {
    let tree = start(root().tombstones(3)).await;
    for name in ["t1", "t2", "t3", "t4", "t5"] {
        let spec = Script::new(name, &Diary::default())
            .spec()
            .restart(Restart::Temporary);
        let address = tree.root().start_child(spec).await.unwrap();
        address.cast(Order::Fail("oh")).unwrap();
        until(name, || address.state() == ActorState::Failed).await;
    }
    assert_eq!(tree.root().names(), ["t3", "t4", "t5"]);
    end(tree).await;
}

#[tokio::test]
async fn failures_are_cut_to_a_bounded_text() {
    struct Verbose;
    impl Serve for Verbose {
        type Msg = ();
        type Args = ();
        async fn start((): (), _: &Context<()>) -> Result<Self, Failure> {
            Ok(Self)
        }
        async fn handle(&mut self, (): (), _: &Context<()>) -> Result<(), Failure> {
            Err("ü".repeat(100_000).into())
        }
    }
    let tree = start(root()).await;
    let spec =
        ChildSpec::actor::<Verbose>("v", ActorKind::Worker, || ()).restart(Restart::Temporary);
    tree.root()
        .start_child(spec)
        .await
        .unwrap()
        .cast(())
        .unwrap();
    until("it failed", || {
        find(&tree, "roost/v").state == ActorState::Failed
    })
    .await;
    assert!(find(&tree, "roost/v").last_failure.unwrap().text.len() < 2_010);
    end(tree).await;
}

#[tokio::test]
async fn an_owner_sees_the_own_branch_and_nothing_about_others() {
    let (one, two) = (Tenant::new("w1"), Tenant::new("w2"));
    let secret = SupervisorSpec::new("fleet").serves("all machines");
    let (fleet, handle) = swift(secret).with_handle();
    let tree = start(
        root()
            .child(fleet)
            .child(Script::new("infrastructure", &Diary::default()).spec()),
    )
    .await;
    for (name, tenant) in [("node:1", &one), ("node:2", &two)] {
        let address = handle
            .start_child(
                Script::new(name, &Diary::default())
                    .spec()
                    .tenant(tenant.clone()),
            )
            .await
            .unwrap();
        address.cast(Order::Job(JobPlan::Hangs)).unwrap();
        until("its job runs", || {
            !find(&tree, &format!("roost/fleet/{name}"))
                .children
                .is_empty()
        })
        .await;
    }
    let seen = tree.view().snapshot().for_tenant(&one);
    let text = seen.to_json();
    assert_eq!(seen.root.children.len(), 1, "no infrastructure");
    assert_eq!(seen.living, 2, "the node and its job");
    let [node] = seen.root.children[0].children.as_slice() else {
        panic!("{text}")
    };
    assert_eq!(
        (node.id.as_str(), node.children.len()),
        ("roost/fleet/node:1", 1)
    );
    for hidden in ["w2", "node:2", "infrastructure", "all machines"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    let stranger = tree.view().snapshot().for_tenant(&Tenant::new("w3"));
    assert_eq!(
        (
            stranger.root.name.as_str(),
            stranger.root.children.len(),
            stranger.living
        ),
        ("roost", 0, 0)
    );
    end(tree).await;
}

#[tokio::test]
async fn the_text_tree_is_aligned_and_the_dot_is_a_graph() {
    let clock = TestClock::default();
    let (fleet, handle) = SupervisorSpec::new("fleet").with_handle();
    let spec = root().child(fleet).child(
        Script::new("listener", &Diary::default())
            .spec()
            .serves("127.0.0.1:7667"),
    );
    let tree = Tree::start(
        TreeOptions {
            clock: Arc::new(clock.clone()),
            ..options()
        },
        spec,
    )
    .await
    .unwrap();
    let node = handle
        .start_child(
            Script::new("node:1", &Diary::default())
                .spec()
                .tenant(Tenant::new("w1")),
        )
        .await
        .unwrap();
    ping(&node).await.unwrap();
    until("the ping is counted", || {
        find(&tree, "roost/fleet/node:1").handled == 1
    })
    .await;
    clock.advance(Duration::from_secs(3_700));
    let snapshot = tree.view().snapshot();
    let expected = "\
roost         supervisor  running  up 1h 1m
├─ fleet      supervisor  running  up 1h 1m  1 handled
│  └─ node:1  worker      running  up 1h 1m  1 handled
└─ listener   worker      running  up 1h 1m  127.0.0.1:7667
4 living, 0 killed after their grace
";
    // The supervisor also counts the messages of its own tasks. Their number does not matter here.
    let text = snapshot.to_text();
    let fleet = find(&tree, "roost/fleet").handled;
    assert_eq!(
        text,
        expected.replacen("1 handled", &format!("{fleet} handled"), 1),
        "{text}"
    );
    let dot = snapshot.to_dot();
    assert!(
        dot.starts_with("digraph roost {") && dot.ends_with("}\n"),
        "{dot}"
    );
    assert!(
        dot.contains("\"roost/fleet\" -> \"roost/fleet/node:1\";"),
        "{dot}"
    );
    end(tree).await;
}

#[tokio::test]
async fn snapshot_works_while_all_actors_hang() {
    let spec = Script::new("a", &Diary::default())
        .spec()
        .grace(Duration::ZERO);
    let (child, address) = spec.with_address();
    let tree = start(root().child(child)).await;
    address.cast(Order::Hang).unwrap();
    // This runs on the test's only thread without an await, so no actor could have answered.
    let seen = tree.view().snapshot();
    assert_eq!(seen.find("roost/a").unwrap().mailbox.unwrap().len, 1);
    end(tree).await;
}

#[tokio::test]
async fn ten_thousand_actors_start_answer_and_stop() {
    let tree = start(root()).await;
    let starts = (0..10_000).map(|index| {
        let name: &'static str = Box::leak(format!("n{index}").into_boxed_str());
        tree.root()
            .start_child(Script::new(name, &Diary::default()).spec())
    });
    let addresses: Vec<_> = futures::future::join_all(starts)
        .await
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(tree.context().living(), 10_001);
    for address in addresses.iter().step_by(100) {
        assert_eq!(ping(address).await, Ok(1));
    }
    assert_eq!(end(tree).await, ShutdownReport::default());
}
