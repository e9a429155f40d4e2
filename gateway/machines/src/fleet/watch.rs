//! The machines whose actors live here, and the one clock that watches all of them. It looks at each contact once a
//! second in memory, pings, and casts a message only to the actor of a machine whose state has changed. So a machine at
//! rest costs no message, no timer and no statement.
//!
//! On PostgreSQL another gateway may drain or delete a machine. One statement for all machines reads these wishes.
//!
//! Parent: `fleet`. Children: none. Restart: permanent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use roost_protocol::machine::drain::Wish;
use sea_orm::DbErr;

use super::handle::FleetHandle;
use super::node::NodeMsg;
use super::pulse::Pulse;
use super::store;
use roost_platform::db::Backend;
use roost_platform::ids::NodeId;
use roost_platform::supervision::{Address, Reply};

/// How often the contacts are looked at.
pub(super) const EVERY: Duration = Duration::from_secs(1);
/// The wishes of other gateways are read in each of so many looks.
const WISHES_EACH: u64 = 5;

/// The machines whose actors live here. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Present {
    here: Arc<Mutex<HashMap<NodeId, One>>>,
    entered: Arc<AtomicU64>,
}

struct One {
    /// Tells apart two incarnations of an actor.
    number: u64,
    actor: Address<NodeMsg>,
    wish: Wish,
    pulse: Option<Arc<Pulse>>,
}

/// An actor's place among those that are present, until it is dropped.
pub(super) struct Presence {
    present: Present,
    node: NodeId,
    number: u64,
}

impl Present {
    fn here(&self) -> MutexGuard<'_, HashMap<NodeId, One>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, node: NodeId, actor: Address<NodeMsg>, wish: Wish) -> Presence {
        let number = self.entered.fetch_add(1, Ordering::Relaxed);
        let one = One {
            number,
            actor,
            wish,
            pulse: None,
        };
        self.here().insert(node, one);
        Presence {
            present: self.clone(),
            node,
            number,
        }
    }

    fn look(&self, fleet: &FleetHandle) {
        let now = fleet.clock().monotonic();
        for one in self.here().values() {
            if let Some(pulse) = &one.pulse
                && pulse.look(now)
            {
                let epoch = pulse.fence.epoch;
                // An actor that restarts has lost its connection anyway.
                let _ = one.actor.cast(NodeMsg::ContactChanged { epoch });
            }
        }
    }

    /// Compares with the store. Only machines that were here before the store was read can be missing in it.
    async fn read_wishes(&self, fleet: &FleetHandle) -> Result<(), DbErr> {
        let before: Vec<(NodeId, u64)> = {
            let here = self.here();
            here.iter().map(|(node, one)| (*node, one.number)).collect()
        };
        let stored = store::wishes(fleet.db().read()).await?;
        let here = self.here();
        for (node, number) in before {
            let Some(one) = here.get(&node).filter(|one| one.number == number) else {
                continue;
            };
            let message = match stored.get(&node) {
                None => NodeMsg::Deleted,
                // A wish that was stored after this look began is newer than what was read.
                Some(wish) if wish.turn > one.wish.turn => {
                    NodeMsg::DrainSet(*wish, Reply::channel().0)
                }
                Some(_) => continue,
            };
            let _ = one.actor.cast(message);
        }
        Ok(())
    }
}

impl Presence {
    fn change(&self, change: impl FnOnce(&mut One)) {
        let mut here = self.present.here();
        if let Some(one) = here
            .get_mut(&self.node)
            .filter(|one| one.number == self.number)
        {
            change(one);
        }
    }

    pub(super) fn set_wish(&self, wish: Wish) {
        self.change(|one| one.wish = wish);
    }

    pub(super) fn set_pulse(&self, pulse: Option<Arc<Pulse>>) {
        self.change(|one| one.pulse = pulse);
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut here = self.present.here();
        if here
            .get(&self.node)
            .is_some_and(|one| one.number == self.number)
        {
            here.remove(&self.node);
        }
    }
}

/// One look at all machines here. A store that fails does not stop it: the contacts are in memory, and the next wishes
/// are read in a few seconds.
pub(super) async fn look(fleet: &FleetHandle, turn: &AtomicU64) {
    fleet.present().look(fleet);
    let turn = turn.fetch_add(1, Ordering::Relaxed);
    if fleet.db().backend() == Backend::Postgres
        && turn.is_multiple_of(WISHES_EACH)
        && let Err(error) = fleet.present().read_wishes(fleet).await
    {
        tracing::warn!(%error, "the wishes of other gateways could not be read");
    }
}
