//! Handles an engine's reports, and accepts exactly one end (promise P1).

use std::sync::Arc;
use std::time::Instant;

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::OperationId as WireId;
use roost_protocol::limits::{KEPT_OUTPUT_BYTES, MAX_STREAMED_BYTES};
use roost_protocol::machine::operation::{Input, Output};
use roost_protocol::machine::output::Taken;
use roost_protocol::output::OutputChunk;
use roost_protocol::report::{Ended, ErrorKind, OperationReport, Report, Terminal};

use super::{Dispatcher, Flow, worse};
use crate::fleet::operations::OperationRow;
use crate::fleet::operations::command_store;
use crate::fleet::operations::error::OperationsError;
use crate::fleet::operations::live::Live;
use crate::fleet::operations::model::{self, Target};
use crate::fleet::operations::store::{self, Fence};
use roost_platform::db::WriteTx;
use roost_platform::ids::{OperationId, WorkspaceId};
use roost_platform::kill_point;
use roost_platform::promises::Watch;
use roost_platform::supervision::Context;

impl Dispatcher {
    /// Handles a report. The actor has cleaned its text.
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
            return self.report_of_unknown(id, &report.report, cx).await;
        };
        if live.is_ended() && matches!(report.report, Report::NeverSeen) {
            // The machine kept nothing: readers learn that the rest is gone.
            live.gone();
            return Ok(Flow::Fine);
        }
        // A machine repeats an end until it is acknowledged, and with each replay; a repetition is not a second end.
        if matches!(&report.report, Report::Ended(ended) if live.ended_otherwise(ended)) {
            Watch::SecondEnd.note(&id);
        }
        let outputs = live.step(Input::Report(&report.report));
        if self.is_told_early(&report.report) {
            self.tell(&live, &outputs, cx).await;
        }
        let flow = self.carry_out(&live, outputs, cx).await?;
        if let Report::Ended(ended) = &report.report {
            live.held_to(ended.output_end);
        }
        Ok(flow)
    }

    /// Whether readers get this end before the row has it. The executor on this host has the end in its ledger and
    /// repeats it, and nobody else can end the row. A machine's row can be ended by another gateway, and an operation
    /// that the executor never saw has no entry in its ledger: these ends wait for the row.
    fn is_told_early(&self, report: &Report) -> bool {
        self.target == Target::Local && self.link.is_some() && matches!(report, Report::Ended(_))
    }

    async fn tell<M: Send + 'static>(&self, live: &Arc<Live>, outputs: &[Output], cx: &Context<M>) {
        let end = outputs.iter().find_map(|output| match output {
            Output::End(ended) => Some(ended.clone()),
            _ => None,
        });
        if let Some(ended) = end {
            let ended = measured(live, believed(live, ended));
            live.tell(ended, cx.now(), cx.monotonic());
            kill_point!(cx, "operations.finish.told");
        }
    }

    /// Carries out the outputs of the pure machine, in their order.
    pub(super) async fn carry_out<M: Send + 'static>(
        &mut self,
        live: &Arc<Live>,
        outputs: Vec<Output>,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let operation = WireId(live.id.0);
        let mut flow = Flow::Fine;
        for output in outputs {
            let sent = match output {
                Output::Send => live
                    .request()
                    .map_or(Flow::Fine, |request| self.send(ToNode::Operation(request))),
                Output::Cancel => self.send(ToNode::Control(Control::Cancel { operation })),
                Output::Ack => self.send(ToNode::Control(Control::Ack { operation })),
                Output::Progress(detail) => {
                    live.progress(detail);
                    Flow::Fine
                }
                Output::End(ended) => {
                    if !model::answers(&live.asked, &ended) {
                        Watch::Disbelieved.note(&live.id);
                        metrics::counter!("roost_node_answers_disbelieved_total").increment(1);
                    }
                    let ended = believed(live, ended);
                    self.finish(live, ended, self.fence.clone(), cx).await?
                }
                // `attach` puts these into one frame.
                Output::Reconcile => Flow::Fine,
            };
            flow = worse(flow, sent);
        }
        Ok(flow)
    }

    /// A report about an operation that is not in memory. It is acknowledged if it is ours and over; otherwise it is
    /// ignored.
    pub(super) async fn report_of_unknown<M: Send + 'static>(
        &self,
        id: OperationId,
        report: &Report,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let row = store::get(self.operations.db().read(), id).await?;
        match row {
            Some(row) if row.target() == self.target && row.state().is_final() => {
                match (report, row.ended()) {
                    (Report::Ended(_), Some(ended)) if ended.output_end > KEPT_OUTPUT_BYTES => {
                        Ok(self.keep_for_readers(&row, ended, report, cx.monotonic()))
                    }
                    _ => Ok(self.acknowledge_or_cancel(id, report)),
                }
            }
            _ => {
                metrics::counter!("roost_node_foreign_reports_total").increment(1);
                tracing::debug!(operation = %id, "a report on an operation that is not this machine's was ignored");
                Ok(Flow::Fine)
            }
        }
    }

    /// The operation ended before this gateway started, and it may have had readers. The machine trims its output when
    /// the end is acknowledged. So it is loaded into memory, and acknowledged after its readers had time to return.
    fn keep_for_readers(
        &self,
        row: &OperationRow,
        ended: Ended,
        report: &Report,
        now: Instant,
    ) -> Flow {
        let live = Live::over(row.id, self.target, row.asked(), ended, 0, now);
        let live = self.operations.registry().put(live);
        // An operation that has ended produces only an acknowledgement, which is not due yet.
        let _ = live.step(Input::Connected { listed: None });
        let _ = live.step(Input::Report(report));
        self.stored(&live, now)
    }

    /// The gateway ended it before the machine did: acknowledges an end, cancels what still runs.
    fn acknowledge_or_cancel(&self, id: OperationId, report: &Report) -> Flow {
        let operation = WireId(id.0);
        match report {
            Report::Ended(_) => self.send(ToNode::Control(Control::Ack { operation })),
            Report::Accepted | Report::Progress { .. } => {
                self.send(ToNode::Control(Control::Cancel { operation }))
            }
            Report::NeverSeen | Report::Unknown => Flow::Fine,
        }
    }

    /// Writes the one end, informs all waiters, and lets the machine delete it (promise P1).
    pub(super) async fn finish<M: Send + 'static>(
        &mut self,
        live: &Arc<Live>,
        mut ended: Ended,
        fence: Option<Fence>,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        ended = measured(live, ended);
        let at = live.told().map_or_else(|| cx.now(), |(_, at)| at);
        kill_point!(cx, "operations.finish.before_row");
        let tx = self.operations.db().write().await?;
        let won = store::finish(&tx, live.id, fence.as_ref(), &ended, at).await?;
        let is_kept = won && self.keep_output(&tx, live, &ended).await?;
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
                // The row is still open, so the fence failed: a newer connection has this machine now.
                Some(None) => {
                    Watch::FenceFell.note(&live.id);
                    return Ok(Flow::CutOff(
                        "a newer connection of this machine exists".into(),
                    ));
                }
                None => {
                    self.operations.registry().remove(live.id);
                    return Ok(Flow::Fine);
                }
            }
        }
        self.stdin.over(live.id);
        let state = ended.state;
        if is_kept {
            live.note_kept();
        }
        live.end(ended, cx.monotonic());
        if won {
            self.publish_activity(live, Some(state));
        }
        Ok(worse(
            self.send_grants(live),
            self.stored(live, cx.monotonic()),
        ))
    }

    /// Keeps the output of a recorded command with its end, if all of it has arrived. Returns whether nothing is left to
    /// keep.
    async fn keep_output(
        &self,
        tx: &WriteTx,
        live: &Live,
        ended: &Ended,
    ) -> Result<bool, OperationsError> {
        let workspace = live.asked.workspace.map(WorkspaceId).or(self.owner);
        let (true, Some(workspace)) = (live.is_recorded(), workspace) else {
            return Ok(true);
        };
        let Some(kept) = live.kept(ended.output_end) else {
            return Ok(false);
        };
        if !kept.is_empty() {
            command_store::keep(tx, workspace, live.id, &kept).await?;
        }
        Ok(true)
    }

    /// Lets the machine delete an end if its output is here or has no reader.
    pub(super) fn stored(&self, live: &Live, now: Instant) -> Flow {
        let outputs = live.step(Input::OutputStored {
            up_to: live.stored_to(now),
        });
        if outputs.contains(&Output::Ack) {
            return self.send(ToNode::Control(Control::Ack {
                operation: WireId(live.id.0),
            }));
        }
        Flow::Fine
    }

    /// Handles a piece of output.
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
        match live.output(chunk.piece) {
            Ok(Taken::Data { .. } | Taken::Gap { .. }) => self.send_grants(&live),
            Ok(Taken::Duplicate) => Flow::Fine,
            Ok(Taken::Stray | Taken::Hole) => {
                Watch::BeyondRefused.note(&id);
                self.send_grants(&live)
            }
            Err(fault) => {
                Watch::OutputRefused.note(&id);
                Flow::CutOff(format!("{fault} (operation {id})").into())
            }
        }
    }

    /// The machine has taken stdin up to this offset.
    pub fn stdin_taken(&mut self, id: WireId, offset: u64) -> Flow {
        let id = OperationId::from(id);
        self.stdin.taken(id, offset);
        self.send_stdin(id)
    }
}

/// The end that the gateway accepts: an answer to something else than was asked is none.
fn believed(live: &Live, ended: Ended) -> Ended {
    if model::answers(&live.asked, &ended) {
        return ended;
    }
    contradiction(&ended)
}

/// An end is never before the output that this gateway has seen.
fn measured(live: &Live, mut ended: Ended) -> Ended {
    let (_, _, seen) = live.glance();
    ended.output_end = ended.output_end.max(seen).min(MAX_STREAMED_BYTES);
    ended
}

fn contradiction(ended: &Ended) -> Ended {
    let detail = "the machine answered something else than was asked; its answer is not used";
    Ended {
        duration_ms: ended.duration_ms,
        ..Ended::without_result(Terminal::Failed, ErrorKind::Internal, detail)
    }
}
