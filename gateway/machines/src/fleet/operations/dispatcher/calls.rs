//! The calls to an engine: submit, cancel, stdin and the rest.

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::{AgentId, OperationId as WireId, SandboxId as WireSandbox};
use roost_protocol::limits::MAX_IN_FLIGHT;
use roost_protocol::machine::admission::Commands;
use roost_protocol::machine::operation::{Input, Output};
use roost_protocol::operation::Operation;

use super::{Dispatcher, Flow, what_became_of, worse};
use crate::fleet::operations::OperationRow;
use crate::fleet::operations::error::OperationsError;
use crate::fleet::operations::line::EngineCall;
use crate::fleet::operations::live::Live;
use crate::fleet::operations::model::{self, Asked, OperationRef, Target};
use crate::fleet::operations::stdin::{Post, StdinMessage};
use crate::fleet::operations::store::{self, NewOperation};
use crate::fleet::operations::submission::Submission;
use roost_platform::db::unique_violation;
use roost_platform::ids::{OperationId, SandboxId};
use roost_platform::kill_point;
use roost_platform::promises::Watch;
use roost_platform::supervision::{Context, Reply};

/// The kind of a command.
const EXEC: &str = "sb_exec";

impl Dispatcher {
    /// Answers one call. The actor has already decided whether the engine may get work at all.
    pub async fn call<M: Send + 'static>(
        &mut self,
        call: EngineCall,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        match call {
            EngineCall::Submit(submission, reply) => {
                let taken = self.submit(*submission, cx).await;
                let (answer, flow) = match taken {
                    Ok((taken, flow)) => (Ok(taken), flow),
                    Err(error) => (Err(error), Flow::Fine),
                };
                reply.send(answer);
                Ok(flow)
            }
            EngineCall::Cancel(id, reply) => {
                let flow = self.cancel(id, cx).await;
                Ok(answer(reply, flow))
            }
            EngineCall::Resize(id, size, reply) => {
                let flow = self.open(id).map(|()| {
                    self.send(ToNode::Control(Control::Resize {
                        operation: WireId(id.0),
                        size,
                    }))
                });
                Ok(answer(reply, flow))
            }
            EngineCall::Stdin {
                id,
                offset,
                data,
                eof,
                reply,
            } => match self.open(id) {
                Ok(()) => {
                    let post = Post {
                        offset,
                        data,
                        eof,
                        port: reply,
                    };
                    self.stdin.post(id, post);
                    Ok(self.send_stdin(id))
                }
                Err(error) => {
                    reply.send(Err(error));
                    Ok(Flow::Fine)
                }
            },
            EngineCall::Lease(sandboxes, lease_s) => {
                let sandboxes = sandboxes.into_iter().map(wire_sandbox).collect();
                Ok(self.send(ToNode::Control(Control::Lease { sandboxes, lease_s })))
            }
            EngineCall::Reconcile {
                sandboxes,
                grace_s,
                kept,
            } => {
                let sandboxes = sandboxes.into_iter().map(wire_sandbox).collect();
                Ok(self.send(ToNode::Control(Control::Reconcile {
                    waiting: Vec::new(),
                    sandboxes,
                    grace_s,
                    kept,
                })))
            }
            EngineCall::Reach(reply) => {
                reply.send(Ok(()));
                Ok(Flow::Fine)
            }
            EngineCall::Forget {
                owner,
                archives,
                results,
            } => Ok(self.send(ToNode::Control(Control::Forget {
                agent: AgentId(owner.0),
                archives,
                results,
            }))),
            EngineCall::Nudge(id) => match self.operations.registry().get(id) {
                Some(live) => {
                    if self.link.is_none() {
                        live.detached(self.away_since);
                    }
                    Ok(self.send_grants(&live))
                }
                None => Ok(Flow::Fine),
            },
        }
    }

    fn open(&self, id: OperationId) -> Result<(), OperationsError> {
        match self
            .operations
            .registry()
            .get(id)
            .filter(|live| live.target == self.target)
        {
            None => Err(OperationsError::UnknownOperation(id)),
            Some(live) if live.is_ended() || live.told().is_some() => {
                Err(OperationsError::Over(id))
            }
            Some(_) if self.link.is_none() => match self.target {
                Target::Node(node) => Err(OperationsError::NodeOffline(node)),
                Target::Local => Err(OperationsError::LocalOff),
            },
            Some(_) => Ok(()),
        }
    }

    /// Sends as much stdin as the machine has room for.
    pub(super) fn send_stdin(&mut self, id: OperationId) -> Flow {
        let operation = WireId(id.0);
        let mut flow = Flow::Fine;
        while self.link.is_some() && flow == Flow::Fine {
            let Some(said) = self.stdin.send(id) else {
                break;
            };
            let (offset, data, eof) = match said {
                StdinMessage::Chunk(chunk, data) => (chunk.offset, data, chunk.eof),
                StdinMessage::Probe { offset } => (offset, Vec::new(), false),
            };
            flow = self.send(ToNode::Control(Control::Stdin {
                operation,
                offset,
                data,
                eof,
            }));
        }
        flow
    }

    /// Whether one more operation may be under way here. This counts the operations that this gateway sent and that have
    /// not ended; the machine has its own count.
    fn room(&self, asked: &Asked) -> Result<(), OperationsError> {
        let (mut in_flight, mut commands) = (0, Commands::default());
        for live in self.all().iter().filter(|live| !live.is_ended()) {
            in_flight += 1;
            if live.asked.kind == EXEC {
                let same = |a: Option<uuid::Uuid>, b| a.is_some() && a == b;
                commands.note(
                    same(live.asked.workspace, asked.workspace),
                    same(live.asked.sandbox, asked.sandbox),
                );
            }
        }
        if asked.kind == EXEC {
            commands.room()?;
        }
        if in_flight >= MAX_IN_FLIGHT {
            return Err(OperationsError::Busy {
                most: MAX_IN_FLIGHT,
            });
        }
        Ok(())
    }

    async fn submit<M: Send + 'static>(
        &mut self,
        submission: Submission,
        cx: &Context<M>,
    ) -> Result<(OperationRef, Flow), OperationsError> {
        let Submission {
            request,
            entry,
            record,
        } = submission;
        let id = OperationId::from(request.id);
        let taken = OperationRef {
            id,
            target: self.target,
        };
        let registry = self.operations.registry();
        if registry.get(id).is_some() {
            Watch::RepeatNotSent.note(&id);
            return Ok((taken, Flow::Fine));
        }
        self.room(&Asked::of(&request))?;
        request.validate()?;
        let wire = rmp_serde::to_vec_named(&request)
            .map_err(|error| sea_orm::DbErr::Custom(error.to_string()))?;
        kill_point!(cx, "operations.submit.before_row");
        let mut asked = Asked::of(&request);
        asked.workspace = asked.workspace.or(self.owner.map(Into::into));
        let is_recorded = record.is_some();
        let at = cx.now();
        let give_up_at = at + model::give_up_after(&request);
        let new = NewOperation {
            id,
            target: self.target,
            engine: &self.engine,
            asked: &asked,
            record,
            request: model::summary(&request),
            wire,
            at,
            give_up_at,
        };
        let tx = self.operations.db().write().await?;
        match store::insert(&tx, new).await {
            Ok(()) => {
                if let Some(entry) = &entry {
                    entry.record(&tx, at).await?;
                }
                tx.commit().await?;
            }
            // The caller repeats a request that was accepted before: the row has its result.
            Err(error) if unique_violation(&error) => {
                drop(tx);
                let row = store::get(self.operations.db().read(), id)
                    .await?
                    .ok_or(OperationsError::UnknownOperation(id))?;
                let target = row.target();
                let flow = self.adopt(row, cx).await?;
                return Ok((OperationRef { id, target }, flow));
            }
            Err(error) => return Err(error.into()),
        }
        kill_point!(cx, "operations.submit.after_row");
        if matches!(&request.operation, Operation::SbExec(exec) if exec.stdin) {
            self.stdin.begin(id);
        }
        let live = self
            .operations
            .registry()
            .put(Live::begun(self.target, request));
        if is_recorded {
            live.note_recorded();
        }
        let flow = if self.link.is_some() {
            let outputs = live.step(Input::Connected { listed: None });
            self.carry_out(&live, outputs, cx).await?
        } else {
            Flow::Fine
        };
        self.publish_activity(&live, None);
        kill_point!(cx, "operations.submit.after_send");
        Ok((taken, flow))
    }

    /// Handles an operation that the store has and memory does not. If it is open and of this engine, its writer never
    /// learned that the commit succeeded, so it was never sent. It continues as after a restart.
    async fn adopt<M: Send + 'static>(
        &mut self,
        row: OperationRow,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let ours = row.target() == self.target
            && (self.target != Target::Local || row.engine.as_ref() == Some(&self.engine));
        if !ours || row.state().is_final() {
            Watch::RepeatNotSent.note(&row.id);
            return Ok(Flow::Fine);
        }
        let live = self.load(&row);
        if self.link.is_none() {
            return Ok(Flow::Fine);
        }
        let outputs = live.step(Input::Connected { listed: None });
        let mut flow = Flow::Fine;
        if outputs.contains(&Output::Reconcile) {
            flow = self.send(what_became_of(vec![WireId(live.id.0)], Vec::new()));
        }
        Ok(worse(flow, self.carry_out(&live, outputs, cx).await?))
    }

    async fn cancel<M: Send + 'static>(
        &mut self,
        id: OperationId,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let live = self
            .operations
            .registry()
            .get(id)
            .filter(|live| live.target == self.target);
        let Some(live) = live else {
            return Err(OperationsError::UnknownOperation(id));
        };
        if live.is_ended() {
            return Err(OperationsError::Over(id));
        }
        let tx = self.operations.db().write().await?;
        store::note_cancelling(&tx, id).await?;
        tx.commit().await?;
        let outputs = live.step(Input::Cancel);
        self.carry_out(&live, outputs, cx).await
    }
}

fn wire_sandbox(id: SandboxId) -> WireSandbox {
    WireSandbox(id.0)
}

fn answer(reply: Reply<Result<(), OperationsError>>, flow: Result<Flow, OperationsError>) -> Flow {
    match flow {
        Ok(flow) => {
            reply.send(Ok(()));
            flow
        }
        Err(error) => {
            reply.send(Err(error));
            Flow::Fine
        }
    }
}
