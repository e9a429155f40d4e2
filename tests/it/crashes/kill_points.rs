//! The gateway is killed at every one of its kill points and started again. No accepted work is lost or done twice. On
//! SQLite, and on PostgreSQL where `ROOST_TEST_POSTGRES_URL` names a server.

use std::path::Path;
use std::time::Duration;

use futures::StreamExt;
use roost_platform::supervision::KILL_POINTS;
use roost_tests::{
    Answer, Client, DbInspector, FakeNode, Follower, Machine, Process, Request, ScratchPostgres,
    Store, eventually,
};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

/// How a point is armed, once or several times; each is a life of its own. A kill point without a case fails here.
fn cases(point: &str) -> Vec<String> {
    let passes: &[u32] = match point {
        // Every actor passes here: die while it starts, and in the middle of the work.
        "actor.before_handle" => &[0, 5, 15],
        "actor.after_handle" => &[4, 12],
        "supervision.exit_noticed" => &[0],
        // A restart is due after a panic only.
        "supervision.before_restart" => {
            return vec![format!("fleet.node.after_epoch=panic,{point}=abort")];
        }
        // The sandbox's step and the rows' step.
        "sagas.before_step" | "sagas.after_effect" | "sagas.after_commit" => &[0, 1],
        // What the start left behind or the first agent; something later.
        "audit.chain.before_commit" | "audit.chain.after_commit" => &[0, 1],
        // The first agent, the sandbox, the command.
        "http.idempotency.after_claim" | "http.idempotency.before_answer" => &[0, 2, 3],
        "fleet.node.after_epoch" => &[0],
        // Provision, the probe or the command, destroy.
        "operations.submit.before_row"
        | "operations.submit.after_row"
        | "operations.submit.after_send"
        | "operations.finish.before_row"
        | "operations.finish.after_row" => &[0, 1, 3],
        // These need a broker and an app: their histories are in tests/it/doors/killed.rs.
        point if crate::connections::doors::KILLED_THERE.contains(&point) => return Vec::new(),
        // These need a proposal: their histories are in tests/it/missions/levelups/killed.rs.
        point if crate::missions::levelups::KILLED_THERE.contains(&point) => return Vec::new(),
        // These need a team: their histories are in tests/it/runs/killed.rs.
        // These need two gateways.
        point if super::two_gateways::handover::KILLED_THERE.contains(&point) => return Vec::new(),
        point if crate::execution::runs::parked_killed::KILLED_THERE.contains(&point) => {
            return Vec::new();
        }
        point if crate::execution::runs::killed::KILLED_THERE.contains(&point) => {
            return Vec::new();
        }
        // These need a routine.
        point if crate::missions::routines::killed::KILLED_THERE.contains(&point) => {
            return Vec::new();
        }
        // These need a mission.
        point if crate::missions::killed::KILLED_THERE.contains(&point) => return Vec::new(),
        // It needs a card and a model.
        point if crate::missions::narratives::KILLED_THERE.contains(&point) => return Vec::new(),
        // These need a mission that ends.
        point if crate::missions::pdfs::KILLED_THERE.contains(&point) => return Vec::new(),
        // It needs a sandbox on the gateway's own host: its history is in tests/it/crashes/gateway_dies/told.rs.
        "operations.finish.told" => return Vec::new(),
        "events.writer.before_commit" | "events.writer.after_commit" => &[0, 1],
        _ => panic!("the kill point {point} has no case: say here which work reaches it"),
    };
    let order = |passed: &u32| format!("{point}=abort@{passed}");
    passes.iter().map(order).collect()
}

/// A gateway's data after its first life, in which somebody signed in and a machine joined. Each history has a copy.
struct Before {
    folder: TempDir,
    scratch: Option<ScratchPostgres>,
    token: String,
    machine: Machine,
}

impl Before {
    async fn live(scratch: Option<ScratchPostgres>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = Process::start(folder.path(), &store(scratch.as_ref())).await;
        let anonymous = Client::new(&process.url());
        let token = process.owner_token().await;
        let owner = Client::new(&process.url()).with_token(&token);
        let machine = Machine::joined_by(&anonymous, &owner).await;
        let set = json!({ "target": "node", "node_id": machine.node_id });
        let set = owner.put("/api/fleet/placement").json(&set);
        set.expect(200).await;
        process.kill();
        Self {
            folder,
            scratch,
            token,
            machine,
        }
    }
}

fn store(scratch: Option<&ScratchPostgres>) -> Store {
    scratch.map_or(Store::Sqlite, |scratch| {
        Store::Postgres(scratch.url().to_owned())
    })
}

/// Copies a folder with what is in it; the broker's socket is no file and made anew.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).expect("a folder");
    let mode = std::fs::metadata(from).expect("its mode").permissions();
    std::fs::set_permissions(to, mode).expect("its mode");
    for entry in std::fs::read_dir(from).expect("the first life's data") {
        let entry = entry.expect("an entry");
        let (kind, to) = (
            entry.file_type().expect("its kind"),
            to.join(entry.file_name()),
        );
        if kind.is_dir() {
            copy(&entry.path(), &to);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// A gateway of one person and one machine over its lives.
struct Lives {
    _folder: TempDir,
    scratch: Option<ScratchPostgres>,
    process: Process,
    inspector: DbInspector,
    token: String,
    machine: Machine,
    deaths: u32,
}

impl Lives {
    /// The second life, armed; it may be over before it began.
    async fn begin(before: &Before, arms: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (
            before.folder.path().join("data"),
            folder.path().join("data"),
        );
        copy(&from, &to);
        let scratch = match &before.scratch {
            Some(scratch) => Some(scratch.copy().await),
            None => None,
        };
        let process = Process::spawn(folder.path(), &store(scratch.as_ref()), arms);
        let inspector = DbInspector::open(&process.database()).await;
        let mut lives = Self {
            _folder: folder,
            scratch,
            process,
            inspector,
            token: before.token.clone(),
            machine: before.machine.clone(),
            deaths: 0,
        };
        if !lives.process.is_ready().await {
            lives.see_it_died().await;
        }
        lives
    }

    fn owner(&self) -> Client {
        Client::new(&self.process.url()).with_token(&self.token)
    }

    /// It must have been the kill point. It comes back with nothing armed.
    async fn see_it_died(&mut self) {
        self.process.ended_by(SIGABRT).await;
        self.deaths += 1;
        self.process.again().await;
    }

    /// Asks as a client does that keeps its key: again after a broken connection, and while others say "not yet".
    async fn ask(&mut self, statuses: &[u16], request: impl Fn(&Client) -> Request) -> Answer {
        let owner = self.owner();
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            match request(&owner).try_send().await {
                Ok(answer) if statuses.contains(&answer.status) => return answer,
                Ok(answer) => {
                    let wait = matches!(answer.status, 409 | 503 | 504);
                    let log = self.process.log();
                    let patience = wait && Instant::now() < deadline;
                    assert!(patience, "{answer:?} is none of {statuses:?}\n{log}");
                    // Who was cut off with a key in the hand is let through after a minute.
                    self.inspector.a_minute_passes().await;
                    sleep(Duration::from_millis(50)).await;
                }
                Err(_) => self.see_it_died().await,
            }
        }
    }

    /// Creates something with a key.
    async fn create(&mut self, path: &str, key: &str, body: serde_json::Value) -> Answer {
        let request = |owner: &Client| {
            let request = owner.post(path).header("idempotency-key", key);
            request.json(&body)
        };
        self.ask(&[200, 201], request).await
    }

    /// Waits until it is gone.
    async fn gone(&mut self, path: &str) {
        let deadline = Instant::now() + Duration::from_secs(120);
        while self.ask(&[200, 404], |owner| owner.get(path)).await.status == 200 {
            assert!(
                Instant::now() < deadline,
                "{path} stays\n{}",
                self.process.log()
            );
            sleep(Duration::from_millis(30)).await;
        }
    }

    async fn connected(&mut self) {
        let path = self.machine.path("");
        loop {
            let node = self.ask(&[200], |owner| owner.get(&path)).await;
            if node.str("/connection") == "connected" {
                return;
            }
            sleep(Duration::from_millis(30)).await;
        }
    }
}

/// A whole life of an agent and its sandbox, killed once. Everything that a client was promised is checked at its end.
async fn history(before: &Before, arms: &str) {
    let mut lives = Lives::begin(before, arms).await;
    let fake_node = FakeNode::start(lives.machine.clone(), vec![lives.process.channel()]);
    let follower = Follower::start(vec![lives.owner()]);
    lives.connected().await;
    let kept = lives
        .create("/api/claws", "kept", json!({ "name": "kept" }))
        .await;
    let purged = lives
        .create("/api/claws", "purged", json!({ "name": "purged" }))
        .await;
    // What hangs on the one that is purged goes with it, in an order that foreign keys allow.
    let brain = format!("/api/claws/{}/brain", purged.str("/id"));
    let text = json!({ "agent_md": "# Knows a thing" });
    lives
        .ask(&[200], |owner| owner.put(&brain).json(&text))
        .await;
    let avatar = format!("/api/claws/{}/avatar", purged.str("/id"));
    let picture = |owner: &Client| {
        let request = owner.put(&avatar).header("content-type", "image/png");
        request.body(crate::agents::avatars::PNG)
    };
    lives.ask(&[200], picture).await;
    let sandbox = format!("/api/claws/{}/sandbox", kept.str("/id"));
    lives.connected().await;
    lives.create(&sandbox, "sandbox", json!({})).await;
    let exec = format!("{sandbox}/exec?wait=true");
    let command = json!({ "argv": ["once-only"] });
    let ran = lives.create(&exec, "command", command.clone()).await;
    assert_eq!(
        (&ran.body["code"], ran.str("/state")),
        (&json!(0), "done"),
        "{arms}: {}",
        ran.text
    );

    let purge = format!("/api/claws/{}", purged.str("/id"));
    let begin = format!("{purge}?purge=true");
    lives.ask(&[202, 404], |owner| owner.delete(&begin)).await;
    lives.gone(&purge).await;
    lives
        .ask(&[204, 202, 404], |owner| owner.delete(&sandbox))
        .await;
    lives.gone(&sandbox).await;
    let test = lives.machine.path("/exec-test");
    lives.ask(&[200], |owner| owner.post(&test)).await;
    // Group commits and ends of actors come a moment after the work.
    for _ in 0..30 {
        if lives.deaths > 0 {
            break;
        }
        sleep(Duration::from_millis(100)).await;
        lives.ask(&[200], |owner| owner.post(&test)).await;
    }
    assert_eq!(
        lives.deaths,
        1,
        "{arms} did not strike\n{}",
        lives.process.log()
    );

    // Keys still answer what they answered.
    let again = lives
        .create("/api/claws", "kept", json!({ "name": "kept" }))
        .await;
    assert_eq!(again.str("/id"), kept.str("/id"), "{arms}");
    let again = lives.create(&exec, "command", command).await;
    assert_eq!(
        again.str("/operation_id"),
        ran.str("/operation_id"),
        "{arms}"
    );
    let quota = lives.ask(&[200], |owner| owner.get("/api/quota")).await;
    let used = |what: &str| quota.body[what]["used"].clone();
    assert_eq!(
        (used("agents"), used("live_containers")),
        (json!(1), json!(0)),
        "{arms}"
    );
    nothing_lost_or_doubled(&lives, &fake_node, &follower, arms).await;
    drop((fake_node, follower));
    lives.process.kill();
    lives.inspector.close().await;
    if let Some(scratch) = lives.scratch {
        scratch.remove().await;
    }
}

async fn nothing_lost_or_doubled(
    lives: &Lives,
    fake_node: &FakeNode,
    follower: &Follower,
    arms: &str,
) {
    let inspector = &lives.inspector;
    let open = "SELECT COUNT(*) AS n FROM node_operations WHERE state <> 'done'";
    eventually("every operation ends", async || {
        (inspector.numbers(open).await == [0]).then_some(())
    })
    .await;
    let waiting = "SELECT COUNT(*) AS n FROM audit_waiting";
    eventually("every audit entry has its link", async || {
        (inspector.numbers(waiting).await == [0]).then_some(())
    })
    .await;
    audit_is_whole(inspector, arms).await;
    let claws = inspector.texts("SELECT name AS t FROM claws").await;
    assert_eq!(claws, ["kept"], "{arms}");
    for (sql, expected) in [
        (
            "SELECT COUNT(*) AS n FROM audit_entries WHERE action = 'claw.created'",
            2,
        ),
        (
            "SELECT COUNT(*) AS n FROM audit_entries WHERE action = 'sandbox.provisioned'",
            1,
        ),
        (
            "SELECT COUNT(*) AS n FROM agent_containers WHERE state = 'destroyed'",
            1,
        ),
        (
            // Two were made; one was given a brain and a picture.
            "SELECT COUNT(*) AS n FROM events WHERE kind = 'resource.changed' \
             AND data LIKE '%\"kind\":\"claw\"%\"version\":1}'",
            4,
        ),
        ("SELECT COUNT(*) AS n FROM claw_brains", 0),
        ("SELECT COUNT(*) AS n FROM claw_avatars", 0),
        (
            "SELECT COUNT(*) AS n FROM audit_entries WHERE action IN ('brain.written', 'avatar.uploaded')",
            2,
        ),
        (
            "SELECT COUNT(*) AS n FROM node_operations WHERE CAST(request AS TEXT) LIKE '%once-only%'",
            1,
        ),
    ] {
        assert_eq!(inspector.numbers(sql).await, [expected], "{arms}: {sql}");
    }
    // The machine did each once, and has nothing left that nobody acknowledges.
    let rows = inspector
        .numbers("SELECT COUNT(*) AS n FROM node_operations")
        .await;
    let begun = fake_node.history().begun.clone();
    assert!(begun.values().all(|times| *times == 1), "{arms}: {begun:?}");
    assert_eq!(rows, [i64::try_from(begun.len()).expect("few")], "{arms}");
    assert!(fake_node.history().sandboxes.is_empty(), "{arms}");
    // What may be lost is still never shown twice.
    let shown = "SELECT COUNT(*) AS n FROM events WHERE data LIKE '%\"label\":\"exec\"%'";
    let execs = "SELECT COUNT(*) AS n FROM node_operations WHERE kind = 'sb_exec'";
    assert!(
        inspector.numbers(shown).await <= inspector.numbers(execs).await,
        "{arms}"
    );
    // The log is still while nothing happens; the last group is written within its 50 ms, or later on a busy machine.
    eventually("the log is still", async || {
        let before = inspector.numbers("SELECT seq AS n FROM event_heads").await;
        sleep(Duration::from_millis(150)).await;
        (before == inspector.numbers("SELECT seq AS n FROM event_heads").await).then_some(())
    })
    .await;
    let head = inspector.events_are_whole().await;
    follower.saw_all(head).await;
}

/// The chain goes 1, 2, 3 … without a gap, each link after the one before it, and has each entry once.
async fn audit_is_whole(inspector: &DbInspector, arms: &str) {
    let positions = "SELECT position AS n FROM audit_chain ORDER BY position";
    let positions = inspector.numbers(positions).await;
    let entries = inspector
        .numbers("SELECT COUNT(*) AS n FROM audit_entries")
        .await[0];
    assert_eq!(positions, (1..=entries).collect::<Vec<_>>(), "{arms}");
    let following = "SELECT COUNT(*) AS n FROM audit_chain a JOIN audit_chain b \
                     ON b.position = a.position + 1 AND b.previous_sha256 = a.sha256";
    assert_eq!(inspector.numbers(following).await, [entries - 1], "{arms}");
}

/// So many histories at a time: each waits more than it works.
const AT_A_TIME: usize = 3;

/// The two halves of the table: a test each, so that they run beside each other.
#[derive(Clone, Copy)]
enum Half {
    Even,
    Odd,
}

async fn every_point(half: Half, scratch: Option<ScratchPostgres>) {
    let before = Before::live(scratch).await;
    let all = KILL_POINTS.iter().flat_map(|point| cases(point.name));
    let mine = all.skip(half as usize).step_by(2);
    futures::stream::iter(mine)
        .for_each_concurrent(AT_A_TIME, async |arms| history(&before, &arms).await)
        .await;
    if let Some(scratch) = before.scratch {
        scratch.remove().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kill_point_is_survived_on_sqlite_first_half() {
    every_point(Half::Even, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kill_point_is_survived_on_sqlite_second_half() {
    every_point(Half::Odd, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kill_point_is_survived_on_postgresql_first_half() {
    if let Some(scratch) = ScratchPostgres::new().await {
        every_point(Half::Even, Some(scratch)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kill_point_is_survived_on_postgresql_second_half() {
    if let Some(scratch) = ScratchPostgres::new().await {
        every_point(Half::Odd, Some(scratch)).await;
    }
}
