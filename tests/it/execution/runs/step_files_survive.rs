//! The files around a step when something is missing: the gateway dies between their records, or the machine has an older
//! daemon, which cannot save files on request.

use roost_protocol::operation::Operation;
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_tests::machine::{Connection, ended};
use roost_tests::{Gateway, Machine, Process, Store};
use serde_json::json;

use super::step_files::{settings, step, team};
use super::{over, started, steps};

/// How `abort` ends a process.
const SIGABRT: i32 = 6;
/// Points between the record of a step's begin and the commit of its end.
const BETWEEN: [&str; 3] = [
    "runtime.session.before_tool",
    "runtime.session.after_tool",
    "runs.checkpoint.before_commit",
];

#[tokio::test(flavor = "multi_thread")]
async fn step_has_the_files_of_its_begin_and_end_although_the_gateway_died_between_their_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let more = [
        ("sandboxes.local", "on"),
        ("chaos.allow", "true"),
        ("runs.lease_seconds", "3"),
        ("broker.start", "off"),
    ];
    let own = settings(folder.path());
    let own = own.iter().map(|(key, value)| (*key, value.as_str()));
    let set: Vec<(&str, &str)> = own.chain(more).collect();
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let owner = process.owner().await;
    for point in BETWEEN {
        let team = team(&owner, &["first", "second"]).await;
        process.kill();
        // The first step passes it first.
        assert!(process.again_with(&format!("{point}=abort@0")).await);
        let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
        let asked = owner.post(&path).json(&json!({ "input": "Do it." }));
        let _ = asked.try_send().await;
        process.ended_by(SIGABRT).await;
        process.again().await;
        let newest = owner.get("/api/topology-runs?limit=1").expect(200).await;
        let run = over(&owner, newest.str("/items/0/id")).await;
        assert_eq!(
            steps(&run),
            ["first done", "second done"],
            "{point}: {run:?}"
        );
        assert!(
            run.str("/result/text").contains("said one"),
            "{point}: {run:?}"
        );
        let digest = |key: &str, at: &str| {
            let files = &step(&run, key)["files"];
            let digest = files[at]["digest"].as_str().unwrap_or_default();
            assert_eq!(digest.len(), 64, "{point}, {key} {at}: {files}");
            digest.to_owned()
        };
        assert_ne!(
            digest("first", "began"),
            digest("first", "ended"),
            "{point}"
        );
        assert_eq!(
            digest("first", "ended"),
            digest("second", "began"),
            "{point}"
        );
        assert_ne!(
            digest("second", "began"),
            digest("second", "ended"),
            "{point}"
        );
    }
    process.terminate().await;
}

/// Carries out whatever is asked, as a daemon does that cannot save files on request. Each command succeeds.
async fn obey(mut connection: Connection) {
    loop {
        let request = connection.operation().await;
        match &request.operation {
            Operation::SbProvision(_) => connection.made(&request).await,
            Operation::SbExec(_) => {
                let end = ended(Terminal::Done, Outcome::Exited { code: 0 });
                connection.report(request.id, Report::Accepted).await;
                connection.report(request.id, Report::Ended(end)).await;
            }
            other => panic!("an older daemon does not know this: {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn step_on_a_machine_with_an_older_daemon_works_and_says_why_its_files_are_not_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let [script, image] = settings(folder.path());
    let set = [
        (script.0, script.1.as_str()),
        (image.0, image.1.as_str()),
        ("sandboxes.local", "off"),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let daemon = tokio::spawn(obey(machine.connect().await));
    let here = json!({ "target": "node", "node_id": machine.node_id });
    owner
        .put("/api/fleet/placement")
        .json(&here)
        .expect(200)
        .await;
    let team = team(owner, &["first"]).await;
    let run = started(owner, &team).await;
    let run = over(owner, &run).await;
    assert_eq!(steps(&run), ["first done"], "{run:?}");
    let files = &step(&run, "first")["files"];
    for at in ["began", "ended"] {
        let missing = files[at]["missing"].as_str().unwrap_or_default();
        assert!(missing.contains("too old to store files"), "{at}: {files}");
        assert!(files[at]["digest"].is_null(), "{at}: {files}");
    }
    // A fork cannot begin with them, and says so before it begins.
    let path = format!("/api/topology-runs/{}/fork", run.str("/id"));
    let refused = owner.post(&path).json(&json!({ "step": "first" }));
    let refused = refused.expect(409).await;
    assert!(
        refused.str("/detail").contains("without files"),
        "{refused:?}"
    );
    daemon.abort();
    gateway.stop().await;
}
