//! One agent at work on one step. The session alternates between model and tools until the agent hands over a result.
//! It writes each result to the journal before it acts on it, so a later session continues in the middle of the
//! conversation.
//!
//! In the tree: a job below its run's actor. It ends with the actor.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::agent_context::{Mind, WorkContext};
use super::progress_stream::ProgressSender;
use super::spending::{self, Refused, Reservation};
use super::transcript::{Next, Transcript};
use super::{Agents, checkout, progress_events, read_result, tool_names, window};
use roost_connections::checkouts::Checkout;
use roost_execution::providers::{
    Call, ErrorKind, Message, ModelError, Purpose, Reply, Request, Stop, ToolSpec, Usage,
};
use roost_execution::runs::{
    Answer, Class, DoorAnswer, Entry, FenceError, Journal, JournalError, MOST_ENTRIES, NewEntry,
    Note, RunMessage, Said, StepJob, StepResult, Turn, Used, effect_key,
};
use roost_execution::tools::{self, CallPlace, Capability, EffectKey, ToolResult};
use roost_platform::ids::ClawId;
use roost_platform::kill_point;

/// A session. `W` is who works: an agent, or the commands of Roost itself.
pub(super) struct Session<'a, W = Agent> {
    pub agents: &'a Agents,
    pub job: &'a StepJob,
    pub context: WorkContext,
    pub who: W,
    /// The run's repository in the agent's sandbox.
    pub checkout: Mutex<Option<Checkout>>,
}

/// An agent, and what subscribers see of its work.
pub(super) struct Agent {
    pub mind: Mind,
    pub progress: ProgressSender,
}

/// Why a session stopped before its end.
pub(super) enum Stopped {
    Ended(StepResult),
    Fence(FenceError),
}

impl From<FenceError> for Stopped {
    fn from(error: FenceError) -> Self {
        Self::Fence(error)
    }
}

impl From<StepResult> for Stopped {
    fn from(end: StepResult) -> Self {
        Self::Ended(end)
    }
}

impl<W> Session<'_, W> {
    /// The end of the step, after its commits and files were taken out of its sandbox.
    pub(super) async fn closed(&self, end: Result<StepResult, Stopped>) -> StepResult {
        let end = match end {
            Ok(end) => end,
            Err(Stopped::Ended(end)) => end,
            Err(Stopped::Fence(FenceError::Db(error))) => StepResult::retryable(error.to_string()),
            Err(Stopped::Fence(FenceError::Lost | FenceError::Cancelled)) => StepResult::Fenced,
        };
        let end = self.collected(end).await;
        self.with_files(end).await
    }

    pub(super) async fn current_permissions(&self) -> Result<Capability, Stopped> {
        match &self.context.seat {
            Some(seat) => Ok(seat.now(self.agents, self.job).await?.may),
            None => Ok(self.context.may.clone()),
        }
    }
}

impl Session<'_> {
    /// Works until the step ends.
    pub(super) async fn work(self) -> StepResult {
        let end = self.run_to_end().await;
        self.closed(end).await
    }

    async fn run_to_end(&self) -> Result<StepResult, Stopped> {
        let journal = &self.job.journal;
        let mut transcript = Transcript::default();
        journal
            .replay(|_, entry| transcript.push(entry))
            .await
            .map_err(|error| match error {
                JournalError::Db(error) => Stopped::Fence(error.into()),
                error => StepResult::terminal(error.to_string()).into(),
            })?;
        self.begin_files(transcript.place() == 0).await?;
        // A call that waits for its machine was published when it was made. Do not publish it again at each poll.
        let mut published = journal.waited;
        let mut heard = 0;
        loop {
            if journal.inbox.get().paused {
                return Err(StepResult::paused(self.job.run.id).into());
            }
            if transcript.place() as usize >= MOST_ENTRIES {
                return Err(StepResult::terminal(JournalError::TooLong.to_string()).into());
            }
            match transcript.next() {
                Next::Finished(turn) => {
                    let text = final_text(turn)?;
                    // A person spoke while the agent ended. It takes one more turn.
                    if self.hear(&mut transcript, &mut heard).await? {
                        continue;
                    }
                    return self.checked(&mut transcript, text).await;
                }
                Next::Looping => {
                    return Err(StepResult::terminal(
                        "The agent repeated the same calls in spite of a hint. Give it another model, or a clearer goal.",
                    )
                    .into());
                }
                Next::Call { call, place } => {
                    let call = call.clone();
                    if !std::mem::take(&mut published) && call.malformed.is_none() {
                        progress_events::calling(
                            self.who.mind.agent,
                            &call.name,
                            &call.arguments,
                            &self.who.progress,
                        );
                    }
                    let at = CallPlace {
                        run: self.job.run.id,
                        step: journal.step.to_string(),
                        call: place,
                        words: transcript.words().to_owned(),
                        at: checkout::place(self.job, &self.context.may),
                    };
                    let (entry, took) = self.call(&transcript, &call, at).await?;
                    self.note_answer(journal, place, &call.name, &entry, took)
                        .await?;
                    transcript.push(entry);
                }
                Next::Ask => {
                    let most = self.agents.max_turns;
                    if transcript.turns() >= most {
                        return Err(StepResult::terminal(format!(
                            "The agent did not finish within {most} turns. Divide the goal, give it another model, or raise \
                             `runs.max_turns`."
                        ))
                        .into());
                    }
                    self.check_out().await?;
                    self.hear(&mut transcript, &mut heard).await?;
                    let request = self.fitted(&mut transcript).await?;
                    // The reservation lasts until the turn's cost is in the journal.
                    let _reservation = self.reserve(&request).await?;
                    let (reply, thought, took) = self.ask(&request).await?;
                    if is_empty_reply(&reply) {
                        // An empty answer is not written to the journal, so the next attempt asks the model again.
                        let used = used(reply.usage, reply.cost_microusd);
                        journal.spend(used).await?;
                        return Err(StepResult::retryable("the model answered with nothing").into());
                    }
                    let turn = Turn {
                        text: reply.text.clone(),
                        thought,
                        calls: reply.calls.clone(),
                        stop: reply.stop,
                    };
                    self.note_turn(journal, transcript.place(), &turn, &reply, took)
                        .await?;
                    transcript.push_turn(turn);
                }
            }
        }
    }

    /// Writes what people said since the last look into the journal. Returns whether there was something. `heard` is the
    /// state of the inbox at the last look.
    async fn hear(&self, transcript: &mut Transcript, heard: &mut i32) -> Result<bool, Stopped> {
        let journal = &self.job.journal;
        let messages = journal.inbox.get().messages;
        if messages <= *heard {
            return Ok(false);
        }
        let agent = self.job.node.attributes.agent.map(ClawId);
        let said = journal.messages(self.job.run.root_run_id, agent).await;
        let said = said.map_err(FenceError::from)?;
        let new = said.into_iter().filter(|one| !transcript.has_heard(one.id));
        let mut any = false;
        for RunMessage { id, by, text } in new.collect::<Vec<_>>() {
            let note = Note {
                text,
                compaction: None,
                message: Some(Said { id, by: by.clone() }),
            };
            let entry = NewEntry {
                index: transcript.place(),
                name: by,
                entry: Entry::Note(note.clone()),
                took_ms: 0,
                used: Used::default(),
            };
            journal.write(entry).await?;
            transcript.push_note(note);
            any = true;
        }
        *heard = messages;
        Ok(any)
    }

    /// Checks the ceilings before the turn spends anything: the run's own, those of its ancestors, and the
    /// workspace's.
    pub(super) async fn reserve(&self, request: &Request) -> Result<Option<Reservation>, Stopped> {
        let price = self.who.mind.model.price;
        let most = spending::most(request, price);
        let reserved = spending::reserve(self.agents, &self.job.run, price, most).await;
        reserved.map_err(|refused| match refused {
            Refused::Over(why) => ceiling_reached(&why),
            Refused::NoTurns(why) => turns_used(why),
            Refused::Db(error) => FenceError::from(error).into(),
        })
    }

    pub(super) async fn request(&self, messages: Vec<Message>) -> Result<Request, Stopped> {
        let may = self.current_permissions().await?;
        let offered = tools::offered(may.profile, &may.bundles);
        Ok(Request {
            model: self.who.mind.model.provider_name.clone(),
            system: self.system_prompt(),
            messages,
            tools: offered
                .into_iter()
                .map(|tool| ToolSpec {
                    name: tool_names::on_the_wire(tool.name),
                    description: tool.description.to_owned(),
                    schema: tool.schema,
                })
                .collect(),
            max_tokens: window::Window(self.who.mind.model.window).answer(),
            purpose: Purpose::Turn,
            slot: self.job.node.role.clone(),
            step: format!("{}/{}", self.job.run.id, self.job.step.key),
        })
    }

    async fn call(
        &self,
        transcript: &Transcript,
        call: &Call,
        at: CallPlace,
    ) -> Result<(Entry, Duration), Stopped> {
        let begun = Instant::now();
        let answer = |text: String, is_error| Answer {
            call: call.id.clone(),
            arguments: call.arguments.clone(),
            text,
            is_error,
            exit_code: None,
            cut: false,
        };
        if let Some(raw) = &call.malformed {
            let shown: String = raw.chars().take(200).collect();
            let text = format!("The arguments of {} are not JSON: {shown}", call.name);
            return Ok((Entry::Tool(answer(text, true)), begun.elapsed()));
        }
        if call.name == read_result::NAME {
            let answer = match read_result::read(transcript, &call.arguments) {
                Ok(text) => answer(text, false),
                Err(text) => answer(text, true),
            };
            progress_events::tool_result(&answer, &self.who.progress);
            return Ok((Entry::Tool(answer), begun.elapsed()));
        }
        let run = &self.job.run;
        let key = EffectKey(effect_key(run.id, &self.job.journal.step, at.call));
        let result = self.effect(key, at, &call.name, &call.arguments).await?;
        let (answer, door) = match result {
            Ok(result) => (
                Answer {
                    exit_code: result.exit_code,
                    cut: result.cut,
                    ..answer(result.text, result.is_error)
                },
                result.door,
            ),
            Err(text) => (answer(text, true), None),
        };
        progress_events::tool_result(&answer, &self.who.progress);
        let entry = match door {
            Some(door) => Entry::Door(DoorAnswer { door, answer }),
            None => Entry::Tool(answer),
        };
        Ok((entry, begun.elapsed()))
    }

    /// Executes a call. The inner error is for the model.
    pub(super) async fn effect(
        &self,
        key: EffectKey,
        at: CallPlace,
        name: &str,
        arguments: &Value,
    ) -> Result<Result<ToolResult, String>, Stopped> {
        kill_point!(self.agents.kill_points, "runtime.session.before_tool");
        let result = self.executed(key, at, name, arguments).await?;
        kill_point!(self.agents.kill_points, "runtime.session.after_tool");
        Ok(result)
    }

    async fn executed(
        &self,
        key: EffectKey,
        at: CallPlace,
        name: &str,
        arguments: &Value,
    ) -> Result<Result<ToolResult, String>, Stopped> {
        let mut tries = 0;
        loop {
            // The sandbox may be another one than before.
            self.check_out().await?;
            let mut may = self.current_permissions().await?;
            may.place = Some(at.clone());
            may.folder = self.checkout_folder();
            let progress = self.who.progress.clone();
            let mut on_frame =
                move |frame: tools::Frame| progress.push_lines(progress_events::lines(frame));
            let done = self
                .agents
                .tools
                .call(&may, key, name, arguments, &mut on_frame)
                .await;
            let error = match done {
                Ok(result) => return Ok(Ok(result)),
                Err(error) => error,
            };
            tries += 1;
            if let Some(told) = self.recovered(&error, &may, tries).await? {
                return Ok(Err(told));
            }
        }
    }

    async fn note_turn(
        &self,
        journal: &Journal,
        index: u32,
        turn: &Turn,
        reply: &Reply,
        took: Duration,
    ) -> Result<(), Stopped> {
        let entry = NewEntry {
            index,
            name: self.who.mind.model.name.clone(),
            entry: Entry::Model(turn.clone()),
            took_ms: millis(took),
            used: used(reply.usage, reply.cost_microusd),
        };
        Ok(journal.write(entry).await?)
    }

    async fn note_answer(
        &self,
        journal: &Journal,
        index: u32,
        name: &str,
        entry: &Entry,
        took: Duration,
    ) -> Result<(), Stopped> {
        let entry = NewEntry {
            index,
            name: name.to_owned(),
            entry: entry.clone(),
            took_ms: millis(took),
            used: Used::default(),
        };
        Ok(journal.write(entry).await?)
    }
}

pub(super) fn used(usage: Usage, cost_microusd: Option<u64>) -> Used {
    let signed = |amount: u64| i64::try_from(amount).unwrap_or(i64::MAX);
    Used {
        tokens_in: signed(usage.input),
        tokens_out: signed(usage.output),
        cost_microusd: signed(cost_microusd.unwrap_or(0)),
    }
}

fn is_empty_reply(reply: &Reply) -> bool {
    let ended = matches!(reply.stop, Stop::End | Stop::Tools);
    ended && reply.calls.is_empty() && reply.text.trim().is_empty()
}

fn ceiling_reached(why: &str) -> Stopped {
    let detail = format!(
        "Nothing more is spent: {why}. Raise the ceiling, and fork the run from this step."
    );
    quota(&detail).into()
}

fn turns_used(detail: String) -> Stopped {
    StepResult::Failed {
        class: Class::Turns,
        detail,
        after: None,
    }
    .into()
}

pub(super) fn millis(took: Duration) -> i64 {
    i64::try_from(took.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn quota(detail: &str) -> StepResult {
    StepResult::Failed {
        class: Class::Quota,
        detail: detail.to_owned(),
        after: None,
    }
}

/// The text that the last turn hands over.
fn final_text(turn: &Turn) -> Result<String, StepResult> {
    match turn.stop {
        Stop::Filtered => Err(StepResult::terminal(
            "The model's provider withheld the answer. Say the goal in other words, or bind another model.",
        )),
        Stop::Length => Ok(format!(
            "{}\n[cut off: the model's longest answer]",
            turn.text
        )),
        Stop::End | Stop::Tools if turn.text.trim().is_empty() => {
            Err(StepResult::retryable("the model answered with nothing"))
        }
        Stop::End | Stop::Tools => Ok(turn.text.clone()),
    }
}

/// Maps a model's error to the end of the step.
pub(super) fn failed(error: &ModelError) -> StepResult {
    let (class, after) = match error.kind {
        ErrorKind::Retryable => (Class::Retryable, None),
        ErrorKind::RateLimited { after } => (Class::Retryable, after),
        ErrorKind::Quota => (Class::Quota, None),
        ErrorKind::NeedsAuth => (Class::NeedsAuth, None),
        ErrorKind::Terminal | ErrorKind::TooBig => (Class::Terminal, None),
    };
    StepResult::Failed {
        class,
        detail: error.to_string(),
        after,
    }
}

/// An error with its causes, as text for people.
pub(super) fn error_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let more = next.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = next.source();
    }
    text
}
