//! `roost images`: the deployment's images.

use std::process::ExitCode;

use crate::api::types::Image;
use crate::api::{Api, routes};
use crate::show::{self, Shown};

/// The images that sandboxes can have; `roost sandbox provision --image NAME` chooses one.
#[derive(Debug, clap::Args)]
pub struct Images {}

impl Images {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let list = api.ask(routes::images()).await?;
        if api.json {
            show::json(list.raw());
            return Ok(ExitCode::SUCCESS);
        }
        let row = |image: &Image| {
            let mut name = image.name.shown();
            if image.is_default {
                name.push_str(" (default)");
            }
            vec![
                name,
                image.state.shown(),
                show::bytes(image.size_bytes),
                image.purpose.shown(),
                image.reference.shown(),
                image.digest.shown(),
            ]
        };
        let rows: Vec<_> = list.items.iter().map(row).collect();
        show::table(
            &["NAME", "HERE", "SIZE", "FOR", "REFERENCE", "DIGEST"],
            &rows,
        );
        for remedy in list.items.iter().filter_map(|image| image.remedy.as_ref()) {
            println!("{}", remedy.shown());
        }
        Ok(ExitCode::SUCCESS)
    }
}
