//! The chunks of a snapshot go from one machine to another through the gateway's store.

use std::collections::HashMap;
use std::io;

use roost_protocol::sandbox::SandboxSpec;
use roost_snapshot::build::{self, Builder, Known};
use roost_snapshot::{Address, Entry, Node, Tenant, chunk};
use roost_tests::eventually;
use serde_json::json;

use super::{LATER_S, Played, claw, digests, made, provision_asked, quiet, shown, snapshot};

/// The chunks of a snapshot, as a machine has them.
#[derive(Default)]
struct Memory(HashMap<Address, Vec<u8>>);

impl build::Store for Memory {
    fn has(&self, address: &Address) -> bool {
        self.0.contains_key(address)
    }

    fn put(&mut self, address: Address, stored: &[u8]) -> io::Result<()> {
        self.0.insert(address, stored.to_vec());
        Ok(())
    }
}

pub(super) fn taken(spec: &SandboxSpec, text: &str) -> (Address, HashMap<Address, Vec<u8>>) {
    let tenant = Tenant::of(spec.workspace.uuid());
    let (mut memory, known) = (Memory::default(), Known::new());
    let mut builder = Builder::new(&tenant, &mut memory, &known);
    let added = builder.file(text.as_bytes()).expect("memory takes all");
    let files = builder.close().expect("memory takes all");
    let content = files.content(added);
    let entry = Entry {
        path: b"note".to_vec(),
        mode: 0o644,
        mtime_ns: 1,
        node: Node::File {
            size: content.size,
            content: content.extents.clone(),
        },
    };
    let closed = build::close_tree(&tenant, &mut memory, &[entry], Vec::new());
    (closed.expect("a valid tree").0, memory.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn uploaded_snapshot_is_restored_on_another_machine() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut first = Played::new(&gateway, owner).await;
        let mut second = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let sandbox = format!("{claw}/sandbox");
        let (asked, _) = first.provision(owner, &sandbox).await;
        let (digest, chunks) = taken(&asked.spec, "planted");
        let workspace = asked.spec.workspace.to_string();
        let of = json!({ "workspace": workspace });
        let uploaded = format!("/api/nodes/snapshots/{digest}/uploaded");
        // Without a token, with a wrong one, from a page, and before the snapshot is known.
        gateway
            .anonymous()
            .post(&uploaded)
            .json(&of)
            .refused(401, "unauthenticated")
            .await;
        owner
            .post(&uploaded)
            .json(&of)
            .refused(401, "unauthenticated")
            .await;
        let page = first
            .client
            .post(&uploaded)
            .header("origin", "https://example.com");
        page.json(&of).expect(403).await;
        first
            .client
            .post(&uploaded)
            .json(&of)
            .refused(404, "not-found")
            .await;
        first
            .stored(snapshot(&asked.spec, &digest.to_string(), LATER_S))
            .await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await.len() == 1).then_some(())
        })
        .await;
        let incomplete = first
            .client
            .post(&uploaded)
            .json(&of)
            .refused(409, "conflict")
            .await;
        assert_eq!(incomplete.body["errors"][0]["pointer"], digest.to_string());
        let all: Vec<String> = chunks.keys().map(ToString::to_string).collect();
        let missing = format!("/api/nodes/snapshots/{digest}/missing");
        let held = json!({ "workspace": workspace, "chunks": all });
        let asked_for = first.client.post(&missing).json(&held).expect(200).await;
        assert_eq!(asked_for.body["missing"], json!(all));
        for (address, stored) in &chunks {
            let put = first.chunk(address, &format!("workspace={workspace}"));
            // Another content, and a body that no chunk has.
            let lie = first.client.put(&put).body(chunk::encode(b"lie"));
            lie.refused(422, "chunk-invalid").await;
            let long = vec![0; chunk::MOST_STORED + 1];
            first
                .client
                .put(&put)
                .body(long)
                .refused(413, "payload-too-large")
                .await;
            first
                .client
                .put(&put)
                .body(stored.clone())
                .expect(204)
                .await;
            // A machine without a sandbox of the workspace.
            second
                .client
                .put(&put)
                .body(stored.clone())
                .refused(404, "not-found")
                .await;
        }
        let asked_for = first.client.post(&missing).json(&held).expect(200).await;
        assert_eq!(asked_for.body["missing"], json!([]));
        first.client.post(&uploaded).json(&of).expect(204).await;
        assert_eq!(shown(owner, &claw).await["snapshot"]["uploaded"], true);
        first.destroy(owner, &sandbox, None).await;
        // While its new sandbox is made, the second machine may read the chunks; the first one may not.
        let here = json!({ "node_id": second.machine.node_id });
        let read = format!("workspace={workspace}&snapshot={digest}");
        let (made_there, ()) = tokio::join!(owner.post(&sandbox).json(&here).expect(201), async {
            let request = provision_asked(&mut second.connection).await;
            for (address, stored) in &chunks {
                let got = second
                    .client
                    .get(&second.chunk(address, &read))
                    .open()
                    .await;
                assert_eq!(got.status(), 200);
                assert_eq!(got.bytes().await.expect("a body"), *stored);
                first
                    .client
                    .get(&first.chunk(address, &read))
                    .refused(404, "not-found")
                    .await;
            }
            let other = Tenant::of(asked.spec.workspace.uuid()).address(b"other");
            second
                .client
                .get(&second.chunk(&other, &read))
                .refused(404, "not-found")
                .await;
            let asked = made(&mut second.connection, &request).await;
            assert_eq!(asked.restore, Some(digest.to_string()));
        });
        assert_eq!(
            made_there.body["restored_from"]["digest"],
            digest.to_string()
        );
        gateway.stop().await;
    }
}
