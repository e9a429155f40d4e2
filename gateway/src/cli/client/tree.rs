//! `roost tree`: what runs in the gateway.

use std::process::ExitCode;
use std::time::Duration;

use super::{Api, show};

/// The supervision tree.
#[derive(Debug, clap::Args)]
pub struct Tree {
    /// As a Graphviz drawing: `roost tree --dot | dot -Tsvg`
    #[arg(long, conflicts_with = "watch")]
    dot: bool,
    /// Draw it anew every second
    #[arg(long, short)]
    watch: bool,
}

impl Tree {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        if api.json {
            show::json(&api.get("/api/ops/tree").await?);
            return Ok(ExitCode::SUCCESS);
        }
        let format = if self.dot { "dot" } else { "text" };
        loop {
            let text = api.text(&format!("/api/ops/tree?format={format}")).await?;
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
