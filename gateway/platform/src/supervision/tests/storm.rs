//! A storm: many threads start, restart, fail and kill the same few children at random, and also their supervisors.
//! There is never a second incarnation beside a living one. Everything answers again after the storm, and nothing
//! outlives the shutdown.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::*;

/// The text of a planned panic.
const PLANNED: &str = "a blow";

const NAMES: [&str; 6] = ["n0", "n1", "n2", "n3", "n4", "n5"];

/// Which children are alive under each name, and whether two ever were.
#[derive(Clone, Default)]
pub(super) struct Census(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    alive: HashMap<&'static str, i32>,
    twins: Vec<String>,
    born: u32,
}

impl Census {
    pub(super) fn enter(&self, name: &'static str) -> Alive {
        let mut census = self.0.lock().unwrap();
        census.born += 1;
        let alive = census.alive.entry(name).or_default();
        *alive += 1;
        if *alive > 1 {
            let twins = format!("{alive} of {name}");
            census.twins.push(twins);
        }
        Alive(self.clone(), name)
    }
}

impl Census {
    /// Cases of more than one living child under a name.
    pub(super) fn twins(&self) -> Vec<String> {
        self.0.lock().unwrap().twins.clone()
    }

    pub(super) fn born(&self) -> u32 {
        self.0.lock().unwrap().born
    }
}

/// One living state. Its drop is its end.
pub(super) struct Alive(Census, &'static str);

impl Drop for Alive {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap().alive.get_mut(self.1).unwrap() -= 1;
    }
}

struct Single {
    _alive: Alive,
}

enum Blow {
    Ping(Reply<()>),
    Fail,
    Panic,
    Leave,
    Job,
}

impl Serve for Single {
    type Msg = Blow;
    type Args = (Census, &'static str);

    async fn start((census, name): Self::Args, cx: &Context<Blow>) -> Result<Self, Failure> {
        let alive = census.enter(name);
        tokio::task::yield_now().await;
        if rand::random_ratio(1, 10) && cx.path().contains("node") {
            return Err("an unlucky start".into());
        }
        Ok(Self { _alive: alive })
    }

    async fn handle(&mut self, blow: Blow, cx: &Context<Blow>) -> Result<(), Failure> {
        match blow {
            Blow::Ping(reply) => drop(reply.send(())),
            Blow::Fail => return Err("a blow".into()),
            Blow::Panic => panic!("{PLANNED}"),
            Blow::Leave => cx.stop(),
            Blow::Job => {
                // It never ends by itself. After its cancellation its message reaches no actor.
                cx.job("job", std::future::pending::<()>(), |_| Blow::Leave);
            }
        }
        Ok(())
    }
}

async fn blow(seed: u64, tree: TreeView, handle: SupervisorHandle, census: Census) {
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..500 {
        if handle.address().state() != ActorState::Running {
            // Blows at a branch that is down have no effect.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let name = NAMES[random.random_range(0..NAMES.len())];
        let of = census.clone();
        let spec = ChildSpec::actor::<Single>(name, ActorKind::Node, move || (of.clone(), name));
        let address = handle.find::<Blow>(name);
        // Most of these calls are refused at some time. The storm ignores that.
        match (random.random_range(0..10), address) {
            (0 | 1, _) => drop(handle.ensure_child(spec).await),
            (2 | 3, _) => drop(tree.restart(&format!("roost/fleet/{name}")).await),
            (4, Some(address)) => drop(address.cast(Blow::Fail)),
            (5, Some(address)) => drop(address.cast(Blow::Panic)),
            (6, Some(address)) => drop(address.cast(Blow::Leave)),
            (7, Some(address)) => drop(address.cast(Blow::Job)),
            (8, Some(address)) => {
                if let Some(living) = address.entry().incarnation() {
                    living.cell.kill();
                }
            }
            (9, _) if random.random_ratio(1, 20) => {
                if let Some(living) = handle.address().entry().incarnation() {
                    living.cell.kill();
                }
            }
            _ => tokio::task::yield_now().await,
        }
    }
}

/// Thousands of planned panics would hide the one that explains a failure.
fn silence_planned_panics() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str() != Some(PLANNED) {
            loud(panic);
        }
    }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn storm_of_failures_leaves_no_twins_no_dead_branches_and_no_leaks() {
    silence_planned_panics();
    let at_once = BackOff {
        first: Duration::ZERO,
        cap: Duration::ZERO,
    };
    let mut born = 0;
    for seed in 0..20 {
        let census = Census::default();
        let (fixed, fixed_address) = {
            let of = census.clone();
            ChildSpec::actor::<Single>("fixed", ActorKind::Worker, move || (of.clone(), "fixed"))
                .with_address()
        };
        let (fleet, handle) = swift(SupervisorSpec::new("fleet"))
            .back_off(at_once)
            .child(fixed)
            .with_handle();
        let tree = start(root().child(fleet)).await;
        let storm = (0..6).map(|thread| {
            let (view, handle, census) = (tree.view(), handle.clone(), census.clone());
            tokio::spawn(blow(seed * 100 + thread, view, handle, census))
        });
        for thread in futures::future::join_all(storm).await {
            thread.unwrap();
        }
        let deadline = Instant::now() + PATIENCE;
        for name in NAMES {
            let of = census.clone();
            let spec = || {
                let of = of.clone();
                ChildSpec::actor::<Single>(name, ActorKind::Node, move || (of.clone(), name))
            };
            loop {
                let answer = match handle.ensure_child(spec()).await {
                    Ok(address) => address
                        .call(PATIENCE, Blow::Ping)
                        .await
                        .map_err(StartError::from),
                    Err(error) => Err(error),
                };
                let Err(error) = answer else { break };
                assert!(
                    Instant::now() < deadline,
                    "{name} does not come back: {error}\n{}",
                    tree.view().snapshot().to_text()
                );
            }
        }
        // A kill of the supervisor may still be pending: its children answered without it.
        while let Err(error) = fixed_address.call(PATIENCE, Blow::Ping).await {
            assert!(Instant::now() < deadline, "fixed is gone: {error}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        end(tree).await;
        assert_eq!(census.twins(), Vec::<String>::new(), "seed {seed}");
        born += census.born();
    }
    assert!(born > 2_000, "it was not much of a storm: {born} starts");
}
