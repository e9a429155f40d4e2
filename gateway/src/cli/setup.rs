//! `roost config`, and loading the configuration for the other commands of the operator.

use std::process::ExitCode;

use super::ConfigArgs;
use crate::config::{self, Config};

/// The effective configuration; what is odd in the environment is said on standard error.
pub(super) fn load(args: &ConfigArgs) -> anyhow::Result<Config> {
    let (config, warnings) = config::load(&args.overrides())?;
    for warning in warnings {
        eprintln!("roost: {warning}");
    }
    Ok(config)
}

pub(super) fn print_config(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    print!("{}", config::show(&load(args)?));
    Ok(ExitCode::SUCCESS)
}
