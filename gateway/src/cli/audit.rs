//! `roost audit verify`: the owner of the machine proves that the audit log is what was written, beside the gateway.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{ConfigArgs, owner, setup};
use roost_tenancy::audit::{self, Noted, Report};

/// The audit log
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// Walk along the whole hash chain; fails when an entry was changed, removed or moved
    Verify {
        /// An end that an earlier run printed and that was kept elsewhere: shows whether the chain was made anew since
        #[arg(long, value_name = "LINKS:SHA256")]
        noted: Option<Noted>,
        #[command(flatten)]
        config: ConfigArgs,
    },
}

pub(super) async fn run(args: AuditArgs) -> anyhow::Result<ExitCode> {
    let AuditCommand::Verify { noted, config } = args.command;
    let config = setup::load(&config)?;
    let (db, _) = owner::open(&config).await?;
    let report = audit::verify(&db, noted).await?;
    db.close().await;
    print!(
        "{}",
        roost_protocol::text::visible_lines(&report_text(&report))
    );
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
