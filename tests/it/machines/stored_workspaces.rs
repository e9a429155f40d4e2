//! Workspaces that are stored when their sandboxes end: their owner, and their removal with a purged agent.

use std::path::Path;

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::operation::Operation;
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_tests::machine::{Connection, ended};
use roost_tests::{Client, Gateway, Machine, eventually};
use serde_json::json;

async fn with_engine() -> Gateway {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    Gateway::start_with(&[("sandboxes.image", &image)]).await
}

async fn sandbox_of(owner: &Client, name: &str) -> String {
    let claw = json!({ "name": name });
    let made = owner.post("/api/claws").json(&claw).expect(201).await;
    format!("/api/claws/{}/sandbox", made.str("/id"))
}

/// The folder of stored workspaces on a gateway's host.
fn snapshots(gateway: &Gateway) -> std::path::PathBuf {
    gateway.data_dir().join("local-engine/snapshots")
}

/// The agents that have a stored workspace on a gateway's host.
fn agents(gateway: &Gateway) -> usize {
    names(&snapshots(gateway).join("agents")).len()
}

/// Whether a stored workspace on a gateway's host contains a text.
fn holds(gateway: &Gateway, text: &str) -> bool {
    let packs = snapshots(gateway).join("packs");
    names(&packs).iter().any(|name| {
        // A pack may be replaced by a smaller one at this moment.
        let bytes = std::fs::read(packs.join(name)).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

async fn write(owner: &Client, sandbox: &str, text: &str) {
    let script = format!("echo {text} > /workspace/note");
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{sandbox}/exec?wait=true");
    owner.post(&exec).json(&body).expect(200).await;
}

async fn purge(owner: &Client, sandbox: &str) {
    let claw = sandbox.trim_end_matches("/sandbox");
    owner
        .delete(&format!("{claw}?purge=true"))
        .expect(202)
        .await;
    eventually("the agent is purged", async || {
        let gone = owner.get(claw).send().await.status == 404;
        gone.then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purged_agent_leaves_no_stored_workspace_behind() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let (ada, bea) = (
        sandbox_of(owner, "Ada").await,
        sandbox_of(owner, "Bea").await,
    );
    // Three lives, each with a workspace of its own; the last one still runs when the agent is purged.
    for text in ["first", "second"] {
        owner.post(&ada).json(&json!({})).expect(201).await;
        write(owner, &ada, text).await;
        owner.delete(&ada).expect(204).await;
    }
    owner.post(&ada).json(&json!({})).expect(201).await;
    write(owner, &ada, "planted").await;
    // Another agent's workspace stays.
    owner.post(&bea).json(&json!({})).expect(201).await;
    write(owner, &bea, "kept").await;
    owner.delete(&bea).expect(204).await;
    assert_eq!(agents(&gateway), 2);
    for text in ["first", "second", "kept"] {
        assert!(holds(&gateway, text), "{text}");
    }
    purge(owner, &ada).await;
    eventually("its files are gone", async || {
        let gone = ["first", "second", "planted"]
            .iter()
            .all(|text| !holds(&gateway, text));
        (agents(&gateway) == 1 && gone).then_some(())
    })
    .await;
    assert!(holds(&gateway, "kept"));
    owner.post(&bea).json(&json!({})).expect(201).await;
    let read = json!({ "argv": ["cat", "/workspace/note"] });
    let read = owner.post(&format!("{bea}/exec?wait=true")).json(&read);
    assert_eq!(read.expect(200).await.body["stdout_base64"], "a2VwdAo=");
    purge(owner, &bea).await;
    eventually("nothing is left", async || {
        let packs = names(&snapshots(&gateway).join("packs"));
        (agents(&gateway) == 0 && packs.is_empty()).then_some(())
    })
    .await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_get_the_kept_workspaces_and_a_purge_is_sent_at_once() {
    for (gateway, _scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let machine = Machine::joined(&gateway, owner).await;
        let mut connection = machine.connect().await;
        let sandbox = sandbox_of(owner, "Ada").await;
        let here = json!({ "node_id": machine.node_id });
        let (made, ()) = tokio::join!(owner.post(&sandbox).json(&here).send(), async {
            let request = connection.operation().await;
            connection.made(&request).await;
        });
        assert_eq!(made.status, 201, "{made:?}");
        let agent = made.str("/owner_id").to_owned();
        let digest = "0f".repeat(32);
        let archive = roost_protocol::report::ArchiveFacts {
            digest: digest.clone(),
            bytes: 10,
        };
        let destroy = async |connection: &mut Connection, archive: Option<_>| loop {
            let request = connection.operation().await;
            let Operation::SbDestroy(destroy) = &request.operation else {
                continue;
            };
            let end = ended(Terminal::Done, Outcome::Destroyed { archive });
            connection.report(request.id, Report::Ended(end)).await;
            break destroy.archive;
        };
        let (_, stored) = tokio::join!(
            owner.delete(&sandbox).expect(204),
            destroy(&mut connection, Some(archive))
        );
        assert!(stored, "the workspace of an agent that stays is stored");
        connection.vanish();
        // At each connection the machine hears what stays.
        let mut connection = machine.connect().await;
        let kept = connection
            .receive_until(|message| match message {
                ToNode::Control(Control::Reconcile { kept, .. }) => kept.clone(),
                _ => None,
            })
            .await;
        assert_eq!(
            kept.agents
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            std::slice::from_ref(&agent)
        );
        assert_eq!(kept.archives, std::slice::from_ref(&digest));
        let claw = sandbox.trim_end_matches("/sandbox");
        owner
            .delete(&format!("{claw}?purge=true"))
            .expect(202)
            .await;
        let told = connection
            .receive_until(|message| match message {
                ToNode::Control(Control::Forget {
                    agent, archives, ..
                }) => Some((agent.to_string(), archives.clone())),
                _ => None,
            })
            .await;
        assert_eq!(told, (agent, vec![digest]));
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workspace_of_a_purged_agent_is_not_stored_on_its_machine() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let sandbox = sandbox_of(owner, "Ada").await;
    let here = json!({ "node_id": machine.node_id });
    let (made, ()) = tokio::join!(owner.post(&sandbox).json(&here).send(), async {
        let request = connection.operation().await;
        connection.made(&request).await;
    });
    assert_eq!(made.status, 201, "{made:?}");
    let claw = sandbox.trim_end_matches("/sandbox");
    owner
        .delete(&format!("{claw}?purge=true"))
        .expect(202)
        .await;
    let asked = loop {
        let request = connection.operation().await;
        if let Operation::SbDestroy(destroy) = request.operation {
            let end = ended(Terminal::Done, Outcome::Destroyed { archive: None });
            connection.report(request.id, Report::Ended(end)).await;
            break destroy;
        }
    };
    assert!(!asked.archive, "{asked:?}");
    eventually("the agent is purged", async || {
        let gone = owner.get(claw).send().await.status == 404;
        gone.then_some(())
    })
    .await;
    gateway.stop().await;
}
