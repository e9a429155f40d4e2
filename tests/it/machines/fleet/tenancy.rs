//! A machine belongs to one workspace, and roles decide what people may do with it.

use roost_protocol::frame::ToGateway;
use roost_protocol::ids::{AgentId, SandboxId, WorkspaceId};
use roost_protocol::inventory::Inventory;
use roost_protocol::sandbox::{ContainerState, Limits, SandboxFacts};
use roost_protocol::vitals::Heartbeat;
use roost_tests::{Machine, eventually};
use serde_json::json;

use super::gateway;

#[tokio::test]
async fn another_workspace_sees_and_changes_nothing_of_a_machine() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let stranger = gateway.stranger().await;
    let machine = Machine::joined(&gateway, owner).await;
    let path = |rest| machine.path(rest);
    for request in [
        stranger.get(&path("")),
        stranger.patch(&path("")).json(&json!({ "name": "mine" })),
        stranger.delete(&path("")),
        stranger.post(&path("/drain")),
        stranger.post(&path("/undrain")),
        stranger.post(&path("/exec-test")),
        stranger.get(&path("/tools")),
        stranger.get(&path("/operations")),
    ] {
        request.refused(404, "not-found").await;
    }
    let list = stranger.get("/api/nodes").expect(200).await;
    assert_eq!(list.body["items"], json!([]));
    gateway.stop().await;
}

#[tokio::test]
async fn members_see_machines_and_admins_change_them() {
    let gateway = gateway().await;
    let machine = Machine::joined(&gateway, gateway.owner().await).await;
    let (viewer, admin) = (
        gateway.person("viewer").await,
        gateway.person("admin").await,
    );
    viewer.get(&machine.path("")).expect(200).await;
    viewer
        .post(&machine.path("/drain"))
        .refused(403, "forbidden")
        .await;
    viewer
        .post("/api/nodes/pair")
        .json(&json!({}))
        .refused(403, "forbidden")
        .await;
    let renamed = admin
        .patch(&machine.path(""))
        .json(&json!({ "name": "  attic " }));
    assert_eq!(renamed.expect(200).await.str("/name"), "attic");
    gateway.stop().await;
}

#[tokio::test]
async fn a_machine_that_lists_another_workspaces_sandboxes_is_not_believed() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let stranger = gateway.stranger().await;
    let machine = Machine::joined(&gateway, owner).await;
    let facts = |workspace: &str| SandboxFacts {
        sandbox: SandboxId(uuid::Uuid::now_v7()),
        workspace: workspace.parse::<WorkspaceId>().expect("an id"),
        agent: AgentId(uuid::Uuid::now_v7()),
        epoch: 1,
        container: "c".into(),
        image: "roost-agent".into(),
        state: ContainerState::Running,
        created_at_s: 0,
        limits: Limits::default(),
    };
    let inventory = Inventory {
        sandboxes: vec![facts(&owner.workspace), facts(&stranger.workspace)],
        ..Inventory::default()
    };
    let (mut connection, _) = machine.connect_holding(inventory).await;
    let node = owner.get(&machine.path("")).expect(200).await;
    assert_eq!(node.body["sandboxes"], 1, "{}", node.text);
    let beat = Heartbeat {
        local_ip: Some("not an address".into()),
        cpu_pct: Some(f32::NAN),
        memory_used_bytes: Some(7),
        ..Heartbeat::default()
    };
    connection.send(ToGateway::Heartbeat(beat)).await;
    let node = eventually("the heartbeat is shown", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        node.body["health"].is_object().then_some(node)
    })
    .await;
    assert!(node.body.get("local_ip").is_none(), "{}", node.text);
    assert!(
        node.body["health"].get("cpu_pct").is_none(),
        "{}",
        node.text
    );
    gateway.stop().await;
}
