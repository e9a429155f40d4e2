//! `roost run say|pause|resume`: what people do with a run at work.

use crate::api::types::{NewRunMessage, RunSummary};
use crate::api::{Api, Parsed, routes};
use crate::show::{self, Shown};
use crate::{claws, run as runs, team};

/// Says something to a run. `text` is the message, or `-` to read it from standard input.
pub(super) async fn say(
    api: &Api,
    run: String,
    text: String,
    agent: Option<String>,
) -> anyhow::Result<()> {
    let agent_id = match agent {
        Some(name) => Some(claws::find(api, &name).await?),
        None => None,
    };
    let to = agent_id.is_some();
    let message = NewRunMessage {
        text: team::goal_text(text)?,
        agent_id,
    };
    let said = api
        .ask(routes::say_to_run(&runs::find(api, &run).await?, &message))
        .await?;
    match (api.json, to) {
        (true, _) => show::json(said.raw()),
        (false, true) => println!("The agent hears it before its next turn."),
        (false, false) => println!("Each agent hears it before its next turn."),
    }
    Ok(())
}

/// Pauses a run.
pub(super) async fn pause(api: &Api, run: String) -> anyhow::Result<()> {
    let run = api
        .ask(routes::pause_run(&runs::find(api, &run).await?))
        .await?;
    shown(
        api,
        &run,
        "It pauses before the next turn or call of each agent. Resume it with: roost run resume",
    );
    Ok(())
}

/// Resumes a run.
pub(super) async fn resume(api: &Api, run: String) -> anyhow::Result<()> {
    let run = api
        .ask(routes::resume_run(&runs::find(api, &run).await?))
        .await?;
    shown(api, &run, "It works again.");
    Ok(())
}

fn shown(api: &Api, run: &Parsed<RunSummary>, words: &str) {
    match api.json {
        true => show::json(run.raw()),
        false if run.paused_at.is_some() => println!("{words} {}", run.id.shown()),
        false => println!("{words}"),
    }
}
