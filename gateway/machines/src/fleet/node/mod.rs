//! The actor of one paired machine: owns its connection, the dispatcher of its operations, and draining.
//!
//! Position: child of `fleet`, named `node:<id>`; exists while the machine is paired, connected or not. Children: none;
//! each socket is a task of the actor. Restart: transient. A restart drops the connection; then the daemon connects again
//! and repeats each report that was not acknowledged. Bound to a socket: another gateway cannot take it over.
//!
//! Most machines are at rest most of the time. So an actor at rest has no timer and gets no message: heartbeats go past
//! it, `fleet/watch` watches its contact, and it ticks only while it has operations. What is rare is boxed, so that the
//! memory of a statement is there only while it runs.

mod connection;
mod frames;
mod leaving;
pub(super) mod session;

use std::time::Duration;

use axum::extract::ws::WebSocket;
use roost_protocol::frame::ToGateway;
use roost_protocol::hello::Hello;
use roost_protocol::inventory::Inventory;
use roost_protocol::machine::drain::{GatewayDrain, Wish};
use roost_protocol::operation::{Operation, OperationRequest};
use tokio::sync::OwnedSemaphorePermit;

use super::entity::node;
use super::error::FleetError;
use super::handle::FleetHandle;
use super::pulse::ToSocket;
use super::store;
use super::watch::Presence;
use crate::fleet::operations::{self, Dispatcher, EngineCall, Flow, OperationsError, Target};
use connection::{Arrival, Conn};
use leaving::Leaving;
use roost_platform::db::Backend;
use roost_platform::ids::{NodeId, WorkspaceId};
use roost_platform::supervision::{Context, Failure, Reply, Serve, Timer};
use session::{GivenUp, Greeting};

/// Sockets that may be open at the same time. A machine needs one; a machine and its clone need two.
const MOST_SOCKETS: usize = 4;
/// The tick interval of an actor with operations under way, and of one whose operations have ended or whose machine is
/// away. An actor without operations does not tick.
const BUSY_TICK: Duration = operations::TICK;
const IDLE_TICK: Duration = Duration::from_secs(5);

/// Messages to a node's actor.
pub enum NodeMsg {
    /// A call about an operation.
    Engine(EngineCall),
    /// A socket with this node's token (its hash) was opened.
    SocketOpened {
        socket: Box<WebSocket>,
        token_sha256: String,
    },
    /// The first frame of a socket.
    Greet(Box<Greet>),
    /// A frame; its permit gives the socket's reader room for more.
    Frame {
        socket: u64,
        message: Box<ToGateway>,
        permit: OwnedSemaphorePermit,
    },
    /// The contact of the connection with this epoch is in another state, by the clock or because a silent machine is
    /// heard again.
    ContactChanged { epoch: i64 },
    /// A socket is gone.
    SocketClosed { socket: u64, why: String },
    /// The time in which the first connection had to answer is over.
    FirstIsSilent { socket: u64 },
    /// The wish about draining was stored; send it to the machine.
    DrainSet(Wish, Reply<()>),
    /// Asks for the machine's inventory.
    Inventory(Reply<Option<Inventory>>),
    /// The node was deleted in the store.
    Deleted,
    /// Time for periodic work.
    Tick,
}

/// A machine that requests a connection.
pub struct Greet {
    pub(super) socket: u64,
    pub(super) token_sha256: String,
    pub(super) hello: Hello,
    pub(super) out: ToSocket,
    pub(super) given_up: GivenUp,
    pub(super) reply: Reply<Greeting>,
}

/// The actor.
pub struct NodeActor {
    fleet: FleetHandle,
    id: NodeId,
    workspace: WorkspaceId,
    dispatcher: Dispatcher,
    drain: GatewayDrain,
    conn: Option<Conn>,
    /// A machine that waits while the actor checks whether the first connection is alive.
    waiting: Option<Arrival>,
    sockets: usize,
    next_socket: u64,
    leaving: Option<Leaving>,
    tick: Option<Timer>,
    presence: Presence,
}

impl Serve for NodeActor {
    type Msg = NodeMsg;
    type Args = (FleetHandle, NodeId);

    async fn start((fleet, id): Self::Args, cx: &Context<NodeMsg>) -> Result<Self, Failure> {
        let row = store::by_id(fleet.db().read(), id)
            .await?
            .ok_or(FleetError::NotFound)?;
        let dispatcher = Dispatcher::recover(
            Target::Node(id),
            String::new(),
            Some(row.workspace_id),
            fleet.operations().clone(),
        )
        .await?;
        let wish = wish(&row);
        let presence = fleet.present().enter(id, cx.address(), wish);
        let mut actor = Self {
            workspace: row.workspace_id,
            drain: GatewayDrain::restore(wish),
            fleet,
            id,
            dispatcher,
            conn: None,
            waiting: None,
            sockets: 0,
            next_socket: 0,
            leaving: None,
            tick: None,
            presence,
        };
        actor.release(&row, cx).await?;
        actor.tick_while_needed(cx);
        if row.deleted_at.is_some() {
            cx.cast_self(NodeMsg::Deleted)?;
        }
        Ok(actor)
    }

    async fn handle(&mut self, message: NodeMsg, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        match message {
            NodeMsg::Frame {
                socket,
                message,
                permit,
            } if matches!(*message, ToGateway::Output(_)) => {
                let flow = self.output(socket, *message);
                drop(permit);
                match flow {
                    Flow::Fine => Ok(()),
                    cut_off => Box::pin(self.apply_flow(cut_off, cx)).await,
                }
            }
            rare => Box::pin(self.act(rare, cx)).await,
        }
    }

    async fn stop(&mut self, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        Box::pin(self.close_connection(cx)).await
    }
}

impl NodeActor {
    async fn act(&mut self, message: NodeMsg, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        match message {
            NodeMsg::Engine(call) => self.engine(call, cx).await?,
            NodeMsg::SocketOpened {
                socket,
                token_sha256,
            } => self.opened(*socket, token_sha256, cx),
            NodeMsg::Greet(greet) => self.greet(*greet, cx).await?,
            NodeMsg::Frame {
                socket,
                message,
                permit,
            } => {
                self.frame(socket, *message, cx).await?;
                drop(permit);
            }
            NodeMsg::ContactChanged { epoch } => self.contact_changed(epoch, cx).await?,
            NodeMsg::SocketClosed { socket, why } => self.closed(socket, &why, cx).await?,
            NodeMsg::FirstIsSilent { socket } => self.first_is_silent(socket, cx).await?,
            NodeMsg::DrainSet(wish, reply) => {
                self.drain_set(wish);
                reply.send(());
            }
            NodeMsg::Inventory(reply) => {
                reply.send(self.conn.as_ref().map(|conn| conn.inventory.clone()));
            }
            NodeMsg::Deleted => self.leave(cx).await?,
            NodeMsg::Tick => self.tick(cx).await?,
        }
        Ok(())
    }

    fn opened(&mut self, socket: WebSocket, token_sha256: String, cx: &Context<NodeMsg>) {
        if self.sockets >= MOST_SOCKETS || self.leaving.is_some() {
            metrics::counter!("roost_node_sockets_refused_total").increment(1);
            return;
        }
        self.sockets += 1;
        self.next_socket += 1;
        let number = self.next_socket;
        let work = session::run(
            socket,
            number,
            token_sha256,
            cx.address(),
            self.fleet.clone(),
        );
        cx.task(work, move |ended| NodeMsg::SocketClosed {
            socket: number,
            why: ended.unwrap_or_else(|failure| failure.to_string()),
        });
    }

    async fn engine(&mut self, call: EngineCall, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        let call = match call {
            // A repeated request gets the same answer, even if something has changed since.
            EngineCall::Submit(sent, reply) if self.dispatcher.knows(&sent.request) => {
                EngineCall::Submit(sent, reply)
            }
            EngineCall::Submit(mut sent, reply) => match self.may_have(&sent.request, cx).await {
                Ok(()) => {
                    let knows_endless = self.conn.as_ref().is_some_and(|conn| conn.endless);
                    operations::fit(&mut sent.request, knows_endless);
                    EngineCall::Submit(sent, reply)
                }
                Err(error) => {
                    reply.send(Err(error));
                    return Ok(());
                }
            },
            EngineCall::Reach(reply) if self.is_elsewhere().await? => {
                reply.send(Err(OperationsError::HeldElsewhere(self.id)));
                return Ok(());
            }
            call => call,
        };
        let flow = self.dispatcher.call(call, cx).await?;
        self.apply_flow(flow, cx).await?;
        if !self.dispatcher.is_idle() {
            self.tick_after(BUSY_TICK, cx);
        }
        Ok(())
    }

    /// Whether the machine may get this request now. The owner of the sandbox was checked before. This checks again that
    /// a workspace's request cannot reach another workspace's machine.
    async fn may_have(
        &self,
        request: &OperationRequest,
        cx: &Context<NodeMsg>,
    ) -> Result<(), OperationsError> {
        let foreign =
            |workspace: roost_protocol::ids::WorkspaceId| workspace.uuid() != self.workspace.0;
        let spec = match &request.operation {
            Operation::SbProvision(provision) => Some(&provision.spec),
            _ => None,
        };
        let elsewhere = spec.is_some_and(|spec| {
            foreign(spec.workspace)
                || spec.node.map(roost_protocol::ids::NodeId::uuid) != Some(self.id.0)
        });
        if elsewhere
            || request.on_behalf.is_some_and(|on| foreign(on.workspace))
            || self.leaving.is_some()
        {
            return Err(OperationsError::UnknownNode(self.id));
        }
        let Some(conn) = &self.conn else {
            return Err(self.why_not_here().await?);
        };
        if matches!(request.operation, Operation::SbFlush(_)) && !conn.flush {
            return Err(OperationsError::NodeTooOld(self.id));
        }
        if spec.is_some() {
            if conn.pulse.is_silent(cx.monotonic()) {
                return Err(OperationsError::NodeOffline(self.id));
            }
            if !self.drain.may_place() {
                roost_platform::promises::Watch::PlacementRefused.note(&self.id);
                return Err(OperationsError::NodeDraining(self.id));
            }
        }
        Ok(())
    }

    async fn why_not_here(&self) -> Result<OperationsError, sea_orm::DbErr> {
        Ok(if self.is_elsewhere().await? {
            OperationsError::HeldElsewhere(self.id)
        } else {
            OperationsError::NodeOffline(self.id)
        })
    }

    /// Whether another gateway holds the machine's connection.
    async fn is_elsewhere(&self) -> Result<bool, sea_orm::DbErr> {
        let db = self.fleet.db();
        if self.conn.is_some() || db.backend() == Backend::Sqlite {
            return Ok(false);
        }
        let now_ms = store::now_ms(db.read(), db.backend()).await?;
        let row = store::by_id(db.read(), self.id).await?;
        Ok(row.is_some_and(|row| {
            row.held_ms >= now_ms && row.held_by.is_some_and(|by| by != self.fleet.replica())
        }))
    }

    fn drain_set(&mut self, wish: Wish) {
        if self.drain.wish() == wish {
            return;
        }
        self.restore_drain(wish);
        let frame = roost_protocol::control::Control::Drain {
            on: wish.on,
            turn: wish.turn,
        };
        if let Some(conn) = &self.conn {
            conn.send(roost_protocol::frame::ToNode::Control(frame));
        }
    }

    fn restore_drain(&mut self, wish: Wish) {
        self.drain = GatewayDrain::restore(wish);
        self.presence.set_wish(wish);
    }

    async fn apply_flow(&mut self, flow: Flow, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        match flow {
            Flow::Fine => Ok(()),
            Flow::CutOff(why) => {
                metrics::counter!("roost_node_cut_off_total").increment(1);
                self.disconnect(&why, cx).await
            }
        }
    }

    async fn tick(&mut self, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        let elsewhere = self.is_elsewhere().await?;
        let flow = self.dispatcher.tick(elsewhere, cx).await?;
        self.apply_flow(flow, cx).await?;
        self.leave_on(cx).await?;
        self.tick_while_needed(cx);
        Ok(())
    }

    /// Ticks again while the dispatcher holds operations, or while the machine is being removed.
    fn tick_while_needed(&mut self, cx: &Context<NodeMsg>) {
        if self.dispatcher.in_flight() > 0 {
            self.tick_after(BUSY_TICK, cx);
        } else if !self.dispatcher.is_idle() || self.leaving.is_some() {
            self.tick_after(IDLE_TICK, cx);
        }
    }

    fn tick_after(&mut self, delay: Duration, cx: &Context<NodeMsg>) {
        let next = cx.cast_self_after(delay, NodeMsg::Tick);
        if let Some(former) = self.tick.replace(next) {
            former.cancel();
        }
    }
}

/// The wish about draining as it is stored.
pub(super) fn wish(row: &node::Model) -> Wish {
    stored_wish(row.draining, row.drain_turn)
}

fn stored_wish(on: bool, turn: i64) -> Wish {
    Wish {
        on,
        turn: u64::try_from(turn).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory of a future that nobody has to make.
    fn size<'a, F>(_: fn(&'a mut NodeActor, NodeMsg, &'a Context<NodeMsg>) -> F) -> usize {
        size_of::<F>()
    }

    fn size_of_stop<'a, F>(_: fn(&'a mut NodeActor, &'a Context<NodeMsg>) -> F) -> usize {
        size_of::<F>()
    }

    /// Each of the fleet's actors holds these while it waits for a message.
    #[test]
    fn actor_at_rest_is_small() {
        let handle = size(<NodeActor as Serve>::handle);
        let stop = size_of_stop(<NodeActor as Serve>::stop);
        assert!(handle <= 1_280, "{handle}");
        assert!(stop <= 128, "{stop}");
        assert!(
            size_of::<NodeActor>() <= 1_536,
            "{}",
            size_of::<NodeActor>()
        );
    }
}
