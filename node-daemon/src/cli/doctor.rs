//! `roostd doctor`: finds problems on this machine and prints what to do.
use std::process::ExitCode;

use clap::Args;
use roost_protocol::verify::Level;

use crate::doctor;
use crate::state::StateFolder;

/// Check engine, image, state and gateway, and print what to do
#[derive(Debug, Args)]
#[command(after_help = "Exit code: 0 when no check failed (warnings are fine), else 1.")]
pub struct Doctor {
    /// Print one JSON array of checks
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        let total = doctor::total_check(state);
        let checks = super::block_on(async {
            let mut checks = doctor::engine_checks(state).await;
            checks.extend(total);
            checks.extend(doctor::state_checks(state).await);
            Ok(checks)
        })?;
        if self.json {
            println!("{}", serde_json::to_string(&checks)?);
        } else {
            doctor::print(&checks);
            println!("\n{}", doctor::DOCKER_GROUP);
        }
        let failed = checks.iter().any(|check| check.level == Level::Fail);
        Ok(if failed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}
