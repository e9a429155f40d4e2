//! Never two: a start waits until whatever had that name is really gone, however slowly it goes. Each case holds the
//! end of the first incarnation back by hand, lets a second one be asked for, and looks whether both were alive.

use std::sync::Condvar;

use super::storm::{Alive, Census};
use super::*;

/// Closed, it holds back the end of every state that has it.
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

/// A state that is slow to go.
struct Slow {
    gate: Gate,
    _alive: Alive,
}

impl Drop for Slow {
    fn drop(&mut self) {
        // Blocked without a word, this thread would keep the task that it woke last, the supervisor's, to itself.
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
    /// Whether the slow state lies in a job instead of the actor.
    in_job: bool,
    /// Whether the start hangs once the state is there.
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
        cx.job_detached("holder", async move {
            let _slow = slow;
            std::future::pending::<()>().await;
        });
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

/// The second start has been asked for: leaves it time to go wrong, then lets the first one go.
async fn only_one_after(plan: &Plan, tree: &Tree) {
    until("a second start was asked for", || {
        tree.view().snapshot().to_text().contains("starting")
    })
    .await;
    // Nothing to wait for: this is the time in which a mistake would show. It cannot fail a right implementation.
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
async fn who_takes_the_name_of_a_tombstone_waits_until_that_one_is_gone() {
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
async fn who_takes_the_name_of_a_start_that_was_stopped_waits_until_that_one_is_gone() {
    let (plan, spec) = plan(false, true);
    let tree = start(root()).await;
    let handle = tree.root().clone();
    let first = tokio::spawn(async move { handle.start_child(spec.grace(Duration::ZERO)).await });
    until("the first one is there", || plan.census.born() == 1).await;
    tree.root().stop_child("slow").await.unwrap();
    assert!(matches!(
        first.await.unwrap(),
        Err(StartError::Stopped { .. })
    ));
    let (handle, spec) = (tree.root().clone(), again(&plan));
    let second = tokio::spawn(async move { handle.start_child(spec).await });
    only_one_after(&plan, &tree).await;
    second.await.unwrap().expect("the second one starts");
    end(tree).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_supervisor_comes_back_only_when_the_children_of_the_one_that_was_killed_are_gone() {
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
        let (asked, shared) = (handle.clone(), plan.clone());
        let second = tokio::spawn(async move {
            // Refused until the supervisor is back; a static child comes back by itself.
            while dynamic && asked.start_child(again(&shared)).await.is_err() {
                tokio::task::yield_now().await;
            }
        });
        only_one_after(&plan, &tree).await;
        second.await.unwrap();
        end(tree).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_stop_child_stopped_is_gone_when_it_answers_even_in_the_middle_of_its_start() {
    let tree = start(root()).await;
    for hangs in [true, false] {
        for _ in 0..100 {
            let (plan, spec) = plan(!hangs, hangs);
            plan.gate.open();
            let handle = tree.root().clone();
            let first = tokio::spawn(async move { handle.start_child(spec).await });
            until("it is there", || plan.census.born() == 1).await;
            tree.root().stop_child("slow").await.unwrap();
            assert_eq!(
                plan.census.alive(),
                0,
                "in the middle of its start: {hangs}"
            );
            drop(first.await.unwrap());
        }
    }
    end(tree).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_does_not_go_in_time_is_a_failure_of_the_restart_and_still_waited_for_by_the_next() {
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
    let expected = "the former roost/slow is still alive after 5s; it seems to block its thread";
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
    let tree = start(root()).await;
    let first = tree
        .root()
        .start_child(spec.grace(Duration::ZERO))
        .await
        .unwrap();
    first.cast("oh").unwrap();
    until("its restart waits for it", || {
        first.state() == ActorState::Starting
    })
    .await;
    tree.root().stop_child("slow").await.unwrap();
    let (handle, spec) = (tree.root().clone(), again(&plan));
    let second = tokio::spawn(async move { handle.start_child(spec).await });
    only_one_after(&plan, &tree).await;
    second.await.unwrap().expect("the second one starts");
    end(tree).await;
}
