//! `roost doctor` and `roost support-bundle`: what stands in the way, and what to send to somebody who helps.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use roost_protocol::verify::Level;

use super::{ConfigArgs, setup};
use crate::support::{bundle, doctor};
use roost_platform::clock::SystemClock;

/// Check configuration, database, disk, engine, image, clock, ports, TLS and permissions, and say what to do
#[derive(Debug, Args)]
#[command(after_help = "Ends with 0 when nothing failed (warnings are fine), else with 1.")]
pub struct DoctorArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Write a tar.gz with configuration, tree, metrics, recent log and counts, without secrets
#[derive(Debug, Args)]
pub struct BundleArgs {
    /// A file that is not there yet, such as support.tar.gz
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(super) async fn examine(args: DoctorArgs, json: bool) -> anyhow::Result<ExitCode> {
    let checks = doctor::examine(&args.config.overrides(), &SystemClock::shared()).await;
    if json {
        println!("{}", serde_json::to_string(&checks)?);
    } else {
        print!(
            "{}",
            roost_protocol::text::visible_lines(&doctor::lines(&checks))
        );
    }
    let failed = checks.iter().any(|check| check.level == Level::Fail);
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

pub(super) async fn pack(args: BundleArgs) -> anyhow::Result<ExitCode> {
    let config = setup::load(&args.config)?;
    let clock = SystemClock::shared();
    let checks = doctor::examine(&args.config.overrides(), &clock).await;
    let names = bundle::write(&config, &checks, &clock, &args.file).await?;
    println!(
        "{} holds {}.\nSecrets and e-mail addresses were taken out; look through it before you send it.",
        args.file.display(),
        names.join(", ")
    );
    Ok(ExitCode::SUCCESS)
}
