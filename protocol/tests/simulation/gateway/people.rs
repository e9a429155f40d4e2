//! Requests of people to the gateway.
use std::collections::VecDeque;

use rand::Rng;
use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::machine::operation::{Caller, Input, Stage};
use roost_protocol::machine::output::Receiver;
use roost_protocol::machine::stdin::Source;
use roost_protocol::operation::{Operation, OperationRequest};

use super::{Gateway, Row, Running, WINDOW};
use crate::world::Sim;

impl Gateway {
    /// A node that accepts placements.
    pub fn placeable(&self, sim: &mut Sim) -> Option<usize> {
        let life = self.life.as_ref()?;
        let node = sim.rng.random_range(0..self.store.nodes.len());
        let here = life.sessions.contains_key(&node) || sim.rng.random_bool(0.2);
        (here && !self.store.nodes[node].deleted && life.drains[node].may_place()).then_some(node)
    }

    pub fn sandbox(&self, sim: &mut Sim) -> Option<(SandboxId, usize)> {
        let all = &self.store.sandboxes;
        let at = sim.rng.random_range(0..all.len().max(1));
        all.iter().nth(at).map(|(sandbox, node)| (*sandbox, *node))
    }

    pub fn running(&self, sim: &mut Sim) -> Option<OperationId> {
        let life = self.life.as_ref()?;
        let open: Vec<_> = life
            .running
            .iter()
            .filter(|(_, running)| !running.caller.is_ended())
            .collect();
        open.get(sim.rng.random_range(0..open.len().max(1)))
            .map(|(id, _)| **id)
    }

    /// A person requests an operation.
    pub fn ask(&mut self, node: usize, request: OperationRequest, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            let id = request.id;
            if let Operation::SbProvision(provision) = &request.operation {
                gateway.store.sandboxes.insert(provision.spec.sandbox, node);
            }
            let exec = matches!(request.operation, Operation::SbExec(_));
            let row = Row {
                node,
                request,
                stage: Stage::Requested,
                cancelling: false,
                output_end: 0,
                stored_to: 0,
            };
            gateway.store.operations.insert(id, row);
            sim.gap("gateway: between a new row and its sending")?;
            let running = Running {
                caller: Caller::new(),
                receiver: exec.then(|| Receiver::new(WINDOW)),
                waiting: VecDeque::new(),
                stdin: exec.then(Source::default),
            };
            gateway.life().running.insert(id, running);
            if gateway.life().sessions.contains_key(&node) {
                gateway.input(id, Input::Connected { listed: None }, sim)?;
            }
            Ok(())
        });
    }

    pub fn cancel(&mut self, id: OperationId, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            gateway
                .store
                .operations
                .get_mut(&id)
                .expect("it runs")
                .cancelling = true;
            sim.gap("gateway: between a wish to cancel and its sending")?;
            gateway.input(id, Input::Cancel, sim)
        });
    }

    pub fn drain(&mut self, node: usize, on: bool, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            if let Some(control) = gateway.life().drains[node].set(on) {
                let wish = gateway.life().drains[node].wish();
                gateway.store.nodes[node].wish = wish;
                sim.gap("gateway: between a wish to drain and its sending")?;
                gateway.control(node, control, sim);
            }
            Ok(())
        });
    }

    /// The store loses a sandbox, as a store does that was restored from a backup.
    pub fn forget(&mut self, sandbox: SandboxId, sim: &mut Sim) {
        self.store.sandboxes.remove(&sandbox);
        sim.wanted.remove(&sandbox);
    }

    pub fn delete(&mut self, node: usize, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            gateway.store.nodes[node].deleted = true;
            sim.gap("gateway: between a deletion and its ends")?;
            gateway.lose(node, sim)?;
            gateway.bury(node, sim)
        });
    }
}
