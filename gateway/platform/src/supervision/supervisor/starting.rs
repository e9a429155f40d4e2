//! Starts children. The static ones start in order before the supervisor itself counts as started. Later starts run in
//! their own tasks, so that a slow one does not delay others.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ractor::ActorCell;
use tokio_util::sync::CancellationToken;

use super::child::{OwnTask, Phase, StartReply, SupervisorState};
use super::escalation::Escalation;
use super::{ChildStarted, SupervisorMsg};
use crate::supervision::birth::Birth;
use crate::supervision::context::send_to;
use crate::supervision::failure::{StartError, chain_text};
use crate::supervision::handle::SupervisorHandle;
use crate::supervision::roster::{ActorState, all_gone};
use crate::supervision::spec::AnyChild;
use crate::supervision::tree::TreeContext;

/// How long a start waits until the former incarnation is gone.
const FORMER_GONE_WITHIN: Duration = Duration::from_secs(5);

/// A child that runs.
pub struct Started {
    pub(in crate::supervision) cell: ActorCell,
    pub(in crate::supervision) clean: Arc<AtomicBool>,
    pub(in crate::supervision) gone: CancellationToken,
}

/// Starts one incarnation within its time limit, after every former one of its name is gone. From the call on, before
/// the first await, this attempt counts as alive until its future or its actor is dropped.
pub(in crate::supervision) fn start_child(
    tree: &TreeContext,
    child: &AnyChild,
    parent: &SupervisorHandle,
    parent_cell: Option<&ActorCell>,
) -> impl Future<Output = Result<Started, StartError>> + Send + use<> {
    let mut former = child.entry.signs_of_life();
    former.extend(parent.branch().leaving(Some(child.name())));
    let birth = Birth::new(tree, &child.entry, parent, parent_cell);
    let child = child.clone();
    async move {
        let path = || child.entry.path().to_owned();
        if !all_gone(&former, FORMER_GONE_WITHIN).await {
            return Err(StartError::StillAlive {
                path: path(),
                waited: FORMER_GONE_WITHIN,
            });
        }
        let (clean, gone) = (Arc::clone(&birth.clean), birth.gone());
        let starting = (child.starter)(birth);
        let spawned =
            match child.meta().start_within {
                Some(within) => tokio::time::timeout(within, starting).await.map_err(|_| {
                    StartError::TooSlow {
                        path: path(),
                        within,
                    }
                })?,
                None => starting.await,
            };
        let cell = spawned.map_err(|error| StartError::from_spawn(path(), error))?;
        Ok(Started { cell, clean, gone })
    }
}

impl SupervisorState {
    /// Starts all static children in order. If one fails, those before it are stopped in reverse, and its error is
    /// returned.
    pub(super) async fn start_statics(&mut self) -> Result<(), StartError> {
        for child in self.plan.children.clone() {
            child.meta().check_name()?;
            if self.children.contains_key(child.name()) {
                return Err(StartError::NameTaken {
                    path: self.path_of(child.name()),
                });
            }
            self.adopt(child, false);
        }
        for child in self.plan.children.clone() {
            let started = start_child(&self.tree, &child, &self.handle, Some(&self.cell)).await;
            match started {
                Ok(started) => self.note_running(child.name(), started),
                Err(error) => {
                    child
                        .entry
                        .note_failure(self.tree.clock().now(), &chain_text(&error));
                    child.entry.set_state(ActorState::Failed);
                    self.stop_all().await;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Starts a child in a task, which reports back with [`SupervisorMsg::ChildStarted`].
    pub(super) fn begin_start(&mut self, name: &str, first: bool, reply: Option<StartReply>) {
        let attempt = self.next_attempt(name);
        let Some(child) = self.children.get_mut(name) else {
            return;
        };
        let (path, cell, gauge) = (
            self.entry.path().to_owned(),
            self.cell.clone(),
            Arc::clone(&self.gauge),
        );
        let name = name.to_owned();
        child.spec.entry.set_state(ActorState::Starting);
        let starting = start_child(&self.tree, &child.spec, &self.handle, Some(&self.cell));
        let task = OwnTask::spawn(async move {
            let outcome = starting.await;
            let report = SupervisorMsg::ChildStarted(ChildStarted {
                name,
                attempt,
                outcome,
            });
            // A supervisor that has ended stops its children too, so the report is not needed.
            let _ = send_to(&cell, &gauge, &path, report);
        });
        child.phase = Phase::Starting {
            first,
            reply,
            _task: task,
        };
    }

    /// Handles the end of a start.
    pub(super) async fn on_started(&mut self, report: ChildStarted) -> Result<(), Escalation> {
        let ChildStarted {
            name,
            attempt,
            outcome,
        } = report;
        let current = self
            .children
            .get_mut(&name)
            .filter(|child| child.attempt == attempt);
        let Some(child) = current else {
            // The report belongs to an attempt that was given up, so its actor must not live.
            if let Ok(orphan) = outcome {
                orphan.cell.kill();
                let actor = orphan.cell.get_id();
                if self.early_exits.remove(&actor).is_none() {
                    self.actors.insert(actor, name);
                }
            }
            return Ok(());
        };
        let Phase::Starting { first, reply, .. } =
            std::mem::replace(&mut child.phase, Phase::Waiting)
        else {
            return Ok(());
        };
        match outcome {
            Ok(started) => {
                let actor = started.cell.get_id();
                self.note_running(&name, started);
                if let Some(reply) = reply {
                    reply.send(Ok(()));
                }
                match self.early_exits.remove(&actor) {
                    Some(text) => self.on_ended(actor, text).await,
                    None => Ok(()),
                }
            }
            Err(error) if first => {
                self.refuse(&name, error, reply);
                Ok(())
            }
            Err(error) => {
                self.on_exit(&name, super::child::Exit::unborn(chain_text(&error)))
                    .await
            }
        }
    }

    /// Handles a failed first start: the caller gets the error, and a new child is removed completely.
    fn refuse(&mut self, name: &str, error: StartError, reply: Option<StartReply>) {
        let text = chain_text(&error);
        tracing::warn!(
            child = self.path_of(name),
            failure = text,
            "a child did not start"
        );
        if let Some(child) = self.children.get(name) {
            child
                .spec
                .entry
                .note_failure(self.tree.clock().now(), &text);
            let had_lived = child.spec.entry.life().restarts > 0 || !child.spec.entry.is_dynamic();
            if had_lived {
                self.bury(name);
            } else {
                self.forget(name);
            }
        }
        if let Some(reply) = reply {
            reply.send(Err(error));
        }
    }

    pub(super) fn note_running(&mut self, name: &str, started: Started) {
        let Some(child) = self.children.get_mut(name) else {
            return;
        };
        let actor = started.cell.get_id();
        child.spec.entry.set_state(ActorState::Running);
        child.phase = Phase::Running {
            actor,
            clean: started.clean,
        };
        self.actors.insert(actor, name.to_owned());
    }
}
