//! A machine uploads a snapshot while the disk of the gateway is full.

use roost_tests::{SmallDisk, eventually};
use serde_json::json;

use super::chunks::taken;
use super::{LATER_S, Played, claw, digests, quiet, shown, snapshot};

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
