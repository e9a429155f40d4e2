//! The promises of supervision, each as a test whose name says it. This file holds the shared parts: an
//! actor that obeys orders and records what happened, and a tree that fails the test when it is leaked.

mod addresses;
mod escalation;
mod jobs;
mod kill_points;
mod operators;
mod restart_rules;
mod restarting;
mod roster;
mod starting;
mod stopping;
mod storm;
mod twins;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::clock::SystemClock;

/// Far longer than any step takes. Only a bug waits for it.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// What happened, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    pub(super) fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(super) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}

/// An actor that obeys orders.
pub(super) struct Probe {
    script: Script,
    incarnation: u32,
}

/// How a probe behaves; shared by all its incarnations.
#[derive(Clone)]
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) diary: Diary,
    pub(super) born: Arc<AtomicU32>,
    /// The incarnations whose start fails (1 is the first).
    pub(super) fail_starts: Arc<Mutex<Vec<u32>>>,
    pub(super) stop_hangs: bool,
}

impl Script {
    pub(super) fn new(name: &'static str, diary: &Diary) -> Self {
        let (born, fail_starts) = (Arc::default(), Arc::default());
        Self {
            name,
            diary: diary.clone(),
            born,
            fail_starts,
            stop_hangs: false,
        }
    }

    pub(super) fn failing_at(self, starts: impl IntoIterator<Item = u32>) -> Self {
        self.fail_starts.lock().unwrap().extend(starts);
        self
    }

    pub(super) fn hanging_in_stop(mut self) -> Self {
        self.stop_hangs = true;
        self
    }

    pub(super) fn spec(&self) -> ChildSpec<Order> {
        let script = self.clone();
        ChildSpec::actor::<Probe>(self.name, ActorKind::Worker, move || script.clone())
    }

    pub(super) fn born(&self) -> u32 {
        self.born.load(Ordering::SeqCst)
    }
}

/// Orders to a probe.
pub(super) enum Order {
    /// Answer with your incarnation.
    Ping(Reply<u32>),
    /// Return this error.
    Fail(&'static str),
    /// Panic with this text.
    Panic(&'static str),
    /// End cleanly.
    Leave,
    /// Never return from this message, but notice a kill.
    Hang,
    /// Drop the reply port.
    Ignore(Reply<u32>),
    /// Run a job with this end, and note the outcome.
    Job(JobPlan),
    /// The same as a task.
    Task(JobPlan),
    /// A job ended.
    JobEnded(String),
}

#[derive(Clone, Copy)]
pub(super) enum JobPlan {
    Returns(u32),
    Panics,
    Hangs,
}

impl Probe {
    fn work(&self, plan: JobPlan) -> impl Future<Output = u32> + Send + 'static {
        let diary = self.script.diary.clone();
        async move {
            let _noted = NoteDrop(diary);
            match plan {
                JobPlan::Returns(value) => value,
                JobPlan::Panics => panic!("a job's panic"),
                JobPlan::Hangs => std::future::pending().await,
            }
        }
    }
}

impl Serve for Probe {
    type Msg = Order;
    type Args = Script;

    async fn start(script: Script, cx: &Context<Order>) -> Result<Self, Failure> {
        let incarnation = script.born.fetch_add(1, Ordering::SeqCst) + 1;
        assert!(
            !cx.path().is_empty(),
            "an actor knows its path before it starts"
        );
        if script.fail_starts.lock().unwrap().contains(&incarnation) {
            script.diary.note(format!("{} fails to start", script.name));
            return Err(format!("no luck at start {incarnation}").into());
        }
        script.diary.note(format!("{} starts", script.name));
        Ok(Self {
            script,
            incarnation,
        })
    }

    async fn handle(&mut self, order: Order, cx: &Context<Order>) -> Result<(), Failure> {
        match order {
            Order::Ping(reply) => drop(reply.send(self.incarnation)),
            Order::Fail(words) => return Err(words.into()),
            Order::Panic(words) => panic!("{words}"),
            Order::Leave => cx.stop(),
            Order::Hang => std::future::pending().await,
            Order::Ignore(reply) => drop(reply),
            Order::Job(plan) => {
                cx.job("work", self.work(plan), |outcome| {
                    Order::JobEnded(format!("{outcome:?}"))
                });
            }
            Order::Task(plan) => cx.task(self.work(plan), |outcome| {
                Order::JobEnded(format!("{outcome:?}"))
            }),
            Order::JobEnded(outcome) => self.script.diary.note(outcome),
        }
        Ok(())
    }

    async fn stop(&mut self, _: &Context<Order>) -> Result<(), Failure> {
        if self.script.stop_hangs {
            std::future::pending::<()>().await;
        }
        self.script
            .diary
            .note(format!("{} stops", self.script.name));
        Ok(())
    }
}

struct NoteDrop(Diary);

impl Drop for NoteDrop {
    fn drop(&mut self) {
        self.0.note("the job is dropped");
    }
}

/// Options under which a leak panics and jitter is fixed.
pub(super) fn options() -> TreeOptions {
    TreeOptions {
        clock: SystemClock::shared(),
        kill_points: KillPoints::allowed(),
        jitter: Jitter::Fixed(0.0),
        leaks: Leaks::Panic,
    }
}

/// A root without waits that allows many restarts.
pub(super) fn root() -> SupervisorSpec {
    swift(SupervisorSpec::new("roost"))
}

pub(super) fn swift(spec: SupervisorSpec) -> SupervisorSpec {
    let millisecond = Duration::from_millis(1);
    spec.back_off(BackOff {
        first: millisecond,
        cap: millisecond,
    })
    .intensity(Intensity {
        max: 1_000,
        within: PATIENCE,
    })
}

pub(super) async fn start(spec: SupervisorSpec) -> Tree {
    Tree::start(options(), spec).await.expect("the tree starts")
}

/// Shuts down and checks that no actor still lives.
pub(super) async fn end(tree: Tree) -> ShutdownReport {
    let report = tree.shutdown(PATIENCE).await;
    let context = tree.context().clone();
    until("nothing lives after a shutdown", || context.living() == 0).await;
    report
}

/// Waits for a condition. Panics with its name when it does not become true.
pub(super) async fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "this did not come: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

pub(super) async fn ping(address: &Address<Order>) -> Result<u32, NoAnswer> {
    address.call(PATIENCE, Order::Ping).await
}

/// Pings until the actor answers as this incarnation.
pub(super) async fn until_incarnation(address: &Address<Order>, wanted: u32) {
    let deadline = Instant::now() + PATIENCE;
    while ping(address).await != Ok(wanted) {
        assert!(
            Instant::now() < deadline,
            "{} never came to incarnation {wanted}",
            address.path()
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

pub(super) fn find(tree: &Tree, id: &str) -> ActorSnapshot {
    tree.view()
        .snapshot()
        .find(id)
        .unwrap_or_else(|| panic!("{id} is not in the roster"))
        .clone()
}
