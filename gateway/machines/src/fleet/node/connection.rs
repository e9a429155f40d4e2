//! How a node's connection begins, is watched, and ends.

use std::sync::Arc;
use std::time::Duration;

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::hello::{Hello, Refused, RefusedReason, Welcome};
use roost_protocol::ids::{ConnectionEpoch, InstallId, NodeId as WireNode};
use roost_protocol::inventory::Inventory;
use roost_protocol::limits::SANDBOX_LEASE_S;
use roost_protocol::machine::handshake::{self, Decision, FIRST_ANSWER_MS, First, Known, Open};
use roost_protocol::version::Version;

use super::{Greet, NodeActor, NodeMsg};
use crate::fleet::entity::node;
use crate::fleet::facts::NodeFact;
use crate::fleet::handle::Counted;
use crate::fleet::model::Connection;
use crate::fleet::node::session::{GivenUp, Greeting};
use crate::fleet::operations::{Fence, Link};
use crate::fleet::pulse::{KEEP_ALIVE, Pulse, hold_ms};
use crate::fleet::sanitize;
use crate::fleet::{store, store_connection};
use roost_platform::events::{self, Event, NodeActivity, ResourceKind};
use roost_platform::promises::Watch;
use roost_platform::supervision::{Context, Failure, Timer};

/// Why a silent machine's connection is closed.
pub(super) const SILENT: &str = "nothing was heard for three heartbeat intervals";

/// The open connection.
pub(super) struct Conn {
    pub(super) socket: u64,
    pub(super) fence: Fence,
    pub(super) inventory: Inventory,
    /// What the socket shares with this actor.
    pub(super) pulse: Arc<Pulse>,
    /// The state that the row has.
    pub(super) shown: Connection,
    /// The machine's daemon knows `sb_flush`.
    pub(super) flush: bool,
    /// The machine's daemon runs terminals without a deadline.
    pub(super) endless: bool,
    open: Open,
    given_up: GivenUp,
    nonce: u64,
    _counted: Counted,
}

/// A machine that waits until the first connection answers.
pub(super) struct Arrival {
    greet: Greet,
    nonce: u64,
    timer: Timer,
}

impl Conn {
    /// Queues a message; a full queue drops it. The check for silence finds a machine that does not read.
    pub(super) fn send(&self, message: ToNode) -> bool {
        self.pulse.send(message)
    }
}

impl Drop for Conn {
    fn drop(&mut self) {
        self.pulse.close();
    }
}

impl NodeActor {
    pub(super) async fn greet(
        &mut self,
        mut greet: Greet,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        sanitize::own_inventory(&mut greet.hello.inventory, self.workspace);
        let known = self.known(&greet.hello).await?;
        match handshake::decide(&greet.hello, &known, First::NotAsked) {
            Decision::Welcome { version } | Decision::Replace { version } => {
                self.welcome(greet, version, cx).await
            }
            Decision::Refuse(refused) => self.refuse(greet, refused, cx).await,
            Decision::AskFirst => {
                self.ask_first(greet, cx);
                Ok(())
            }
        }
    }

    async fn known(&self, hello: &Hello) -> Result<Known, Failure> {
        let row = store::by_id(self.fleet.db().read(), self.id).await?;
        let install = row
            .as_ref()
            .and_then(|row| row.install_id)
            .map_or(hello.install_id, InstallId);
        Ok(Known {
            install_id: install,
            revoked: row.is_none_or(|row| row.deleted_at.is_some()),
            // A stopping tree accepts no message, so the actor that handles this hello is alive.
            stopping: false,
            first: self.conn.as_ref().map(|conn| conn.open.clone()),
        })
    }

    /// This machine may be a copy of the connected machine's disk. The actor pings the first connection, which answers or
    /// is dead.
    fn ask_first(&mut self, greet: Greet, cx: &Context<NodeMsg>) {
        let socket = greet.socket;
        let Some(conn) = &mut self.conn else { return };
        conn.nonce += 1;
        let nonce = conn.nonce;
        conn.send(ToNode::Control(Control::Ping { nonce }));
        let timer = cx.cast_self_after(
            Duration::from_millis(FIRST_ANSWER_MS),
            NodeMsg::FirstIsSilent { socket },
        );
        // A machine that already waited is dropped with its reply: its socket closes, and it may try again.
        if let Some(former) = self.waiting.replace(Arrival {
            greet,
            nonce,
            timer,
        }) {
            former.timer.cancel();
        }
    }

    /// The first connection answered a ping.
    pub(super) async fn pong(&mut self, nonce: u64, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        let Some(arrival) = self.waiting.take_if(|arrival| nonce >= arrival.nonce) else {
            return Ok(());
        };
        arrival.timer.cancel();
        let known = self.known(&arrival.greet.hello).await?;
        match handshake::decide(&arrival.greet.hello, &known, First::Answered) {
            Decision::Refuse(refused) => self.refuse(arrival.greet, refused, cx).await,
            _ => Ok(()),
        }
    }

    pub(super) async fn first_is_silent(
        &mut self,
        socket: u64,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        let Some(arrival) = self
            .waiting
            .take_if(|arrival| arrival.greet.socket == socket)
        else {
            return Ok(());
        };
        let known = self.known(&arrival.greet.hello).await?;
        match handshake::decide(&arrival.greet.hello, &known, First::Silent) {
            Decision::Welcome { version } | Decision::Replace { version } => {
                self.welcome(arrival.greet, version, cx).await
            }
            Decision::Refuse(refused) => self.refuse(arrival.greet, refused, cx).await,
            Decision::AskFirst => Ok(()),
        }
    }

    /// Refuses a machine. The reason is shown to the owner where it concerns the owner.
    async fn refuse(
        &mut self,
        greet: Greet,
        refused: Refused,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        metrics::counter!("roost_node_refusals_total").increment(1);
        tracing::warn!(reason = ?refused.reason, hostname = greet.hello.hostname, "a machine was refused");
        let code = match refused.reason {
            RefusedReason::Cloned => Some("cloned"),
            RefusedReason::WrongInstall => Some("wrong_install"),
            RefusedReason::Version => Some("version"),
            _ => None,
        };
        if let Some(code) = code {
            let who = if greet.hello.hostname.is_empty() {
                "unknown"
            } else {
                &greet.hello.hostname
            };
            let text = format!(
                "a machine that calls itself {who} was refused: {}",
                refused.detail
            );
            let mut tx = self.fleet.db().write().await?;
            if let Some(version) =
                store_connection::note_trouble(&tx, self.id, code, &text, cx.now()).await?
            {
                let event = Event::changed(ResourceKind::Node, self.id, version);
                events::append(&mut tx, self.workspace, cx.now(), [event]).await?;
            }
            tx.commit().await?;
        }
        greet.reply.send(Greeting::Refused(refused));
        Ok(())
    }

    async fn welcome(
        &mut self,
        greet: Greet,
        version: Version,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        let Greet {
            socket,
            token_sha256,
            hello,
            out,
            given_up,
            reply,
        } = greet;
        let interval_s = self.fleet.heartbeat_s();
        let interval = Duration::from_secs(u64::from(interval_s));
        let (node, replica) = (self.id, self.fleet.replica().to_owned());
        let mut tx = self.fleet.db().write().await?;
        let taken = store_connection::connect(
            &tx,
            node,
            &token_sha256,
            &replica,
            (&hello, self.fleet.wanted_image()),
            cx.now(),
            hold_ms(interval),
        )
        .await?;
        let Some(connected) = taken else {
            let detail =
                "this machine was removed from its workspace; pair it again with `roostd join`";
            reply.send(Greeting::Refused(Refused {
                reason: RefusedReason::Revoked,
                detail: detail.to_owned(),
            }));
            return Ok(());
        };
        if !connected.draining {
            self.fleet.waiting_work().wake(&mut tx, node).await?;
        }
        let news = [
            Event::changed(ResourceKind::Node, node, connected.version),
            NodeActivity::on_machine(Some(node), "connected", 1.0),
        ];
        events::append(&mut tx, self.workspace, cx.now(), news).await?;
        tx.commit().await?;
        roost_platform::kill_point!(cx, "fleet.node.after_epoch");
        let former = self.conn.as_ref().map(|conn| conn.fence.epoch);
        if former.is_some_and(|former| former >= connected.conn_epoch) {
            Watch::EpochNotNewer.note(&node);
        }

        self.drop_connection("a newer connection of this machine exists");
        // Another gateway may have changed the wish while the machine was away.
        self.restore_drain(super::stored_wish(connected.draining, connected.drain_turn));
        let epoch = ConnectionEpoch(u64::try_from(connected.conn_epoch).unwrap_or(0));
        let fence = Fence {
            node,
            epoch: connected.conn_epoch,
            held_by: replica,
        };
        let welcome = Welcome {
            version,
            node_id: WireNode(node.0),
            epoch,
            heartbeat_s: interval_s,
            lease_s: SANDBOX_LEASE_S,
            draining: self.drain.wish().on,
            image: Some(self.fleet.wanted_image().to_owned()),
            images: self.fleet.catalogue().to_vec(),
        };
        let born = self.fleet.clock().monotonic();
        let pulse = Pulse::new(fence.clone(), self.workspace, interval_s, born, out.clone());
        let conn = Conn {
            socket,
            fence: fence.clone(),
            inventory: hello.inventory,
            pulse: Arc::clone(&pulse),
            shown: Connection::Connected,
            flush: hello.capabilities.flush,
            endless: hello.capabilities.endless,
            open: Open {
                boot_id: hello.boot_id,
                instance_id: hello.instance_id,
                epoch,
            },
            given_up,
            nonce: KEEP_ALIVE,
            _counted: self.fleet.counted(),
        };
        self.dispatcher.expect_link();
        conn.send(ToNode::Welcome(welcome));
        if let Some(frame) = self.drain.connected() {
            conn.send(ToNode::Control(frame));
        }
        reply.send(Greeting::Welcome(epoch, Arc::clone(&pulse)));
        let flow = self
            .dispatcher
            .attach(Link::Socket(out), Some(fence), &conn.inventory, cx)
            .await?;
        let inventory = conn.inventory.clone();
        self.conn = Some(conn);
        self.presence.set_pulse(Some(pulse));
        self.fleet.publish(NodeFact::Connected {
            node,
            workspace: self.workspace,
            inventory,
        });
        tracing::info!(
            epoch = connected.conn_epoch,
            interval_s,
            "a machine is connected"
        );
        self.apply_flow(flow, cx).await?;
        self.tick_while_needed(cx);
        Ok(())
    }

    /// Shows that the machine is silent or heard again, and closes the connection after three intervals of silence.
    pub(super) async fn contact_changed(
        &mut self,
        epoch: i64,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        let conn = self.conn.as_ref();
        let Some(conn) = conn.filter(|conn| conn.fence.epoch == epoch) else {
            return Ok(());
        };
        match conn.pulse.connection(self.fleet.clock().monotonic()) {
            Connection::Disconnected => self.disconnect(SILENT, cx).await,
            state => self.publish_connection(state, cx).await,
        }
    }

    /// Writes a change of the connection's health, once.
    pub(super) async fn publish_connection(
        &mut self,
        state: Connection,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        let Some(conn) = self.conn.as_mut().filter(|conn| conn.shown != state) else {
            return Ok(());
        };
        conn.shown = state;
        let fence = conn.fence.clone();
        let mut tx = self.fleet.db().write().await?;
        let version = store_connection::set_connection(&tx, &fence, state).await?;
        self.announce(version, cx, &mut tx).await?;
        tx.commit().await?;
        if version.is_none() {
            self.disconnect("a newer connection of this machine exists", cx)
                .await?;
        }
        Ok(())
    }

    /// Appends `resource.changed` for a new version.
    pub(super) async fn announce(
        &self,
        version: Option<i64>,
        cx: &Context<NodeMsg>,
        tx: &mut roost_platform::db::WriteTx,
    ) -> Result<(), Failure> {
        if let Some(version) = version {
            let event = Event::changed(ResourceKind::Node, self.id, version);
            events::append(tx, self.workspace, cx.now(), [event]).await?;
        }
        Ok(())
    }

    pub(super) async fn closed(
        &mut self,
        socket: u64,
        why: &str,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        self.sockets = self.sockets.saturating_sub(1);
        if let Some(arrival) = self
            .waiting
            .take_if(|arrival| arrival.greet.socket == socket)
        {
            arrival.timer.cancel();
        }
        if self.conn.as_ref().is_some_and(|conn| conn.socket == socket) {
            self.disconnect(why, cx).await?;
        }
        Ok(())
    }

    /// Ends the connection. Nothing on the machine ends because of that (P8).
    pub(super) async fn disconnect(
        &mut self,
        why: &str,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        let Some(fence) = self.conn.as_ref().map(|conn| conn.fence.clone()) else {
            return Ok(());
        };
        tracing::info!(why, "a machine is disconnected");
        self.drop_connection(why);
        self.tick_while_needed(cx);
        let mut tx = self.fleet.db().write().await?;
        let version =
            store_connection::set_connection(&tx, &fence, Connection::Disconnected).await?;
        self.announce(version, cx, &mut tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Drops the connection in memory. Its queue goes with it, and that ends its socket.
    pub(super) fn drop_connection(&mut self, why: &str) {
        if let Some(conn) = self.conn.take() {
            self.presence.set_pulse(None);
            conn.given_up.because(why);
            Watch::ContactLost.note(&self.id);
            self.dispatcher.detach();
            self.drain.disconnected();
            self.fleet.publish(NodeFact::Disconnected {
                node: self.id,
                workspace: self.workspace,
            });
        }
    }

    /// A former incarnation died with its connection. This writes to the row that no connection exists.
    pub(super) async fn release(
        &self,
        row: &node::Model,
        cx: &Context<NodeMsg>,
    ) -> Result<(), Failure> {
        if row.held_by.as_deref() != Some(self.fleet.replica()) {
            return Ok(());
        }
        let fence = Fence {
            node: self.id,
            epoch: row.conn_epoch,
            held_by: self.fleet.replica().to_owned(),
        };
        let mut tx = self.fleet.db().write().await?;
        let gone = Connection::Disconnected;
        let version = store_connection::set_connection(&tx, &fence, gone).await?;
        self.announce(version, cx, &mut tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// An ordered stop: the machine gets the reason, and the row records that it is disconnected.
    pub(super) async fn close_connection(&mut self, cx: &Context<NodeMsg>) -> Result<(), Failure> {
        if let Some(conn) = &self.conn {
            let detail = "the gateway is stopping; it will be back".to_owned();
            conn.send(ToNode::Refused(Refused {
                reason: RefusedReason::Stopping,
                detail,
            }));
        }
        self.disconnect("the gateway stops", cx).await
    }
}
