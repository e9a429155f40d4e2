//! `roost audit`: a user lists what people did, and the owner of the machine proves beside the gateway that the log is what
//! was written.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::running::compared;
use super::{ConfigArgs, on_a_runtime, owner, setup};
use roost_cli::{AuditList, ClientArgs, ClientCommand};
use roost_tenancy::audit::{self, Noted, Report};

/// The audit log
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    List(AuditList),
    /// Walk along the whole hash chain; fails when an entry was changed, removed or moved. Also says whether it is the log of
    /// the gateway that you are signed in to, which does not change the exit code
    Verify {
        /// An end that an earlier run printed and that was kept elsewhere: shows whether the chain was made anew since
        #[arg(long, value_name = "LINKS:SHA256")]
        noted: Option<Noted>,
        #[command(flatten)]
        config: ConfigArgs,
    },
}

pub(super) fn run(args: AuditArgs, client: &ClientArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        AuditCommand::List(list) => ClientCommand::AuditList(list).run(client),
        AuditCommand::Verify { noted, config } => on_a_runtime(verify(noted, config, client)),
    }
}

async fn verify(
    noted: Option<Noted>,
    config: ConfigArgs,
    client: &ClientArgs,
) -> anyhow::Result<ExitCode> {
    let config = setup::load(&config)?;
    let (db, _) = owner::open(&config).await?;
    let report = audit::verify(&db, noted).await?;
    let show = |text: &str| print!("{}", roost_protocol::text::visible_lines(text));
    show(&report_text(&report));
    show(&compared(&db, "log", client).await);
    db.close().await;
    Ok(if report.is_intact() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The report for people.
fn report_text(report: &Report) -> String {
    let mut text = String::new();
    let mut say = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    for fault in &report.faults {
        say(format!("FAULT  {fault}"));
    }
    let unnamed = report.fault_count - report.faults.len() as u64;
    if unnamed > 0 {
        say(format!("FAULT  and {unnamed} more"));
    }
    let Report { links, waiting, .. } = report;
    if report.is_intact() {
        say(format!(
            "The audit log is intact: {links} entries are linked, {waiting} wait for their link."
        ));
    } else {
        say(format!(
            "The audit log was tampered with: {} faults in {links} links.",
            report.fault_count
        ));
    }
    if let Some(end) = &report.end {
        say(format!(
            "It ends at {}:{}\nKeep that line elsewhere; `--noted` compares it with the chain of a later day.",
            end.position, end.sha256
        ));
    }
    text
}
