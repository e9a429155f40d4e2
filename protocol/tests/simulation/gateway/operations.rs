//! Operations of the gateway: their inputs, and the stored ends.
use rand::Rng;
use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::OperationId;
use roost_protocol::machine::operation::{Input, Output, Stage};
use roost_protocol::operation::Operation;
use roost_protocol::report::{Ended, Report, Terminal};

use super::Gateway;
use crate::mutants::Mutant;
use crate::world::{Dead, GRACE_S, Sim};

impl Gateway {
    pub(super) fn bury(&mut self, node: usize, sim: &mut Sim) -> Result<(), Dead> {
        for id in self.of_node(node) {
            self.input(id, Input::NodeDeleted, sim)?;
        }
        self.store.sandboxes.retain(|_, at| *at != node);
        Ok(())
    }

    pub(super) fn of_node(&self, node: usize) -> Vec<OperationId> {
        let rows = self.store.operations.iter();
        rows.filter(|(_, row)| row.node == node)
            .map(|(id, _)| *id)
            .collect()
    }

    pub(super) fn input(
        &mut self,
        id: OperationId,
        input: Input<'_>,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let again = matches!(input, Input::Report(Report::Ended(_)));
        let Some(running) = self.life().running.get_mut(&id) else {
            return Ok(());
        };
        let mut outputs = running.caller.step(input);
        let stage = running.caller.stage();
        if let (true, Input::Report(Report::Ended(ended))) =
            (again && sim.is(Mutant::EndsAgain), input)
        {
            outputs.insert(0, Output::End(ended.clone()));
        }
        if !matches!(stage, Stage::Ended(_)) && sim.rng.random_bool(0.7) {
            self.store
                .operations
                .get_mut(&id)
                .expect("it has a row")
                .stage = stage;
        }
        self.carry_out(id, outputs, sim)
    }

    pub(super) fn carry_out(
        &mut self,
        id: OperationId,
        outputs: Vec<Output>,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let node = self.store.operations[&id].node;
        let epoch = self.store.nodes[node].epoch;
        for output in outputs {
            match output {
                Output::Send => {
                    sim.gap("gateway: before a request is sent")?;
                    let sent_before = self.store.operations[&id].stage != Stage::Requested;
                    if sent_before && sim.is(Mutant::NeverSendsAgain) {
                        continue;
                    }
                    sim.checker.sent(id, epoch);
                    let request = self.store.operations[&id].request.clone();
                    self.send(node, ToNode::Operation(request), sim);
                }
                Output::Cancel => {
                    sim.gap("gateway: before a cancel is sent")?;
                    self.control(node, Control::Cancel { operation: id }, sim);
                }
                Output::Reconcile => {
                    sim.gap("gateway: before a reconcile is sent")?;
                    self.reconcile(node, vec![id], sim);
                }
                Output::Progress(_) => {}
                Output::End(ended) => {
                    sim.gap("gateway: before an end is stored")?;
                    self.end(id, &ended, sim);
                    sim.gap("gateway: between a stored end and its ack")?;
                }
                Output::Ack => self.control(node, Control::Ack { operation: id }, sim),
            }
        }
        Ok(())
    }

    pub(super) fn reconcile(&mut self, node: usize, waiting: Vec<OperationId>, sim: &mut Sim) {
        let wanted = self.store.sandboxes.iter().filter(|(_, at)| **at == node);
        let sandboxes = wanted.map(|(sandbox, _)| *sandbox).collect();
        let control = Control::Reconcile {
            waiting,
            sandboxes,
            grace_s: GRACE_S,
            kept: None,
        };
        self.control(node, control, sim);
    }

    pub(super) fn end(&mut self, id: OperationId, ended: &Ended, sim: &mut Sim) {
        // A machine that lost power may hold less output than was read.
        let mut output_end = ended.output_end;
        if let Some(running) = self.life().running.get_mut(&id)
            && let Some(receiver) = &mut running.receiver
        {
            output_end = output_end.max(receiver.next());
            receiver.ended(output_end);
            sim.checker.gone(id, ended.output_end, output_end);
        }
        let row = self.store.operations.get_mut(&id).expect("it has a row");
        sim.note(|| format!("the caller of {id} receives {:?}", ended.state));
        sim.checker
            .end_reported(id, ended, self.store.nodes[row.node].deleted);
        row.stage = Stage::Ended(ended.state);
        row.output_end = output_end;
        let sandbox = row.request.operation.sandbox();
        let gone = match &row.request.operation {
            Operation::SbProvision(_) => ended.state != Terminal::Done,
            Operation::SbDestroy(_) => ended.state == Terminal::Done,
            _ => false,
        };
        if let Some(sandbox) = sandbox.filter(|_| gone) {
            self.store.sandboxes.remove(&sandbox);
        }
    }
}
