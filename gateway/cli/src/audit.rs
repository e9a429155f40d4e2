//! `roost audit list`: what people did in the workspace.

use std::process::ExitCode;

use anyhow::Context;
use serde_json::Value;

use crate::ClientArgs;
use crate::api::types::AuditEntry;
use crate::api::{Api, Parsed, raw_list, routes};
use crate::member;
use crate::profile::Profile;
use crate::show::{self, Shown, clean};
use crate::when::Within;

/// The end of the chain of the gateway that the person is signed in to.
#[derive(Debug, PartialEq, Eq)]
pub struct AuditEnd {
    /// The address of the gateway.
    pub gateway: String,
    /// `LINKS:SHA256`. Absent before the first link.
    pub end: Option<String>,
}

/// Asks the gateway that the person is signed in to. `None` when the person is not signed in.
///
/// # Errors
/// When the gateway does not answer, or refuses.
pub async fn audit_end(client: &ClientArgs) -> anyhow::Result<Option<AuditEnd>> {
    if !Profile::path().is_ok_and(|path| path.exists()) {
        return Ok(None);
    }
    let api = Api::signed_in(client)?;
    let gateway = api.base().to_owned();
    let chain = api.ask(routes::chain()).await;
    let chain = chain.with_context(|| format!("the gateway at {gateway} could not be asked"))?;
    let end = chain.into_value().end;
    let end = end.map(|end| format!("{}:{}", end.position, end.sha256));
    Ok(Some(AuditEnd { gateway, end }))
}

/// List what people did in the workspace; for Admins and Owners
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  roost audit list\n  roost audit list --action 'sandbox.*' --limit 200\n  roost audit list --by me --from 2d\n  roost audit list --sort at --limit 5"
)]
pub struct List {
    /// Only this action, or a group such as `sandbox.*`
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// Only what this person did: a name or an e-mail, or `me`
    #[arg(long, value_name = "PERSON")]
    by: Option<String>,
    #[command(flatten)]
    within: Within,
    /// The order: -at (newest first), at (oldest first)
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true)]
    sort: Option<String>,
    /// The most entries, 1 to 200
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=200))]
    limit: u64,
}

impl List {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let by = match &self.by {
            Some(person) => Some(member::named(api, person).await?),
            None => None,
        };
        let (from, until) = self.within.times()?;
        let call = routes::audit(
            self.action.as_deref(),
            by.as_ref(),
            from.as_ref(),
            until.as_ref(),
            self.sort.as_deref(),
            Some(self.limit),
        );
        let items = api.ask(call).await?.into_value().items;
        if api.json {
            show::json(&raw_list(&items));
            return Ok(ExitCode::SUCCESS);
        }
        let row = |one: &Parsed<AuditEntry>| {
            let who = match &one.by {
                Some(by) => by.email.shown(),
                None => one.actor.shown(),
            };
            vec![
                show::relative(Some(&one.at)),
                who,
                one.action.shown(),
                about(one.raw()),
            ]
        };
        let rows: Vec<_> = items.iter().map(row).collect();
        show::table(&["AT", "WHO", "ACTION", "WHAT"], &rows);
        Ok(ExitCode::SUCCESS)
    }
}

/// What the action was about: the agent and the command, or the thing's name, or its id.
fn about(entry: &Value) -> String {
    let detail = |name: &str| entry["details"][name].as_str().map(clean);
    let named = || detail("name").or_else(|| detail("to"));
    match (detail("agent"), detail("command")) {
        (Some(agent), Some(command)) => format!("{agent}: {command}"),
        _ => named().unwrap_or_else(|| clean(entry["entity_id"].as_str().unwrap_or("-"))),
    }
}
