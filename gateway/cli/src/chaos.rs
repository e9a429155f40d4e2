//! `roost chaos`: kills actors at named points of a gateway that allows it, to see that nothing is lost.

use std::process::ExitCode;

use clap::Subcommand;

use crate::api::types::ChaosOrder;
use crate::api::{Api, routes};
use crate::show::{self, Shown};

/// Faults on purpose.
#[derive(Debug, Subcommand)]
pub enum Chaos {
    /// List the points at which an actor can be killed, and how often each was passed
    List,
    /// Kill what passes a point next
    #[command(
        after_help = "Examples:\n  roost chaos kill actor.after_handle --within roost/fleet\n  roost chaos kill sagas.after_effect --times 3"
    )]
    Kill {
        /// A name of `roost chaos list`
        point: String,
        /// `panic` (the actor dies), `abort` (the gateway dies) or `delay:<ms>`, each with `@<passes before it strikes>`
        #[arg(long, default_value = "panic")]
        action: String,
        /// How often it strikes
        #[arg(long, default_value_t = 1)]
        times: u32,
        /// Only actors whose path begins so
        #[arg(long, value_name = "PATH")]
        within: Option<String>,
    },
    /// Take every order back
    Disarm,
}

impl Chaos {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List => {
                let now = api.ask(routes::chaos()).await?;
                if api.json {
                    show::json(now.raw());
                    return Ok(ExitCode::SUCCESS);
                }
                let points = now.points.iter();
                let rows: Vec<Vec<String>> = points
                    .map(|point| {
                        let passes = point.passes.shown();
                        vec![point.name.shown(), passes, point.place.shown()]
                    })
                    .collect();
                show::table(&["POINT", "PASSES", "PLACE"], &rows);
                if !now.allowed {
                    println!(
                        "\nThis gateway does not allow any of them to be armed (`chaos.allow`)."
                    );
                }
            }
            Self::Kill {
                point,
                action,
                times,
                within,
            } => {
                let order = ChaosOrder {
                    point,
                    action,
                    times: Some(times),
                    within,
                };
                api.ask(routes::order_chaos(&order)).await?;
                println!("Armed. `roost tree --watch` shows what dies and comes back.");
            }
            Self::Disarm => {
                api.ask(routes::disarm_chaos()).await?;
                println!("Nothing is armed any more.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
