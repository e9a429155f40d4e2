//! The daemon's background work: leases, orphans, and the conditions of a drain.
use rand::Rng;
use roost_protocol::control::{ControlReply, GoneCause};
use roost_protocol::frame::ToGateway;
use roost_protocol::ids::SandboxId;
use roost_protocol::machine::drain::Holding;
use roost_protocol::machine::lease::{Found, Lease, is_orphan};
use roost_protocol::machine::ledger::Kind;

use super::Node;
use crate::mutants::Mutant;
use crate::world::{Dead, Sim};

impl Node {
    pub(super) fn keep_house(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        let slots: Vec<_> = self.daemon().slots.keys().copied().collect();
        for id in slots {
            let effects = self
                .daemon()
                .slots
                .get_mut(&id)
                .map(|slot| slot.tick(now_ms));
            self.carry_out(id, effects.unwrap_or_default(), sim)?;
        }
        let sandboxes: Vec<_> = self.engine.containers.keys().copied().collect();
        for sandbox in sandboxes {
            let container = &self.engine.containers[&sandbox];
            let (made_ms, used_ms, lease_s) =
                (container.made_ms, container.used_ms, container.lease_s);
            let busy = self.busy(sandbox);
            if busy {
                self.touch(sandbox, now_ms);
            }
            let lease = self.daemon().leases.get(&sandbox).copied();
            let mut over = lease.is_some_and(|lease| lease.is_over(busy, now_ms));
            if sim.is(Mutant::LeaseFromTheMaking) {
                over = Lease::new(lease_s, made_ms).is_over(busy, now_ms);
            }
            if over {
                sim.note(|| format!("node {}: the lease of {sandbox} is over", self.index));
                sim.checker
                    .lease_over(sandbox, now_ms - used_ms, lease_s * 1000);
                sim.gap("node: before a lease ends a sandbox")?;
                self.remove(sandbox);
                let reply = ControlReply::SandboxGone {
                    sandbox,
                    cause: GoneCause::LeaseOver,
                };
                self.send(ToGateway::Reply(reply), sim);
            }
        }
        Ok(())
    }

    pub(super) fn busy(&mut self, sandbox: SandboxId) -> bool {
        let daemon = self.daemon();
        daemon.slots.iter().any(|(id, slot)| {
            slot.in_flight() && daemon.requests[id].operation.sandbox() == Some(sandbox)
        })
    }

    pub(super) fn touch(&mut self, sandbox: SandboxId, now_ms: u64) {
        if !self.engine.containers.contains_key(&sandbox) {
            return;
        }
        self.used.insert(sandbox, now_ms);
        if let Some(lease) = self.daemon().leases.get_mut(&sandbox) {
            lease.used(now_ms);
        }
        if let Some(container) = self.engine.containers.get_mut(&sandbox) {
            container.used_ms = now_ms;
        }
    }

    pub(super) fn holding(&mut self, sim: &mut Sim) -> Holding {
        let provisions = self.daemon().slots.values();
        let provisions = provisions
            .filter(|slot| slot.kind() == Kind::Provision && slot.in_flight())
            .count();
        Holding {
            sandboxes: self.engine.containers.len(),
            provisions: if sim.is(Mutant::OverlooksProvisions) {
                0
            } else {
                provisions
            },
            engine_silent: sim.faults && sim.rng.random_bool(0.05),
        }
    }

    pub(super) fn sweep(
        &mut self,
        wanted: &[SandboxId],
        grace_s: u64,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let all: Vec<_> = self.engine.containers.keys().copied().collect();
        for sandbox in all {
            let found = Found {
                listed: wanted.contains(&sandbox),
                ours: true,
                busy: self.busy(sandbox),
                age_ms: sim.now_ms - self.engine.containers[&sandbox].made_ms,
            };
            if is_orphan(found, grace_s) {
                let still_wanted = sim.wanted.contains(&sandbox);
                sim.checker.orphan(sandbox, still_wanted);
                sim.gap("node: before an orphan goes")?;
                self.remove(sandbox);
            }
        }
        Ok(())
    }
}
