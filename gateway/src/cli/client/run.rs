//! `roost run`: runs of teams.

use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};

use super::show::{self, field};
use super::{Api, compare, watch};

/// Runs.
#[derive(Debug, clap::Subcommand)]
pub enum Run {
    /// List runs, newest first
    List {
        #[arg(long, default_value_t = 20, value_name = "COUNT")]
        limit: u32,
    },
    /// Show one run with its steps
    Show { run: String },
    /// Watch a run until it ends; what happened before is shown first
    Watch { run: String },
    /// Cancel a run with all that it has started
    Cancel { run: String },
    /// Start a new run that keeps what was handed over before a step
    Fork {
        run: String,
        /// The step that is done anew, with all after it
        #[arg(long, value_name = "STEP")]
        step: String,
        #[arg(long, default_value_t = 1, value_name = "LAP")]
        lap: u32,
        /// Only start it, and print the run's id
        #[arg(long)]
        detach: bool,
    },
    /// Run one goal through several teams, and show them side by side
    #[command(
        after_help = "Examples:\n  roost run compare --team Ledger --team Two \"Make the failing test pass\" --judge Ada\n  roost run compare --team Ledger --team Ledger=single \"Explain the bug\""
    )]
    Compare(compare::Compare),
    /// Write a run with its journal as JSON
    Export {
        run: String,
        /// Where to; `-` is stdout
        #[arg(long, short, default_value = "-", value_name = "FILE")]
        output: String,
    },
}

impl Run {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List { limit } => {
                let page = api
                    .get(&format!("/api/topology-runs?limit={limit}"))
                    .await?;
                if api.json {
                    show::json(&page);
                } else {
                    let items = page["items"].as_array().cloned().unwrap_or_default();
                    let row = |run: &Value| {
                        let mut row = vec![
                            show::moment(run, "created_at"),
                            field(run, "title"),
                            field(run, "status"),
                        ];
                        row.push(format!(
                            "{}/{}",
                            field(run, "steps_done"),
                            field(run, "steps_most")
                        ));
                        row.push(cost(run));
                        row.push(field(run, "id"));
                        row
                    };
                    let rows: Vec<_> = items.iter().map(row).collect();
                    show::table(&["BEGUN", "TEAM", "STATUS", "STEPS", "COST", "ID"], &rows);
                }
            }
            Self::Show { run } => one(api, &api.get(&format!("/api/topology-runs/{run}")).await?),
            Self::Watch { run } => return watch::watch(api, &run).await,
            Self::Cancel { run } => {
                let run = api
                    .post(&format!("/api/topology-runs/{run}/cancel"), &json!({}))
                    .await?;
                match api.json {
                    true => show::json(&run),
                    false if run["cancelling"] == true => println!("It is about to stop."),
                    false => println!("It is {}.", field(&run, "status")),
                }
            }
            Self::Fork {
                run,
                step,
                lap,
                detach,
            } => {
                let body = json!({ "step": step, "lap": lap });
                let fork = api
                    .post(&format!("/api/topology-runs/{run}/fork"), &body)
                    .await?;
                let id = field(&fork, "id");
                if detach {
                    println!("{id}");
                    return Ok(ExitCode::SUCCESS);
                }
                return watch::watch(api, &id).await;
            }
            Self::Compare(compare) => return compare.run(api).await,
            Self::Export { run, output } => {
                let mut whole = api.get(&format!("/api/topology-runs/{run}")).await?;
                let calls = api.get(&format!("/api/topology-runs/{run}/calls")).await?;
                whole["calls"] = calls["items"].clone();
                if output == "-" {
                    show::json(&whole);
                } else {
                    let text = serde_json::to_string_pretty(&whole)?;
                    std::fs::write(&output, text)
                        .with_context(|| format!("cannot write {output}"))?;
                    eprintln!("Written to {output}.");
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What it cost, for people.
pub(super) fn cost(run: &Value) -> String {
    match run["cost_microusd"].as_i64() {
        Some(0) => "-".to_owned(),
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        Some(cost) => format!("${:.4}", cost as f64 / 1e6),
        None => "-".to_owned(),
    }
}

fn one(api: &Api, run: &Value) {
    if api.json {
        return show::json(run);
    }
    for (label, path) in [
        ("team", "title"),
        ("id", "id"),
        ("status", "status"),
        ("goal", "input"),
        ("error", "error"),
    ] {
        let text = field(run, path);
        if text != "-" {
            println!("{label:<8} {text}");
        }
    }
    println!("{:<8} {}", "begun", show::moment(run, "created_at"));
    println!();
    let steps = run["steps"].as_array().cloned().unwrap_or_default();
    let row = |step: &Value| {
        vec![
            field(step, "key"),
            field(step, "lap"),
            field(step, "status"),
            took(step),
            field(step, "tokens_out"),
            cost(step),
        ]
    };
    let rows: Vec<_> = steps.iter().map(row).collect();
    show::table(&["STEP", "LAP", "STATUS", "TOOK", "TOKENS", "COST"], &rows);
    if let Some(text) = run["result"]["text"].as_str() {
        println!("\n{}", roost_protocol::text::visible_lines(text));
    }
}

/// How long a step took.
fn took(step: &Value) -> String {
    let at = |name: &str| chrono::DateTime::parse_from_rfc3339(step[name].as_str()?).ok();
    match (at("started_at"), at("ended_at")) {
        (Some(start), Some(end)) => {
            let ms = (end - start).num_milliseconds();
            format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
        }
        _ => "-".to_owned(),
    }
}
