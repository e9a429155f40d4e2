//! Watching a run: what its agents say, use and see, as it happens; then how it ended. A connection that breaks off is
//! taken up where it was.

use std::collections::HashMap;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::api::types::{
    Channel, ClawId, DoorId, LineKind, LiveEvents, ResourceKind, Run, RunId, RunStatus, RunStep,
};
use crate::api::{Api, Parsed, routes};
use crate::doors::{self, Asking};
use crate::run;
use crate::show::{self, Shown};

/// Watches until the run is over. Fails when it did not complete.
///
/// # Errors
/// What the gateway said.
pub(super) async fn watch(api: &Api, id: &RunId, asking: Asking) -> anyhow::Result<ExitCode> {
    let first = api.ask(routes::run(id)).await?;
    let mut screen = Screen::of(&first);
    screen.asking = asking;
    if !api.json {
        println!(
            "{} · {} · {}",
            first.title.shown(),
            first.graph.kind.shown(),
            id.shown()
        );
    }
    let mut last: Option<String> = None;
    loop {
        let run = api.ask(routes::run(id)).await?;
        let over = is_over(&run);
        if let Err(error) = follow(api, id, &mut last, &mut screen, over).await {
            eprintln!(
                "roost: {}; trying again",
                show::clean(&format!("{error:#}"))
            );
            tokio::time::sleep(Duration::from_secs(1)).await;
            continue;
        }
        let run = api.ask(routes::run(id)).await?;
        if is_over(&run) {
            screen.end_line();
            return Ok(told(api, &run));
        }
    }
}

fn is_over(run: &Run) -> bool {
    matches!(
        run.status,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled
    )
}

/// How long the stream must be still before the steps are told.
const STILL: Duration = Duration::from_millis(200);
/// The longest that they wait for that: several agents may talk without a pause.
const LATEST: Duration = Duration::from_secs(2);

/// The run as it was read when the stream said that it had changed. What is read is ahead of the stream: an agent's last
/// words are still to come when its step has ended already. So the steps wait until those words were told.
struct News {
    run: Parsed<Run>,
    until: Instant,
}

/// Prints events until the run changes its state, or until all that is kept was printed where it is over already.
async fn follow(
    api: &Api,
    id: &RunId,
    last: &mut Option<String>,
    screen: &mut Screen,
    over: bool,
) -> anyhow::Result<()> {
    let call = routes::run_events(id, last.as_deref());
    let mut messages = api.stream(call).await?;
    let mut news: Option<News> = None;
    loop {
        let next = match &news {
            None => messages.next().await,
            Some(News { until, .. }) => {
                let still = (Instant::now() + STILL).min(*until);
                match tokio::time::timeout_at(still, messages.next()).await {
                    Ok(next) => next,
                    Err(_) => {
                        if screen.told_steps(api, news.take()).await {
                            return Ok(());
                        }
                        continue;
                    }
                }
            }
        };
        let Some(message) = next? else {
            screen.told_steps(api, news.take()).await;
            return Ok(());
        };
        if message.id.is_some() {
            last.clone_from(&message.id);
        }
        let event = LiveEvents::read(&message.event, &message.data).unwrap_or(LiveEvents::Other);
        match (message.event.as_str(), event) {
            // Everything that was there before has been told by the first beat.
            ("beat", _) if over => return Ok(()),
            ("beat" | "reset", _) => {}
            (_, LiveEvents::ResourceChanged(changed))
                if changed.kind == ResourceKind::Run && changed.id == id.to_string() && !over =>
            {
                let run = api.ask(routes::run(id)).await?;
                let until = news.map_or_else(|| Instant::now() + LATEST, |news| news.until);
                news = Some(News { run, until });
            }
            (kind, _) if api.json => {
                let data: Value = serde_json::from_str(&message.data).unwrap_or_default();
                show::json_line(&json!({ "type": kind, "data": data }));
            }
            (_, event) => {
                if news
                    .as_ref()
                    .is_some_and(|news| screen.begins(&news.run, &event))
                {
                    screen.told_steps(api, news.take()).await;
                }
                screen.event(&event);
            }
        }
    }
}

/// How it ended, and the exit code that says so.
fn told(api: &Api, run: &Parsed<Run>) -> ExitCode {
    if api.json {
        show::json(run.raw());
    } else {
        let spent = run::cost(run.cost_microusd);
        println!(
            "\n{}: {} steps, {} tokens, {}",
            run::state(&run.status, run.outcome.as_ref()),
            run.steps_done,
            run.tokens_in + run.tokens_out,
            if spent == "-" { "no cost" } else { &spent },
        );
        if let Some(result) = &run.result {
            println!("\n{}", roost_protocol::text::visible_lines(&result.text));
        }
        if let Some(error) = &run.error {
            println!("\n{}", error.shown());
        }
        if let Some(reason) = &run.outcome_reason {
            println!("\n{}", reason.shown());
        }
    }
    run::exit_code(&run.status, run.outcome.as_ref())
}

/// A step's name, and how it is, as its heading says it.
fn heading(step: &RunStep) -> (String, String) {
    let name = format!("{} (lap {})", step.key.shown(), step.lap);
    let status = match &step.waiting_since {
        Some(_) => format!("waits. {}", step.error.shown()),
        None => step.status.shown(),
    };
    (name, status)
}

/// What was printed, and whose words stand on the line that is not ended.
struct Screen {
    /// Agents by their nodes' names.
    names: HashMap<ClawId, String>,
    /// Agents by their nodes' ids, which are the keys of their steps.
    nodes: HashMap<ClawId, String>,
    speaking: Option<(String, Channel)>,
    /// Steps by how they were last seen.
    seen: HashMap<String, String>,
    /// Requests for a decision that were told.
    requests: Vec<DoorId>,
    asking: Asking,
}

/// The agent of an event.
fn agent_of(event: &LiveEvents) -> Option<&ClawId> {
    Some(match event {
        LiveEvents::AgentReasoningDelta(of) => &of.agent_id,
        LiveEvents::AgentToolCall(of) => &of.agent_id,
        LiveEvents::AgentComputerFrame(of) => &of.agent_id,
        LiveEvents::AgentStatus(of) => &of.agent_id,
        LiveEvents::AgentTaskUpdate(of) => &of.agent_id,
        LiveEvents::DoorRequest(of) => &of.agent_id,
        LiveEvents::PlacementFallback(of) => return of.agent_id.as_ref(),
        LiveEvents::WorldTouch(of) => &of.agent_id,
        LiveEvents::ResourceChanged(_) | LiveEvents::Other => return None,
    })
}

impl Screen {
    fn of(run: &Run) -> Self {
        let (mut names, mut nodes) = (HashMap::new(), HashMap::new());
        for node in &run.graph.nodes {
            let attributes = node.attributes.as_ref();
            let Some(agent) = attributes.and_then(|attributes| attributes.agent.clone()) else {
                continue;
            };
            let name = match node.label.shown() {
                empty if empty.is_empty() => node.id.shown(),
                label => label,
            };
            names.insert(agent.clone().into(), name);
            nodes.insert(agent.into(), node.id.clone());
        }
        Self {
            names,
            nodes,
            speaking: None,
            seen: HashMap::new(),
            requests: Vec::new(),
            asking: Asking::Person,
        }
    }

    fn name(&self, agent: &ClawId) -> String {
        let known = self.names.get(agent);
        known.cloned().unwrap_or_else(|| agent.shown())
    }

    fn event(&mut self, event: &LiveEvents) {
        match event {
            LiveEvents::AgentReasoningDelta(delta) => {
                let who = self.name(&delta.agent_id);
                let channel = delta.channel.clone().unwrap_or(Channel::Think);
                if self.speaking.as_ref() != Some(&(who.clone(), channel.clone())) {
                    self.end_line();
                    let sign = if channel == Channel::Think {
                        "…"
                    } else {
                        "»"
                    };
                    print!("{who} {sign} ");
                    self.speaking = Some((who, channel));
                }
                print!("{}", roost_protocol::text::visible_lines(&delta.text));
                let _ = std::io::stdout().flush();
            }
            LiveEvents::AgentToolCall(call) => {
                self.end_line();
                println!(
                    "{} uses {} {}",
                    self.name(&call.agent_id),
                    call.tool.shown(),
                    call.target.as_deref().map(show::clean).unwrap_or_default()
                );
            }
            LiveEvents::AgentComputerFrame(frame) => {
                self.end_line();
                let last = frame.lines.as_ref().and_then(|lines| lines.last());
                if let Some(line) = last
                    && matches!(line.kind, Some(LineKind::Ok | LineKind::Warn))
                {
                    println!("    {}", line.text.shown());
                }
            }
            _ => {}
        }
    }

    /// Tells the steps of what was read, if anything was; whether the run is over with it.
    async fn told_steps(&mut self, api: &Api, news: Option<News>) -> bool {
        let Some(News { run, .. }) = news else {
            return false;
        };
        if !api.json {
            self.steps(&run);
            self.requests(api, &run).await;
        }
        is_over(&run)
    }

    /// Asks about what the run waits for, when a person decides it.
    async fn requests(&mut self, api: &Api, run: &Run) {
        if run.waiting_on.is_none() || is_over(run) {
            return;
        }
        if let Err(error) = doors::ask_about(api, &run.id, self.asking, &mut self.requests).await {
            let why = show::clean(&format!("{error:#}"));
            eprintln!("roost: the requests of the run cannot be read: {why}");
        }
    }

    fn steps(&mut self, run: &Run) {
        for step in &run.steps {
            let (name, status) = heading(step);
            if self.seen.get(&name) != Some(&status) {
                self.end_line();
                println!("-- {name}: {status}");
                self.seen.insert(name, status);
            }
        }
    }

    /// Whether an event is one of a step that has begun and whose heading was not told yet.
    fn begins(&self, run: &Run, event: &LiveEvents) -> bool {
        let Some(node) = agent_of(event).and_then(|agent| self.nodes.get(agent)) else {
            return false;
        };
        let mut own = run.steps.iter().filter(|step| step.key == *node);
        // An agent whose earlier step is still the one on the screen speaks its last words.
        let told = |name: &str| {
            self.seen
                .get(name)
                .is_some_and(|status| status == "running")
        };
        let mut names = own.clone().map(|step| heading(step).0);
        !names.any(|name| told(&name)) && own.any(|step| !self.seen.contains_key(&heading(step).0))
    }

    fn end_line(&mut self) {
        if self.speaking.take().is_some() {
            println!();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_heading_waits_for_the_words_of_the_step_before_it() {
        let at = "2026-11-21T05:09:40Z";
        let node = |id: &str| json!({ "id": id, "label": id, "attributes": { "agent": format!("agent of {id}") } });
        let run = |planner: &str, coder: Option<&str>| {
            let step = |key: &str, status: &str| {
                json!({ "key": key, "lap": 1, "status": status, "purpose": "work", "started_at": at, "tokens_out": 0,
                    "cost_microusd": 0, "checks": [] })
            };
            let mut steps = vec![step("planner", planner)];
            steps.extend(coder.map(|status| step("coder", status)));
            let run = json!({ "id": "r", "title": "t", "status": "running", "input": "x", "created_at": at, "cost_microusd": 0,
                "steps_done": 0, "start_files": [], "tokens_in": 0, "tokens_out": 0,
                "graph": { "kind": "pipeline", "nodes": [node("planner"), node("coder")] }, "steps": steps });
            serde_json::from_value::<Run>(run).unwrap()
        };
        let says = |who: &str| {
            let data = json!({ "agentId": format!("agent of {who}"), "text": "x" }).to_string();
            LiveEvents::read("agent.reasoning.delta", &data).unwrap()
        };
        let first = run("running", None);
        let mut screen = Screen::of(&first);
        // Its own heading comes before its first word.
        assert!(screen.begins(&first, &says("planner")));
        screen.steps(&first);
        // The run is read when the planner has ended; its last words are still on their way.
        let ahead = run("done", Some("running"));
        assert!(!screen.begins(&ahead, &says("planner")));
        assert!(screen.begins(&ahead, &says("coder")));
        screen.steps(&ahead);
        assert!(!screen.begins(&ahead, &says("coder")));
        assert!(!screen.begins(&ahead, &says("somebody else")));
    }
}
