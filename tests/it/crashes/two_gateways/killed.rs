//! Two real gateways on one PostgreSQL. A seed decides when each is killed, or paused past its leases. Clients and a
//! machine continue through the other one. Runs where `ROOST_TEST_POSTGRES_URL` names a server; `ROOST_TEST_SEEDS=<n>`
//! plays so many histories, `ROOST_TEST_SEED=<n>` begins with another seed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use roost_tests::{
    Answer, Client, DbInspector, FakeNode, Follower, Machine, Process, Request, ScratchPostgres,
    Store,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};

/// Longer than each lease and each hold: who slept so long must find that others took over.
const SLEEP: Duration = Duration::from_secs(6);
/// A gateway that does not answer for so long is left for the other.
const PATIENCE: Duration = Duration::from_secs(4);
/// People who work at the same time.
const PEOPLE: usize = 3;

/// Two gateways, one database, one person, one machine.
pub(super) struct Pair {
    _folders: [TempDir; 2],
    pub(super) gateways: [Process; 2],
    pub(super) owners: [Client; 2],
    pub(super) machine: Machine,
    pub(super) inspector: DbInspector,
    scratch: ScratchPostgres,
}

impl Pair {
    pub(super) async fn start() -> Option<Self> {
        let scratch = ScratchPostgres::new().await?;
        let store = Store::Postgres(scratch.url().to_owned());
        let folders = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
        // A short heartbeat makes the hold of a machine short.
        let set = [("heartbeat.seconds", "1")];
        let one = Process::start_with(folders[0].path(), &store, &set).await;
        let anonymous = Client::new(&one.url());
        let token = one.owner_token().await;
        let two = Process::start_with(folders[1].path(), &store, &set).await;
        let owners = [&one, &two].map(|one| Client::new(&one.url()).with_token(&token));
        let machine = Machine::joined_by(&anonymous, &owners[0]).await;
        let set = json!({ "target": "node", "node_id": machine.node_id });
        let set = owners[0].put("/api/fleet/placement").json(&set);
        set.expect(200).await;
        Some(Self {
            _folders: folders,
            gateways: [one, two],
            owners,
            machine,
            inspector: DbInspector::open(scratch.url()).await,
            scratch,
        })
    }

    pub(super) fn channels(&self) -> Vec<String> {
        self.gateways.iter().map(Process::channel).collect()
    }

    pub(super) async fn end(mut self) {
        self.gateways.iter_mut().for_each(Process::kill);
        self.inspector.close().await;
        self.scratch.remove().await;
    }
}

/// Somebody who works through whichever gateway answers, and keeps the key of each request.
struct Person<'a> {
    owners: [Client; 2],
    at: usize,
    /// Given where nobody else is at work: who is told that a request is still under way lets a minute pass.
    inspector: Option<&'a DbInspector>,
    /// What the gateway answered last, or why it did not.
    last: String,
}

impl Person<'_> {
    /// Asks one gateway after the other until one gives one of these answers; `None` when none does in time.
    async fn ask(
        &mut self,
        statuses: &[u16],
        within: Duration,
        request: impl Fn(&Client) -> Request,
    ) -> Option<Answer> {
        let deadline = Instant::now() + within;
        while Instant::now() < deadline {
            let answer = timeout(PATIENCE, request(&self.owners[self.at]).try_send()).await;
            self.last = match &answer {
                Ok(Ok(answer)) => format!("{} {}", answer.status, answer.text),
                Ok(Err(error)) => format!("{error:?}"),
                Err(_) => format!("nothing within {PATIENCE:?}"),
            };
            match answer {
                Ok(Ok(answer)) if statuses.contains(&answer.status) => return Some(answer),
                Ok(Ok(answer)) if answer.status == 409 && self.inspector.is_some() => {
                    if let Some(inspector) = self.inspector {
                        inspector.a_minute_passes().await;
                    }
                }
                // 500: this gateway slept in the middle of a transaction, which was taken from it.
                Ok(Ok(answer)) => assert!(
                    matches!(answer.status, 409 | 500 | 503 | 504),
                    "{answer:?} is none of {statuses:?}"
                ),
                Ok(Err(_)) | Err(_) => {}
            }
            self.at = 1 - self.at;
            sleep(Duration::from_millis(40)).await;
        }
        None
    }

    async fn create(
        &mut self,
        path: &str,
        key: &str,
        body: Value,
        within: Duration,
    ) -> Option<Answer> {
        let request = |owner: &Client| {
            let request = owner.post(path).header("idempotency-key", key);
            request.json(&body)
        };
        self.ask(&[200, 201], within, request).await
    }

    /// The whole life of one agent. Cut off anywhere it can be begun again from the start: the keys see to that.
    async fn carry(&mut self, name: &str, within: Duration) -> Option<()> {
        let kind = name.rsplit('-').next().and_then(|n| n.parse::<u32>().ok());
        let body = json!({ "name": name });
        let claw = self.create("/api/claws", name, body, within).await?;
        let claw = format!("/api/claws/{}", claw.str("/id"));
        match kind.unwrap_or(0) % 3 {
            0 => {
                let purge = format!("{claw}?purge=true");
                self.ask(&[202, 404], within, |owner| owner.delete(&purge))
                    .await?;
            }
            1 => {
                let sandbox = format!("{claw}/sandbox");
                self.create(&sandbox, &format!("{name}-s"), json!({}), within)
                    .await?;
                let exec = format!("{sandbox}/exec?wait=true");
                let command = json!({ "argv": [format!("once-{name}.")] });
                let ran = self
                    .create(&exec, &format!("{name}-x"), command, within)
                    .await?;
                assert_eq!(ran.str("/state"), "done", "{}", ran.text);
                self.ask(&[204, 202, 404], within, |owner| owner.delete(&sandbox))
                    .await?;
            }
            _ => {}
        }
        Some(())
    }
}

/// Kills and puts to sleep, in the order that the seed says.
async fn havoc(pair: &mut Pair, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..4 {
        sleep(Duration::from_millis(random.random_range(200..1500))).await;
        let which = random.random_range(0..2_usize);
        match random.random_range(0..4) {
            0 => {
                pair.gateways[which].pause();
                sleep(SLEEP / 2).await;
                // Others may take over what it has in hand, and it wakes up into that.
                pair.inspector.a_minute_passes().await;
                sleep(SLEEP / 2).await;
                pair.gateways[which].go_on();
            }
            1 => {
                pair.gateways.iter_mut().for_each(Process::kill);
                let [one, two] = &mut pair.gateways;
                tokio::join!(one.again(), two.again());
            }
            _ => {
                pair.gateways[which].kill();
                sleep(Duration::from_millis(random.random_range(0..1500))).await;
                pair.gateways[which].again().await;
            }
        }
    }
}

/// Looks again and again who owns what: another owner always comes with a higher epoch.
async fn one_owner_at_a_time(url: String, stop: Arc<AtomicBool>) -> usize {
    let inspector = DbInspector::open(&url).await;
    let sql = "SELECT name || ' ' || epoch || ' ' || owner AS t FROM leases UNION ALL \
               SELECT 'node/' || id || ' ' || conn_epoch || ' ' || held_by FROM nodes WHERE held_by IS NOT NULL";
    let mut owners: HashMap<String, (i64, String)> = HashMap::new();
    let mut changes = 0;
    while !stop.load(Ordering::Relaxed) {
        for line in inspector.texts(sql).await {
            let [name, epoch, owner] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("three words: {line}")
            };
            let epoch: i64 = epoch.parse().expect("a number");
            let now = (epoch, owner.to_owned());
            if let Some(before) = owners.insert(name.to_owned(), now.clone()) {
                assert!(epoch >= before.0, "{name}: {before:?} then {now:?}");
                assert!(
                    epoch > before.0 || owner == before.1,
                    "{name}: {before:?} then {now:?}"
                );
                changes += usize::from(owner != before.1);
            }
        }
        sleep(Duration::from_millis(30)).await;
    }
    changes
}

async fn history(seed: u64) {
    let Some(mut pair) = Pair::start().await else {
        return;
    };
    let fake_node = FakeNode::start(pair.machine.clone(), pair.channels());
    let follower = Follower::start(pair.owners.to_vec());
    let stop = Arc::new(AtomicBool::new(false));
    let watching = tokio::spawn(one_owner_at_a_time(
        pair.gateways[0].database(),
        stop.clone(),
    ));
    let next = Arc::new(AtomicU32::new(0));
    let people: Vec<_> = (0..PEOPLE)
        .map(|n| {
            let (owners, next, stop) = (pair.owners.clone(), next.clone(), stop.clone());
            tokio::spawn(async move {
                let mut person = Person {
                    owners,
                    at: n % 2,
                    inspector: None,
                    last: String::new(),
                };
                let mut cut_off = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let name = format!("agent-{}", next.fetch_add(1, Ordering::Relaxed));
                    if person.carry(&name, PATIENCE).await.is_none() {
                        cut_off.push(name);
                    }
                    sleep(Duration::from_millis(100)).await;
                }
                cut_off
            })
        })
        .collect();
    havoc(&mut pair, seed).await;
    stop.store(true, Ordering::Relaxed);
    let mut cut_off = Vec::new();
    for person in people {
        cut_off.extend(person.await.expect("nobody saw anything wrong"));
    }
    let changes = watching.await.expect("one owner at a time");
    // All that was cut off is asked for again, with the same keys.
    pair.inspector.a_minute_passes().await;
    let mut person = Person {
        owners: pair.owners.clone(),
        at: 0,
        inspector: Some(&pair.inspector),
        last: String::new(),
    };
    for name in &cut_off {
        let carried = person.carry(name, Duration::from_secs(60)).await;
        let logs = pair.gateways.each_ref().map(Process::log);
        assert!(
            carried.is_some(),
            "{name} is not done: {}\n{}\n---\n{}",
            person.last,
            logs[0],
            logs[1]
        );
    }
    let made = next.load(Ordering::Relaxed);
    eprintln!(
        "seed {seed}: {made} agents, {} cut off, {changes} changes of owner",
        cut_off.len()
    );
    assert!(made > 5 && changes > 0, "nothing happened");
    each_once(&pair, &fake_node, &follower, made).await;
    drop((fake_node, follower));
    pair.end().await;
}

/// Every command took effect exactly once.
async fn each_once(pair: &Pair, fake_node: &FakeNode, follower: &Follower, made: u32) {
    let inspector = &pair.inspector;
    let purged = (0..made).filter(|n| n % 3 == 0).count();
    for (what, sql) in [
        (
            "sagas end",
            "SELECT id || ' ' || state AS t FROM sagas WHERE state <> 'done'",
        ),
        (
            "operations end",
            "SELECT id || ' ' || kind || ' ' || state AS t FROM node_operations WHERE state IN ('pending', 'running')",
        ),
        (
            "sandboxes are gone",
            "SELECT c.id || ' ' || c.state || ' since ' || c.last_used_at || ', ' || COALESCE(c.detail, '') || ', operation ' || \
             COALESCE(o.kind || ' ' || o.state || ' at ' || o.created_at, 'none') AS t FROM agent_containers c \
             LEFT JOIN node_operations o ON o.id = c.operation_id \
             WHERE c.state IN ('provisioning', 'running', 'destroying')",
        ),
    ] {
        let mut left = inspector.texts(sql).await;
        for _ in 0..600 {
            if left.is_empty() {
                break;
            }
            sleep(Duration::from_millis(200)).await;
            left = inspector.texts(sql).await;
        }
        assert!(left.is_empty(), "not after two minutes: {what}: {left:#?}");
    }
    let mut expected: Vec<String> = (0..made)
        .filter(|n| n % 3 != 0)
        .map(|n| format!("agent-{n}"))
        .collect();
    let mut claws = inspector.texts("SELECT name AS t FROM claws").await;
    claws.sort();
    expected.sort();
    assert_eq!(claws, expected);
    let made = i64::from(made);
    let left = made - i64::try_from(purged).expect("few");
    for (sql, expected) in [
        (
            "SELECT COUNT(*) AS n FROM audit_entries WHERE action = 'claw.created'",
            made,
        ),
        (
            "SELECT COUNT(*) AS n FROM events WHERE kind = 'resource.changed' \
             AND data LIKE '%\"kind\":\"claw\"%\"version\":1}'",
            made,
        ),
        (
            "SELECT used AS n FROM quota_usage WHERE kind = 'agents'",
            left,
        ),
        (
            "SELECT used AS n FROM quota_usage WHERE kind = 'live_containers'",
            0,
        ),
    ] {
        assert_eq!(inspector.numbers(sql).await, [expected], "{sql}");
    }
    let sql = "SELECT COUNT(*) AS n FROM node_operations WHERE request::text LIKE '%once-%' \
               GROUP BY request::text HAVING COUNT(*) > 1";
    assert_eq!(
        inspector.numbers(sql).await,
        [0_i64; 0],
        "a command ran twice"
    );
    let mut begun = fake_node.history().begun.clone();
    begun.retain(|_, times| *times > 1);
    let logs = pair.gateways.each_ref().map(Process::log);
    assert!(
        begun.is_empty(),
        "begun twice: {begun:?}\n{}\n---\n{}",
        logs[0],
        logs[1]
    );
    assert!(fake_node.history().sandboxes.is_empty());
    // Ephemeral events of the last moments are in the log within a group's time and a lease.
    sleep(Duration::from_millis(400)).await;
    let head = inspector.events_are_whole().await;
    follower.saw_all(head).await;
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).unwrap_or_default();
    text.parse().unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_do_everything_once_under_random_kills_and_pauses() {
    let first = number("ROOST_TEST_SEED", 1);
    for seed in first..first + number("ROOST_TEST_SEEDS", 2) {
        history(seed).await;
    }
}
