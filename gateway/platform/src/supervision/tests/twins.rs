//! Never two: a start waits until the former child of that name is gone, however slowly it ends. Each case delays the
//! end of the first incarnation by hand, requests a second one, and checks whether both were alive.

use std::sync::Condvar;

use super::storm::{Alive, Census};
use super::*;

/// While it is closed, it delays the end of every state that holds it.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let open = self.0.0.lock().unwrap();
        drop(
            self.0
                .1
                .wait_timeout_while(open, PATIENCE, |open| !*open)
                .unwrap(),
        );
    }
}

/// A state that ends slowly.
struct Slow {
    gate: Gate,
    _alive: Alive,
}

impl Drop for Slow {
    fn drop(&mut self) {
        // This thread must announce that it blocks. Otherwise it would keep the task that it woke last, the
        // supervisor's.
        tokio::task::block_in_place(|| self.gate.wait());
    }
}

struct SlowActor {
    _slow: Option<Slow>,
}

#[derive(Clone)]
struct Plan {
    census: Census,
    gate: Gate,
    /// Whether the slow state is in a job instead of the actor.
    in_job: bool,
    /// Whether the start hangs after the state was created.
    hangs: bool,
}

impl Serve for SlowActor {
    type Msg = &'static str;
    type Args = Plan;

    async fn start(plan: Plan, cx: &Context<&'static str>) -> Result<Self, Failure> {
        let slow = Slow {
            gate: plan.gate,
            _alive: plan.census.enter("slow"),
        };
        if plan.hangs && plan.census.born() == 1 {
            std::future::pending::<()>().await;
        }
        if !plan.in_job {
            return Ok(Self { _slow: Some(slow) });
        }
        let holder = async move {
            let _slow = slow;
            std::future::pending::<()>().await;
        };
        cx.job("holder", holder, |_| "the holder ended");
        Ok(Self { _slow: None })
    }

    async fn handle(
        &mut self,
        words: &'static str,
        _: &Context<&'static str>,
    ) -> Result<(), Failure> {
        Err(words.into())
    }
}

fn plan(in_job: bool, hangs: bool) -> (Plan, ChildSpec<&'static str>) {
    let plan = Plan {
        census: Census::default(),
        gate: Gate::default(),
        in_job,
        hangs,
    };
    let args = plan.clone();
    (
        plan,
        ChildSpec::actor::<SlowActor>("slow", ActorKind::Worker, move || args.clone()),
    )
}

fn again(plan: &Plan) -> ChildSpec<&'static str> {
    let args = plan.clone();
    ChildSpec::actor::<SlowActor>("slow", ActorKind::Worker, move || args.clone())
}

/// Requests it until its supervisor is back and starts it.
async fn start_again(handle: SupervisorHandle, plan: Plan) {
    while handle.start_child(again(&plan)).await.is_err() {
        tokio::task::yield_now().await;
    }
}

/// The second start has been requested. This waits for a possible mistake, then lets the first one end.
async fn only_one_after(plan: &Plan, tree: &Tree) {
    until("a second start was asked for", || {
        tree.view().snapshot().to_text().contains("starting")
    })
    .await;
    // There is no event to wait for: a mistake would show in this time. A correct implementation cannot fail here.
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(
        plan.census.born(),
        1,
        "the second one was started while the first was alive"
    );
    plan.gate.open();
    until("the second one came", || plan.census.born() == 2).await;
    assert_eq!(plan.census.twins(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_restart_waits_for_the_state_of_the_one_that_failed() {
    let (plan, spec) = plan(false, false);
    let tree = start(root()).await;
    tree.root()
        .start_child(spec)
        .await
        .unwrap()
        .cast("oh")
        .unwrap();
    only_one_after(&plan, &tree).await;
    end(tree).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_restart_waits_for_the_jobs_of_the_one_that_failed() {
    let (plan, spec) = plan(true, false);
    let tree = start(root()).await;
    let address = tree.root().start_child(spec).await.unwrap();
    until("the job runs", || {
        find(&tree, "roost/slow").children.len() == 1
    })
    .await;
    address.cast("oh").unwrap();
    only_one_after(&plan, &tree).await;
    end(tree).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn start_with_the_name_of_a_tombstone_waits_for_its_end() {
    let (plan, spec) = plan(false, false);
    let tree = start(root()).await;
    let first = tree
        .root()
        .start_child(spec.restart(Restart::Temporary))
        .await
        .unwrap();
    first.cast("oh").unwrap();
    until("it failed", || first.state() == ActorState::Failed).await;
    let (handle, spec) = (tree.root().clone(), again(&plan));
    let second = tokio::spawn(async move { handle.start_child(spec).await });
    only_one_after(&plan, &tree).await;
    second.await.unwrap().expect("the second one starts");
    end(tree).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn start_with_the_name_of_a_cancelled_start_waits_for_its_end() {
    let (plan, spec) = plan(false, true);
    let (fleet, handle) = swift(SupervisorSpec::new("fleet")).with_handle();
    let tree = start(root().child(fleet)).await;
    let asked = handle.clone();
    let first = tokio::spawn(async move { asked.start_child(spec).await });
    until("the first one is there", || plan.census.born() == 1).await;
    handle.address().entry().incarnation().unwrap().cell.kill();
    let second = tokio::spawn(start_again(handle, plan.clone()));
    only_one_after(&plan, &tree).await;
    second.await.unwrap();
    assert!(first.await.unwrap().is_err());
    end(tree).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn supervisor_restarts_only_after_the_killed_ones_children_ended() {
    for dynamic in [true, false] {
        let (plan, spec) = plan(false, false);
        let fleet = swift(SupervisorSpec::new("fleet"));
        let (fleet, handle) = if dynamic {
            fleet.with_handle()
        } else {
            fleet.child(again(&plan)).with_handle()
        };
        let tree = start(root().child(fleet)).await;
        if dynamic {
            handle.start_child(spec).await.unwrap();
        }
        handle.address().entry().incarnation().unwrap().cell.kill();
        until("its end was noticed", || {
            find(&tree, "roost/fleet").restarts == 1
        })
        .await;
        // A static child restarts by itself.
        let second = dynamic.then(|| tokio::spawn(start_again(handle, plan.clone())));
        only_one_after(&plan, &tree).await;
        if let Some(second) = second {
            second.await.unwrap();
        }
        end(tree).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn slow_former_actor_fails_the_restart_and_the_next_restart_waits_for_it() {
    let (plan, spec) = plan(false, false);
    let tree = start(root()).await;
    tree.root()
        .start_child(spec)
        .await
        .unwrap()
        .cast("oh")
        .unwrap();
    let failure = || {
        find(&tree, "roost/slow")
            .last_failure
            .map(|failure| failure.text)
    };
    let expected = "the previous roost/slow is still alive after 5s; it seems to block its thread";
    until("the first restart gave up", || {
        failure().is_some_and(|text| text == expected)
    })
    .await;
    only_one_after(&plan, &tree).await;
    end(tree).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_attempt_that_was_cut_off_while_it_waited_does_not_make_the_one_before_it_forgotten() {
    let (plan, spec) = plan(false, false);
    let (fleet, handle) = swift(SupervisorSpec::new("fleet")).with_handle();
    let tree = start(root().child(fleet)).await;
    let first = handle.start_child(spec).await.unwrap();
    first.cast("oh").unwrap();
    until("its restart waits for it", || {
        first.state() == ActorState::Starting
    })
    .await;
    handle.address().entry().incarnation().unwrap().cell.kill();
    let second = tokio::spawn(start_again(handle, plan.clone()));
    only_one_after(&plan, &tree).await;
    second.await.unwrap();
    end(tree).await;
}
