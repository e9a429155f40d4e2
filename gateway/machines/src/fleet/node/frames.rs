//! Handles the frames of a connected machine.

use roost_protocol::control::{ControlReply, GoneCause};
use roost_protocol::frame::ToGateway;
use roost_protocol::inventory::Inventory;
use roost_protocol::machine::drain::Progress;
use roost_protocol::report::Report;
use roost_protocol::vitals::NodeTools;
use sea_orm::Value;

use super::connection::Conn;
use super::{NodeActor, NodeMsg};
use crate::fleet::facts::NodeFact;
use crate::fleet::operations::Flow;
use crate::fleet::sanitize;
use crate::fleet::store_connection;
use roost_platform::ids::{NodeId, SandboxId, SandboxOwnerId};
use roost_platform::promises::Watch;
use roost_platform::supervision::{Context, Failure};

/// Counts a frame of a connection that was given up.
pub(super) fn stale(node: &NodeId) {
    metrics::counter!("roost_node_stale_frames_total").increment(1);
    Watch::StaleFrame.note(node);
}

impl NodeActor {
    /// Whether this socket has the connection. Frames of a connection that was replaced do not count any more (P6).
    fn is_current(&self, socket: u64) -> bool {
        let current = self.conn.as_ref().is_some_and(|conn| conn.socket == socket);
        if !current {
            stale(&self.id);
        }
        current
    }

    /// A piece of output.
    pub(super) fn output(&mut self, socket: u64, message: ToGateway) -> Flow {
        match message {
            ToGateway::Output(chunk) if self.is_current(socket) => self.dispatcher.output(chunk),
            _ => Flow::Fine,
        }
    }

    pub(super) async fn frame(
        &mut self,
        socket: u64,
        message: ToGateway,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        if !self.is_current(socket) {
            return Ok(());
        }
        match message {
            ToGateway::Output(chunk) => {
                let flow = self.dispatcher.output(chunk);
                self.apply_flow(flow, cx).await
            }
            ToGateway::Report(report) => {
                if let (Some(conn), Report::Ended(ended)) = (&mut self.conn, &report.report) {
                    // A machine reports its inventory only when it changes by itself.
                    let asked = self.dispatcher.sandbox_of(report.operation);
                    sanitize::learn(&mut conn.inventory, &ended.outcome, asked, self.workspace);
                }
                let flow = self.dispatcher.report(report, cx).await?;
                self.apply_flow(flow, cx).await
            }
            // The socket takes heartbeats itself.
            ToGateway::Heartbeat(_) => Ok(()),
            ToGateway::NodeTools(tools) => self.tools(tools, cx).await,
            ToGateway::Inventory(inventory) => {
                self.inventory(inventory);
                Ok(())
            }
            ToGateway::Reply(reply) => self.reply(reply, cx).await,
            ToGateway::Hello(_) => self.disconnect("it claims hello twice", cx).await,
            ToGateway::Unknown => {
                metrics::counter!("roost_node_unknown_messages_total").increment(1);
                Ok(())
            }
        }
    }

    async fn tools(&mut self, mut tools: NodeTools, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        sanitize::known_tools(&mut tools);
        let Some(fence) = self.conn.as_ref().map(|conn| conn.fence.clone()) else {
            return Ok(());
        };
        let mut tx = self.fleet.db().write().await?;
        let version = store_connection::write_tools(&tx, &fence, &tools, cx.now()).await?;
        self.announce(version, cx, &mut tx).await?;
        tx.commit().await?;
        Ok(())
    }

    fn inventory(&mut self, mut inventory: Inventory) {
        sanitize::own_inventory(&mut inventory, self.workspace);
        if let Some(conn) = &mut self.conn {
            conn.inventory = inventory.clone();
            self.fleet.publish(NodeFact::Inventory {
                node: self.id,
                workspace: self.workspace,
                inventory,
            });
        }
    }

    async fn reply(&mut self, reply: ControlReply, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        match reply {
            ControlReply::Pong { nonce } => self.pong(nonce, cx).await,
            ControlReply::StdinTaken { operation, offset } => {
                let flow = self.dispatcher.stdin_taken(operation, offset);
                self.apply_flow(flow, cx).await
            }
            ControlReply::Draining { on, turn, empty } => self.draining(on, turn, empty, cx).await,
            ControlReply::SandboxGone { sandbox, cause } => {
                self.gone(SandboxId(sandbox.uuid()), cause);
                Ok(())
            }
            ControlReply::Stored { snapshot } => {
                if sanitize::is_own(&snapshot, self.workspace) {
                    let node = self.id;
                    self.fleet.publish(NodeFact::Stored { node, snapshot });
                }
                Ok(())
            }
            ControlReply::NotStored { sandbox, detail } => {
                self.fleet.publish(NodeFact::NotStored {
                    node: self.id,
                    sandbox: SandboxId(sandbox.uuid()),
                    detail,
                });
                Ok(())
            }
            ControlReply::Forgotten { agent } => {
                self.fleet.publish(NodeFact::Forgotten {
                    node: self.id,
                    owner: SandboxOwnerId(agent.uuid()),
                });
                Ok(())
            }
            ControlReply::Paused { on } => self.change([("paused", on.into())], cx).await,
            ControlReply::Unknown => {
                metrics::counter!("roost_node_unknown_messages_total").increment(1);
                Ok(())
            }
        }
    }

    /// Only the machine's own reply makes it drained (P7).
    async fn draining(
        &mut self,
        on: bool,
        turn: u64,
        empty: bool,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        let before = self.drain.progress();
        self.drain.reply(on, turn, empty);
        let after = self.drain.progress();
        if before == after {
            return Ok(());
        }
        let holds = |conn: &Conn| !conn.inventory.sandboxes.is_empty();
        if after == Progress::Drained && self.conn.as_ref().is_some_and(holds) {
            Watch::DrainedNotEmpty.note(&self.id);
        }
        self.change([("drained", (after == Progress::Drained).into())], cx)
            .await
    }

    /// A machine may only report sandboxes of its own workspace. The listeners find a sandbox by machine and workspace,
    /// so an id that the machine invented matches no row.
    fn gone(&mut self, sandbox: SandboxId, cause: GoneCause) {
        if let Some(conn) = &mut self.conn {
            conn.inventory
                .sandboxes
                .retain(|present| present.sandbox.uuid() != sandbox.0);
        }
        self.fleet.publish(NodeFact::SandboxGone {
            node: self.id,
            workspace: self.workspace,
            sandbox,
            cause,
        });
    }

    /// Changes the row under the fence of the present connection.
    async fn change<const N: usize>(
        &mut self,
        columns: [(&'static str, Value); N],
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        let Some(fence) = self.conn.as_ref().map(|conn| conn.fence.clone()) else {
            return Ok(());
        };
        let mut tx = self.fleet.db().write().await?;
        let version = store_connection::change(&tx, &fence, columns).await?;
        if version.is_none() {
            Watch::FenceFell.note(&self.id);
        }
        self.announce(version, cx, &mut tx).await?;
        tx.commit().await?;
        Ok(())
    }
}
