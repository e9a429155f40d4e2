//! `roost run`: runs of teams.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::api::types::{
    ForkFrom, Run as Whole, RunCheck, RunId, RunOutcome, RunStatus, RunStep, Team, TeamId,
};
use crate::api::{Api, Moment, Parsed, raw_list, routes};
use crate::doors::Asking;
use crate::limits::Pace;
use crate::named;
use crate::show::{self, Shown};
use crate::{compare, journal, run_files, run_list, run_live, run_repo, team, watch};

/// Runs.
#[derive(Debug, clap::Subcommand)]
pub enum Run {
    List(run_list::List),
    /// Show one run with its steps
    Show {
        run: String,
    },
    /// Watch a run until it ends; what happened before is shown first. Exits with 3 when its goal was not met
    Watch {
        run: String,
    },
    /// Show what happened inside one step: what was thought and said, the calls and their results
    Journal {
        run: String,
        /// The step, by its key; see `roost run show`
        step: String,
        #[arg(long, default_value_t = 1, value_name = "LAP")]
        lap: u32,
    },
    /// Cancel a run with all that it has started
    Cancel {
        run: String,
    },
    /// Stop one agent of a run at work. Its step ends as cancelled, and the others go on
    #[command(
        after_help = "`roost run show RUN` names the steps. A run with a stopped agent is not accepted.\n\nExample:\n  roost run stop RUN coder"
    )]
    Stop {
        run: String,
        step: String,
        #[arg(long, default_value_t = 1, value_name = "LAP")]
        lap: u32,
    },
    /// Say something to the agents of a run at work; they hear it before their next turn
    #[command(
        after_help = "Examples:\n  roost run say RUN \"Use tabs, not spaces\"\n  roost run say RUN --agent Coder \"The test is in tests/ledger.rs\""
    )]
    Say {
        run: String,
        /// What they hear; `-` reads it from standard input
        text: String,
        /// Only this agent hears it
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
    /// Pause a run with all that it has started; each agent stops before its next turn or call
    Pause {
        run: String,
    },
    /// Resume a paused run; each agent continues where it stopped
    Resume {
        run: String,
    },
    /// Start a new run that keeps what was handed over before a step
    Fork {
        run: String,
        /// The step that is done anew, with all after it
        #[arg(long, value_name = "STEP")]
        step: String,
        #[arg(long, default_value_t = 1, value_name = "LAP")]
        lap: u32,
        /// Leave the sandboxes as they are, instead of giving them the files that they had when the step began
        #[arg(long)]
        without_files: bool,
        /// Another goal than the original's; `-` reads it from standard input
        #[arg(long, value_name = "GOAL")]
        goal: Option<String>,
        /// The model of the agents that work again
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
        /// Instructions for the agent of the step, instead of its own; `-` reads them from standard input
        #[arg(long, value_name = "TEXT")]
        instructions: Option<String>,
        /// Said to the agents that work again, before their first turn
        #[arg(long, value_name = "TEXT")]
        say: Option<String>,
        #[command(flatten)]
        pace: Pace,
        /// Only start it, and print the run's id
        #[arg(long)]
        detach: bool,
    },
    /// Show the repository of a run and the commits of its agents
    Repo {
        run: String,
        /// Put the files of the newest commit into this new or empty folder
        #[arg(long, value_name = "DIR")]
        get: Option<PathBuf>,
        /// Another branch than the one with the newest commits
        #[arg(long, value_name = "BRANCH", requires = "get")]
        branch: Option<String>,
    },
    /// Show what the commits of a run changed
    Diff {
        run: String,
        /// Another branch than the one with the newest commits; see `roost run repo`
        #[arg(long, value_name = "BRANCH")]
        branch: Option<String>,
    },
    /// Push a branch of a run to its code host: never over other commits, and never to the default branch
    Push {
        run: String,
        /// Another branch than the one with the newest commits; see `roost run repo`
        #[arg(long, value_name = "BRANCH")]
        branch: Option<String>,
        /// Push only if the branch is still at this commit
        #[arg(long, value_name = "COMMIT")]
        commit: Option<String>,
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

/// How many runs are searched for the end of an id.
const NEWEST: u64 = 200;

/// The run with this id, or the only one of the newest whose id ends so.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<RunId> {
    if named::is_id(wanted) || !named::is_short(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let call = routes::runs(
        Some(NEWEST),
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        Some(true),
    );
    let page = api.ask(call).await?;
    let mut found = page.into_value().items;
    found.retain(|run| run.id.shown().ends_with(wanted));
    match (found.pop(), found.is_empty()) {
        (Some(run), true) => Ok(run.id.clone()),
        (Some(_), false) => bail!("several runs end with {wanted:?}; give more of the id"),
        (None, _) => {
            bail!("no run of the newest {NEWEST} ends with {wanted:?}; see: roost run list --all")
        }
    }
}

impl Run {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List(list) => return list.run(api).await,
            Self::Show { run } => {
                let run = api.ask(routes::run(&find(api, &run).await?)).await?;
                let team = match api.json {
                    true => String::new(),
                    false => team_of(run.team_id.as_ref(), &team_names(api).await?),
                };
                let packages = match (api.json, &run.repo_run_id) {
                    (false, Some(_)) => run_repo::packages(api, &run.id).await?,
                    _ => Vec::new(),
                };
                one(api, &run, &team, &packages);
            }
            Self::Journal { run, step, lap } => {
                let id = find(api, &run).await?;
                let page = |limit, cursor: Option<&str>| {
                    routes::step_calls(&id, &step, Some(lap), limit, cursor)
                };
                let entries = api.all(page).await?;
                match api.json {
                    true => show::json(&raw_list(&entries)),
                    false => {
                        let run = api.ask(routes::run(&id)).await?;
                        run_files::around_step(&run, &step, lap);
                        entries.iter().for_each(journal::print);
                    }
                }
            }
            Self::Watch { run } => {
                return watch::watch(api, &find(api, &run).await?, Asking::Person).await;
            }
            Self::Cancel { run } => {
                let run = api.ask(routes::cancel_run(&find(api, &run).await?)).await?;
                match api.json {
                    true => show::json(run.raw()),
                    false if run.cancelling => println!("It is about to stop."),
                    false => println!("It is {}.", run.status.shown()),
                }
            }
            Self::Stop { run, step, lap } => {
                let call = routes::stop_step(&find(api, &run).await?, &step, Some(lap));
                let run = api.ask(call).await?;
                match api.json {
                    true => show::json(run.raw()),
                    false => println!(
                        "The agent of the step {} is about to stop.",
                        show::clean(&step)
                    ),
                }
            }
            Self::Say { run, text, agent } => run_live::say(api, run, text, agent).await?,
            Self::Pause { run } => run_live::pause(api, run).await?,
            Self::Resume { run } => run_live::resume(api, run).await?,
            Self::Fork {
                run,
                step,
                lap,
                without_files,
                goal,
                model,
                instructions,
                say,
                pace,
                detach,
            } => {
                if goal.as_deref() == Some("-") && instructions.as_deref() == Some("-") {
                    bail!("only one of --goal and --instructions can be read from standard input");
                }
                let from = ForkFrom {
                    goal: goal.map(team::goal_text).transpose()?,
                    model,
                    instructions: instructions.map(team::goal_text).transpose()?,
                    message: say,
                    step,
                    lap: Some(lap),
                    without_files: Some(without_files),
                    limits: pace.limits(),
                };
                let fork = api
                    .ask(routes::fork_run(&find(api, &run).await?, &from))
                    .await?;
                if detach {
                    println!("{}", fork.id.shown());
                    return Ok(ExitCode::SUCCESS);
                }
                if !api.json {
                    let begun = api.ask(routes::run(&fork.id)).await?;
                    run_files::starts(&begun);
                }
                return watch::watch(api, &fork.id, Asking::Person).await;
            }
            Self::Repo { run, get, branch } => match get {
                Some(to) => {
                    run_repo::get(api, &find(api, &run).await?, &to, branch.as_deref()).await?;
                }
                None => run_repo::show(api, &find(api, &run).await?).await?,
            },
            Self::Diff { run, branch } => {
                run_repo::diff(api, &find(api, &run).await?, branch).await?;
            }
            Self::Push {
                run,
                branch,
                commit,
            } => run_repo::push(api, &find(api, &run).await?, branch, commit).await?,
            Self::Compare(compare) => return compare.run(api).await,
            Self::Export { run, output } => {
                let id = find(api, &run).await?;
                let mut whole = api.ask(routes::run(&id)).await?.raw().clone();
                let calls = api.ask(routes::run_calls(&id)).await?;
                whole["calls"] = calls.raw()["items"].clone();
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

/// Names of the workspace's teams by their ids.
pub(super) async fn team_names(api: &Api) -> anyhow::Result<HashMap<TeamId, String>> {
    let teams = api.all(routes::teams).await?;
    let pair = |team: Parsed<Team>| (team.id.clone(), team.name.shown());
    Ok(teams.into_iter().map(pair).collect())
}

/// The exit code of a command that waited for a run whose goal was not met.
const REJECTED: u8 = 3;

/// The exit code for a run that has ended: 0 when it completed, 3 when it completed and its goal was not met, else 1.
pub(super) fn exit_code(status: &RunStatus, outcome: Option<&RunOutcome>) -> ExitCode {
    match (status, outcome) {
        (RunStatus::Completed, Some(RunOutcome::Rejected)) => ExitCode::from(REJECTED),
        (RunStatus::Completed, _) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The status of a run, with its outcome where the run came to its end.
pub(super) fn state(status: &RunStatus, outcome: Option<&RunOutcome>) -> String {
    match (status, outcome) {
        (RunStatus::Completed, Some(outcome)) => {
            format!("{}, {}", status.shown(), outcome.as_str())
        }
        _ => status.shown(),
    }
}

/// The team of a run; a dash where it had none, or where its team was deleted.
pub(super) fn team_of(id: Option<&TeamId>, teams: &HashMap<TeamId, String>) -> String {
    id.and_then(|id| teams.get(id)).shown()
}

/// What it cost, for people.
pub(super) fn cost(microusd: i64) -> String {
    match microusd {
        0 => "-".to_owned(),
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        cost => format!("${:.4}", cost as f64 / 1e6),
    }
}

fn one(api: &Api, run: &Parsed<Whole>, team: &str, packages: &[String]) {
    if api.json {
        return show::json(run.raw());
    }
    if team != "-" {
        println!("{:<8} {team}", "team");
    }
    for (label, text) in [
        ("title", run.title.shown()),
        ("id", run.id.shown()),
        ("status", state(&run.status, run.outcome.as_ref())),
        ("because", run.outcome_reason.shown()),
        ("goal", run.input.shown()),
        ("error", run.error.shown()),
        ("waits", waits(run)),
    ] {
        if text != "-" {
            println!("{label:<8} {text}");
        }
    }
    println!("{:<8} {}", "begun", run.created_at.shown());
    packages.iter().for_each(|line| println!("{line}"));
    println!();
    let row = |step: &RunStep| {
        vec![
            step.key.shown(),
            step.lap.shown(),
            step.status.shown(),
            took(step),
            step.tokens_out.shown(),
            cost(step.cost_microusd),
        ]
    };
    let rows: Vec<_> = run.steps.iter().map(row).collect();
    show::table(&["STEP", "LAP", "STATUS", "TOOK", "TOKENS", "COST"], &rows);
    for (step, check) in run
        .steps
        .iter()
        .flat_map(|step| step.checks.iter().map(move |check| (step, check)))
    {
        println!(
            "\n{}, lap {}: {}",
            step.key.shown(),
            step.lap,
            checked(check)
        );
    }
    run_files::around(run);
    if let Some(result) = &run.result {
        println!("\n{}", roost_protocol::text::visible_lines(&result.text));
    }
}

/// A check, with what it means for the work.
fn checked(check: &RunCheck) -> String {
    let command = check.command.shown();
    match check.exit_code {
        Some(0) => format!("passed `{command}`"),
        Some(code) => format!("did not pass `{command}` (exit {code})"),
        None => format!("did not pass `{command}` (it did not run to its end)"),
    }
}

/// What the run waits for, and since when.
fn waits(run: &Whole) -> String {
    let since = run.waiting_since.as_ref();
    let since = since.map(|at| format!(" (since {})", at.shown()));
    match &run.waiting_on {
        Some(_) => run.waiting_on.shown() + &since.unwrap_or_default(),
        None => "-".to_owned(),
    }
}

/// How long a step took.
fn took(step: &RunStep) -> String {
    let end = step.ended_at.as_ref().and_then(Moment::parsed);
    match (step.started_at.parsed(), end) {
        (Some(start), Some(end)) => {
            let ms = (end - start).num_milliseconds();
            format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
        }
        _ => "-".to_owned(),
    }
}
