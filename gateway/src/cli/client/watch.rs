//! Watching a run: what its agents say, use and see, as it happens; then how it ended. A connection that breaks off is
//! taken up where it was.

use std::collections::HashMap;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;

use super::show::{self, field};
use super::sse::Messages;
use super::{Api, run};

/// Watches until the run is over. Fails when it did not complete.
///
/// # Errors
/// What the gateway said.
pub(super) async fn watch(api: &Api, id: &str) -> anyhow::Result<ExitCode> {
    let first = api.get(&format!("/api/topology-runs/{id}")).await?;
    let mut screen = Screen::of(&first);
    if !api.json {
        println!(
            "{} · {} · {id}",
            field(&first, "title"),
            field(&first, "graph.kind")
        );
    }
    let mut last: Option<String> = None;
    loop {
        let run = api.get(&format!("/api/topology-runs/{id}")).await?;
        let over = is_over(&run);
        if let Err(error) = follow(api, id, &mut last, &mut screen, over).await {
            eprintln!(
                "roost: {}; trying again",
                show::clean(&format!("{error:#}"))
            );
            tokio::time::sleep(Duration::from_secs(1)).await;
            continue;
        }
        let run = api.get(&format!("/api/topology-runs/{id}")).await?;
        if is_over(&run) {
            screen.end_line();
            return Ok(told(api, &run));
        }
    }
}

fn is_over(run: &Value) -> bool {
    matches!(
        run["status"].as_str(),
        Some("completed" | "failed" | "cancelled")
    )
}

/// Prints events until the run changes its state, or until all that is kept was printed where it is over already.
async fn follow(
    api: &Api,
    id: &str,
    last: &mut Option<String>,
    screen: &mut Screen,
    over: bool,
) -> anyhow::Result<()> {
    let after = match last {
        Some(last) => format!("?last_event_id={last}"),
        None => String::new(),
    };
    let mut messages = Messages::of(
        api.stream(&format!("/api/topology-runs/{id}/events{after}"))
            .await?,
    );
    loop {
        let Some(message) = messages.next().await? else {
            return Ok(());
        };
        if message.id.is_some() {
            last.clone_from(&message.id);
        }
        let data: Value = serde_json::from_str(&message.data).unwrap_or_default();
        match message.event.as_str() {
            // Everything that was there before has been told by the first beat.
            "beat" if over => return Ok(()),
            "beat" | "reset" => {}
            "resource.changed" if data["kind"] == "run" && data["id"] == id && !over => {
                let run = api.get(&format!("/api/topology-runs/{id}")).await?;
                screen.steps(api, &run);
                if is_over(&run) {
                    return Ok(());
                }
            }
            kind if api.json => show::json_line(&serde_json::json!({ "type": kind, "data": data })),
            kind => screen.event(kind, &data),
        }
    }
}

/// How it ended, and the exit code that says so.
fn told(api: &Api, run: &Value) -> ExitCode {
    if api.json {
        show::json(run);
    } else {
        let spent = run::cost(run);
        println!(
            "\n{}: {} steps, {} tokens, {}",
            field(run, "status"),
            field(run, "steps_done"),
            run["tokens_in"].as_i64().unwrap_or(0) + run["tokens_out"].as_i64().unwrap_or(0),
            if spent == "-" { "no cost" } else { &spent },
        );
        if let Some(text) = run["result"]["text"].as_str() {
            println!("\n{}", roost_protocol::text::visible_lines(text));
        }
        if let Some(error) = run["error"].as_str() {
            println!("\n{}", show::clean(error));
        }
    }
    match run["status"].as_str() {
        Some("completed") => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// What was printed, and whose words stand on the line that is not ended.
struct Screen {
    /// Agents by their nodes' names.
    names: HashMap<String, String>,
    speaking: Option<(String, String)>,
    /// Steps by how they were last seen.
    seen: HashMap<String, String>,
}

impl Screen {
    fn of(run: &Value) -> Self {
        let nodes = run["graph"]["nodes"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let name = |node: &Value| {
            let agent = node["attributes"]["agent"].as_str()?.to_owned();
            let label = field(node, "label");
            Some((
                agent,
                if label.is_empty() {
                    field(node, "id")
                } else {
                    label
                },
            ))
        };
        Self {
            names: nodes.iter().filter_map(name).collect(),
            speaking: None,
            seen: HashMap::new(),
        }
    }

    fn name(&self, data: &Value) -> String {
        let agent = field(data, "agentId");
        self.names.get(&agent).cloned().unwrap_or(agent)
    }

    fn event(&mut self, kind: &str, data: &Value) {
        let who = self.name(data);
        match kind {
            "agent.reasoning.delta" => {
                let channel = data["channel"].as_str().unwrap_or("think").to_owned();
                let text = data["text"].as_str().unwrap_or_default();
                if self.speaking.as_ref() != Some(&(who.clone(), channel.clone())) {
                    self.end_line();
                    let sign = if channel == "think" { "…" } else { "»" };
                    print!("{who} {sign} ");
                    self.speaking = Some((who, channel));
                }
                print!("{}", roost_protocol::text::visible_lines(text));
                let _ = std::io::stdout().flush();
            }
            "agent.tool.call" => {
                self.end_line();
                println!(
                    "{who} uses {} {}",
                    field(data, "tool"),
                    data["target"].as_str().map(show::clean).unwrap_or_default()
                );
            }
            "agent.computer.frame" => {
                self.end_line();
                let lines = data["lines"].as_array().cloned().unwrap_or_default();
                if let Some(line) = lines
                    .last()
                    .filter(|line| matches!(line["kind"].as_str(), Some("ok" | "warn")))
                {
                    println!("    {}", field(line, "text"));
                }
            }
            _ => {}
        }
    }

    fn steps(&mut self, api: &Api, run: &Value) {
        if api.json {
            return;
        }
        for step in run["steps"].as_array().into_iter().flatten() {
            let name = format!("{} (lap {})", field(step, "key"), field(step, "lap"));
            let status = match step["waiting_since"].is_string() {
                true => format!("waits. {}", field(step, "error")),
                false => field(step, "status"),
            };
            if self.seen.get(&name) != Some(&status) {
                self.end_line();
                println!("-- {name}: {status}");
                self.seen.insert(name, status);
            }
        }
    }

    fn end_line(&mut self) {
        if self.speaking.take().is_some() {
            println!();
        }
    }
}
