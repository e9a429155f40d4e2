//! What subscribers see of an agent's work besides its text: its task, its tools, the nodes it touches, its screen.

use serde_json::Value;

use super::Agents;
use super::agent_context::AgentContext;
use super::progress_stream::ProgressSender;
use roost_execution::runs::Answer;
use roost_execution::runs::{StepJob, StepRow, StepStatus};
use roost_execution::tools;
use roost_platform::events::{
    ActivityKind, AgentTaskUpdate, AgentToolCall, Event, FrameLine, LineKind, PartState, TaskPart,
    WorldTouch,
};

/// The longest target or command line that is shown, in characters.
const SHOWN: usize = 200;
/// The number of lines of a written file or of an answer that the screen shows.
const LINES: usize = 12;

/// Publishes `agent.task.update` with the step's place in its run. `over`: the step has ended, but its row does not
/// say so yet.
pub(super) async fn task_update(
    agents: &Agents,
    job: &StepJob,
    context: &AgentContext,
    elapsed_ms: u64,
    over: bool,
) {
    let event = Event::AgentTaskUpdate(AgentTaskUpdate {
        agent_id: context.may.agent,
        task_id: format!("{}/{}#{}", job.run.id, job.step.key, job.step.lap),
        title: format!("{}: {}", job.node.name(), job.run.title),
        elapsed_ms: Some(elapsed_ms),
        steps: parts(agents, job, over).await,
    });
    emit(agents, job, event).await;
}

/// The steps of the run, as their rows describe them.
async fn parts(agents: &Agents, job: &StepJob, over: bool) -> Vec<TaskPart> {
    let rows = roost_execution::runs::steps(agents.db.read(), job.run.id).await;
    let rows = rows.unwrap_or_default();
    let ended = |row: &StepRow| {
        over && row.step_key == job.step.key && u32::try_from(row.lap) == Ok(job.step.lap)
    };
    rows.iter()
        .map(|row| part(&row.status, &row.step_key, row.lap, ended(row)))
        .collect()
}

/// One step. The specification has three states. A failed or cancelled step is not done, so it is shown as pending,
/// and its label gives the reason.
fn part(status: &str, key: &str, lap: i32, has_ended: bool) -> TaskPart {
    let (state, why) = match StepStatus::parse(status) {
        Some(StepStatus::Running) if has_ended => (PartState::Done, ""),
        Some(StepStatus::Running | StepStatus::Waiting) => (PartState::Active, ""),
        Some(StepStatus::Done) => (PartState::Done, ""),
        Some(StepStatus::Failed) => (PartState::Pending, ": failed"),
        Some(StepStatus::Cancelled) => (PartState::Pending, ": cancelled"),
        // A status of a newer gateway.
        None => (PartState::Pending, ""),
    };
    let label = match lap {
        1 => format!("{key}{why}"),
        lap => format!("{key} (lap {lap}){why}"),
    };
    TaskPart { state, label }
}

/// Publishes that the agent asks its model.
pub(super) fn thinking(context: &AgentContext, progress: &ProgressSender) {
    let event = Event::WorldTouch(WorldTouch {
        agent_id: context.may.agent,
        node_id: format!("model:{}", context.model.name),
        kind: Some(ActivityKind::Service),
        weight: None,
    });
    progress.push_event(event);
}

/// Publishes that the agent uses a tool.
pub(super) fn calling(
    context: &AgentContext,
    tool: &str,
    arguments: &Value,
    progress: &ProgressSender,
) {
    let target = target(tool, arguments);
    let event = Event::AgentToolCall(AgentToolCall {
        agent_id: context.may.agent,
        tool: tool.chars().take(64).collect(),
        target: target.clone(),
        door_required: tool == tools::ASK,
    });
    progress.push_event(event);
    let touch = Event::WorldTouch(WorldTouch {
        agent_id: context.may.agent,
        node_id: format!("tool:{}", tool.chars().take(64).collect::<String>()),
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

    use super::*;

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
