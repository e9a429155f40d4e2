//! Removes a deleted node. Its token is already invalid. The gateway destroys the node's sandboxes if it can reach the
//! node; then it closes the connection, and the actor ends.

use std::time::{Duration, Instant};

use roost_protocol::frame::ToNode;
use roost_protocol::hello::{Refused, RefusedReason};
use roost_protocol::ids::OperationId as WireOperation;
use roost_protocol::operation::{Destroy, OnBehalf, Operation, OperationRequest};

use super::{NodeActor, NodeMsg};
use crate::fleet::facts::NodeFact;
use crate::fleet::operations::{EngineCall, OperationState, Target};
use roost_platform::ids::{OperationId, SandboxId};
use roost_platform::supervision::{Context, Failure, Reply};
use roost_tenancy::auth::WorkspaceScope;

/// How long a deleted machine has to destroy its sandboxes.
const WITHIN: Duration = Duration::from_secs(30);

/// A removal under way.
pub(super) struct Leaving {
    until: Instant,
    /// The sandboxes that it must destroy, each with its operation.
    asked: Vec<(SandboxId, OperationId)>,
}

impl NodeActor {
    /// Begins the removal, once.
    pub(super) async fn leave(&mut self, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        if self.leaving.is_some() {
            return Ok(());
        }
        let sandboxes = self
            .conn
            .as_ref()
            .map(|conn| conn.inventory.sandboxes.clone())
            .unwrap_or_default();
        let mut asked = Vec::with_capacity(sandboxes.len());
        for sandbox in sandboxes {
            let request = OperationRequest {
                purpose: None,
                id: WireOperation(self.fleet.ids().next()),
                on_behalf: Some(OnBehalf {
                    workspace: sandbox.workspace,
                    agent: sandbox.agent,
                }),
                operation: Operation::SbDestroy(Destroy {
                    sandbox: sandbox.sandbox,
                    archive: false,
                }),
            };
            asked.push((
                SandboxId(sandbox.sandbox.uuid()),
                OperationId::from(request.id),
            ));
            // `in_flight` counts it until it ends; nothing else waits for it.
            let (reply, _) = Reply::channel();
            let flow = self
                .dispatcher
                .call(EngineCall::Submit(Box::new(request.into()), reply), cx)
                .await?;
            self.apply_flow(flow, cx).await?;
        }
        self.leaving = Some(Leaving {
            until: cx.monotonic() + WITHIN,
            asked,
        });
        self.leave_on(cx).await
    }

    /// Ends the removal when no operation is in flight, or when the time is over.
    pub(super) async fn leave_on(&mut self, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        let Some(leaving) = &self.leaving else {
            return Ok(());
        };
        let busy = self.conn.is_some() && self.dispatcher.in_flight() > 0;
        if busy && cx.monotonic() < leaving.until {
            self.tick_after(super::BUSY_TICK, cx);
            return Ok(());
        }
        if let Some(conn) = &self.conn {
            let detail =
                "this machine was removed from its workspace; pair it again with `roostd join`"
                    .to_owned();
            conn.send(ToNode::Refused(Refused {
                reason: RefusedReason::Revoked,
                detail,
            }));
        }
        self.disconnect("the node was deleted", cx).await?;
        self.dispatcher.give_up(cx).await?;
        let destroyed = self.destroyed().await?;
        self.fleet.operations().disconnect(Target::Node(self.id));
        self.fleet.publish(NodeFact::Deleted {
            node: self.id,
            workspace: self.workspace,
            destroyed,
        });
        cx.stop();
        Ok(())
    }

    /// The sandboxes whose destruction the machine confirmed.
    async fn destroyed(&self) -> Result<Vec<SandboxId>, Failure> {
        let scope = WorkspaceScope::of_row(self.workspace);
        let mut destroyed = Vec::new();
        for (sandbox, operation) in self.leaving.iter().flat_map(|leaving| &leaving.asked) {
            let status = self.fleet.operations().status(scope, *operation).await?;
            if status.is_some_and(|status| status.state == OperationState::Done) {
                destroyed.push(*sandbox);
            }
        }
        Ok(destroyed)
    }
}
