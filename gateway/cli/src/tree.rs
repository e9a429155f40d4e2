//! `roost tree`: what runs in the gateway, why, and starting a part of it anew.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use clap::Subcommand;

use crate::api::types::ActorSnapshot;
use crate::api::{Api, routes};
use crate::show::{self, Shown};

/// The supervision tree.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Tree {
    #[command(subcommand)]
    command: Option<TreeCommand>,
    /// As a Graphviz drawing: `roost tree --dot | dot -Tsvg`
    #[arg(long, conflicts_with = "watch")]
    dot: bool,
    /// Draw it anew every second
    #[arg(long, short)]
    watch: bool,
}

#[derive(Debug, Subcommand)]
enum TreeCommand {
    /// Say why an actor was restarted, what it holds and what was lost
    Explain {
        /// Its path, or the end of it: `foundation/saga-driver`
        actor: String,
    },
    /// Stop an actor and start it anew; written to the audit
    Restart {
        /// Its path, or the end of it: `foundation/saga-driver`
        actor: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

impl Tree {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self.command {
            Some(TreeCommand::Explain { actor }) => return explain(api, &actor).await,
            Some(TreeCommand::Restart { actor, yes }) => return restart(api, &actor, yes).await,
            None => {}
        }
        if api.json {
            show::json(api.ask(routes::tree(None)).await?.raw());
            return Ok(ExitCode::SUCCESS);
        }
        let format = if self.dot { "dot" } else { "text" };
        loop {
            let text = api.text(routes::tree(Some(format))).await?;
            if self.watch {
                // Home, then clear what was below: no flicker.
                print!("\u{1b}[H\u{1b}[J");
            }
            for line in text.lines() {
                println!("{}", show::clean(line));
            }
            if !self.watch {
                return Ok(ExitCode::SUCCESS);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

async fn explain(api: &Api, actor: &str) -> anyhow::Result<ExitCode> {
    let id = find(api, actor).await?;
    let said = api.ask(routes::explain_actor(&id)).await?;
    if api.json {
        show::json(said.raw());
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "{} ({}, {})\n{}",
        show::clean(&id),
        said.actor.kind.shown(),
        said.actor.state.shown(),
        said.does.shown()
    );
    for (head, sentences) in [
        ("Why it was restarted", &said.why),
        ("What it holds", &said.holds),
        ("What was lost", &said.lost),
    ] {
        println!("\n{head}");
        for sentence in sentences {
            println!("  {}", sentence.shown());
        }
    }
    if let Some(why) = &said.not_restartable {
        println!("\nIt cannot be restarted: {}", show::clean(why));
    }
    Ok(ExitCode::SUCCESS)
}

async fn restart(api: &Api, actor: &str, yes: bool) -> anyhow::Result<ExitCode> {
    let id = find(api, actor).await?;
    if !yes {
        if !std::io::stdin().is_terminal() {
            bail!("restarting {id} has to be confirmed; say --yes");
        }
        print!(
            "Restart {} and everything below it? [y/N] ",
            show::clean(&id)
        );
        std::io::stdout().flush()?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        if !matches!(answer.trim(), "y" | "Y" | "yes") {
            println!("Nothing was done.");
            return Ok(ExitCode::FAILURE);
        }
    }
    api.ask(routes::restart_actor(&id)).await?;
    println!("{} is being restarted.", show::clean(&id));
    Ok(ExitCode::SUCCESS)
}

/// The id of the one actor that is called so.
async fn find(api: &Api, called: &str) -> anyhow::Result<String> {
    let tree = api.ask(routes::tree(None)).await?;
    let mut ids = Vec::new();
    let mut waiting: Vec<&ActorSnapshot> = vec![&tree.root];
    while let Some(actor) = waiting.pop() {
        ids.push(actor.id.clone());
        waiting.extend(&actor.children);
    }
    matching(ids, called)
}

fn matching(ids: Vec<String>, called: &str) -> anyhow::Result<String> {
    let called = called.trim_matches('/');
    if ids.iter().any(|id| id == called) {
        return Ok(called.to_owned());
    }
    let end = format!("/{called}");
    let mut found: Vec<String> = ids.into_iter().filter(|id| id.ends_with(&end)).collect();
    match (found.pop(), found.len()) {
        (Some(id), 0) => Ok(id),
        (None, _) => bail!("there is no actor {called}; `roost tree` shows all"),
        (Some(last), _) => bail!(
            "{called} is not one actor but several: {}, {last}; give more of the path",
            found.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_found_by_the_end_of_its_path_when_that_is_one() {
        let ids = || {
            ["roost", "roost/a/x", "roost/b/x"]
                .map(str::to_owned)
                .to_vec()
        };
        assert_eq!(matching(ids(), "roost").unwrap(), "roost");
        assert_eq!(matching(ids(), "a/x").unwrap(), "roost/a/x");
        assert!(
            matching(ids(), "x")
                .unwrap_err()
                .to_string()
                .contains("several")
        );
        assert!(
            matching(ids(), "y")
                .unwrap_err()
                .to_string()
                .contains("no actor")
        );
        assert_eq!(
            routes::explain_actor("roost/a").path(),
            "/api/ops/actors/roost%2Fa/explain"
        );
    }
}
