//! Snapshots at the gateway: what machines report, what new sandboxes restore, and the exchange of chunks.

use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;
use roost_protocol::operation::{Operation, OperationRequest, Provision};
use roost_protocol::report::{ArchiveFacts, Outcome, Report, Terminal};
use roost_protocol::sandbox::{ContainerState, SandboxFacts, SandboxSpec, WorkspaceState};
use roost_protocol::snapshot::Stored;
use roost_snapshot::Address;
use roost_tests::machine::{Connection, ended};
use roost_tests::{Answer, Client, Gateway, Machine};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

mod bucket;
mod chunks;
mod files;
mod full_disk;
mod losses;
mod reports;
mod stay;

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

/// Snapshots in the database, of all workspaces.
async fn rows(gateway: &Gateway) -> i64 {
    let sql = "SELECT COUNT(*) AS n FROM workspace_snapshots";
    let db = gateway.app().db();
    let statement = Statement::from_string(db.backend().into(), sql);
    let row = db.read().query_one_raw(statement).await;
    let row = row.expect("the table exists").expect("a count is a row");
    row.try_get("", "n").expect("a number")
}
