//! What supervision costs: starting many actors through the roster, one call there and back, and a restart from the
//! crash to the first answer. `cargo bench -p roost-gateway --bench supervision`.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use roost_platform::supervision::{
    ActorKind, Address, BackOff, ChildSpec, Context, Failure, Intensity, Reply, Serve,
    SupervisorSpec, Tree, TreeOptions,
};
use tokio::runtime::{Builder, Runtime};

const PATIENCE: Duration = Duration::from_secs(30);
const CROWD: usize = 10_000;

struct Echo;

enum Msg {
    Ping(Reply<()>),
    Fail,
}

impl Serve for Echo {
    type Msg = Msg;
    type Args = ();

    async fn start((): (), _: &Context<Msg>) -> Result<Self, Failure> {
        Ok(Self)
    }

    async fn handle(&mut self, message: Msg, _: &Context<Msg>) -> Result<(), Failure> {
        match message {
            Msg::Ping(reply) => drop(reply.send(())),
            Msg::Fail => return Err("told to".into()),
        }
        Ok(())
    }
}

fn spec(index: usize) -> ChildSpec<Msg> {
    ChildSpec::actor::<Echo>(format!("n{index}"), ActorKind::Node, || ())
}

fn root() -> SupervisorSpec {
    let at_once = BackOff {
        first: Duration::ZERO,
        cap: Duration::ZERO,
    };
    SupervisorSpec::new("roost")
        .back_off(at_once)
        .intensity(Intensity {
            max: u32::MAX,
            within: PATIENCE,
        })
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().enable_all().build().unwrap()
}

async fn crowd(tree: &Tree) -> Vec<Address<Msg>> {
    let starts = (0..CROWD).map(|index| tree.root().start_child(spec(index)));
    futures::future::join_all(starts)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

fn supervision(c: &mut Criterion) {
    let runtime = runtime();
    let mut group = c.benchmark_group("supervision");
    group.sample_size(10);
    group.bench_function("start, snapshot and stop 10,000 actors", |bench| {
        bench.iter(|| {
            runtime.block_on(async {
                let tree = Tree::start(TreeOptions::default(), root()).await.unwrap();
                black_box(crowd(&tree).await);
                black_box(tree.view().snapshot());
                tree.shutdown(PATIENCE).await;
            });
        });
    });
    group.sample_size(50);
    let tree = runtime
        .block_on(Tree::start(TreeOptions::default(), root()))
        .unwrap();
    let address = runtime.block_on(tree.root().start_child(spec(0))).unwrap();
    group.bench_function("call and answer", |bench| {
        bench.iter(|| runtime.block_on(async { address.call(PATIENCE, Msg::Ping).await.unwrap() }));
    });
    group.bench_function("crash to the next answer", |bench| {
        bench.iter(|| {
            runtime.block_on(async {
                address.cast(Msg::Fail).unwrap();
                // Refused while it restarts: that wait is what is measured.
                while address.call(PATIENCE, Msg::Ping).await.is_err() {
                    tokio::task::yield_now().await;
                }
            });
        });
    });
    runtime.block_on(tree.shutdown(PATIENCE));
    group.finish();
}

criterion_group!(benches, supervision);
criterion_main!(benches);
