//! `--watch` of a list: the list is drawn again when something of the workspace changes.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;

use crate::api::{Api, routes};
use crate::show;

/// Changes that arrive within this time are drawn together.
const TOGETHER: Duration = Duration::from_millis(300);
/// The events after which a list can look different. Each beat counts too, because ages grow.
const TYPES: &str = "agent.status,node.activity,resource.changed,door.request,door.resolve,routine.update,topology.update";

/// What each list takes.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Live {
    /// Stay, and show the list again when it changes
    #[arg(long, short)]
    watch: bool,
}

/// A list that is not printed yet.
pub struct Listing {
    pub json: Value,
    pub text: String,
}

impl Live {
    /// Prints what `list` reads: once, or again after each change until the person stops it.
    ///
    /// # Errors
    /// When the first read fails. A watched list tries again after that.
    pub async fn show(
        self,
        api: &Api,
        list: impl AsyncFn() -> anyhow::Result<Listing>,
    ) -> anyhow::Result<ExitCode> {
        let mut last = String::new();
        draw(api, &list().await?, &mut last, self.watch);
        let mut wait = Duration::from_millis(500);
        if !self.watch {
            return Ok(ExitCode::SUCCESS);
        }
        loop {
            match follow(api, &list, &mut last).await {
                Ok(()) => wait = Duration::from_millis(500),
                Err(error) => {
                    let error = format!("{error:#}");
                    eprintln!("roost: {}; trying again", show::clean(&error));
                    wait = (wait * 2).min(Duration::from_secs(30));
                }
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// Draws the list after each change, to the end of one stream. The stream is open before the list is read, so no change
/// is missed.
async fn follow(
    api: &Api,
    list: &impl AsyncFn() -> anyhow::Result<Listing>,
    last: &mut String,
) -> anyhow::Result<()> {
    let call = routes::events(Some(TYPES), None, None, None);
    let mut stream = api.stream(call).await?;
    draw(api, &list().await?, last, true);
    while stream.next().await?.is_some() {
        while let Ok(more) = tokio::time::timeout(TOGETHER, stream.next()).await {
            if more?.is_none() {
                return Ok(());
            }
        }
        draw(api, &list().await?, last, true);
    }
    Ok(())
}

/// Prints the list if it differs from what stands there: in place of it on a terminal, below it elsewhere.
fn draw(api: &Api, listing: &Listing, last: &mut String, watch: bool) {
    let text = match (api.json, watch) {
        (true, true) => listing.json.to_string(),
        (true, false) => return show::json(&listing.json),
        (false, _) => listing.text.clone(),
    };
    if !watch {
        return print!("{text}");
    }
    if *last == text {
        return;
    }
    match api.json {
        true => show::json_line(&listing.json),
        // Home, then clear what was below: no flicker.
        false if std::io::stdout().is_terminal() => print!("\u{1b}[H\u{1b}[J{text}"),
        false if last.is_empty() => print!("{text}"),
        false => print!("\n{text}"),
    }
    let _ = std::io::stdout().flush();
    *last = text;
}
