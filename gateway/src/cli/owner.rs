//! What the owner of the machine does beside the gateway, on its database: one-time logins, operator grants, backups.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use secrecy::ExposeSecret;

use super::{ConfigArgs, setup};
use crate::clock::{SharedClock, SystemClock};
use crate::config::Config;
use crate::db::{Access, Db, backup};
use crate::domains::auth::{commands, store};
use crate::events::Hub;
use crate::ids::UuidV7;

/// Make a one-time login for somebody who cannot sign in
#[derive(Debug, Args)]
pub struct OneTimeArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Who
    #[arg(long)]
    email: String,
    /// Write it to this file (mode 0600) instead of the terminal
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Who operates the deployment
#[derive(Debug, Args)]
pub struct OperatorArgs {
    #[command(subcommand)]
    command: OperatorCommand,
}

#[derive(Debug, Subcommand)]
enum OperatorCommand {
    /// Let somebody see the whole tree and restart actors
    Grant {
        email: String,
        #[command(flatten)]
        config: ConfigArgs,
    },
}

/// A file to save to or restore from
#[derive(Debug, Args)]
pub struct BackupArgs {
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(super) async fn one_time(args: OneTimeArgs) -> anyhow::Result<ExitCode> {
    if args.file.is_none() && !std::io::stdout().is_terminal() {
        bail!("a one-time login is shown on a terminal only; use --file to write it to a file");
    }
    let config = setup::load(&args.config)?;
    let (db, clock) = open(&config).await?;
    let email = args.email.trim().to_lowercase();
    let Some(user) = store::user_by_email(db.read(), &email).await? else {
        bail!("there is no user {email}");
    };
    let minutes = config.sessions.one_time_minutes;
    let ids = UuidV7::shared(clock.clone());
    let tx = db.write().await?;
    let token = commands::issue_one_time(&tx, &clock, &ids, user.id, minutes).await?;
    tx.commit().await?;
    match args.file {
        Some(file) => {
            crate::app::write_private(&file, token.reveal())
                .with_context(|| format!("cannot write {}", file.display()))?;
            println!(
                "A one-time login for {email} is in {}; it works once, for {minutes} minutes.",
                file.display()
            );
        }
        None => println!("{}\nworks once, for {minutes} minutes", token.reveal()),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn operator(args: OperatorArgs) -> anyhow::Result<ExitCode> {
    let OperatorCommand::Grant { email, config } = args.command;
    let config = setup::load(&config)?;
    let (db, clock) = open(&config).await?;
    let email = email.trim().to_lowercase();
    if store::user_by_email(db.read(), &email).await?.is_none() {
        bail!("there is no user {email}");
    }
    let tx = db.write().await?;
    store::grant_operator(&*tx, &email, clock.now()).await?;
    tx.commit().await?;
    println!("{email} operates this deployment now.");
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn save(args: BackupArgs) -> anyhow::Result<ExitCode> {
    let config = setup::load(&args.config)?;
    let (db, _) = open(&config).await?;
    let rows = backup::save(&db, &args.file).await?;
    println!("{rows} rows are saved in {}.", args.file.display());
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn restore(args: BackupArgs) -> anyhow::Result<ExitCode> {
    let config = setup::load(&args.config)?;
    let rows = backup::restore(config.database_url.expose_secret(), &args.file).await?;
    println!("{rows} rows are restored. Clients that follow events are told to start anew.");
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn open(config: &Config) -> anyhow::Result<(Db, SharedClock)> {
    let url = config.database_url.expose_secret();
    let db = Db::open(url, Access::Beside, Hub::default()).await?;
    Ok((db, SystemClock::shared()))
}
