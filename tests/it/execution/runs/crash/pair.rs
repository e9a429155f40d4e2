//! Two gateways on a PostgreSQL server of their own, and a machine with an engine of its own. The balancer decides
//! which gateway gets the requests. Each part may die.

use std::collections::BTreeSet;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use roost_tests::{
    Client, Daemon, DbInspector, Follower, LoadBalancer, PostgresServer, PrivateEngine, Process,
    Store, eventually,
};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::sleep;

use super::books::{Ran, SCRIPT, Work};
use super::{image, seeds};

/// Longer than the lease of the runs (3 s), and than the hold of a machine.
const SLEEP: Duration = Duration::from_secs(5);

/// What dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    /// The gateway that works, killed; the other takes over.
    Gateway,
    /// The gateway that works is held still past its lease, and goes on when the other has taken over.
    Sleep,
    Postgres,
    Daemon,
    Engine,
}

impl Blow {
    fn any(chance: &mut StdRng) -> Self {
        match chance.random_range(0..10) {
            0..3 => Self::Gateway,
            3..5 => Self::Sleep,
            5..7 => Self::Postgres,
            7..9 => Self::Daemon,
            _ => Self::Engine,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gateways_database_machine_and_engine_die_and_each_step_is_done_once() {
    let Some(postgres) = PostgresServer::start() else {
        return;
    };
    let image = image();
    let mut engine = PrivateEngine::start(&[&image]).await;
    for seed in seeds() {
        let database = format!("history_{seed}");
        let admin = DbInspector::open(&postgres.url("postgres")).await;
        admin.change(&format!("CREATE DATABASE {database}")).await;
        admin.close().await;
        let mut stage = Stage::set(seed, &postgres, &database, engine.take(), &image).await;
        stage.play().await;
        engine = stage.engine.take();
        if let Some(engine) = &engine {
            engine.clear();
        }
    }
}

struct Stage<'a> {
    seed: u64,
    chance: StdRng,
    postgres: &'a PostgresServer,
    engine: Option<PrivateEngine>,
    gateways: [Process; 2],
    /// Which of them works; the other is dead, or about to be.
    works: usize,
    owners: [Client; 2],
    balancer: LoadBalancer,
    daemon: Daemon,
    inspector: DbInspector,
    follower: Follower,
    /// Names under which gateways that are dead worked on runs.
    dead: BTreeSet<String>,
    _folders: [TempDir; 2],
}

impl<'a> Stage<'a> {
    async fn set(
        seed: u64,
        postgres: &'a PostgresServer,
        database: &str,
        engine: Option<PrivateEngine>,
        image: &str,
    ) -> Self {
        let folders = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
        let script = folders[0].path().join("script.toml");
        std::fs::write(&script, SCRIPT).expect("the script is written");
        let script = script.display().to_string();
        let set = [
            ("runs.script", &*script),
            ("runs.lease_seconds", "3"),
            // A short heartbeat makes the hold of a machine short.
            ("heartbeat.seconds", "1"),
            ("sandboxes.image", image),
        ];
        let store = Store::Postgres(postgres.url(database));
        let one = Process::start_with(folders[0].path(), &store, &set).await;
        let token = one.owner_token().await;
        let mut two = Process::start_with(folders[1].path(), &store, &set).await;
        two.kill();
        let owners = [&one, &two].map(|one| Client::new(&one.url()).with_token(&token));
        let balancer = LoadBalancer::to(one.port()).await;
        let host = engine.as_ref().map(PrivateEngine::host);
        let daemon = Daemon::joined(&balancer.url(), &owners[0], host.as_deref()).await;
        let there = json!({ "target": "node", "node_id": daemon.node_id });
        let there = owners[0].put("/api/fleet/placement").json(&there);
        there.expect(200).await;
        let path = format!("/api/nodes/{}", daemon.node_id);
        eventually("the machine is there", async || {
            let node = owners[0].get(&path).expect(200).await;
            (node.body["connection"] == "connected").then_some(())
        })
        .await;
        Self {
            seed,
            chance: StdRng::seed_from_u64(seed),
            postgres,
            engine,
            gateways: [one, two],
            works: 0,
            balancer,
            daemon,
            inspector: DbInspector::open(&postgres.url(database)).await,
            follower: Follower::start(owners.to_vec()),
            owners,
            dead: BTreeSet::new(),
            _folders: folders,
        }
    }

    fn owner(&self) -> &Client {
        &self.owners[self.works]
    }

    async fn play(&mut self) {
        let mut work = Work::begin(self.seed, self.owner()).await;
        let teams = work.team_ids();
        let mut ran = Ran::Once;
        let mut blows = Vec::new();
        for _ in 0..self.chance.random_range(2..5) {
            sleep(Duration::from_millis(self.chance.random_range(0..1_200))).await;
            let blow = Blow::any(&mut self.chance);
            blows.push(blow);
            if blow == Blow::Engine && self.engine.is_some() {
                ran = Ran::AtMostOnce;
            }
            self.strike(blow).await;
            work.ends_stay(&self.owners[self.works]).await;
        }
        work.finish(self.owner(), ran).await;
        let works = self.works;
        assert!(self.gateways[works].ended().is_none(), "it ended by itself");
        let head = self.inspector.events_are_whole().await;
        self.follower.saw_all(head).await;
        Work::clear(teams, self.owner()).await;
        self.gateways[works].kill();
        eprintln!("seed {}: {blows:?}: it holds", self.seed);
    }

    async fn strike(&mut self, blow: Blow) {
        match blow {
            Blow::Gateway => {
                self.kill(self.works).await;
                self.other_takes_over().await;
            }
            Blow::Sleep => self.falls_asleep().await,
            Blow::Postgres => {
                self.postgres.crash();
                sleep(Duration::from_millis(self.chance.random_range(0..2_000))).await;
                self.postgres.again();
            }
            Blow::Daemon => {
                self.daemon.kill();
                sleep(Duration::from_millis(self.chance.random_range(0..2_000))).await;
                self.daemon.again();
            }
            Blow::Engine => {
                if let Some(engine) = &mut self.engine {
                    engine.kill();
                    sleep(Duration::from_millis(self.chance.random_range(0..1_000))).await;
                    engine.again().await;
                }
            }
        }
    }

    /// The names under which living gateways work on runs: there is one at a time.
    async fn at_work(&self) -> Option<String> {
        // A run that is handed over, or that waits, has no owner for a moment.
        let owners = "SELECT DISTINCT owner AS t FROM run_state \
                      WHERE status = 'running' AND owner IS NOT NULL";
        let mut owners = self.inspector.texts(owners).await;
        owners.retain(|owner| !self.dead.contains(owner));
        owners.pop()
    }

    async fn kill(&mut self, gateway: usize) {
        self.gateways[gateway].kill();
        self.dead.extend(self.at_work().await);
    }

    async fn other_takes_over(&mut self) {
        self.works = 1 - self.works;
        self.gateways[self.works].again().await;
        self.balancer.turn(self.gateways[self.works].port());
    }

    /// It wakes up believing that the runs are its own, and dies a moment later.
    async fn falls_asleep(&mut self) {
        let before = self.works;
        self.gateways[before].pause();
        let had = self.at_work().await;
        self.other_takes_over().await;
        sleep(SLEEP).await;
        if let Some(had) = &had {
            let theirs = format!(
                "SELECT COUNT(*) AS n FROM run_state WHERE status = 'queued' OR (status = 'running' AND owner = '{had}')"
            );
            eventually("the other one works on its runs", async || {
                (self.inspector.numbers(&theirs).await == [0]).then_some(())
            })
            .await;
        }
        let slept = self.gateways[before].log().len();
        self.gateways[before].go_on();
        if had.is_some() {
            // Refused, each of them, before it is dead.
            eventually("the sleeper finds that it lost them", async || {
                let log = self.gateways[before].log();
                // At work on them, or about to begin.
                [
                    "the run continues on another gateway",
                    "another gateway owns the run",
                ]
                .iter()
                .any(|words| log[slept..].contains(words))
                .then_some(())
            })
            .await;
        }
        self.gateways[before].kill();
        self.dead.extend(had);
    }
}

impl Drop for Stage<'_> {
    /// A history that failed shows what those who played in it said last.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let [one, two] = &self.gateways;
        for (who, log) in [
            ("one", one.log()),
            ("two", two.log()),
            ("daemon", self.daemon.log()),
        ] {
            let lines: Vec<&str> = log.lines().collect();
            let last = lines[lines.len().saturating_sub(60)..].join("\n");
            eprintln!("--- seed {}, {who}:\n{last}", self.seed);
        }
    }
}
