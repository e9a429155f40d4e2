//! What a supervisor is asked at run time.

use super::SupervisorMsg;
use super::child::{AfterStop, Phase, StartReply, Ward};
use super::ending::answer;
use super::escalation::Escalation;
use crate::supervision::address::Reply;
use crate::supervision::failure::StartError;
use crate::supervision::restart::Strategy;
use crate::supervision::spec::AnyChild;
use crate::supervision::view::RUNS_ONCE;

impl Ward {
    /// One message.
    pub(super) async fn dispatch(&mut self, message: SupervisorMsg) -> Result<(), Escalation> {
        match message {
            SupervisorMsg::StartChild(child, reply) => self.on_start_request(child, reply),
            SupervisorMsg::StopChild(name, reply) => self.on_stop_request(&name, reply),
            SupervisorMsg::RestartChild(name, reply) => self.on_restart_request(&name, reply),
            SupervisorMsg::ChildStarted(report) => return self.on_started(report).await,
            SupervisorMsg::ChildStopped(report) => self.on_stopped(report),
            SupervisorMsg::BackOffElapsed(due) => return self.on_back_off_elapsed(due).await,
        }
        Ok(())
    }

    fn on_start_request(&mut self, child: AnyChild, reply: StartReply) {
        let name = child.name().to_owned();
        let present = self.children.get(&name);
        let taken = present.is_some_and(|other| {
            !other.spec.entry.is_dynamic() || !matches!(other.phase, Phase::Ended)
        });
        let refusal = if self.plan.strategy == Strategy::RestForOne {
            Some(StartError::FixedChildren {
                path: self.entry.path().to_owned(),
            })
        } else if taken {
            Some(StartError::NameTaken {
                path: self.path_of(&name),
            })
        } else {
            child.meta().check_name().err()
        };
        if let Some(error) = refusal {
            reply.send(Err(error));
            return;
        }
        self.adopt(child, true);
        self.begin_start(&name, true, Some(reply));
    }

    fn on_stop_request(&mut self, name: &str, reply: Reply<()>) {
        let Some(child) = self.children.get_mut(name) else {
            reply.send(());
            return;
        };
        child.wanted = false;
        match &mut child.phase {
            Phase::Stopping {
                then: AfterStop::Rest(waiting),
                ..
            } => waiting.push(reply),
            Phase::Stopping { then, .. } => {
                // A stop beats the restart that was asked for before it.
                let AfterStop::Start(restarter) =
                    std::mem::replace(then, AfterStop::Rest(vec![reply]))
                else {
                    return;
                };
                restarter.send(Err(StartError::Stopped {
                    path: child.spec.entry.path().to_owned(),
                }));
            }
            Phase::Ended if child.spec.entry.is_dynamic() => {
                self.forget(name);
                answer(vec![reply]);
            }
            Phase::Ended => answer(vec![reply]),
            Phase::Starting { reply: starter, .. } => {
                if let Some(starter) = starter.take() {
                    starter.send(Err(StartError::Stopped {
                        path: child.spec.entry.path().to_owned(),
                    }));
                }
                self.begin_stop(name, AfterStop::Rest(vec![reply]));
            }
            Phase::Waiting | Phase::Running { .. } | Phase::BackingOff { .. } => {
                self.begin_stop(name, AfterStop::Rest(vec![reply]));
            }
        }
    }

    fn on_restart_request(&mut self, name: &str, reply: StartReply) {
        let Some(child) = self.children.get_mut(name) else {
            reply.send(Err(self.handle.missing(name)));
            return;
        };
        let busy = matches!(child.phase, Phase::Starting { .. } | Phase::Stopping { .. });
        let why = match (child.spec.meta().repeatable, busy) {
            (false, _) => Some(RUNS_ONCE),
            (true, true) => Some("it is just being started or stopped"),
            (true, false) => None,
        };
        if let Some(why) = why {
            reply.send(Err(StartError::NotRestartable {
                path: child.spec.entry.path().to_owned(),
                why,
            }));
            return;
        }
        self.begin_stop(name, AfterStop::Start(reply));
    }
}
