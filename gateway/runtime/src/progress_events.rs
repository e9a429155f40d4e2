//! What subscribers see of an agent's work besides its text: its task, its tools, the nodes it touches, its screen.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Agents;
use super::agent_context::Mind;
use super::progress_stream::ProgressSender;
use roost_execution::runs::{Answer, StepJob, StepResult, StepStatus, is_last};
use roost_execution::tools;
use roost_execution::topology::{self, Graph, StepRef};
use roost_platform::events::{
    ActivityKind, AgentTaskUpdate, AgentToolCall, Event, FrameLine, LineKind, PartState, TaskPart,
    WorldNodeId, WorldTouch,
};
use roost_platform::ids::ClawId;

/// The longest target or command line that is shown, in characters.
const SHOWN: usize = 200;
/// The number of lines of a written file or of an answer that the screen shows.
const LINES: usize = 12;

/// The end of a step that its row does not say yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    Failed,
}

impl Ended {
    /// `None` when the step continues: another attempt follows, or it waits.
    pub(super) fn of(end: &StepResult, attempt: u32) -> Option<Self> {
        match end {
            StepResult::Done(_) | StepResult::DoneChecked { .. } => Some(Self::Done),
            StepResult::Failed { class, .. } if is_last(*class, attempt) => Some(Self::Failed),
            _ => None,
        }
    }
}

/// Publishes `agent.task.update` with the step's place in its run.
pub(super) async fn task_update(
    agents: &Agents,
    job: &StepJob,
    agent: ClawId,
    elapsed_ms: u64,
    ended: Option<Ended>,
) {
    let rows = roost_execution::runs::steps(agents.db.read(), job.run.id).await;
    let rows = rows.unwrap_or_default();
    let here = &job.journal.step;
    let known = rows.iter().map(|row| {
        let number = |stored: i32| u32::try_from(stored).unwrap_or(u32::MAX);
        let step = StepRef {
            key: row.step_key.clone(),
            lap: number(row.lap),
            shard: number(row.shard),
        };
        let shown = seen(&row.status, ended.filter(|_| step == *here));
        (step, shown)
    });
    // A graph that a newer gateway stored has no steps that this one knows before they begin.
    let graph: Option<Graph> = serde_json::from_str(&job.run.graph).ok();
    let certain = graph.map_or_else(Vec::new, |graph| topology::certain(&graph));
    let event = Event::AgentTaskUpdate(AgentTaskUpdate {
        agent_id: agent,
        task_id: format!("{}/{here}", job.run.id),
        title: format!("{}: {}", job.node.name(), job.run.title),
        elapsed_ms: Some(elapsed_ms),
        steps: parts(known, &certain),
    });
    emit(agents, job, event).await;
}

/// What is shown of a step's status. The specification has three states. A failed or cancelled step is not done, so it is
/// shown as pending, and its label gives the reason.
fn seen(status: &str, ended: Option<Ended>) -> (PartState, &'static str) {
    const FAILED: &str = ": failed";
    match (StepStatus::parse(status), ended) {
        (Some(StepStatus::Running), Some(Ended::Failed)) | (Some(StepStatus::Failed), _) => {
            (PartState::Pending, FAILED)
        }
        (Some(StepStatus::Running), Some(Ended::Done)) | (Some(StepStatus::Done), _) => {
            (PartState::Done, "")
        }
        (Some(StepStatus::Running), None) | (Some(StepStatus::Waiting), _) => {
            (PartState::Active, "")
        }
        (Some(StepStatus::Cancelled), _) => (PartState::Pending, ": cancelled"),
        // A status of a newer gateway.
        (None, _) => (PartState::Pending, ""),
    }
}

/// The steps that have begun, and then those that will follow whatever the agents answer.
fn parts(
    known: impl Iterator<Item = (StepRef, (PartState, &'static str))>,
    certain: &[StepRef],
) -> Vec<TaskPart> {
    let mut begun = BTreeSet::new();
    let mut parts = Vec::new();
    for (step, (state, why)) in known {
        let StepRef { key, lap, shard } = &step;
        let place = match (lap, shard) {
            (1, 0) => String::new(),
            (lap, 0) => format!(" (lap {lap})"),
            (lap, shard) => format!(" (lap {lap}, part {shard})"),
        };
        let label = format!("{key}{place}{why}");
        parts.push(TaskPart { label, state });
        begun.insert(step);
    }
    let to_come = certain.iter().filter(|step| !begun.contains(step));
    parts.extend(to_come.map(|step| TaskPart {
        label: step.key.clone(),
        state: PartState::Pending,
    }));
    parts
}

/// Publishes that the agent asks its model.
pub(super) fn thinking(mind: &Mind, progress: &ProgressSender) {
    let event = Event::WorldTouch(WorldTouch {
        agent_id: mind.agent,
        node_id: WorldNodeId::model(&mind.model.name),
        kind: Some(ActivityKind::Service),
        weight: None,
    });
    progress.push_event(event);
}

/// Publishes that the agent uses a tool.
pub(super) fn calling(agent: ClawId, tool: &str, arguments: &Value, progress: &ProgressSender) {
    let target = target(tool, arguments);
    let event = Event::AgentToolCall(AgentToolCall {
        agent_id: agent,
        tool: tool.chars().take(64).collect(),
        target: target.clone(),
        door_required: tool == tools::ASK,
    });
    progress.push_event(event);
    let touch = Event::WorldTouch(WorldTouch {
        agent_id: agent,
        node_id: WorldNodeId::tool(&tool.chars().take(64).collect::<String>()),
        kind: Some(ActivityKind::Event),
        weight: Some(0.5),
    });
    progress.push_event(touch);
    progress.push_lines(opening(tool, arguments, target));
}

/// What a tool works on, in one line.
fn target(tool: &str, arguments: &Value) -> Option<String> {
    let field = match tool {
        "shell" => "command",
        "commit" => "message",
        "read_skill" => "name",
        tools::ASK => "action",
        _ => "path",
    };
    let text = arguments.get(field)?.as_str()?;
    let line = text.lines().next().unwrap_or_default();
    let shown: String = roost_protocol::text::clean(line, SHOWN);
    (!shown.is_empty()).then_some(shown)
}

/// The first lines of the screen when a tool begins.
fn opening(tool: &str, arguments: &Value, target: Option<String>) -> Vec<FrameLine> {
    let shown = target.unwrap_or_default();
    let head = match tool {
        "shell" => format!("$ {shown}"),
        _ => format!("# {tool} {shown}"),
    };
    let mut lines = vec![line(head, LineKind::Cursor)];
    if tool == "write_file" {
        let content = arguments.get("content").and_then(Value::as_str);
        let content = content.unwrap_or_default();
        lines.extend(
            content
                .lines()
                .take(LINES)
                .map(|text| line(roost_protocol::text::clean(text, SHOWN), LineKind::Add)),
        );
        let more = content.lines().count().saturating_sub(LINES);
        if more > 0 {
            lines.push(line(format!("… {more} more lines"), LineKind::Plain));
        }
    }
    lines
}

/// Shows a call's result, if the screen did not show it while the call ran.
pub(super) fn tool_result(answer: &Answer, progress: &ProgressSender) {
    let mut lines = Vec::new();
    if answer.exit_code.is_none() {
        let shown = answer.text.lines().take(LINES);
        lines.extend(shown.map(|text| {
            let kind = match (answer.is_error, text.as_bytes().first()) {
                (true, _) => LineKind::Warn,
                (_, Some(b'+')) => LineKind::Add,
                (_, Some(b'-')) => LineKind::Del,
                _ => LineKind::Plain,
            };
            line(roost_protocol::text::clean(text, SHOWN), kind)
        }));
    }
    match answer.exit_code {
        Some(0) => lines.push(line("exit 0".to_owned(), LineKind::Ok)),
        Some(code) => lines.push(line(format!("exit {code}"), LineKind::Warn)),
        None => {}
    }
    progress.push_lines(lines);
}

/// Lines of a running command.
pub(super) fn lines(frame: tools::Frame) -> Vec<FrameLine> {
    let lines = frame.lines.into_iter();
    lines.map(|text| FrameLine { text, kind: None }).collect()
}

fn line(text: String, kind: LineKind) -> FrameLine {
    FrameLine {
        text,
        kind: Some(kind),
    }
}

async fn emit(agents: &Agents, job: &StepJob, event: Event) {
    let scope = job.journal.fence.scope();
    agents
        .events
        .emit(scope, event.about(job.journal.fence.about))
        .await;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use roost_execution::runs::Class;

    use super::*;

    fn step(key: &str, lap: u32) -> StepRef {
        StepRef {
            key: key.to_owned(),
            lap,
            shard: 0,
        }
    }

    #[test]
    fn failed_and_cancelled_steps_are_never_done_and_their_labels_say_so() {
        let rows = [
            ("done", None),
            ("failed", None),
            ("cancelled", None),
            ("running", None),
            ("running", Some(Ended::Done)),
            ("running", Some(Ended::Failed)),
            ("failed", Some(Ended::Done)),
            ("of a newer gateway", None),
        ];
        let known = rows
            .iter()
            .map(|(status, ended)| (step("a", 1), seen(status, *ended)));
        let shown: Vec<_> = parts(known, &[])
            .into_iter()
            .map(|part| (part.state, part.label))
            .collect();
        let expected = [
            (PartState::Done, "a"),
            (PartState::Pending, "a: failed"),
            (PartState::Pending, "a: cancelled"),
            (PartState::Active, "a"),
            (PartState::Done, "a"),
            (PartState::Pending, "a: failed"),
            (PartState::Pending, "a: failed"),
            (PartState::Pending, "a"),
        ];
        assert_eq!(
            shown,
            expected.map(|(state, label)| (state, label.to_owned()))
        );
    }

    #[test]
    fn steps_to_come_are_pending_and_stand_after_those_that_began() {
        let active = (PartState::Active, "");
        let known = [(step("hub/plan", 1), active), (step("a", 2), active)].into_iter();
        let certain = [step("hub/plan", 1), step("hub/merge", 1)];
        let shown: Vec<_> = parts(known, &certain)
            .into_iter()
            .map(|part| (part.label, part.state))
            .collect();
        let expected = [
            ("hub/plan", PartState::Active),
            ("a (lap 2)", PartState::Active),
            ("hub/merge", PartState::Pending),
        ];
        assert_eq!(
            shown,
            expected.map(|(label, state)| (label.to_owned(), state))
        );
    }

    #[test]
    fn attempt_that_will_be_repeated_does_not_end_its_step() {
        let failed = |class, attempt| {
            let end = StepResult::Failed {
                class,
                detail: String::new(),
                after: None,
            };
            Ended::of(&end, attempt)
        };
        assert_eq!(
            Ended::of(&StepResult::Done(String::new()), 1),
            Some(Ended::Done)
        );
        assert_eq!(failed(Class::Terminal, 1), Some(Ended::Failed));
        assert_eq!(failed(Class::Retryable, 1), None);
        assert_eq!(failed(Class::Retryable, 1_000), Some(Ended::Failed));
        assert_eq!(failed(Class::Away, 1_000), None);
    }

    #[test]
    fn a_target_is_one_clean_line() {
        let told = target(
            "shell",
            &json!({ "command": "echo \u{1b}[31mred\nrm -rf x" }),
        )
        .unwrap();
        assert!(told.starts_with("echo ") && !told.contains('\u{1b}') && !told.contains("rm -rf"));
        assert_eq!(
            target("write_file", &json!({ "path": "src/a.rs", "content": "x" })),
            Some("src/a.rs".to_owned())
        );
        assert_eq!(target("list_skills", &json!({})), None);
        assert_eq!(target("shell", &json!("garbage")), None);
    }

    #[test]
    fn a_written_file_is_shown_by_its_first_lines() {
        let content: String = (0..40).map(|n| format!("line {n}\n")).collect();
        let arguments = json!({ "path": "a", "content": content });
        let lines = opening("write_file", &arguments, Some("a".to_owned()));
        assert_eq!(lines.len(), LINES + 2);
        assert_eq!(lines.last().unwrap().text, "… 28 more lines");
    }
}
