//! `roost placement`: where new sandboxes of the workspace are made.

use std::process::ExitCode;

use crate::api::types::{Placement as Where, PlacementTarget, SetPlacement};
use crate::api::{Api, Parsed, routes};
use crate::node;
use crate::show::{self, Shown};

/// Show where new sandboxes are made, or set it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  roost placement\n  roost placement laptop\n  roost placement local"
)]
pub struct Placement {
    /// A machine, by name or id; `local` is the gateway's own host
    #[arg(value_name = "MACHINE")]
    target: Option<String>,
}

impl Placement {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let placed = match self.target.as_deref() {
            None => api.ask(routes::placement()).await?,
            Some("local") => {
                let set = SetPlacement {
                    target: PlacementTarget::from("local".to_owned()),
                    node_id: None,
                };
                api.ask(routes::set_placement(&set)).await?
            }
            Some(machine) => {
                let set = SetPlacement {
                    target: PlacementTarget::from("node".to_owned()),
                    node_id: Some(node::find(api, machine).await?),
                };
                api.ask(routes::set_placement(&set)).await?
            }
        };
        print(api, &placed);
        Ok(ExitCode::SUCCESS)
    }
}

fn print(api: &Api, placed: &Parsed<Where>) {
    if api.json {
        return show::json(placed.raw());
    }
    match &placed.node_id {
        None => println!("New sandboxes are made on the gateway's own host."),
        Some(node) => println!("New sandboxes are made on the machine {}.", node.shown()),
    }
}
