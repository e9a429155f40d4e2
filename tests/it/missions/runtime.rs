//! Missions with a runtime of their own: the reference runtime on the official A2A SDK, and servers that behave in other ways. A
//! real engine, and the image `runtime`.

use std::path::Path;

use roost_tests::broker::BrokerProcess;
use roost_tests::{
    Answer, Client, Gateway, Person, Process, ScratchPostgres, Store, encodings_of, eventually,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::process::{Beside, beside_broker};
use super::{becomes, created, launched, mission, phases, set_status, template};

/// The server of the other tests.
const SERVER: &str = include_str!("runtime_server.py");
/// What it gives for its code, and the code.
const SECRETS: [&str; 2] = ["rt_planted+token/81", "Code_77_planted"];

/// A gateway with a broker that keeps the codes.
pub(super) struct Stage {
    folder: TempDir,
    broker: BrokerProcess,
    gateway: Gateway,
}

impl Stage {
    async fn new(set: &[(&str, &str)]) -> Self {
        Self::on(None, set).await
    }

    pub(super) async fn on(scratch: Option<&ScratchPostgres>, set: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let broker = BrokerProcess::start(folder.path()).await;
        let gateway = beside(&broker, scratch, set).await;
        Self {
            folder,
            broker,
            gateway,
        }
    }

    /// A second gateway on the same database, beside the same broker.
    pub(super) async fn second(&self, scratch: &ScratchPostgres) -> Gateway {
        beside(&self.broker, Some(scratch), &[]).await
    }

    pub(super) fn url(&self) -> String {
        self.gateway.url()
    }

    pub(super) async fn owner(&self) -> &Person {
        self.gateway.owner().await
    }

    pub(super) async fn stop(self) {
        self.gateway.stop().await;
        drop(self.broker);
        drop(self.folder);
    }
}

async fn beside(
    broker: &BrokerProcess,
    scratch: Option<&ScratchPostgres>,
    set: &[(&str, &str)],
) -> Gateway {
    let socket = broker.client.socket().display().to_string();
    let mut all = vec![("broker.socket", socket)];
    all.extend(set.iter().map(|(key, value)| (*key, (*value).to_owned())));
    Gateway::start_like(&all, scratch).await
}

/// A mission of one phase whose agents work through this program.
async fn with(owner: &Person, command: &str) -> String {
    let writers = template(owner, "Writers").await;
    created(owner, &new(&writers, command)).await
}

/// A command that starts the server of the other tests, in this mode.
fn server(program: &str, mode: &str) -> String {
    let quoted = program.replace('\'', r"'\''");
    format!("exec python3 -c '{quoted}' {mode}")
}

pub(super) fn new(template: &str, command: &str) -> Value {
    json!({ "template_kind": "research", "title": "Through it", "goal": "Say hello.", "team_template_id": template,
        "config": { "runtime": { "image": "runtime", "command": command } } })
}

pub(super) async fn pauses(owner: &Person, id: &str) -> Answer {
    eventually("the mission is paused", async || {
        let now = mission(owner, id).await;
        assert_ne!(now.body["status"], "completed", "{now:?}");
        (now.body["status"] == "paused").then_some(now)
    })
    .await
}

fn text_of(over: &Answer) -> String {
    over.body["artifacts"].to_string()
}

pub(super) async fn result(owner: &Client, over: &Answer) -> String {
    let all = over.body["artifacts"].as_array().expect("artifacts");
    let found = all.iter().find(|one| one["kind"] == "markdown");
    let id = found.unwrap_or_else(|| panic!("{}", text_of(over)))["id"]
        .as_str()
        .expect("an id");
    let path = format!("/api/missions/{}/artifacts/{id}", over.str("/id"));
    let artifact = owner.get(&path).expect(200).await;
    artifact.str("/content").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn mission_works_through_the_reference_runtime() {
    let stage = Stage::new(&[]).await;
    let owner = stage.owner().await;
    let says = "grep -q \"Say hello\" && echo Hello from the runtime.";
    let id = with(owner, &format!("exec roost-runtime -- sh -c '{says}'")).await;
    launched(owner, &id).await;
    let over = becomes(owner, &id, "completed").await;
    assert_eq!(phases(&over), ["completed"]);
    assert_eq!(result(owner, &over).await.trim(), "Hello from the runtime.");
    assert!(over.str("/runtime_endpoint").starts_with("sandbox://"));
    let sandbox = over.str("/runtime_endpoint").split('/').nth(2);
    let name = format!("roost-{}", sandbox.expect("a sandbox"));
    assert_eq!(over.str("/runtime_container_name"), name);
    assert_eq!(over.str("/runtime/state"), "gone");
    stage.stop().await;
}

/// A gateway with an engine that is a process of its own, beside a broker.
pub(super) async fn alone(set: &[(&str, &str)]) -> (Process, Beside) {
    let mut all = vec![("sandboxes.local", "on")];
    all.extend(set);
    beside_broker(&Store::Sqlite, &all).await
}

/// A team template of a gateway that is a process of its own.
pub(super) async fn writers(owner: &Client) -> String {
    let role = json!({ "slot": "writer", "title": "Writer", "system_prompt": "You write.", "skills": [], "brain_seed": "" });
    let made = json!({ "key": "writers", "name": "Writers", "description": "", "stack": "any", "default_topology": "single",
        "risk_profile": "toolfree", "mcp_bundles": [], "category": "research", "roles": [role] });
    let made = owner.post("/api/team-templates").json(&made).expect(201);
    made.await.str("/id").to_owned()
}

/// The files of a folder and of the folders in it, with what they have.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            // A socket cannot be read.
            false => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                found.push((path.display().to_string(), text));
            }
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn code_and_bearer_are_in_no_answer_no_row_and_no_log() {
    let (mut process, beside) = alone(&[]).await;
    let owner = process.owner().await;
    let template = writers(&owner).await;
    // Its program has no secret in it: the base of the sandbox's command line is a stored row.
    let hidden = SERVER
        .replace("\"Code_77_planted\"", "\"Code_77_\" + \"planted\"")
        .replace("\"rt_planted+token/81\"", "\"rt_planted+\" + \"token/81\"");
    let asked = new(&template, &server(&hidden, "old"));
    let id = created(&owner, &asked).await;
    launched(&owner, &id).await;
    let over = becomes(&owner, &id, "completed").await;
    let text = result(&owner, &over).await;
    // The server wrote both into its answer.
    assert!(text.contains("Old dialect. [masked] [masked]."), "{text}");
    let mut answers = over.body.to_string() + &text;
    for path in ["/api/audit", "/api/topology-runs", "/api/activity"] {
        let answer = owner.get(path).try_send().await;
        answers.push_str(&format!("{answer:?}"));
    }
    let log = process.log();
    process.terminate().await;
    let mut places = files(beside.folder.path());
    let has_rows = places.iter().any(|(_, text)| text.contains("Old dialect."));
    assert!(has_rows, "the rows are in the files");
    places.extend([
        ("an answer".to_owned(), answers),
        ("the log".to_owned(), log),
    ]);
    for secret in SECRETS {
        for (form, text) in encodings_of(secret) {
            for (place, all) in &places {
                assert!(!all.contains(&text), "{secret} ({form}) is in {place}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn boot_without_a_code_pauses_the_mission_with_the_last_words() {
    let stage = Stage::new(&[("limits.runtime_boot_seconds", "3")]).await;
    let owner = stage.owner().await;
    for (mode, why, last) in [
        ("silent", "no pairing code in time", "one-time code"),
        (
            "ends",
            "The server of the runtime ended",
            "no configuration file",
        ),
        ("refuses", "refused the pairing", "POST /pair answered 403"),
    ] {
        let writers = template(owner, &format!("Writers{mode}")).await;
        let id = created(owner, &new(&writers, &server(SERVER, mode))).await;
        launched(owner, &id).await;
        let now = pauses(owner, &id).await;
        assert_eq!(now.str("/status_reason"), "runtime_failed", "{mode}");
        assert_eq!(now.str("/runtime/state"), "gone", "{mode}");
        let detail = now.str("/status_detail");
        assert!(
            detail.contains(why) && detail.contains(last),
            "{mode}: {detail}"
        );
        assert!(!detail.contains("Code_77_planted"), "{mode}: {detail}");
        assert_eq!(phases(&now), ["pending"], "{mode}");
        set_status(owner, &id, "cancelled", 200).await;
    }
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_not_a2a_fail_the_phase() {
    let stage = Stage::new(&[]).await;
    let owner = stage.owner().await;
    for (mode, why) in [
        ("html", "not as A2A does: <html>[masked]</html>"),
        ("huge", "longer than 2 MiB"),
        ("asks", "asks for more input: Old dialect."),
    ] {
        let writers = template(owner, &format!("Writers{mode}")).await;
        let id = created(owner, &new(&writers, &server(SERVER, mode))).await;
        launched(owner, &id).await;
        let now = pauses(owner, &id).await;
        assert_eq!(now.str("/status_reason"), "phase_failed", "{mode}");
        let reason = now.str("/phase_details/0/reason");
        assert!(reason.contains(why), "{mode}: {reason}");
        set_status(owner, &id, "cancelled", 200).await;
    }
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_hangs_is_left_when_the_mission_is_cancelled() {
    let stage = Stage::new(&[]).await;
    let owner = stage.owner().await;
    let id = with(owner, &server(SERVER, "hangs")).await;
    launched(owner, &id).await;
    eventually("the message is sent", async || {
        let now = mission(owner, &id).await;
        let run = now.body["phase_details"][0]["runs"][0]["run_id"].as_str();
        let path = format!("/api/topology-runs/{}/calls", run?);
        let calls = owner.get(&path).expect(200).await.body.to_string();
        calls.contains("ask_runtime").then_some(())
    })
    .await;
    set_status(owner, &id, "cancelled", 200).await;
    eventually("the run has ended", async || {
        let now = mission(owner, &id).await;
        let status = &now.body["phase_details"][0]["runs"][0]["status"];
        (status == "cancelled").then_some(())
    })
    .await;
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_was_ended_is_started_again() {
    let stage = Stage::new(&[]).await;
    let owner = stage.owner().await;
    // Its first server ends with the first message; the file in the workspace says so.
    let once = "if [ -e seen ]; then echo Again.; else touch seen; kill -9 $PPID; fi";
    let id = with(owner, &format!("exec roost-runtime -- sh -c '{once}'")).await;
    launched(owner, &id).await;
    let over = becomes(owner, &id, "completed").await;
    assert_eq!(result(owner, &over).await.trim(), "Again.");
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_gateway_continues_and_sends_the_message_once() {
    let (mut process, _beside) = alone(&[("runs.lease_seconds", "3")]).await;
    let owner = process.owner().await;
    let template = writers(&owner).await;
    let counts =
        "echo x >>/workspace/sent; sleep 6; echo \"Sent $(wc -l </workspace/sent) times.\"";
    let asked = new(
        &template,
        &format!("exec roost-runtime -- sh -c '{counts}'"),
    );
    let id = created(&owner, &asked).await;
    launched(&owner, &id).await;
    let sent = async |owner: &Client| {
        let runs = owner.get("/api/topology-runs").expect(200).await;
        let id = runs.body["items"][0]["id"].as_str()?.to_owned();
        let calls = owner
            .get(&format!("/api/topology-runs/{id}/calls"))
            .expect(200)
            .await;
        calls
            .body
            .to_string()
            .contains("await_runtime")
            .then_some(())
    };
    eventually("the message is sent", async || sent(&owner).await).await;
    process.kill();
    process.again().await;
    let over = becomes(&owner, &id, "completed").await;
    assert_eq!(result(&owner, &over).await.trim(), "Sent 1 times.");
    process.terminate().await;
}

/// The image is not on this machine, so the plan says so, and a launch is refused unless a person accepts it.
#[tokio::test]
async fn launch_says_first_that_the_image_of_the_runtime_is_missing() {
    let set = [("sandboxes.images", "[\"absent=roost-agent:absent\"]")];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let writers = template(owner, "Writers").await;
    let mut asked = new(&writers, "roost-runtime");
    asked["config"]["runtime"]["image"] = json!("absent");
    let id = created(owner, &asked).await;
    let plan = format!("/api/missions/{id}/launch-plan");
    eventually("the plan says what is missing", async || {
        let plan = owner.get(&plan).expect(200).await;
        let lacks = plan.body["lacks"].to_string();
        lacks.contains("Image `absent` is not on").then_some(())
    })
    .await;
    let refused = set_status(owner, &id, "running", 409).await;
    assert_eq!(refused.str("/code"), "sandbox-lacks");
    gateway.stop().await;
}

#[tokio::test]
async fn wrong_runtimes_are_refused_with_their_place() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    for (runtime, place) in [
        (
            json!({ "image": "runtime", "port": 1 }),
            "/config/runtime/port",
        ),
        (json!({ "image": "nowhere" }), "/config/runtime/image"),
    ] {
        let asked = json!({ "template_kind": "research", "config": { "runtime": runtime } });
        let answer = owner.post("/api/missions").json(&asked).expect(400).await;
        assert_eq!(answer.str("/errors/0/pointer"), place);
    }
    gateway.stop().await;
}
