//! What one member may use of a machine: the limits of a sandbox, the total of all, commands at the same time and in a
//! minute; and what a person reads when the workspace is full.

use roost_protocol::caps::{Bounds, Total};
use roost_protocol::hello::Hello;
use roost_protocol::inventory::Inventory;
use roost_protocol::limits::{MAX_COMMANDS_IN_SANDBOX, MAX_COMMANDS_OF_WORKSPACE};
use roost_protocol::operation::Operation;
use roost_protocol::report::{Ended, ErrorKind, OperationError, Outcome, Report, Terminal};
use roost_protocol::sandbox::Limits;
use roost_tests::machine::{Connection, ended};
use roost_tests::{Answer, Client, Gateway, Machine, eventually};
use serde_json::json;

const MIB: u64 = 1 << 20;

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

async fn local(set: &[(&str, &str)]) -> Gateway {
    let image = image();
    let mut all = vec![("sandboxes.image", image.as_str())];
    all.extend(set);
    Gateway::start_with(&all).await
}

async fn sandbox_of(owner: &Client, name: &str) -> String {
    let claw = json!({ "name": name });
    let made = owner.post("/api/claws").json(&claw).expect(201).await;
    format!("/api/claws/{}/sandbox", made.str("/id"))
}

fn pointers(refused: &Answer) -> Vec<String> {
    let errors = refused.body["errors"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let pointer = |error: &serde_json::Value| error["pointer"].as_str().map(str::to_owned);
    errors.iter().filter_map(pointer).collect()
}

async fn live_containers(owner: &Client) -> i64 {
    let quota = owner.get("/api/quota").expect(200).await;
    quota.body["live_containers"]["used"]
        .as_i64()
        .expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_over_the_operators_caps_are_refused_by_name_and_nothing_is_made() {
    let gateway = local(&[
        ("sandboxes.each_memory_bytes", "536870912"),
        ("sandboxes.each_workspace_bytes", "134217728"),
        ("sandboxes.each_cpus", "1.0"),
        ("sandboxes.each_pids", "128"),
    ])
    .await;
    let owner = gateway.owner().await;
    let sandbox = sandbox_of(owner, "Ada").await;
    // A Member took 32 GiB of a host's memory by this.
    let most = json!({ "limits": {
        "memory_bytes": 64u64 << 30, "workspace_bytes": 32u64 << 30, "nano_cpus": 64_000_000_000u64, "pids": 32_768,
    } });
    eventually("the gateway knows what this host has", async || {
        let answer = owner.post(&sandbox).json(&most).send().await;
        // Before that the engine itself refuses, and names the first limit only.
        (answer.status == 400 && pointers(&answer).len() > 1).then_some(())
    })
    .await;
    let refused = owner.post(&sandbox).json(&most);
    let refused = refused.refused(400, "validation").await;
    let all = ["memory_bytes", "workspace_bytes", "nano_cpus", "pids"];
    assert_eq!(
        pointers(&refused),
        all.map(|limit| format!("/limits/{limit}"))
    );
    for (limit, value) in [
        ("memory_bytes", 513 * MIB),
        ("workspace_bytes", 129 * MIB),
        ("nano_cpus", 1_000_000_001),
        ("pids", 129),
    ] {
        let one = json!({ "limits": { limit: value } });
        let refused = owner.post(&sandbox).json(&one);
        let refused = refused.refused(400, "validation").await;
        assert_eq!(pointers(&refused), [format!("/limits/{limit}")]);
        let detail = refused.body["errors"].to_string();
        assert!(detail.contains("at most"), "{detail}");
    }
    assert_eq!(live_containers(owner).await, 0);
    owner.get(&sandbox).refused(404, "not-found").await;
    // Who asks for nothing gets what fits.
    let made = owner.post(&sandbox).json(&json!({})).expect(201).await;
    assert_eq!(made.body["limits"]["memory_bytes"], 512 * MIB);
    assert_eq!(made.body["limits"]["pids"], 128);
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_full_says_by_how_much_and_has_room_again_when_a_sandbox_ends() {
    let gateway = local(&[("sandboxes.most_memory_bytes", "419430400")]).await;
    let owner = gateway.owner().await;
    let wanted = json!({ "limits": { "memory_bytes": 256 * MIB, "workspace_bytes": 64 * MIB } });
    let first = sandbox_of(owner, "Ada").await;
    owner.post(&first).json(&wanted).expect(201).await;
    let second = sandbox_of(owner, "Bea").await;
    let full = owner.post(&second).json(&wanted);
    let full = full.refused(503, "unavailable").await;
    assert_eq!(full.header("retry-after"), "30");
    let detail = full.str("/detail");
    for part in [
        "1 sandboxes have 256.0 MiB",
        "wants 256.0 MiB",
        "112.0 MiB of memory too much",
    ] {
        assert!(detail.contains(part), "{part}: {detail}");
    }
    assert_eq!(
        live_containers(owner).await,
        1,
        "its place in the plan is given back"
    );
    owner.delete(&first).expect(204).await;
    owner.post(&second).json(&wanted).expect(201).await;
    owner.delete(&second).expect(204).await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_started_so_fast_and_no_faster_and_a_repeat_is_not_one_more() {
    let gateway = local(&[("limits.commands_per_minute", "6")]).await;
    let owner = gateway.owner().await;
    let sandbox = sandbox_of(owner, "Ada").await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let exec = format!("{sandbox}/exec");
    let start = |key: &str| {
        let body = json!({ "argv": ["true"] });
        let request = owner.post(&exec).header("idempotency-key", key);
        request.json(&body)
    };
    // The sandbox was the first.
    for n in 0..5 {
        start(&format!("k{n}")).expect(202).await;
    }
    let full = start("k5").refused(429, "too-many-commands").await;
    let wait: u64 = full.header("retry-after").parse().expect("seconds");
    assert!((1..=11).contains(&wait), "{wait}");
    assert!(
        full.str("/detail")
            .contains("6 commands and sandboxes a minute"),
        "{full:?}"
    );
    // One that was taken is answered as before.
    start("k0").expect(202).await;
    let member = gateway.person("member").await;
    let other = member.post(&exec).json(&json!({ "argv": ["true"] }));
    other.expect(202).await;
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}

/// Bounds of a machine that lends little.
fn little() -> Bounds {
    let each = Limits {
        memory_bytes: 256 * MIB,
        workspace_bytes: 100 * MIB,
        nano_cpus: 500_000_000,
        pids: 64,
    };
    Bounds {
        each,
        all: Total {
            sandboxes: 2,
            memory_bytes: 512 * MIB,
            nano_cpus: 1_000_000_000,
            pids: 128,
        },
        not_enforced: Some("control groups cannot be written".to_owned()),
    }
}

async fn connected(machine: &Machine, change: impl FnOnce(&mut Hello)) -> Connection {
    let mut connection = machine.dial().await.expect("the token is known");
    let mut hello = machine.hello(Inventory::default());
    change(&mut hello);
    connection.greet(hello).await.expect("a welcome");
    connection
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machines_own_caps_are_refused_before_it_is_asked_and_by_itself_when_it_never_said_them()
{
    for (gateway, _scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let machine = Machine::joined(&gateway, owner).await;
        let mut connection = connected(&machine, |hello| {
            hello.capabilities.bounds = Some(little());
        })
        .await;
        let node = owner.get(&machine.path("")).expect(200).await;
        assert_eq!(node.body["bounds"]["each"]["memory_bytes"], 256 * MIB);
        assert_eq!(node.body["bounds"]["enforced"], false);
        let problems = node.body["problems"].to_string();
        assert!(problems.contains("does not hold the total"), "{problems}");

        let sandbox = sandbox_of(owner, "Ada").await;
        let over = json!({ "node_id": machine.node_id, "limits": { "memory_bytes": 257 * MIB } });
        let refused = owner.post(&sandbox).json(&over);
        let refused = refused.refused(400, "validation").await;
        assert_eq!(pointers(&refused), ["/limits/memory_bytes"]);
        assert_eq!(live_containers(owner).await, 0);
        // What nobody asked for fits that machine.
        let usual = json!({ "node_id": machine.node_id });
        let (answer, asked) = tokio::join!(owner.post(&sandbox).json(&usual).send(), async {
            let request = connection.operation().await;
            connection.made(&request).await;
            request
        });
        assert_eq!(answer.status, 201, "{answer:?}");
        let Operation::SbProvision(provision) = asked.operation else {
            panic!("a provision");
        };
        assert_eq!(provision.spec.limits.memory_bytes, 256 * MIB);
        connection.vanish();

        // An older machine says nothing before, and refuses by itself: the answer is the same.
        let older = Machine::joined(&gateway, owner).await;
        let mut connection = connected(&older, |_| {}).await;
        let sandbox = sandbox_of(owner, "Bea").await;
        let over = json!({ "node_id": older.node_id, "limits": { "pids": 4000 } });
        let refuse = async {
            let request = connection.operation().await;
            let error = OperationError {
                pointer: Some("/limits/pids".to_owned()),
                ..OperationError::new(ErrorKind::OwnerPolicy, "at most 64 here")
            };
            let end = Report::Ended(Ended::from(error));
            connection.report(request.id, end).await;
        };
        let (refused, ()) = tokio::join!(owner.post(&sandbox).json(&over).send(), refuse);
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(pointers(&refused), ["/limits/pids"]);
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_at_the_same_time_are_bounded_and_a_full_sandbox_is_still_ended() {
    let set = [
        ("limits.commands_per_minute", "100000"),
        ("limits.commands_per_minute_and_workspace", "100000"),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let here = json!({ "node_id": machine.node_id });
    let mut sandboxes = Vec::new();
    for name in ["Ada", "Bea", "Cleo"] {
        let sandbox = sandbox_of(owner, name).await;
        let (made, ()) = tokio::join!(owner.post(&sandbox).json(&here).send(), async {
            let request = connection.operation().await;
            connection.made(&request).await;
            // The probe that follows cannot be run here.
            let probe = connection.operation().await;
            let error = OperationError::new(ErrorKind::NotStarted, "no such file");
            connection
                .report(probe.id, Report::Ended(Ended::from(error)))
                .await;
        });
        assert_eq!(made.status, 201, "{made:?}");
        sandboxes.push(sandbox);
    }
    let start = |sandbox: &str| {
        let body = json!({ "argv": ["sleep", "600"] });
        owner.post(&format!("{sandbox}/exec")).json(&body)
    };
    // The machine takes them all, and none ends.
    let taken = tokio::spawn(async move {
        let mut destroy = None;
        while destroy.is_none() {
            let request = connection.operation().await;
            if matches!(request.operation, Operation::SbDestroy(_)) {
                destroy = Some(request.id);
            }
            connection.report(request.id, Report::Accepted).await;
        }
        let end = ended(Terminal::Done, Outcome::Destroyed { archive: None });
        let destroy = destroy.expect("it was asked");
        connection.report(destroy, Report::Ended(end)).await;
        connection
    });
    let [first, second, third] = &sandboxes[..] else {
        panic!("three sandboxes");
    };
    for _ in 0..MAX_COMMANDS_IN_SANDBOX {
        start(first).expect(202).await;
    }
    let full = start(first).refused(429, "too-many-commands").await;
    assert!(full.str("/detail").contains("in this sandbox"), "{full:?}");
    assert_eq!(full.header("retry-after"), "1");
    for _ in MAX_COMMANDS_IN_SANDBOX..MAX_COMMANDS_OF_WORKSPACE {
        start(second).expect(202).await;
    }
    let full = start(third).refused(429, "too-many-commands").await;
    assert!(
        full.str("/detail").contains("for this workspace"),
        "{full:?}"
    );
    owner.delete(first).expect(204).await;
    drop(taken.await.expect("the machine lives"));
    gateway.stop().await;
}

/// A tar archive with these files, of which each byte is the same.
fn archive(files: &[(&str, usize)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut head = tar::Header::new_gnu();
        head.set_size(*bytes as u64);
        head.set_mode(0o644);
        let content = vec![b'x'; *bytes];
        let added = archive.append_data(&mut head, path, content.as_slice());
        added.expect("it is added");
    }
    archive.into_inner().expect("an archive")
}

/// What a shell in the sandbox says.
async fn said(owner: &Client, sandbox: &str, script: &str) -> String {
    use base64::Engine;
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{sandbox}/exec?wait=true");
    let done = owner.post(&exec).json(&body).expect(200).await;
    let base64 = done.str("/stdout_base64");
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64);
    String::from_utf8(bytes.expect("base64")).expect("text")
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_do_not_fit_into_the_workspace_are_refused_with_what_to_do_and_none_is_half_there()
 {
    let gateway = local(&[]).await;
    let owner = gateway.owner().await;
    let sandbox = sandbox_of(owner, "Ada").await;
    let small = json!({ "limits": { "workspace_bytes": 8 * MIB } });
    owner.post(&sandbox).json(&small).expect(201).await;
    let put = |query: &str, files: &[(&str, usize)]| {
        let path = format!("{sandbox}/files?folder=docs{query}");
        owner.post(&path).body(archive(files))
    };
    put("", &[("kept", 10)]).expect(200).await;
    // The third file does not fit, and the first one would replace another.
    let large = [("kept", 20), ("new", 30), ("large", 9 << 20), ("after", 10)];
    for query in ["", "&replace=true"] {
        let refused = put(query, &large).refused(409, "conflict").await;
        let why = refused.str("/detail");
        let words = "The files do not fit into the sandbox's workspace, and nothing of them was kept. Remove files from it";
        assert!(why.starts_with(words), "{why}");
        let left = said(owner, &sandbox, "ls -A . docs; wc -c < docs/kept").await;
        assert_eq!(left, ".:\n.tmp\ndocs\n\ndocs:\nkept\n10\n");
    }
    let fits = [("kept", 20), ("a/b", 2 << 20)];
    put("&replace=true", &fits).expect(200).await;
    let there = said(owner, &sandbox, "wc -c < docs/kept; wc -c < docs/a/b").await;
    assert_eq!(there, "20\n2097152\n");
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_files_that_do_not_fit_into_a_smaller_workspace_make_no_sandbox_and_stay_saved() {
    let gateway = local(&[]).await;
    let owner = gateway.owner().await;
    let sandbox = sandbox_of(owner, "Ada").await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let script = "echo words > small; head -c 9000000 /dev/urandom > large; sha256sum large > sum";
    said(owner, &sandbox, script).await;
    owner.delete(&sandbox).expect(204).await;
    let small = json!({ "limits": { "workspace_bytes": 8 * MIB } });
    let refused = owner.post(&sandbox).json(&small);
    let refused = refused.refused(400, "validation").await;
    let why = refused.str("/detail");
    for words in [
        "the size of the workspace is 8388608 but must be larger: the saved files do not fit into it",
        "choose a larger workspace, or restore an older snapshot",
    ] {
        assert!(refused.text.contains(words), "{}", refused.text);
    }
    assert!(!why.contains("os error"), "{why}");
    let agent = sandbox.split('/').nth(3).expect("an id");
    let listed = std::process::Command::new("docker")
        .args(["ps", "-aq", "--filter"])
        .arg(format!("label=org.roost.agent={agent}"))
        .output()
        .expect("docker is installed");
    assert!(listed.stdout.is_empty(), "nothing half-made stays");
    assert_eq!(live_containers(owner).await, 0);
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let sound = said(owner, &sandbox, "sha256sum -c sum; cat small").await;
    assert_eq!(sound, "large: OK\nwords\n");
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}
