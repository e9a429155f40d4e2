//! Handles requests to a supervisor at run time.

use super::SupervisorMsg;
use super::child::{Phase, StartReply, SupervisorState};
use super::escalation::Escalation;
use crate::supervision::failure::StartError;
use crate::supervision::spec::AnyChild;
use crate::supervision::view::RUNS_ONCE;

impl SupervisorState {
    /// Handles one message.
    pub(super) async fn dispatch(&mut self, message: SupervisorMsg) -> Result<(), Escalation> {
        match message {
            SupervisorMsg::StartChild(child, reply) => self.on_start_request(child, reply),
            SupervisorMsg::RestartChild(name, reply) => self.on_restart_request(&name, reply),
            SupervisorMsg::ChildStarted(report) => return self.on_started(report).await,
            SupervisorMsg::ChildStopped(report) => self.on_stopped(report),
            SupervisorMsg::BackOffElapsed(due) => self.on_back_off_elapsed(due).await,
        }
        Ok(())
    }

    fn on_start_request(&mut self, child: AnyChild, reply: StartReply) {
        let name = child.name().to_owned();
        let present = self.children.get(&name);
        let taken = present.is_some_and(|other| {
            !other.spec.entry.is_dynamic() || !matches!(other.phase, Phase::Ended)
        });
        let refusal = if taken {
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
        self.begin_stop(name, reply);
    }
}
