//! `roost broker …`: the operator asks the secret broker over its socket. None of it shows a secret.

use std::fs::OpenOptions;
use std::io::{BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use roost_protocol::text::visible_lines;
use roost_secret_broker::client::{Client, expect};
use roost_secret_broker::wire::{Answer, AuditReport, Request, Saved, Status};

use super::{ConfigArgs, setup};
use roost_platform::broker::BrokerHandle;

/// The secret broker
#[derive(Debug, Args)]
pub struct BrokerArgs {
    #[command(subcommand)]
    command: BrokerCommand,
}

#[derive(Debug, Subcommand)]
enum BrokerCommand {
    /// What it holds, under which root key, and what somebody should do
    Status(ConfigArgs),
    /// Make a new root key and seal everything anew under it, while the broker works
    Rekey(ConfigArgs),
    /// Save the sealed records to a file; the root key is not in it, keep that elsewhere as well
    Backup(FileArgs),
    /// Replace all records with those of a backup
    Restore(FileArgs),
    /// Walk along the chain of uses; fails when an entry was changed, removed or moved
    Verify(ConfigArgs),
}

#[derive(Debug, Args)]
struct FileArgs {
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(super) async fn run(args: BrokerArgs, json: bool) -> anyhow::Result<ExitCode> {
    match args.command {
        BrokerCommand::Status(config) => status(&config, json).await,
        BrokerCommand::Rekey(config) => {
            let saved = ask(&config, Request::Rekey, |answer| match answer {
                Answer::Saved(saved) => Some(saved),
                _ => None,
            })
            .await?;
            tell(&saved, "sealed anew", json)
        }
        BrokerCommand::Backup(args) => backup(&args, json).await,
        BrokerCommand::Restore(args) => restore(&args, json).await,
        BrokerCommand::Verify(config) => verify(&config, json).await,
    }
}

async fn status(config: &ConfigArgs, json: bool) -> anyhow::Result<ExitCode> {
    let handle = handle(config)?;
    let status = handle.status().await?;
    if json {
        println!("{}", serde_json::to_string(&status)?);
    } else {
        print!(
            "{}",
            visible_lines(&report_text(&status, handle.client().socket()))
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn report_text(status: &Status, socket: &Path) -> String {
    let Status {
        records,
        needs_reauth,
        to_rekey,
        ..
    } = status;
    let mut text = format!(
        "The secret broker {} runs as process {} of user {} at {}.\n\
         {records} records, {needs_reauth} to be connected again, {to_rekey} under an older root key.\n\
         Root key {} ({:?}). {} forwards, {} failed; {} tokens renewed; {} audit entries; {} connections.\n",
        status.build,
        status.process,
        status.user,
        socket.display(),
        status.root_key,
        status.root,
        status.forwards,
        status.forwards_failed,
        status.refreshes,
        status.audit_entries,
        status.connections,
    );
    for warning in &status.warnings {
        text.push_str(&format!("warn  {warning}\n"));
    }
    text
}

async fn backup(args: &FileArgs, json: bool) -> anyhow::Result<ExitCode> {
    let client = client(&args.config)?;
    let shown = args.file.display().to_string();
    let unwritable = || format!("cannot write {shown}");
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&args.file)
        .with_context(|| format!("cannot make {shown}; name a file that is not there yet"))?;
    let mut out = BufWriter::new(file);
    let saved = match client.backup(|piece| out.write_all(piece)).await {
        Ok(saved) => saved,
        Err(error) => {
            // Half a backup must not be taken for one; what stopped it is what counts.
            let _ = std::fs::remove_file(&args.file);
            return Err(error.into());
        }
    };
    let file = out
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .with_context(unwritable)?;
    file.sync_all().with_context(unwritable)?;
    tell(&saved, &format!("saved in {shown}"), json)
}

async fn restore(args: &FileArgs, json: bool) -> anyhow::Result<ExitCode> {
    let client = client(&args.config)?;
    let file = std::fs::File::open(&args.file)
        .with_context(|| format!("cannot read {}", args.file.display()))?;
    let saved = client.restore(BufReader::new(file)).await?;
    tell(&saved, "restored", json)
}

async fn verify(config: &ConfigArgs, json: bool) -> anyhow::Result<ExitCode> {
    let report = ask(config, Request::VerifyAudit, |answer| match answer {
        Answer::Audit(report) => Some(report),
        _ => None,
    })
    .await?;
    let AuditReport {
        entries,
        files,
        faults,
        end,
    } = &report;
    if json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        for fault in faults {
            println!("FAULT  {}", visible_lines(fault));
        }
        let state = if faults.is_empty() {
            "intact"
        } else {
            "broken"
        };
        println!(
            "The broker's audit log is {state}: {entries} entries in {files} files. It ends at {end}\nKeep that line elsewhere: it shows later whether the chain was rewritten."
        );
    }
    Ok(if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn tell(saved: &Saved, what: &str, json: bool) -> anyhow::Result<ExitCode> {
    if json {
        println!("{}", serde_json::to_string(saved)?);
    } else {
        println!(
            "{} records are {what}; the root key is {}.",
            saved.records, saved.root_key
        );
        if let Some(note) = &saved.note {
            println!("{note}.");
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn ask<T>(
    config: &ConfigArgs,
    request: Request,
    fits: impl FnOnce(Answer) -> Option<T>,
) -> anyhow::Result<T> {
    let answer = client(config)?.call(&request).await?;
    Ok(expect(answer, fits)?)
}

fn client(config: &ConfigArgs) -> anyhow::Result<Client> {
    Ok(handle(config)?.client().clone())
}

fn handle(config: &ConfigArgs) -> anyhow::Result<BrokerHandle> {
    let config = setup::load(config)?;
    let socket = config.broker_socket();
    if config.broker.socket.is_none() && !config.broker.start {
        bail!("this gateway has no broker: `broker.start` is off and `broker.socket` names none");
    }
    Ok(BrokerHandle::new(socket))
}
