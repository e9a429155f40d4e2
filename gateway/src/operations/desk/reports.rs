//! What an engine reports, and the one end that is believed (promise P1).

use std::sync::Arc;

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::OperationId as WireId;
use roost_protocol::limits::MAX_STREAMED_BYTES;
use roost_protocol::machine::operation::{Input, Output};
use roost_protocol::output::OutputChunk;
use roost_protocol::report::{Ended, ErrorKind, OperationReport, Report, Terminal};

use super::{Desk, Flow, worse};
use crate::ids::OperationId;
use crate::kill_point;
use crate::operations::error::OperationsError;
use crate::operations::live::Live;
use crate::operations::model;
use crate::operations::ring::{Part, Taken};
use crate::operations::store::{self, Fence};
use crate::promises::Watch;
use crate::supervision::Context;

impl Desk {
    /// Takes a report. The text in it was cleaned by the actor.
    pub async fn report<M: Send + 'static>(
        &mut self,
        report: OperationReport,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let id = OperationId::from(report.operation);
        let Some(live) = self
            .operations
            .registry()
            .get(id)
            .filter(|live| live.target == self.target)
        else {
            return self.report_of_unknown(id, &report.report).await;
        };
        if live.is_ended() && matches!(report.report, Report::NeverSeen) {
            // The machine kept nothing: whoever reads on is told that the rest is gone.
            live.detached();
            return Ok(Flow::Fine);
        }
        if live.is_ended() && matches!(report.report, Report::Ended(_)) {
            Watch::SecondEnd.note(&id);
        }
        let outputs = live.step(Input::Report(&report.report));
        self.carry_out(&live, outputs, cx).await
    }

    /// Does what the pure machine says, in its order.
    pub(super) async fn carry_out<M: Send + 'static>(
        &mut self,
        live: &Arc<Live>,
        outputs: Vec<Output>,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let operation = WireId(live.id.0);
        let mut flow = Flow::Fine;
        for output in outputs {
            let said = match output {
                Output::Send => live
                    .request()
                    .map_or(Flow::Fine, |request| self.say(ToNode::Operation(request))),
                Output::Cancel => self.say(ToNode::Control(Control::Cancel { operation })),
                Output::Ack => self.say(ToNode::Control(Control::Ack { operation })),
                Output::Progress(detail) => {
                    live.progress(detail);
                    Flow::Fine
                }
                Output::End(ended) => {
                    let ended = if model::answers(&live.asked, &ended) {
                        ended
                    } else {
                        Watch::Disbelieved.note(&live.id);
                        disbelieved(&ended)
                    };
                    self.finish(live, ended, self.fence.clone(), cx).await?
                }
                // Gathered into one frame by `attach`.
                Output::Reconcile => Flow::Fine,
            };
            flow = worse(flow, said);
        }
        Ok(flow)
    }

    /// A report on what is not in memory: acknowledged when it is ours and over, otherwise not believed.
    pub(super) async fn report_of_unknown(
        &self,
        id: OperationId,
        report: &Report,
    ) -> Result<Flow, OperationsError> {
        let row = store::get(self.operations.db().read(), id).await?;
        match row {
            Some(row) if row.target() == self.target && row.state().is_final() => {
                Ok(self.settle(id, report))
            }
            _ => {
                metrics::counter!("roost_node_foreign_reports_total").increment(1);
                tracing::debug!(operation = %id, "a report on an operation that is not this machine's was ignored");
                Ok(Flow::Fine)
            }
        }
    }

    /// We ended it before the machine did: let it forget an end, stop what still runs.
    fn settle(&self, id: OperationId, report: &Report) -> Flow {
        let operation = WireId(id.0);
        match report {
            Report::Ended(_) => self.say(ToNode::Control(Control::Ack { operation })),
            Report::Accepted | Report::Progress { .. } => {
                self.say(ToNode::Control(Control::Cancel { operation }))
            }
            Report::NeverSeen | Report::Unknown => Flow::Fine,
        }
    }

    /// Writes the one end, tells everybody who waits, and lets the machine forget (promise P1).
    pub(super) async fn finish<M: Send + 'static>(
        &mut self,
        live: &Arc<Live>,
        mut ended: Ended,
        fence: Option<Fence>,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let (_, _, seen) = live.glance();
        ended.output_end = ended.output_end.max(seen).min(MAX_STREAMED_BYTES);
        kill_point!(cx, "operations.finish.before_row");
        let tx = self.operations.db().write().await?;
        let won = store::finish(&tx, live.id, fence.as_ref(), &ended, cx.now()).await?;
        tx.commit().await?;
        kill_point!(cx, "operations.finish.after_row");
        if !won {
            match store::get(self.operations.db().read(), live.id)
                .await?
                .map(|row| row.ended())
            {
                Some(Some(stored)) => {
                    Watch::SecondEnd.note(&live.id);
                    ended = stored;
                }
                // Still open, so the fence fell: a newer connection has this machine now.
                Some(None) => {
                    Watch::FenceFell.note(&live.id);
                    return Ok(Flow::CutOff("a newer connection of this machine exists"));
                }
                None => {
                    self.operations.registry().remove(live.id);
                    return Ok(Flow::Fine);
                }
            }
        }
        self.stdin.over(live.id);
        let state = ended.state;
        live.end(ended, cx.monotonic());
        if won {
            self.show(live, Some(state)).await;
        }
        Ok(worse(self.see_to(live), self.stored(live)))
    }

    /// Lets the machine forget an end whose output is here or wanted by nobody.
    pub(super) fn stored(&self, live: &Live) -> Flow {
        let outputs = live.step(Input::OutputStored {
            up_to: live.stored_to(),
        });
        if outputs.contains(&Output::Ack) {
            return self.say(ToNode::Control(Control::Ack {
                operation: WireId(live.id.0),
            }));
        }
        Flow::Fine
    }

    /// Takes a piece of output.
    pub fn output(&mut self, chunk: OutputChunk) -> Flow {
        let id = OperationId::from(chunk.operation);
        let Some(live) = self
            .operations
            .registry()
            .get(id)
            .filter(|live| live.target == self.target)
        else {
            metrics::counter!("roost_node_foreign_output_total").increment(1);
            return Flow::Fine;
        };
        match live.output(Part::from(chunk.piece)) {
            Taken::Extended => self.see_to(&live),
            Taken::Repeated => Flow::Fine,
            Taken::Beyond => {
                Watch::BeyondRefused.note(&id);
                Flow::Fine
            }
            Taken::Nonsense => Flow::CutOff("it numbers output as nobody can"),
        }
    }

    /// The machine has taken stdin up to here.
    pub fn stdin_taken(&mut self, id: WireId, offset: u64) {
        self.stdin.taken(OperationId::from(id), offset);
    }
}

fn disbelieved(ended: &Ended) -> Ended {
    metrics::counter!("roost_node_answers_disbelieved_total").increment(1);
    let detail = "the machine answered something else than was asked; its answer is not used";
    Ended {
        duration_ms: ended.duration_ms,
        ..Ended::without_result(Terminal::Failed, ErrorKind::Internal, detail)
    }
}
