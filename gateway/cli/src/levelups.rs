//! `roost levelup`: proposals that improve agents and teams. A person sees each item as a difference with its evidence,
//! and approves or rejects it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::bail;
use roost_protocol::text::visible_lines;
use similar::TextDiff;

use crate::api::types::{
    LevelUpApproval, LevelUpEvidence, LevelUpId, LevelUpItem, LevelUpProposal,
    LevelUpProposalBrief, LevelUpStatus,
};
use crate::api::{Api, Parsed, routes};
use crate::named;
use crate::show::{self, Shown};
use crate::{claws, team};

/// Proposals.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "Examples:\n  roost levelup propose --agent Ada\n  roost levelup propose --team Ledger\n  roost levelup list\n  roost levelup show 3ef71724\n  roost levelup apply 3ef71724 --item i1 --item i3\n  roost levelup reject 3ef71724"
)]
pub enum LevelUp {
    /// Ask a model for improvements of an agent or a team, and show them. It can take some minutes
    Propose(Subject),
    /// List the proposals that wait for a decision
    List {
        /// Those that were applied or rejected
        #[arg(long, value_name = "STATUS", value_parser = ["pending", "applied", "rejected"])]
        status: Option<String>,
    },
    /// Show one proposal: each item as a difference, with its evidence
    Show {
        /// The proposal, by its id or the end of its id
        proposal: String,
    },
    /// Apply items of a proposal: all that are named, or nothing
    Apply {
        /// The proposal, by its id or the end of its id
        proposal: String,
        /// An item, as `i1`; may be repeated
        #[arg(long = "item", value_name = "ITEM", required_unless_present = "all")]
        items: Vec<String>,
        /// Apply all items
        #[arg(long, conflicts_with = "items")]
        all: bool,
    },
    /// Reject a proposal: nothing is applied
    Reject {
        /// The proposal, by its id or the end of its id
        proposal: String,
    },
}

/// Whom a proposal is about.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct Subject {
    /// An agent, by its name or id
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// A team, by its name or id
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
}

impl LevelUp {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Propose(subject) => {
                let made = match subject {
                    Subject {
                        agent: Some(agent), ..
                    } => {
                        let id = claws::find(api, &agent).await?;
                        show::progress("A model reads what the agent did …");
                        api.ask(routes::level_up_claw(&id)).await
                    }
                    Subject { team, .. } => {
                        let id = team::find(api, &team.unwrap_or_default()).await?;
                        show::progress("A model reads what the team did …");
                        api.ask(routes::level_up_team(&id)).await
                    }
                };
                show::progress_over();
                let id = made?.proposal_id.clone();
                print(api, &api.ask(routes::level_up(&id)).await?);
            }
            Self::List { status } => list(api, status.as_deref()).await?,
            Self::Show { proposal } => {
                let id = find(api, &proposal).await?;
                print(api, &api.ask(routes::level_up(&id)).await?);
            }
            Self::Apply {
                proposal,
                items,
                all,
            } => {
                let id = find(api, &proposal).await?;
                let approved_item_ids = match all {
                    false => items,
                    true => {
                        let whole = api.ask(routes::level_up(&id)).await?;
                        let items = whole.payload.items.iter();
                        items.map(|item| item.id.clone()).collect()
                    }
                };
                let approval = LevelUpApproval { approved_item_ids };
                let answer = api.ask(routes::apply_level_up(&id, &approval)).await?;
                decided(api, &answer, Some(&approval.approved_item_ids));
            }
            Self::Reject { proposal } => {
                let id = find(api, &proposal).await?;
                decided(api, &api.ask(routes::reject_level_up(&id)).await?, None);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(api: &Api, status: Option<&str>) -> anyhow::Result<()> {
    let listed = api.ask(routes::level_ups(status)).await?;
    if api.json {
        show::json(listed.raw());
        return Ok(());
    }
    let names = names(api).await?;
    let row = |proposal: &LevelUpProposalBrief| {
        let subject = subject(proposal.agent_id.as_ref(), proposal.team_id.as_ref());
        vec![
            named::short(&proposal.id),
            show::relative(Some(&proposal.created_at)),
            names.get(&subject).cloned().unwrap_or(subject),
            items(proposal),
            proposal.model.shown(),
            proposal.status.shown(),
        ]
    };
    let rows: Vec<_> = listed.iter().map(row).collect();
    show::table(&["ID", "MADE", "FOR", "ITEMS", "MODEL", "STATUS"], &rows);
    Ok(())
}

/// The ids of the items.
fn items(proposal: &LevelUpProposalBrief) -> String {
    let items = proposal.payload.items.iter();
    let ids: Vec<String> = items.map(|item| item.id.shown()).collect();
    ids.join(" ")
}

/// The id of an agent or of a team.
fn subject(agent: Option<&impl Shown>, team: Option<&impl Shown>) -> String {
    match agent {
        Some(agent) => agent.shown(),
        None => team.shown(),
    }
}

/// The names of agents and teams, by their ids.
async fn names(api: &Api) -> anyhow::Result<BTreeMap<String, String>> {
    let mut names = BTreeMap::new();
    for claw in api.all(routes::claws).await? {
        names.insert(claw.id.shown(), claw.name.shown());
    }
    for team in api.all(routes::teams).await? {
        names.insert(team.id.shown(), format!("team {}", team.name.shown()));
    }
    Ok(names)
}

/// The proposal with this id, or the only one whose id ends so.
async fn find(api: &Api, wanted: &str) -> anyhow::Result<LevelUpId> {
    if named::is_id(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let mut found = Vec::new();
    for status in ["pending", "applied", "rejected"] {
        let listed = api.ask(routes::level_ups(Some(status))).await?;
        let ids = listed.iter().map(|proposal| proposal.id.clone());
        found.extend(ids.filter(|id| id.to_string().ends_with(wanted)));
    }
    match (found.pop(), found.is_empty()) {
        (Some(id), true) => Ok(id),
        (Some(_), false) => bail!("several proposals end with {wanted:?}; give more of the id"),
        (None, _) => bail!("no proposal ends with {wanted:?}; see: roost levelup list"),
    }
}

fn print(api: &Api, proposal: &Parsed<LevelUpProposal>) {
    if api.json {
        show::json(proposal.raw());
        return;
    }
    let payload = &proposal.payload;
    println!("{}", visible_lines(&payload.summary));
    let basis = &payload.basis;
    let runs = format!(
        "{} accepted, {} rejected, {} undecided",
        basis.accepted, basis.rejected, basis.undecided
    );
    for (label, text) in [
        ("id", proposal.id.shown()),
        ("status", proposal.status.shown()),
        ("model", proposal.model.shown()),
        ("made", proposal.created_at.shown()),
        (
            "for",
            subject(proposal.agent_id.as_ref(), proposal.team_id.as_ref()),
        ),
        ("from runs", runs),
    ] {
        println!("{label:<10} {text}");
    }
    if basis.repaired {
        println!("The first answer of the model did not have the form. It corrected it.");
    }
    for item in &payload.items {
        print_item(item, &proposal.applied_items);
    }
    if !payload.dropped.is_empty() {
        println!("\nNot offered:");
    }
    for dropped in &payload.dropped {
        let (kind, summary) = (dropped.kind.shown(), dropped.summary.shown());
        println!("  {kind}: {summary} ({})", dropped.reason.shown());
    }
    if proposal.status == LevelUpStatus::Pending && !payload.items.is_empty() {
        println!(
            "\nDecide with: roost levelup apply {id} --item ITEM, or roost levelup reject {id}",
            id = named::short(&proposal.id)
        );
    }
}

fn print_item(item: &LevelUpItem, applied: &[String]) {
    let mut head = format!("\n{}  {}", item.id.shown(), item.kind.shown());
    if let Some(agent) = &item.agent_name {
        head.push_str(&format!("  {}", agent.shown()));
    }
    if applied.contains(&item.id) {
        head.push_str("  (applied)");
    }
    if item.needs_human {
        head.push_str("  (a person makes this change)");
    }
    println!("{head}");
    println!("  {}", item.summary.shown());
    println!("  why: {}", indented(&item.rationale));
    for evidence in &item.evidence {
        println!("  {}", evidence_line(evidence));
    }
    if let Some(after) = &item.after {
        println!();
        print!(
            "{}",
            difference(item.before.as_deref().unwrap_or_default(), after)
        );
    }
    if let Some(skill) = &item.skill_name {
        println!("  + the skill {}", skill.shown());
    }
    if let Some(skill) = &item.skill {
        println!(
            "  + a skill {}: {}",
            skill.name.shown(),
            skill.title.shown()
        );
        println!("    when: {}\n", skill.when_to_use.shown());
        print!("{}", difference("", &skill.body));
    }
    if let Some(roster) = &item.roster {
        let (action, slot) = (roster.action.shown(), roster.slot.shown());
        println!("  {action} the role {slot}: {}", indented(&roster.detail));
    }
    if let Some(bundles) = &item.bundles {
        let words = |bundles: &[crate::api::types::ToolBundle]| -> String {
            let words: Vec<String> = bundles.iter().map(Shown::shown).collect();
            words.join(", ")
        };
        println!("  - tools: {}", words(&bundles.before));
        println!("  + tools: {}", words(&bundles.after));
    }
}

fn evidence_line(evidence: &LevelUpEvidence) -> String {
    let mut place = match &evidence.run_id {
        Some(run) => format!("run {}", run.shown()),
        None => evidence.kind.shown(),
    };
    if let Some(step) = &evidence.step {
        place.push_str(&format!(", step {}", step.shown()));
    }
    if let Some(outcome) = &evidence.outcome {
        place.push_str(&format!(" ({})", outcome.shown()));
    }
    format!("evidence: {place}: \"{}\"", evidence.excerpt.shown())
}

/// A text below its first line.
fn indented(text: &str) -> String {
    visible_lines(text).trim_end().replace('\n', "\n    ")
}

/// The lines that differ, with some lines around them.
fn difference(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut text = String::new();
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        for change in hunk.iter_changes() {
            let line = visible_lines(change.value());
            text.push_str(&format!(
                "  {}{}\n",
                change.tag(),
                line.trim_end_matches('\n')
            ));
        }
        text.push('\n');
    }
    text
}

/// Prints how a proposal was decided. `wanted` are the items that the person approved; `None`: the person rejected it.
fn decided(api: &Api, proposal: &Parsed<LevelUpProposal>, wanted: Option<&[String]>) {
    if api.json {
        show::json(proposal.raw());
        return;
    }
    let applied = &proposal.applied_items;
    let for_a_person = &proposal.payload.for_a_person;
    let is_new = match (&proposal.status, wanted) {
        (LevelUpStatus::Applied, Some(wanted)) => wanted
            .iter()
            .all(|item| applied.contains(item) || for_a_person.contains(item)),
        (status, wanted) => *status == LevelUpStatus::Rejected && wanted.is_none(),
    };
    if !is_new {
        println!("It was decided before, and nothing changed.");
    }
    if proposal.status != LevelUpStatus::Applied {
        println!("Rejected. Nothing was applied.");
        return;
    }
    match applied.as_slice() {
        [] => println!("Applied: nothing."),
        items => println!("Applied: {}.", items.join(", ").shown()),
    }
    if !for_a_person.is_empty() {
        let items = for_a_person.join(", ").shown();
        println!("Recorded for a person to do: {items}.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_changed_lines_and_no_escape_sequences() {
        let text = difference("one\ntwo\nthree\n", "one\n2\u{1b}[31m\nthree\n");
        assert_eq!(text, "   one\n  -two\n  +2\\x1b[31m\n   three\n\n");
        assert_eq!(difference("", "new"), "  +new\n\n");
        assert_eq!(difference("same", "same"), "");
    }
}
