//! Draining (P7): a draining machine gets nothing new, only the machine itself reports "drained", and the wish survives
//! disconnects.

use roost_machines::fleet::operations::{OperationsError, Target};
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::{AgentId, NodeId, OperationId, SandboxId, WorkspaceId};
use roost_protocol::inventory::Inventory;
use roost_protocol::limits::SANDBOX_LEASE_S;
use roost_protocol::operation::{OnBehalf, Operation, OperationRequest, Provision};
use roost_protocol::sandbox::{Limits, SandboxSpec};
use roost_tests::{Machine, eventually};

use super::gateway;

fn provision(workspace: &str, node: &str) -> OperationRequest {
    let fresh = uuid::Uuid::now_v7;
    let agent = AgentId(fresh());
    let workspace = workspace.parse::<WorkspaceId>().expect("an id");
    OperationRequest {
        purpose: None,
        id: OperationId(fresh()),
        on_behalf: Some(OnBehalf { workspace, agent }),
        operation: Operation::SbProvision(Provision {
            spec: SandboxSpec {
                sandbox: SandboxId(fresh()),
                workspace,
                agent,
                node: Some(node.parse::<NodeId>().expect("an id")),
                epoch: 1,
                image: "roost-agent:dev".into(),
                image_digest: None,
                limits: Limits::default(),
                env: Default::default(),
                lease_s: SANDBOX_LEASE_S,
            },
            restore: None,
        }),
    }
}

fn drain_turn(message: &ToNode) -> Option<(bool, u64)> {
    match message {
        ToNode::Control(Control::Drain { on, turn }) => Some((*on, *turn)),
        _ => None,
    }
}

#[tokio::test]
async fn a_draining_machine_gets_nothing_new_and_is_drained_only_when_it_says_so() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let target = Target::Node(machine.node_id.parse().expect("an id"));
    let mut connection = machine.connect().await;
    let drained = owner.post(&machine.path("/drain")).expect(200).await;
    assert_eq!(drained.str("/status"), "draining");
    let (on, turn) = connection.receive_until(drain_turn).await;
    assert!(on);
    let operations = gateway.app().operations();
    let refused = operations
        .submit(target, provision(&owner.workspace, &machine.node_id))
        .await;
    assert!(
        matches!(refused, Err(OperationsError::NodeDraining(_))),
        "{refused:?}"
    );

    let say = |empty, turn| {
        ToGateway::Reply(ControlReply::Draining {
            on: true,
            turn,
            empty,
        })
    };
    connection.send(say(false, turn)).await;
    connection.send(say(true, turn + 7)).await;
    // Its answer to another turn counts for nothing; a later frame that shows shows that both were handled.
    connection
        .send(ToGateway::Reply(ControlReply::Paused { on: true }))
        .await;
    let node = eventually("the pause is shown", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.body["paused"] == true).then_some(node)
    })
    .await;
    assert_eq!(node.body["drained"], false);
    connection.send(say(true, turn)).await;
    eventually("it is drained", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.body["drained"] == true).then_some(())
    })
    .await;

    connection.vanish();
    let (mut connection, welcome) = machine.connect_holding(Inventory::default()).await;
    assert!(welcome.draining, "draining survives a disconnect");
    let node = owner.get(&machine.path("")).expect(200).await;
    assert_eq!(node.str("/status"), "draining");
    assert_eq!(
        node.body["drained"], false,
        "what it said on another connection is taken back"
    );
    let node = owner.post(&machine.path("/undrain")).expect(200).await;
    assert_eq!(node.str("/status"), "online");
    let (on, _) = connection
        .receive_until(|message| drain_turn(message).filter(|(on, _)| !on))
        .await;
    assert!(!on);
    let taken = operations
        .submit(target, provision(&owner.workspace, &machine.node_id))
        .await;
    assert!(taken.is_ok(), "{taken:?}");
    connection.operation().await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_spec_for_another_workspace_or_another_machine_does_not_reach_the_machine() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let (here, there) = (
        Machine::joined(&gateway, owner).await,
        Machine::joined(&gateway, owner).await,
    );
    let stranger = gateway.stranger().await;
    let _connection = here.connect().await;
    let target = Target::Node(here.node_id.parse().expect("an id"));
    for forged in [
        provision(&stranger.workspace, &here.node_id),
        provision(&owner.workspace, &there.node_id),
    ] {
        let refused = gateway.app().operations().submit(target, forged).await;
        assert!(
            matches!(refused, Err(OperationsError::UnknownNode(_))),
            "{refused:?}"
        );
    }
    gateway.stop().await;
}
