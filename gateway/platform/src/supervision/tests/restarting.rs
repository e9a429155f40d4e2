//! Restarts: policies, back-off, and never two incarnations at once.

use super::*;

#[tokio::test]
async fn only_the_child_that_failed_is_restarted() {
    let diary = Diary::default();
    let (a, b) = (Script::new("a", &diary), Script::new("b", &diary));
    let (child_a, address_a) = a.spec().with_address();
    let (child_b, address_b) = b.spec().with_address();
    let tree = start(root().child(child_a).child(child_b)).await;
    address_a.cast(Order::Fail("oh")).unwrap();
    until_incarnation(&address_a, 2).await;
    assert_eq!(ping(&address_b).await, Ok(1));
    assert_eq!(diary.lines(), ["a starts", "b starts", "a starts"]);
    end(tree).await;
}

#[tokio::test]
async fn policies_decide_what_comes_back_and_what_stays_visible() {
    use ActorState::{Failed, Running, Stopped};
    enum End {
        Clean,
        Error,
        Panic,
        Kill,
    }
    // policy, end, static: state and incarnations afterwards; dynamic: the same, `None` when it left the roster.
    let cases = [
        (
            Restart::Permanent,
            End::Clean,
            (Running, 2),
            Some((Running, 2)),
        ),
        (
            Restart::Permanent,
            End::Error,
            (Running, 2),
            Some((Running, 2)),
        ),
        (
            Restart::Permanent,
            End::Panic,
            (Running, 2),
            Some((Running, 2)),
        ),
        (
            Restart::Permanent,
            End::Kill,
            (Running, 2),
            Some((Running, 2)),
        ),
        (Restart::Transient, End::Clean, (Stopped, 1), None),
        (
            Restart::Transient,
            End::Error,
            (Running, 2),
            Some((Running, 2)),
        ),
        (
            Restart::Transient,
            End::Kill,
            (Running, 2),
            Some((Running, 2)),
        ),
        (Restart::Temporary, End::Clean, (Stopped, 1), None),
        (
            Restart::Temporary,
            End::Error,
            (Failed, 1),
            Some((Failed, 1)),
        ),
        (
            Restart::Temporary,
            End::Panic,
            (Failed, 1),
            Some((Failed, 1)),
        ),
        (
            Restart::Temporary,
            End::Kill,
            (Failed, 1),
            Some((Failed, 1)),
        ),
    ];
    for (index, (policy, end_with, fixed, dynamic)) in cases.into_iter().enumerate() {
        let (diary, case) = (Diary::default(), format!("case {index}, {policy:?}"));
        let (fixed_script, dynamic_script) =
            (Script::new("fixed", &diary), Script::new("dynamic", &diary));
        let (child, fixed_address) = fixed_script.spec().restart(policy).with_address();
        let tree = start(root().child(child)).await;
        let dynamic_address = tree
            .root()
            .start_child(dynamic_script.spec().restart(policy))
            .await
            .unwrap();
        for address in [&fixed_address, &dynamic_address] {
            match end_with {
                End::Clean => address.cast(Order::Leave).unwrap(),
                End::Error => address.cast(Order::Fail("told to")).unwrap(),
                End::Panic => address.cast(Order::Panic("told to")).unwrap(),
                End::Kill => address.entry().incarnation().unwrap().cell.kill(),
            }
        }
        until(&case, || {
            let snapshot = tree.view().snapshot();
            let seen = |id: &str, script: &Script| {
                snapshot.find(id).map(|actor| (actor.state, script.born()))
            };
            seen("roost/fixed", &fixed_script) == Some(fixed)
                && seen("roost/dynamic", &dynamic_script) == dynamic
        })
        .await;
        end(tree).await;
    }
}

#[tokio::test]
async fn a_restart_that_cannot_start_is_tried_again_until_it_can() {
    let (child, address) = Script::new("a", &Diary::default())
        .failing_at([2, 3, 4])
        .spec()
        .with_address();
    let tree = start(root().child(child)).await;
    address.cast(Order::Fail("oh")).unwrap();
    until_incarnation(&address, 5).await;
    let seen = find(&tree, "roost/a");
    assert_eq!(
        (seen.restarts, seen.last_failure.unwrap().text.as_str()),
        (4, "roost/a did not start: no luck at start 4")
    );
    end(tree).await;
}

#[tokio::test]
async fn backing_off_child_is_in_the_roster_and_senders_get_restarting() {
    let wait = Duration::from_secs(3_600);
    let spec = SupervisorSpec::new("roost").back_off(BackOff {
        first: wait,
        cap: wait,
    });
    let (child, address) = Script::new("a", &Diary::default()).spec().with_address();
    let tree = start(spec.child(child)).await;
    address.cast(Order::Fail("the disk is full")).unwrap();
    until("it backs off", || address.state() == ActorState::BackingOff).await;
    assert_eq!(
        ping(&address).await,
        Err(NoAnswer::Restarting {
            path: "roost/a".to_owned()
        })
    );
    let seen = find(&tree, "roost/a");
    assert_eq!(seen.last_failure.unwrap().text, "the disk is full");
    assert!(
        seen.restart_in_ms.is_some_and(|ms| ms > 3_500_000),
        "{:?}",
        seen.restart_in_ms
    );
    end(tree).await;
}

/// Its state holds a lock that only one incarnation may have, and releases it late.
#[tokio::test]
async fn restart_waits_for_the_end_of_the_former_incarnation_and_its_jobs() {
    struct Sole {
        _lock: tokio::sync::OwnedMutexGuard<()>,
    }
    impl Serve for Sole {
        type Msg = ();
        type Args = (Arc<tokio::sync::Mutex<()>>, Arc<tokio::sync::Mutex<()>>);
        async fn start((own, of_job): Self::Args, cx: &Context<()>) -> Result<Self, Failure> {
            let held = of_job
                .try_lock_owned()
                .map_err(|_| "a former job is still alive")?;
            let holder = async move {
                let _held = held;
                std::future::pending::<()>().await;
            };
            cx.job("holder", holder, drop);
            Ok(Self {
                _lock: own
                    .try_lock_owned()
                    .map_err(|_| "a former incarnation is still alive")?,
            })
        }
        async fn handle(&mut self, (): (), _: &Context<()>) -> Result<(), Failure> {
            Err("oh".into())
        }
    }
    let (own, of_job): (Arc<tokio::sync::Mutex<()>>, Arc<tokio::sync::Mutex<()>>) =
        Default::default();
    let spec = ChildSpec::actor::<Sole>("sole", ActorKind::Worker, move || {
        (Arc::clone(&own), Arc::clone(&of_job))
    });
    let (child, address) = spec.with_address();
    let tree = start(root().child(child)).await;
    for restart in 1..=30 {
        until("it is up", || {
            address.state() == ActorState::Running && address.cast(()).is_ok()
        })
        .await;
        until("it was restarted", || {
            find(&tree, "roost/sole").restarts >= restart
        })
        .await;
        let failure = find(&tree, "roost/sole").last_failure.unwrap().text;
        assert_eq!(failure, "oh", "after {restart} restarts");
    }
    end(tree).await;
}

#[tokio::test]
async fn a_supervisor_that_is_killed_comes_back_with_its_static_children_and_without_the_dynamic_ones()
 {
    let diary = Diary::default();
    let (fixed, address) = Script::new("fixed", &diary).spec().with_address();
    let (fleet, handle) = swift(SupervisorSpec::new("fleet"))
        .child(fixed)
        .with_handle();
    let tree = start(root().child(fleet)).await;
    let dynamic = handle
        .start_child(Script::new("dynamic", &diary).spec())
        .await
        .unwrap();
    handle.address().entry().incarnation().unwrap().cell.kill();
    until_incarnation(&address, 2).await;
    until("the dynamic one left", || handle.names() == ["fixed"]).await;
    assert_eq!(
        ping(&dynamic).await,
        Err(NoAnswer::NoSuchActor {
            path: "roost/fleet/dynamic".to_owned()
        })
    );
    handle
        .start_child(Script::new("dynamic", &diary).spec())
        .await
        .expect("the handle is still good");
    end(tree).await;
}
