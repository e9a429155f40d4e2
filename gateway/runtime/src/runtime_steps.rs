//! A step of an agent whose mission has a runtime of its own. The agent's prompt goes to the runtime as one A2A message, and
//! the text of the answer is what the step hands over.
//!
//! The journal has the message before it is sent, and each answer before the next request. The id of the message is the
//! step's own, so a server that gets it twice after a crash can tell.
//!
//! In the tree: a job below its run's actor. It ends with the actor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use sea_orm::DbErr;
use serde_json::json;

use super::a2a::{self, Dialect, Heard};
use super::session::{Session, Stopped, error_text, millis};
use super::transcript::{Next, Transcript};
use super::{Agents, progress_events};
use roost_execution::providers::{Call, Stop};
use roost_execution::runs::{
    self, Answer, Class, Entry, JournalError, NewEntry, RunRow, StepResult, Turn, Used, effect_key,
};
use roost_execution::tools::{self, Capability, EffectKey, ToolError};
use roost_machines::sandboxes::SandboxOwner;
use roost_platform::ids::{MissionId, OperationId, fresh};
use roost_platform::kill_point;
use roost_protocol::guest::runtime::Asked;
use roost_tenancy::auth::WorkspaceScope;

/// The call that sends the message.
const SEND: &str = "ask_runtime";
/// The call that waits for a task.
const TASK: &str = "await_runtime";
/// How often a message is sent: its server may end before it answers.
const MOST_SENDS: usize = 3;
/// The most requests with a message, those that nobody took among them.
const MOST_KEYS: usize = 50;
/// How long a step waits for its runtime before it looks again.
const NEXT_LOOK: Duration = Duration::from_secs(3);
/// The longest time between two looks at a task.
const SLOWEST: Duration = Duration::from_secs(10);

/// The runtime of a mission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimePlace {
    pub mission: MissionId,
    /// Its server is paired, and accepts requests.
    pub is_ready: bool,
    /// On the loopback of the mission's sandbox.
    pub port: u16,
    /// `{agent}` stands for the role.
    pub path: String,
}

/// Finds the runtime of a mission; `None` when it has none. The wiring supplies it, because missions belong to another domain.
pub type MissionRuntimes = Arc<
    dyn Fn(WorkspaceScope, MissionId) -> BoxFuture<'static, Result<Option<RuntimePlace>, DbErr>>
        + Send
        + Sync,
>;

/// The runtime of a run's mission.
///
/// # Errors
/// When the database fails.
pub(super) async fn of_run(agents: &Agents, run: &RunRow) -> Result<Option<RuntimePlace>, DbErr> {
    let Some(mission) = run.mission_id else {
        return Ok(None);
    };
    let scope = WorkspaceScope::of_row(run.workspace_id);
    (agents.mission_runtimes)(scope, mission).await
}

/// Cancels the tasks of an ended run at its runtime.
///
/// # Errors
/// When the database fails, or the runtime cannot be reached now.
pub(super) async fn abandon(
    agents: &Agents,
    run: &RunRow,
    may: &Capability,
    place: &RuntimePlace,
) -> Result<(), ToolError> {
    for call in runs::open_calls(agents.db.read(), run.id, TASK).await? {
        let Ok(Heard::Working { dialect, task }) = serde_json::from_value(call.arguments) else {
            continue;
        };
        // The role is not known any more: a path with agents has one server for all of them.
        let asked = a2a::cancel(
            dialect,
            &call.opaque.unwrap_or_else(|| place.path.clone()),
            &task,
        );
        let key = EffectKey(fresh::<OperationId>(&agents.ids).0);
        let at = (place.port, "Cancel the task");
        agents.tools.loopback(may, key, at, &asked).await?;
    }
    Ok(())
}

impl Session<'_> {
    /// Works through the runtime until the step ends.
    pub(super) async fn work_through(self, place: &RuntimePlace) -> StepResult {
        let end = self.run_through(place).await;
        self.closed(end).await
    }

    async fn run_through(&self, place: &RuntimePlace) -> Result<StepResult, Stopped> {
        let journal = &self.job.journal;
        let (mut transcript, mut heard, mut sends) = (Transcript::default(), None, 0);
        let read = journal.replay(|_, entry| {
            match &entry {
                Entry::Tool(answer) => heard = serde_json::from_str(&answer.text).ok(),
                Entry::Model(turn) => sends += sends_in(turn),
                _ => {}
            }
            transcript.push(entry);
        });
        read.await.map_err(|error| match error {
            JournalError::Db(error) => Stopped::Fence(error.into()),
            error => StepResult::terminal(error.to_string()).into(),
        })?;
        if let Next::Finished(turn) = transcript.next() {
            let text = turn.text.clone();
            return self.checked(&mut transcript, text).await;
        }
        if !place.is_ready {
            return Err(absent("The runtime of the mission is not ready.").into());
        }
        self.begin_files(transcript.place() == 0).await?;
        self.check_out().await?;
        loop {
            if journal.inbox.get().paused {
                return Err(StepResult::paused(self.job.run.id).into());
            }
            match transcript.next() {
                Next::Finished(turn) => {
                    let text = turn.text.clone();
                    return self.checked(&mut transcript, text).await;
                }
                Next::Looping => {
                    return Err(
                        StepResult::terminal("The runtime lost the task again and again.").into(),
                    );
                }
                Next::Call { call, place: index } => {
                    let (call, begun) = (call.clone(), Instant::now());
                    let name = call.name.clone();
                    let now = match name.as_str() {
                        SEND => self.send(place, index).await?,
                        _ => self.wait_for(place, &call).await?,
                    };
                    let answer = Answer {
                        call: call.id,
                        arguments: call.arguments,
                        text: serde_json::to_string(&now).unwrap_or_default(),
                        is_error: matches!(now, Heard::Stopped { .. } | Heard::Lost),
                        exit_code: None,
                        cut: false,
                    };
                    progress_events::tool_result(&answer, &self.who.progress);
                    heard = Some(now);
                    let entry = Entry::Tool(answer);
                    self.note(&mut transcript, index, &name, entry, begun)
                        .await?;
                }
                Next::Ask => {
                    let index = transcript.place();
                    let turn = match &heard {
                        None | Some(Heard::Lost) if sends < MOST_SENDS => {
                            sends += 1;
                            self.calling(SEND, index, json!({ "message": self.message() }), place)
                        }
                        Some(Heard::Done { text }) => Turn {
                            text: text.clone(),
                            thought: None,
                            calls: Vec::new(),
                            stop: Stop::End,
                        },
                        Some(working @ Heard::Working { .. }) => {
                            self.calling(TASK, index, json!(working), place)
                        }
                        Some(Heard::Stopped { why }) => {
                            return Err(StepResult::terminal(why.clone()).into());
                        }
                        _ => {
                            let why = "The runtime lost the task again and again.";
                            return Err(StepResult::terminal(why).into());
                        }
                    };
                    let entry = Entry::Model(turn);
                    self.note(&mut transcript, index, "runtime", entry, Instant::now())
                        .await?;
                }
            }
        }
    }

    /// The id of the step's message: the same in each attempt.
    fn message(&self) -> String {
        effect_key(self.job.run.id, &self.job.journal.step, 0).to_string()
    }

    /// A turn that makes this call, and tells those who watch.
    fn calling(
        &self,
        name: &str,
        index: u32,
        arguments: serde_json::Value,
        place: &RuntimePlace,
    ) -> Turn {
        let call = Call {
            id: format!("{}-{index}", self.message()),
            name: name.to_owned(),
            arguments,
            malformed: None,
            opaque: Some(self.path(place)),
        };
        progress_events::calling(
            self.who.mind.agent,
            name,
            &call.arguments,
            &self.who.progress,
        );
        Turn {
            text: String::new(),
            thought: None,
            calls: vec![call],
            stop: Stop::Tools,
        }
    }

    fn path(&self, place: &RuntimePlace) -> String {
        let role = self.job.node.role.as_deref().unwrap_or(&self.job.node.id);
        path(&place.path, role)
    }

    /// Sends the message, in the first dialect that the server speaks.
    async fn send(&self, place: &RuntimePlace, index: u32) -> Result<Heard, Stopped> {
        let text = format!(
            "{}\n\n# The task\n{}",
            self.system_prompt(),
            self.job.prompt
        );
        let key = EffectKey(effect_key(self.job.run.id, &self.job.journal.step, index));
        for dialect in Dialect::ALL {
            let asked = a2a::send(dialect, &self.path(place), &self.message(), &text);
            let (mut heard, mut sent) = (Heard::Foreign, 0);
            for number in 0..MOST_KEYS {
                let key = match (dialect, number) {
                    // The key of the call itself, so that the end of a run finds it.
                    (Dialect::V1, 0) => key,
                    _ => key.part(&format!("{} {number}", dialect.version())),
                };
                kill_point!(self.agents.kill_points, "runtime.session.before_tool");
                heard = self
                    .asked(place, key, "Send the task", dialect, &asked)
                    .await?;
                kill_point!(self.agents.kill_points, "runtime.session.after_tool");
                match &heard {
                    // An earlier attempt of this step may have found it away. The next key is a new request.
                    Heard::Away { why } if !self.listens(place, dialect).await? => {
                        return Err(absent(why).into());
                    }
                    Heard::Away { .. } => {}
                    Heard::Again { .. } => sent += 1,
                    _ => break,
                }
                if sent == MOST_SENDS {
                    break;
                }
            }
            match heard {
                Heard::Foreign => {}
                Heard::Again { why } | Heard::Away { why } => return Ok(Heard::Stopped { why }),
                heard => return Ok(heard),
            }
        }
        let why = "The runtime speaks neither A2A 1.0 nor 0.3 at this path.".to_owned();
        Ok(Heard::Stopped { why })
    }

    /// Whether the server takes requests now. The question has no effect, so it has an id of its own each time.
    async fn listens(&self, place: &RuntimePlace, dialect: Dialect) -> Result<bool, Stopped> {
        let key = EffectKey(fresh::<OperationId>(&self.agents.ids).0);
        let asked = a2a::knock();
        let heard = self
            .asked(place, key, "Look for the server", dialect, &asked)
            .await?;
        Ok(!matches!(heard, Heard::Away { .. }))
    }

    /// Looks at a task until it ends.
    async fn wait_for(&self, place: &RuntimePlace, call: &Call) -> Result<Heard, Stopped> {
        let Ok(Heard::Working { dialect, task }) = serde_json::from_value(call.arguments.clone())
        else {
            return Ok(Heard::Lost);
        };
        let asked = a2a::task(dialect, &self.path(place), &task);
        let mut wait = Duration::from_millis(500);
        loop {
            if self.job.journal.inbox.get().paused {
                return Err(StepResult::paused(self.job.run.id).into());
            }
            // A question has no effect, so each has an id of its own.
            let key = EffectKey(fresh::<OperationId>(&self.agents.ids).0);
            match self
                .asked(place, key, "Look at the task", dialect, &asked)
                .await?
            {
                Heard::Working { .. } => {}
                Heard::Away { why } | Heard::Again { why } => return Err(absent(&why).into()),
                Heard::Foreign => {
                    let why = "The runtime cannot show the task that it works on.".to_owned();
                    return Ok(Heard::Stopped { why });
                }
                heard => return Ok(heard),
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(SLOWEST);
        }
    }

    async fn asked(
        &self,
        place: &RuntimePlace,
        key: EffectKey,
        what: &str,
        dialect: Dialect,
        asked: &Asked,
    ) -> Result<Heard, Stopped> {
        let (may, at) = (&self.context.may, (place.port, what));
        let error = match self.agents.tools.loopback(may, key, at, asked).await {
            Ok(reply) => return Ok(a2a::hear(dialect, &reply)),
            Err(error) => error,
        };
        if let Some(machine) = error.held_elsewhere() {
            return Err(self.elsewhere(machine, error_text(&error)).await.into());
        }
        match error.class() {
            // The sandbox ended while the request was on its way. The next one has the runtime too.
            tools::Class::Tell => Ok(Heard::Again {
                why: error.to_string(),
            }),
            tools::Class::Provision | tools::Class::Retry => {
                Err(absent(&error_text(&error)).into())
            }
            tools::Class::Wait => Err(self.absent(&error).await.into()),
            tools::Class::Cancelled => {
                Err(StepResult::terminal("The request to the runtime was cancelled.").into())
            }
            tools::Class::Door | tools::Class::Fail => {
                Err(StepResult::terminal(error_text(&error)).into())
            }
        }
    }

    async fn note(
        &self,
        transcript: &mut Transcript,
        index: u32,
        name: &str,
        entry: Entry,
        begun: Instant,
    ) -> Result<(), Stopped> {
        let new = NewEntry {
            index,
            name: name.to_owned(),
            entry: entry.clone(),
            took_ms: millis(begun.elapsed()),
            used: Used::default(),
        };
        self.job.journal.write(new).await?;
        transcript.push(entry);
        Ok(())
    }
}

/// What a step may do that works through the runtime: it works in the mission's sandbox, where the runtime is.
pub(super) fn in_sandbox_of(place: &RuntimePlace, mut may: Capability) -> Capability {
    may.sandbox_of = SandboxOwner::Mission(place.mission);
    may.pane = None;
    may
}

fn sends_in(turn: &Turn) -> usize {
    turn.calls.iter().filter(|call| call.name == SEND).count()
}

/// The runtime is away. The step waits for it.
fn absent(why: &str) -> StepResult {
    StepResult::Failed {
        class: Class::Away,
        detail: why.to_owned(),
        after: Some(NEXT_LOOK),
    }
}

/// The path for a role, which may have letters that a path cannot have.
fn path(pattern: &str, role: &str) -> String {
    let plain = |letter: char| match letter.is_ascii_alphanumeric() || "-._~".contains(letter) {
        true => letter,
        false => '_',
    };
    pattern.replace("{agent}", &role.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_is_a_plain_word_in_the_path() {
        assert_eq!(path("/a2a/{agent}", "coder"), "/a2a/coder");
        assert_eq!(path("/a2a/{agent}", "a/../b c?"), "/a2a/a_.._b_c_");
        assert_eq!(path("/", "coder"), "/");
    }
}
