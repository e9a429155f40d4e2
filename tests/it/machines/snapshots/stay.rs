//! The setting of a workspace whose files stay on the machines that saved them.

use roost_protocol::report::ArchiveFacts;
use roost_tests::{Client, Daemon, Gateway, eventually};
use serde_json::{Value, json};

use super::chunks::taken;
use super::{LATER_S, Played, claw, digests, quiet, shown, snapshot};
use crate::execution::runs::connection_is;

async fn workspace(owner: &Client) -> String {
    let own = owner.get("/api/workspaces").expect(200).await;
    format!("/api/workspaces/{}", own.str("/items/0/id"))
}

async fn set(owner: &Client, policy: &str) {
    let path = workspace(owner).await;
    let set = owner.patch(&path).json(&json!({ "file_policy": policy }));
    assert_eq!(set.expect(200).await.str("/file_policy"), policy);
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_is_changed_by_an_admin_and_audited() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let path = workspace(owner).await;
        let shown = owner.get(&path).expect(200).await;
        assert_eq!(shown.str("/file_policy"), "upload");
        let member = gateway.person("member").await;
        let stay = json!({ "file_policy": "stay" });
        let refused = member.patch(&path).json(&stay);
        refused.refused(403, "forbidden").await;
        let bad = json!({ "file_policy": "never" });
        let refused = owner.patch(&path).json(&bad);
        refused.refused(400, "validation").await;
        set(owner, "stay").await;
        let audit = owner.get("/api/audit?action=workspace.file_policy_set");
        let audit = audit.expect(200).await;
        assert_eq!(audit.str("/items/0/details/from"), "upload");
        assert_eq!(audit.str("/items/0/details/to"), "stay");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gateway_takes_nothing_of_a_workspace_whose_files_stay() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        set(owner, "stay").await;
        let mut machine = Played::new(&gateway, owner).await;
        let other = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let sandbox = format!("{claw}/sandbox");
        let (asked, _) = machine.provision(owner, &sandbox).await;
        let (digest, chunks) = taken(&asked.spec, "planted");
        let digest = digest.to_string();
        machine
            .stored(snapshot(&asked.spec, &digest, LATER_S))
            .await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await.len() == 1).then_some(())
        })
        .await;

        let workspace = asked.spec.workspace.to_string();
        let named: Vec<String> = chunks.keys().map(ToString::to_string).collect();
        let held = json!({ "workspace": workspace, "chunks": named });
        let missing = format!("/api/nodes/snapshots/{digest}/missing");
        let refused = machine.client.post(&missing).json(&held);
        refused.refused(403, "files-stay").await;
        let (address, stored) = chunks.iter().next().expect("a chunk");
        let put = machine.chunk(address, &format!("workspace={workspace}"));
        let refused = machine.client.put(&put).body(stored.clone());
        refused.refused(403, "files-stay").await;
        let of = json!({ "workspace": workspace });
        let uploaded = format!("/api/nodes/snapshots/{digest}/uploaded");
        let refused = machine.client.post(&uploaded).json(&of);
        refused.refused(403, "files-stay").await;
        // A machine without a sandbox of the workspace learns nothing about its setting.
        let stranger = other.client.post(&missing).json(&held);
        stranger.refused(404, "not-found").await;

        // A person reads why the files cannot be shown, and why another machine cannot have them.
        let row = &owner.get(&format!("{claw}/snapshots")).expect(200).await;
        let id = row.str("/items/0/id");
        let files = owner.get(&format!("{claw}/snapshots/{id}/files"));
        let refused = files.refused(409, "conflict").await;
        let said = refused.str("/detail");
        assert!(said.contains("a setting of the workspace"), "{said}");
        let archive = ArchiveFacts {
            digest: digest.clone(),
            bytes: 1,
        };
        machine.destroy(owner, &sandbox, Some(archive)).await;
        let elsewhere = json!({ "node_id": other.machine.node_id, "restore": id });
        let refused = owner.post(&sandbox).json(&elsewhere);
        refused.refused(409, "conflict").await;
        let (again, _) = machine.provision(owner, &sandbox).await;
        assert_eq!(again.restore, Some(digest.clone()));

        set(owner, "upload").await;
        for (address, stored) in &chunks {
            let put = machine.chunk(address, &format!("workspace={workspace}"));
            let kept = machine.client.put(&put).body(stored.clone());
            kept.expect(204).await;
        }
        machine.client.post(&uploaded).json(&of).expect(204).await;
        assert_eq!(shown(owner, &claw).await["snapshot"]["uploaded"], true);
    }
}

async fn drain_progress(owner: &Client, daemon: &Daemon) -> Value {
    let path = format!("/api/nodes/{}/drain-progress", daemon.node_id);
    owner.get(&path).expect(200).await.body
}

#[tokio::test(flavor = "multi_thread")]
async fn real_machine_keeps_the_files_and_a_drain_says_why_the_sandbox_stays() {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let off = [
        ("sandboxes.local", "off".to_owned()),
        ("sandboxes.image", image),
    ];
    let gateway = Gateway::start_like(&off, None).await;
    let owner = gateway.owner().await;
    set(owner, "stay").await;
    let daemon = Daemon::joined(&gateway.url(), owner, None).await;
    connection_is(owner, &daemon.node_id, "connected").await;
    let claw = claw(owner).await;
    let sandbox = format!("{claw}/sandbox");
    let here = json!({ "node_id": daemon.node_id });
    owner.post(&sandbox).json(&here).expect(201).await;
    let write = json!({ "argv": ["/bin/sh", "-c", "echo planted > /workspace/note"] });
    let exec = format!("{sandbox}/exec?wait=true");
    owner.post(&exec).json(&write).expect(200).await;
    eventually("it is saved", async || {
        (!digests(owner, &claw).await.is_empty()).then_some(())
    })
    .await;

    let drain = format!("/api/nodes/{}/drain", daemon.node_id);
    let moves = json!({ "move": true });
    owner.post(&drain).json(&moves).expect(200).await;
    let progress = eventually("it waits for the setting", async || {
        let progress = drain_progress(owner, &daemon).await;
        (progress["sandboxes"][0]["waits_for"] == "setting").then_some(progress)
    })
    .await;
    let said = progress["sandboxes"][0]["detail"].to_string();
    assert!(said.contains("as its settings say"), "{said}");
    let chunks = gateway.data_dir().join("chunks");
    let kept = std::fs::read_dir(&chunks).map_or(0, Iterator::count);
    assert_eq!(kept, 0, "nothing reached the gateway's store");

    // The sandbox goes on there, and its files are there.
    let undrain = format!("/api/nodes/{}/undrain", daemon.node_id);
    owner.post(&undrain).expect(200).await;
    set(owner, "upload").await;
    owner.post(&exec).json(&write).expect(200).await;
    let again = json!({ "argv": ["/bin/sh", "-c", "echo more > /workspace/more"] });
    owner.post(&exec).json(&again).expect(200).await;
    eventually("the newest files are at the gateway", async || {
        let snapshot = &shown(owner, &claw).await["snapshot"];
        (snapshot["uploaded"] == true).then_some(())
    })
    .await;
    drop(daemon);
    gateway.stop().await;
}
