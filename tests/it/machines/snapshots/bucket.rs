//! The gateway's store of chunks in a bucket, on a real server of the S3 protocol: exchange, faults, and the sweep.

use std::collections::HashMap;
use std::path::Path;

use roost_protocol::sandbox::SandboxSpec;
use roost_snapshot::Address;
use roost_tests::s3_server::{BUCKET, S3Server};
use roost_tests::{Answer, Client, Gateway, LoadBalancer, eventually};
use serde_json::json;

use super::chunks::taken;
use super::{LATER_S, Played, claw, digests, made, provision_asked, shown, snapshot};

/// A port on which nothing listens.
const NOBODY: u16 = 9;

/// A gateway whose store is this bucket, with the credentials file in the folder.
async fn gateway(endpoint: &str, bucket: &str, folder: &Path) -> Gateway {
    let settings = [
        ("sandboxes.local", "off".to_owned()),
        ("snapshots.store", "s3".to_owned()),
        ("snapshots.bucket", bucket.to_owned()),
        ("snapshots.endpoint", endpoint.to_owned()),
        ("snapshots.prefix", "deployment/chunks".to_owned()),
        (
            "snapshots.credentials_file",
            folder.join("key").display().to_string(),
        ),
    ];
    Gateway::start_like(&settings, None).await
}

/// What `/readyz` says about parts that do not work.
async fn degraded(gateway: &Gateway) -> Vec<String> {
    let ready = gateway.operators_listener().get("/readyz").expect(200);
    let degraded = ready.await.body["degraded"].clone();
    let all: Vec<String> = serde_json::from_value(degraded).unwrap_or_default();
    // The tests have no broker.
    all.into_iter()
        .filter(|part| part.contains("bucket"))
        .collect()
}

/// A snapshot of a new agent, which its machine has reported.
struct Reported {
    claw: String,
    spec: SandboxSpec,
    digest: Address,
    chunks: HashMap<Address, Vec<u8>>,
}

impl Reported {
    async fn new(machine: &mut Played, owner: &Client) -> Self {
        let claw = claw(owner).await;
        let (asked, _) = machine.provision(owner, &format!("{claw}/sandbox")).await;
        let (digest, chunks) = taken(&asked.spec, "planted");
        let stored = snapshot(&asked.spec, &digest.to_string(), LATER_S);
        machine.stored(stored).await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await.len() == 1).then_some(())
        })
        .await;
        Self {
            claw,
            spec: asked.spec,
            digest,
            chunks,
        }
    }

    /// Sends a chunk; the store does not work.
    async fn refused(&self, machine: &Played) -> Answer {
        let (address, stored) = self.chunks.iter().next().expect("a chunk");
        let put = machine.chunk(address, &format!("workspace={}", self.spec.workspace));
        let put = machine.client.put(&put).body(stored.clone());
        put.refused(503, "unavailable").await
    }

    async fn upload(&self, machine: &Played) {
        let workspace = self.spec.workspace.to_string();
        for (address, stored) in &self.chunks {
            let put = machine.chunk(address, &format!("workspace={workspace}"));
            let put = machine.client.put(&put).body(stored.clone());
            put.expect(204).await;
        }
        let of = json!({ "workspace": workspace });
        let all = format!("/api/nodes/snapshots/{}/uploaded", self.digest);
        machine.client.post(&all).json(&of).expect(204).await;
    }

    async fn is_uploaded(&self, owner: &Client) -> bool {
        shown(owner, &self.claw).await["snapshot"]["uploaded"] == true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_in_the_bucket_is_restored_after_its_machine_has_left() {
    let (mut server, folder) = (S3Server::start(), tempfile::tempdir().expect("a folder"));
    server.credentials(&folder.path().join("key"), None);
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let gateway = gateway(&endpoint, BUCKET, folder.path()).await;
    let owner = gateway.owner().await;
    let mut first = Played::new(&gateway, owner).await;
    let mut second = Played::new(&gateway, owner).await;
    let reported = Reported::new(&mut first, owner).await;
    reported.upload(&first).await;
    assert!(reported.is_uploaded(owner).await);
    // The names are the same as in a folder, below the prefix.
    let names = server.names();
    for address in reported.chunks.keys() {
        let (workspace, name) = (reported.spec.workspace, address.to_string());
        let key = format!("deployment/chunks/{workspace}/{}/{name}", &name[..2]);
        assert!(names.contains(&key), "{key} in {names:?}");
    }
    assert!(!gateway.data_dir().join("chunks").exists());
    let sandbox = format!("{}/sandbox", reported.claw);
    first.destroy(owner, &sandbox, None).await;
    drop(first);
    let here = json!({ "node_id": second.machine.node_id });
    let read = format!(
        "workspace={}&snapshot={}",
        reported.spec.workspace, reported.digest
    );
    let (made_there, ()) = tokio::join!(owner.post(&sandbox).json(&here).expect(201), async {
        let request = provision_asked(&mut second.connection).await;
        for (address, stored) in &reported.chunks {
            let chunk = second.chunk(address, &read);
            let got = second.client.get(&chunk).open().await;
            assert_eq!(got.status(), 200);
            assert_eq!(got.bytes().await.expect("a body"), *stored);
        }
        // A bucket that is missing for a while is not a lost snapshot.
        server.drop_bucket();
        let any = reported.chunks.keys().next().expect("a chunk");
        let chunk = second.chunk(any, &read);
        let refused = second.client.get(&chunk).refused(503, "unavailable");
        refused.await;
        let asked = made(&mut second.connection, &request).await;
        assert_eq!(asked.restore, Some(reported.digest.to_string()));
    });
    let from = &made_there.body["restored_from"];
    assert_eq!(from["digest"], reported.digest.to_string());
    assert!(reported.is_uploaded(owner).await);
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bucket_that_cannot_be_used_is_named_and_the_snapshot_is_not_lost() {
    let (server, folder) = (S3Server::start(), tempfile::tempdir().expect("a folder"));
    let key = folder.path().join("key");
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let nobody = format!("http://127.0.0.1:{NOBODY}");
    for (endpoint, bucket, secret) in [
        (&endpoint, "absent", None),
        (&endpoint, BUCKET, Some("planted-secret")),
        (&nobody, BUCKET, None),
    ] {
        server.credentials(&key, secret);
        let gateway = gateway(endpoint, bucket, folder.path()).await;
        let said = eventually("the fault is found", async || {
            degraded(&gateway).await.pop()
        })
        .await;
        assert_eq!(said, "the bucket of snapshots cannot be used");
        let owner = gateway.owner().await;
        let mut machine = Played::new(&gateway, owner).await;
        let reported = Reported::new(&mut machine, owner).await;
        let refused = reported.refused(&machine).await;
        let text = refused.body.to_string();
        assert!(text.contains("roost doctor"), "{text}");
        assert!(!text.contains("planted-secret"), "{text}");
        // The machine still has the snapshot, and the gateway knows it.
        assert!(!reported.is_uploaded(owner).await);
        assert_eq!(
            digests(owner, &reported.claw).await,
            [reported.digest.to_string()]
        );
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_is_uploaded_when_the_service_is_back() {
    let (server, folder) = (S3Server::start(), tempfile::tempdir().expect("a folder"));
    server.credentials(&folder.path().join("key"), None);
    let balancer = LoadBalancer::to(NOBODY).await;
    let gateway = gateway(&balancer.url(), BUCKET, folder.path()).await;
    let owner = gateway.owner().await;
    let mut machine = Played::new(&gateway, owner).await;
    let reported = Reported::new(&mut machine, owner).await;
    reported.refused(&machine).await;
    balancer.turn(server.port);
    reported.upload(&machine).await;
    assert!(reported.is_uploaded(owner).await);
    eventually("the gateway finds the bucket", async || {
        degraded(&gateway).await.is_empty().then_some(())
    })
    .await;
    // People who read files learn that the store is away, and read on when it is back.
    let list = owner.get(&format!("{}/snapshots", reported.claw));
    let id = list.expect(200).await.str("/items/0/id").to_owned();
    let files = format!("{}/snapshots/{id}/files", reported.claw);
    owner.get(&files).expect(200).await;
    balancer.turn(NOBODY);
    let away = eventually("the store is away", async || {
        let answer = owner.get(&files).send().await;
        (answer.status != 200).then_some(answer)
    })
    .await;
    assert_eq!(away.status, 503, "{away:?}");
    assert!(away.str("/detail").contains("roost doctor"), "{away:?}");
    balancer.turn(server.port);
    owner.get(&files).expect(200).await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sweep_deletes_chunks_of_a_workspace_that_is_gone_from_the_bucket() {
    let (mut server, folder) = (S3Server::start(), tempfile::tempdir().expect("a folder"));
    server.credentials(&folder.path().join("key"), None);
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let first = gateway(&endpoint, BUCKET, folder.path()).await;
    let owner = first.owner().await;
    let mut machine = Played::new(&first, owner).await;
    let reported = Reported::new(&mut machine, owner).await;
    reported.upload(&machine).await;
    first.stop().await;
    let chunks = |names: Vec<String>| names.iter().filter(|name| !name.ends_with("check")).count();
    assert_eq!(chunks(server.names()), reported.chunks.len());
    // The database of the second gateway does not have the workspace. Its first sweep is at its start.
    let second = gateway(&endpoint, BUCKET, folder.path()).await;
    eventually("the chunks are deleted", || {
        let left = chunks(server.names());
        async move { (left == 0).then_some(()) }
    })
    .await;
    second.stop().await;
}
