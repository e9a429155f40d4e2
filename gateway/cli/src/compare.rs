//! `roost run compare`: one goal through several teams, and how they did, side by side.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;

use crate::api::types::{
    ComparisonFiles, ComparisonFilesFrom, NewCandidate, NewComparison, Run, RunComparedCandidate,
    RunId, RunOutcome, RunStatus, TopologyKind,
};
use crate::api::{Api, Parsed, routes};
use crate::limits::Limits;
use crate::show::{self, Shown};
use crate::{claws, run, team};

/// How often the gateway is asked how far they are.
const LOOK: Duration = Duration::from_secs(1);

/// What is compared.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// A team by its name or id, with `=KIND` for another topology of the same agents (`single`: the first of them alone);
    /// named twice or more
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
    /// For all together
    #[command(flatten)]
    limits: Limits,
    /// What the sandboxes begin with: `empty` (no files) or `own` (what each has, so they do not begin alike)
    #[arg(long, value_name = "FILES", value_parser = ["empty", "own"], conflicts_with_all = ["from_run", "step"])]
    files: Option<String>,
    /// A run whose files each candidate begins with, at the step of `--step`
    #[arg(long, value_name = "RUN", requires = "step")]
    from_run: Option<String>,
    /// The step whose files each candidate begins with, by its key; see `roost run show`
    #[arg(long, value_name = "STEP", requires = "from_run")]
    step: Option<String>,
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
                Some((name, kind)) => (name, Some(TopologyKind::from(kind.to_owned()))),
                None => (named.as_str(), None),
            };
            candidates.push(NewCandidate {
                team_id: team::find(api, name).await?,
                topology: kind,
            });
        }
        let input = team::goal_text(self.goal)?;
        let judge_agent_id = match &self.judge {
            Some(judge) => Some(claws::find(api, judge).await?),
            None => None,
        };
        let files = match (self.files, self.from_run, self.step) {
            (Some(from), _, _) => Some(ComparisonFiles {
                from: Some(from.into()),
                run_id: None,
                step: None,
                lap: None,
            }),
            (None, Some(run), Some(step)) => Some(ComparisonFiles {
                from: Some(ComparisonFilesFrom::Step),
                run_id: Some(run.into()),
                step: Some(step),
                lap: None,
            }),
            _ => None,
        };
        let new = NewComparison {
            files,
            input,
            candidates,
            judge_agent_id,
            title: self.title,
            cost_ceiling_microusd: self.limits.microusd()?,
            limits: self.limits.pace(),
        };
        let begun = api.ask(routes::compare_runs(&new)).await?;
        if self.detach {
            match api.json {
                true => show::json(begun.raw()),
                false => println!("{}", begun.id.shown()),
            }
            return Ok(ExitCode::SUCCESS);
        }
        follow(api, &begun.id).await
    }
}

/// Says how each goes on until all is over, then shows them side by side.
async fn follow(api: &Api, id: &RunId) -> anyhow::Result<ExitCode> {
    let mut seen: HashMap<String, String> = HashMap::new();
    loop {
        let run = api.ask(routes::run(id)).await?;
        if seen.is_empty() && !api.json {
            println!("{} · {}", run.title.shown(), id.shown());
        }
        for (who, how) in standing(&run) {
            if seen.get(&who) != Some(&how) {
                if !api.json {
                    println!("-- {who}: {how}");
                }
                seen.insert(who, how);
            }
        }
        match run.status {
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {
                told(api, &run);
                return Ok(run::exit_code(&run.status, run.outcome.as_ref()));
            }
            _ => tokio::time::sleep(LOOK).await,
        }
    }
}

fn candidates(run: &Run) -> impl Iterator<Item = &RunComparedCandidate> {
    let comparison = run.comparison.iter();
    comparison.flat_map(|comparison| &comparison.candidates)
}

/// Who stands how.
fn standing(run: &Run) -> Vec<(String, String)> {
    let mut all: Vec<_> = candidates(run)
        .map(|one| {
            let who = format!("{} {}", one.label.shown(), one.name.shown());
            (who, one.status.shown())
        })
        .collect();
    let judging = run.steps.iter().filter(|step| step.purpose == "verdict");
    all.extend(judging.map(|step| ("judge".to_owned(), step.status.shown())));
    all
}

fn told(api: &Api, run: &Parsed<Run>) {
    if api.json {
        return show::json(run.raw());
    }
    for one in candidates(run) {
        println!("\n## {} {}\n", one.label.shown(), one.name.shown());
        match (&one.output, &one.error) {
            (Some(text), _) => println!("{}", roost_protocol::text::visible_lines(text)),
            (None, Some(error)) => println!("{}", error.shown()),
            (None, None) => println!("(nothing)"),
        }
    }
    let comparison = run.comparison.as_ref();
    let verdict = comparison.and_then(|comparison| comparison.verdict.as_ref());
    let rows: Vec<Vec<String>> = candidates(run)
        .map(|one| {
            let score = verdict.and_then(|verdict| verdict.scores.get(&one.label));
            vec![
                one.name.shown(),
                one.topology.shown(),
                run::state(&one.status, one.outcome.as_ref()),
                one.steps.shown(),
                took(one),
                (one.tokens_in + one.tokens_out).to_string(),
                run::cost(one.cost_microusd),
                score.shown(),
                one.label.shown(),
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
    let no_verdict = comparison.and_then(|comparison| comparison.no_verdict.as_ref());
    if let Some(verdict) = verdict {
        println!("\nBest: {}", verdict.best.shown());
        if candidates(run)
            .any(|one| one.label == verdict.best && one.outcome == Some(RunOutcome::Rejected))
        {
            println!("Its own checks reject it.");
        }
        let reason = &verdict.reason;
        println!("{}", roost_protocol::text::visible_lines(reason));
    } else if let Some(none) = no_verdict {
        println!("\nNo verdict: {}", none.why.shown());
    }
    if let Some(error) = &run.error {
        println!("\n{}", roost_protocol::text::visible_lines(error));
    }
}

fn took(one: &RunComparedCandidate) -> String {
    match one.took_ms {
        Some(ms) => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        None => "-".to_owned(),
    }
}
