//! A full disk while snapshots move: the gateway's while a machine uploads one, and the machine's while it takes or fetches
//! one, with the real engine and real `roostd`.

use std::path::Path;

use roost_tests::{Client, Daemon, Gateway, SmallDisk, eventually};
use serde_json::{Value, json};

use super::chunks::taken;
use super::{LATER_S, Played, claw, digests, quiet, shown, snapshot};
use crate::execution::runs::connection_is;

#[tokio::test(flavor = "multi_thread")]
async fn chunks_that_find_no_room_are_refused_and_the_snapshot_waits_on_its_machine() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut machine = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let (asked, _) = machine.provision(owner, &format!("{claw}/sandbox")).await;
        let (digest, chunks) = taken(&asked.spec, "planted");
        let digest = digest.to_string();
        machine
            .stored(snapshot(&asked.spec, &digest, LATER_S))
            .await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await.len() == 1).then_some(())
        })
        .await;
        let folder = gateway.data_dir().join("chunks");
        std::fs::create_dir_all(&folder).expect("a folder");
        let Some(disk) = SmallDisk::mount(&folder, "1m") else {
            return;
        };
        let ballast = disk.fill();
        let workspace = asked.spec.workspace.to_string();
        for (address, stored) in &chunks {
            let put = machine.chunk(address, &format!("workspace={workspace}"));
            let refused = machine.client.put(&put).body(stored.clone());
            let refused = refused.refused(503, "unavailable").await;
            let said = refused.str("/detail");
            assert!(said.starts_with("The gateway's disk is full."), "{said}");
            assert_eq!(refused.header("retry-after"), "60");
        }
        let of = json!({ "workspace": workspace });
        let uploaded = format!("/api/nodes/snapshots/{digest}/uploaded");
        let early = machine.client.post(&uploaded).json(&of);
        early.refused(409, "conflict").await;
        assert_eq!(shown(owner, &claw).await["snapshot"]["uploaded"], false);
        // The machine tries again, and nothing was lost.
        std::fs::remove_file(ballast).expect("it is removed");
        for (address, stored) in &chunks {
            let put = machine.chunk(address, &format!("workspace={workspace}"));
            let kept = machine.client.put(&put).body(stored.clone());
            kept.expect(204).await;
        }
        machine.client.post(&uploaded).json(&of).expect(204).await;
        assert_eq!(shown(owner, &claw).await["snapshot"]["uploaded"], true);
        drop(disk);
    }
}

/// A gateway whose sandboxes run on joined machines only.
async fn with_machines() -> Gateway {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let set = [
        ("sandboxes.local", "off".to_owned()),
        ("sandboxes.image", image),
    ];
    Gateway::start_like(&set, None).await
}

/// A machine with 8 MB for the chunks of snapshots; `None` for a user who may not mount.
async fn small_machine(gateway: &Gateway, owner: &Client) -> Option<(Daemon, SmallDisk)> {
    let mut disk = None;
    let prepare = |state: &Path| {
        let packs = state.join("executor/snapshots/packs");
        std::fs::create_dir_all(&packs).expect("a folder");
        disk = SmallDisk::mount(&packs, "8m");
    };
    let daemon = Daemon::joined_prepared(&gateway.url(), owner, None, prepare).await;
    let disk = disk?;
    connection_is(owner, &daemon.node_id, "connected").await;
    Some((daemon, disk))
}

async fn run(owner: &Client, sandbox: &str, script: &str) -> Value {
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{sandbox}/exec?wait=true");
    let ended = owner.post(&exec).json(&body).expect(200).await.body;
    assert_eq!(ended["code"], 0, "{ended}");
    ended
}

/// Waits until the newest snapshot is another one, and is uploaded.
async fn uploaded_after(owner: &Client, claw: &str, before: Option<&str>) -> String {
    eventually("a new snapshot is uploaded", async || {
        let snapshot = shown(owner, claw).await["snapshot"].clone();
        let digest = snapshot["digest"].as_str()?;
        let is_new = Some(digest) != before && snapshot["uploaded"] == true;
        is_new.then(|| digest.to_owned())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn machine_with_a_full_disk_says_so_keeps_its_snapshots_and_goes_on() {
    let gateway = with_machines().await;
    let owner = gateway.owner().await;
    let Some((mut daemon, disk)) = small_machine(&gateway, owner).await else {
        return;
    };
    let claw = claw(owner).await;
    let sandbox = format!("{claw}/sandbox");
    let here = json!({ "node_id": daemon.node_id });
    owner.post(&sandbox).json(&here).expect(201).await;
    run(owner, &sandbox, "echo first > file").await;
    let first = uploaded_after(owner, &claw, None).await;

    let ballast = disk.fill();
    // Neither the command nor its end waits for the disk.
    run(
        owner,
        &sandbox,
        "echo second > file; head -c 300000 /dev/urandom > large",
    )
    .await;
    let problem = eventually("the machine says that its disk is full", async || {
        let problem = shown(owner, &claw).await["snapshot_problem"].clone();
        problem.as_str().map(str::to_owned)
    })
    .await;
    assert!(
        problem.starts_with("The machine's disk is full at ")
            && problem.contains("free some space"),
        "{problem}"
    );
    assert_eq!(digests(owner, &claw).await, [first.as_str()]);
    // A restart finds the snapshot of before.
    daemon.kill();
    // Until the gateway sees the end of the connection, it shows the old one.
    connection_is(owner, &daemon.node_id, "disconnected").await;
    daemon.again();
    connection_is(owner, &daemon.node_id, "connected").await;
    assert_eq!(digests(owner, &claw).await, [first.as_str()]);

    std::fs::remove_file(ballast).expect("it is removed");
    run(owner, &sandbox, "echo third > third").await;
    let second = uploaded_after(owner, &claw, Some(&first)).await;
    let now = shown(owner, &claw).await;
    assert!(now["snapshot_problem"].is_null(), "{now}");
    assert_eq!(now["snapshot"]["files"], 3);
    // Both can be restored.
    owner.delete(&sandbox).expect(204).await;
    owner.post(&sandbox).json(&here).expect(201).await;
    run(
        owner,
        &sandbox,
        "test $(cat file) = second && test $(cat third) = third",
    )
    .await;
    let all = digests(owner, &claw).await;
    assert!(all.contains(&first) && all.contains(&second), "{all:?}");
    owner.delete(&sandbox).expect(204).await;
    drop(daemon);
    drop(disk);
}

#[tokio::test(flavor = "multi_thread")]
async fn machine_with_a_full_disk_restores_nothing_half_and_all_when_there_is_room() {
    let gateway = with_machines().await;
    let owner = gateway.owner().await;
    let Some((first, _disk)) = small_machine(&gateway, owner).await else {
        return;
    };
    let claw = claw(owner).await;
    let sandbox = format!("{claw}/sandbox");
    let there = json!({ "node_id": first.node_id });
    owner.post(&sandbox).json(&there).expect(201).await;
    let script = "echo words > small; head -c 3000000 /dev/urandom > large; sha256sum large > sum";
    run(owner, &sandbox, script).await;
    uploaded_after(owner, &claw, None).await;
    owner.delete(&sandbox).expect(204).await;
    drop(first);

    let (second, disk) = small_machine(&gateway, owner).await.expect("root mounts");
    let ballast = disk.fill();
    let here = json!({ "node_id": second.node_id });
    let refused = owner.post(&sandbox).json(&here);
    let refused = refused.refused(503, "unavailable").await;
    let said = refused.str("/detail");
    assert!(
        said.contains("The machine's disk is full at ") && said.contains("free some space"),
        "{said}"
    );
    let listed = std::process::Command::new("docker")
        .args(["ps", "-aq", "--filter"])
        .arg(format!(
            "label=org.roost.agent={}",
            claw.rsplit('/').next().expect("an id")
        ))
        .output()
        .expect("docker is installed");
    assert!(listed.stdout.is_empty(), "nothing half-made stays");

    std::fs::remove_file(ballast).expect("it is removed");
    owner.post(&sandbox).json(&here).expect(201).await;
    run(
        owner,
        &sandbox,
        "sha256sum -c sum && test $(cat small) = words",
    )
    .await;
    owner.delete(&sandbox).expect(204).await;
    drop(second);
    drop(disk);
}
