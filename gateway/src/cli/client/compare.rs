//! `roost run compare`: one goal through several teams, and how they did, side by side.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;
use serde_json::{Value, json};

use super::show::{self, field};
use super::{Api, claws, run, team};

/// How often the gateway is asked how far they are.
const LOOK: Duration = Duration::from_secs(1);

/// What is compared.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// A team by its name or id, with `=KIND` for another topology of the same agents; named twice or more
    #[arg(long = "team", value_name = "TEAM[=KIND]", required = true)]
    teams: Vec<String>,
    /// The goal; `-` reads it from stdin
    goal: String,
    /// The agent that judges the answers, by name or id
    #[arg(long, value_name = "AGENT")]
    judge: Option<String>,
    /// What the comparison is called
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The most that all together may cost, in US dollars
    #[arg(long, value_name = "USD")]
    ceiling: Option<f64>,
    /// Only start it, and print the run's id
    #[arg(long)]
    detach: bool,
}

impl Compare {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        ensure!(
            self.teams.len() > 1,
            "name at least two teams, with --team each"
        );
        let mut candidates = Vec::with_capacity(self.teams.len());
        for named in &self.teams {
            let (name, kind) = match named.rsplit_once('=') {
                Some((name, kind)) => (name, Some(kind)),
                None => (named.as_str(), None),
            };
            let id = team::find(api, name).await?;
            candidates.push(match kind {
                Some(kind) => json!({ "team_id": id, "topology": kind }),
                None => json!({ "team_id": id }),
            });
        }
        let mut body = json!({ "input": team::goal_text(self.goal)?, "candidates": candidates });
        if let Some(judge) = &self.judge {
            body["judge_agent_id"] = claws::find(api, judge).await?.into();
        }
        if let Some(title) = self.title {
            body["title"] = title.into();
        }
        if let Some(usd) = self.ceiling {
            body["cost_ceiling_microusd"] = team::microusd(usd)?.into();
        }
        let begun = api.post("/api/topology-runs/compare", &body).await?;
        let id = field(&begun, "id");
        if self.detach {
            match api.json {
                true => show::json(&begun),
                false => println!("{id}"),
            }
            return Ok(ExitCode::SUCCESS);
        }
        follow(api, &id).await
    }
}

/// Says how each goes on until all is over, then shows them side by side.
async fn follow(api: &Api, id: &str) -> anyhow::Result<ExitCode> {
    let mut seen: HashMap<String, String> = HashMap::new();
    loop {
        let run = api.get(&format!("/api/topology-runs/{id}")).await?;
        if seen.is_empty() && !api.json {
            println!("{} · {id}", field(&run, "title"));
        }
        for (who, how) in standing(&run) {
            if seen.get(&who) != Some(&how) {
                if !api.json {
                    println!("-- {who}: {how}");
                }
                seen.insert(who, how);
            }
        }
        match run["status"].as_str() {
            Some("completed") => {
                told(api, &run);
                return Ok(ExitCode::SUCCESS);
            }
            Some("failed" | "cancelled") => {
                told(api, &run);
                return Ok(ExitCode::FAILURE);
            }
            _ => tokio::time::sleep(LOOK).await,
        }
    }
}

fn candidates(run: &Value) -> impl Iterator<Item = &Value> {
    run["comparison"]["candidates"]
        .as_array()
        .into_iter()
        .flatten()
}

/// Who stands how.
fn standing(run: &Value) -> Vec<(String, String)> {
    let mut all: Vec<_> = candidates(run)
        .map(|one| {
            let who = format!("{} {}", field(one, "label"), field(one, "name"));
            (who, field(one, "status"))
        })
        .collect();
    let steps = run["steps"].as_array().into_iter().flatten();
    let judging = steps.filter(|step| step["purpose"] == "verdict");
    all.extend(judging.map(|step| ("judge".to_owned(), field(step, "status"))));
    all
}

fn told(api: &Api, run: &Value) {
    if api.json {
        return show::json(run);
    }
    for one in candidates(run) {
        println!("\n## {} {}\n", field(one, "label"), field(one, "name"));
        match (one["output"].as_str(), one["error"].as_str()) {
            (Some(text), _) => println!("{}", roost_protocol::text::visible_lines(text)),
            (None, Some(error)) => println!("{}", show::clean(error)),
            (None, None) => println!("(nothing)"),
        }
    }
    let comparison = &run["comparison"];
    let scores = &comparison["verdict"]["scores"];
    let rows: Vec<Vec<String>> = candidates(run)
        .map(|one| {
            let label = field(one, "label");
            let score = scores[label.as_str()].as_f64();
            vec![
                field(one, "name"),
                field(one, "topology"),
                field(one, "status"),
                field(one, "steps"),
                took(one),
                tokens(one),
                run::cost(one),
                score.map_or("-".to_owned(), |score| score.to_string()),
                label,
            ]
        })
        .collect();
    println!();
    show::table(
        &[
            "TEAM", "TOPOLOGY", "STATUS", "STEPS", "TOOK", "TOKENS", "COST", "SCORE", "AS",
        ],
        &rows,
    );
    if let Some(best) = comparison["verdict"]["best"].as_str() {
        println!("\nBest: {}", show::clean(best));
        let reason = comparison["verdict"]["reason"].as_str().unwrap_or_default();
        println!("{}", roost_protocol::text::visible_lines(reason));
    } else if let Some(why) = comparison["no_verdict"]["why"].as_str() {
        println!("\nNo verdict: {}", show::clean(why));
    }
    if let Some(error) = run["error"].as_str() {
        println!("\n{}", roost_protocol::text::visible_lines(error));
    }
}

fn took(one: &Value) -> String {
    match one["took_ms"].as_i64() {
        Some(ms) => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        None => "-".to_owned(),
    }
}

fn tokens(one: &Value) -> String {
    let count = |name: &str| one[name].as_i64().unwrap_or(0);
    (count("tokens_in") + count("tokens_out")).to_string()
}
