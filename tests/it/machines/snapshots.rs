//! Snapshots at the gateway: what machines report, what new sandboxes restore, and the exchange of chunks.

use std::collections::HashMap;
use std::io;

use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;
use roost_protocol::inventory::Inventory;
use roost_protocol::operation::{Operation, OperationRequest, Provision};
use roost_protocol::report::{ArchiveFacts, Outcome, Report, Terminal};
use roost_protocol::sandbox::{ContainerState, SandboxFacts, SandboxSpec, WorkspaceState};
use roost_protocol::snapshot::Stored;
use roost_snapshot::build::{self, Builder, Known};
use roost_snapshot::{Address, Entry, Node, Tenant, chunk};
use roost_tests::machine::{Connection, ended};
use roost_tests::{Answer, Client, Gateway, Machine, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

const LATER_S: i64 = 1_700_000_000;

/// A machine without programs: `local` is off, so that nothing runs on the gateway's host.
struct Played {
    machine: Machine,
    connection: Connection,
    client: Client,
}

impl Played {
    async fn new(gateway: &Gateway, owner: &Client) -> Self {
        let machine = Machine::joined_by(&gateway.anonymous(), owner).await;
        let connection = machine.connect().await;
        let client = gateway.anonymous().with_token(&hex::encode(machine.token));
        Self {
            machine,
            connection,
            client,
        }
    }

    async fn stored(&mut self, snapshot: Stored) {
        let reply = ToGateway::Reply(ControlReply::Stored { snapshot });
        self.connection.send(reply).await;
    }

    /// Makes a sandbox here and returns what the machine was asked.
    async fn provision(&mut self, owner: &Client, sandbox: &str) -> (Provision, Answer) {
        let here = json!({ "node_id": self.machine.node_id });
        let (made, asked) = tokio::join!(owner.post(sandbox).json(&here).expect(201), async {
            let request = provision_asked(&mut self.connection).await;
            made(&mut self.connection, &request).await
        });
        (asked, made)
    }

    /// Ends the sandbox; the machine stores this.
    async fn destroy(&mut self, owner: &Client, sandbox: &str, archive: Option<ArchiveFacts>) {
        let (_, ()) = tokio::join!(owner.delete(sandbox).expect(204), async {
            loop {
                let request = self.connection.operation().await;
                if let Operation::SbDestroy(_) = &request.operation {
                    let end = ended(Terminal::Done, Outcome::Destroyed { archive });
                    self.connection.report(request.id, Report::Ended(end)).await;
                    return;
                }
            }
        });
    }

    fn chunk(&self, address: &Address, rest: &str) -> String {
        format!("/api/nodes/chunks/{address}?{rest}")
    }
}

async fn provision_asked(connection: &mut Connection) -> OperationRequest {
    loop {
        let request = connection.operation().await;
        if matches!(request.operation, Operation::SbProvision(_)) {
            return request;
        }
    }
}

/// The machine made the sandbox, and restored what it was asked to.
async fn made(connection: &mut Connection, request: &OperationRequest) -> Provision {
    let Operation::SbProvision(asked) = request.operation.clone() else {
        panic!("another operation was requested: {request:?}");
    };
    let spec = &asked.spec;
    let sandbox = SandboxFacts {
        sandbox: spec.sandbox,
        workspace: spec.workspace,
        agent: spec.agent,
        epoch: spec.epoch,
        container: "c".repeat(64),
        image: spec.image.clone(),
        state: ContainerState::Running,
        created_at_s: 0,
        limits: spec.limits,
    };
    let workspace = match asked.restore.clone() {
        Some(digest) => WorkspaceState::Restored { digest },
        None => WorkspaceState::Empty,
    };
    let end = ended(Terminal::Done, Outcome::Provisioned { sandbox, workspace });
    connection.report(request.id, Report::Accepted).await;
    connection.report(request.id, Report::Ended(end)).await;
    asked
}

async fn quiet() -> Vec<(Gateway, Option<roost_tests::ScratchPostgres>)> {
    let off = [("sandboxes.local", "off".to_owned())];
    let mut all = vec![(Gateway::start_like(&off, None).await, None)];
    if let Some(scratch) = roost_tests::ScratchPostgres::new().await {
        let gateway = Gateway::start_like(&off, Some(&scratch)).await;
        all.push((gateway, Some(scratch)));
    }
    all
}

async fn claw(owner: &Client) -> String {
    let name = json!({ "name": roost_tests::unique("agent") });
    let made = owner.post("/api/claws").json(&name).expect(201).await;
    format!("/api/claws/{}", made.str("/id"))
}

fn snapshot(spec: &SandboxSpec, digest: &str, taken_at_s: i64) -> Stored {
    Stored {
        sandbox: spec.sandbox,
        workspace: spec.workspace,
        agent: spec.agent,
        digest: digest.to_owned(),
        files: 3,
        bytes: 4096,
        taken_at_s,
        left_out: vec!["node_modules: can be made again".into()],
    }
}

fn digest(byte: &str) -> String {
    byte.repeat(32)
}

async fn digests(owner: &Client, claw: &str) -> Vec<String> {
    let listed = owner.get(&format!("{claw}/snapshots")).expect(200).await;
    let items = listed.body["items"].as_array().expect("a list");
    let digests = items.iter().filter_map(|item| item["digest"].as_str());
    digests.map(str::to_owned).collect()
}

async fn shown(owner: &Client, claw: &str) -> Value {
    let sandbox = owner.get(&format!("{claw}/sandbox"));
    sandbox.expect(200).await.body
}

#[tokio::test(flavor = "multi_thread")]
async fn reported_snapshot_is_shown_and_the_next_sandbox_begins_with_it() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut played = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let sandbox = format!("{claw}/sandbox");
        let (asked, made) = played.provision(owner, &sandbox).await;
        assert_eq!(asked.restore, None);
        assert_eq!(made.body["snapshot"], Value::Null);
        let (first, second) = (digest("0a"), digest("0b"));
        played.stored(snapshot(&asked.spec, &first, LATER_S)).await;
        played
            .stored(snapshot(&asked.spec, &second, LATER_S + 1))
            .await;
        eventually("both are listed", async || {
            (digests(owner, &claw).await.len() == 2).then_some(())
        })
        .await;
        assert_eq!(digests(owner, &claw).await, [second.clone(), first.clone()]);
        let latest = &shown(owner, &claw).await["snapshot"];
        assert_eq!(latest["digest"], second);
        assert_eq!(latest["files"], 3);
        assert_eq!(latest["uploaded"], false);
        assert_eq!(latest["taken_at"], "2023-11-14T22:13:21Z");
        assert_eq!(latest["left_out"][0], "node_modules: can be made again");
        // Page by page.
        let page = owner
            .get(&format!("{claw}/snapshots?limit=1"))
            .expect(200)
            .await;
        let cursor = page.str("/next_cursor").to_owned();
        let rest = owner.get(&format!("{claw}/snapshots?limit=1&cursor={cursor}"));
        assert_eq!(rest.expect(200).await.body["items"][0]["digest"], first);
        let archive = ArchiveFacts {
            digest: second.clone(),
            bytes: 4096,
        };
        played.destroy(owner, &sandbox, Some(archive)).await;
        let (asked, made) = played.provision(owner, &sandbox).await;
        assert_eq!(asked.restore, Some(second.clone()));
        assert_eq!(made.body["restored_from"]["digest"], second);
        assert_eq!(
            made.body["restored_from"]["taken_at"],
            "2023-11-14T22:13:21Z"
        );
        // The workspace returns to older files: the same digest is the newest again.
        played
            .stored(snapshot(&asked.spec, &first, LATER_S + 9))
            .await;
        eventually("it is the newest again", async || {
            (digests(owner, &claw).await == [first.clone(), second.clone()]).then_some(())
        })
        .await;
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn inventory_repeats_a_snapshot_whose_report_was_lost() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut played = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let (asked, _) = played.provision(owner, &format!("{claw}/sandbox")).await;
        played.connection.vanish();
        let inventory = Inventory {
            stored: vec![snapshot(&asked.spec, &digest("0c"), LATER_S)],
            // The snapshots are on the disk, whatever the engine does.
            engine_silent: true,
            ..Inventory::default()
        };
        let (_connection, _) = played.machine.connect_holding(inventory).await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await == [digest("0c")]).then_some(())
        })
        .await;
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_of_another_tenant_or_machine_is_not_recorded() {
    for (gateway, _scratch) in quiet().await {
        let (owner, stranger) = (gateway.owner().await, gateway.stranger().await);
        let mut played = Played::new(&gateway, owner).await;
        let mut second = Played::new(&gateway, owner).await;
        let mut foreign = Played::new(&gateway, &stranger).await;
        let (ours, theirs) = (claw(owner).await, claw(&stranger).await);
        let beside = claw(owner).await;
        let (mine, _) = played.provision(owner, &format!("{ours}/sandbox")).await;
        let (other, _) = foreign
            .provision(&stranger, &format!("{theirs}/sandbox"))
            .await;
        let (neighbour, _) = second.provision(owner, &format!("{beside}/sandbox")).await;
        let (ours_spec, theirs_spec) = (&mine.spec, &other.spec);
        // A machine of another tenant names our sandbox, under our workspace and under its own.
        foreign
            .stored(snapshot(ours_spec, &digest("e1"), LATER_S))
            .await;
        foreign
            .stored(Stored {
                workspace: theirs_spec.workspace,
                ..snapshot(ours_spec, &digest("e2"), LATER_S)
            })
            .await;
        // It names our agent with its own sandbox.
        foreign
            .stored(Stored {
                agent: ours_spec.agent,
                ..snapshot(theirs_spec, &digest("e3"), LATER_S)
            })
            .await;
        // A machine of our workspace that never had the sandbox, and a digest that is no address.
        second
            .stored(snapshot(ours_spec, &digest("e4"), LATER_S))
            .await;
        played
            .stored(snapshot(ours_spec, "../../etc/passwd", LATER_S))
            .await;
        // The facts of a machine arrive in order, so an honest report shows that the earlier ones were seen.
        played
            .stored(snapshot(ours_spec, &digest("0d"), LATER_S))
            .await;
        foreign
            .stored(snapshot(theirs_spec, &digest("0e"), LATER_S))
            .await;
        second
            .stored(snapshot(&neighbour.spec, &digest("0f"), LATER_S))
            .await;
        eventually("the honest reports are recorded", async || {
            (rows(&gateway).await >= 3).then_some(())
        })
        .await;
        assert_eq!(rows(&gateway).await, 3);
        assert_eq!(digests(owner, &ours).await, [digest("0d")]);
        assert_eq!(digests(&stranger, &theirs).await, [digest("0e")]);
        owner
            .get(&format!("{theirs}/snapshots"))
            .refused(404, "not-found")
            .await;
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_that_could_not_be_taken_is_explained_until_the_next_one() {
    let off = [("sandboxes.local", "off")];
    let gateway = Gateway::start_with(&off).await;
    let owner = gateway.owner().await;
    let mut played = Played::new(&gateway, owner).await;
    let claw = claw(owner).await;
    let (asked, _) = played.provision(owner, &format!("{claw}/sandbox")).await;
    let text = "the disk is full; free some space";
    let none = ControlReply::NotStored {
        sandbox: asked.spec.sandbox,
        detail: text.into(),
    };
    played.connection.send(ToGateway::Reply(none)).await;
    eventually("the page says why", async || {
        (shown(owner, &claw).await["snapshot_problem"] == text).then_some(())
    })
    .await;
    played
        .stored(snapshot(&asked.spec, &digest("0f"), LATER_S))
        .await;
    eventually("the problem is over", async || {
        let sandbox = shown(owner, &claw).await;
        (sandbox["snapshot_problem"] == Value::Null
            && sandbox["snapshot"]["digest"] == digest("0f"))
        .then_some(())
    })
    .await;
    gateway.stop().await;
}

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

fn taken(spec: &SandboxSpec, text: &str) -> (Address, HashMap<Address, Vec<u8>>) {
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

#[tokio::test(flavor = "multi_thread")]
async fn newer_snapshot_that_is_out_of_reach_is_named() {
    let off = [("sandboxes.local", "off")];
    let gateway = Gateway::start_with(&off).await;
    let owner = gateway.owner().await;
    let mut first = Played::new(&gateway, owner).await;
    let mut second = Played::new(&gateway, owner).await;
    let claw = claw(owner).await;
    let sandbox = format!("{claw}/sandbox");
    let (asked, _) = first.provision(owner, &sandbox).await;
    first
        .stored(snapshot(&asked.spec, &digest("1a"), LATER_S))
        .await;
    eventually("it is recorded", async || {
        (digests(owner, &claw).await.len() == 1).then_some(())
    })
    .await;
    first.destroy(owner, &sandbox, None).await;
    let (asked, made) = second.provision(owner, &sandbox).await;
    assert_eq!(asked.restore, None);
    let detail = made.str("/detail");
    assert!(
        detail.starts_with("The newest files are on played (2023-11-14 22:13 UTC)")
            && detail.ends_with("it began empty."),
        "{detail}"
    );
    gateway.stop().await;
}

/// Snapshots in the database, of all workspaces.
async fn rows(gateway: &Gateway) -> i64 {
    let sql = "SELECT COUNT(*) AS n FROM workspace_snapshots";
    let db = gateway.app().db();
    let statement = Statement::from_string(db.backend().into(), sql);
    let row = db.read().query_one_raw(statement).await;
    let row = row.expect("the table exists").expect("a count is a row");
    row.try_get("", "n").expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn purged_agent_has_no_snapshots_and_cannot_get_new_ones() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut played = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let sandbox = format!("{claw}/sandbox");
        let (asked, _) = played.provision(owner, &sandbox).await;
        played
            .stored(snapshot(&asked.spec, &digest("2a"), LATER_S))
            .await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await.len() == 1).then_some(())
        })
        .await;
        played.destroy(owner, &sandbox, None).await;
        owner
            .delete(&format!("{claw}?purge=true"))
            .expect(202)
            .await;
        eventually("the agent is purged", async || {
            let gone = owner.get(&claw).send().await.status == 404;
            gone.then_some(())
        })
        .await;
        // A late report of the machine, then one that shows that the late one was handled.
        played
            .stored(snapshot(&asked.spec, &digest("2b"), LATER_S + 1))
            .await;
        let other = self::claw(owner).await;
        let (asked, _) = played.provision(owner, &format!("{other}/sandbox")).await;
        played
            .stored(snapshot(&asked.spec, &digest("2c"), LATER_S))
            .await;
        eventually("the facts after it are recorded", async || {
            (digests(owner, &other).await.len() == 1).then_some(())
        })
        .await;
        assert_eq!(rows(&gateway).await, 1);
        gateway.stop().await;
    }
}
