//! A team for people: what it is made of, and its members.

use crate::api::types::{Team, TeamMember};
use crate::api::{Api, Parsed};
use crate::named;
use crate::show::{self, Shown};
use crate::{claws, run_repo};

/// Prints a team with its members.
pub(super) fn print(api: &Api, team: &Parsed<Team>) {
    if api.json {
        return show::json(team.raw());
    }
    let tools: Vec<String> = team.effective_bundles.iter().map(Shown::shown).collect();
    let tools = match tools.as_slice() {
        [] => "none".to_owned(),
        tools => tools.join(", "),
    };
    for (label, text) in [
        ("name", team.name.shown()),
        ("id", team.id.shown()),
        ("state", team.state.shown()),
        ("topology", team.topology.kind.shown()),
        ("profile", team.effective_profile.shown()),
        ("lifecycle", team.lifecycle.shown()),
        ("model", team.model_binding.shown()),
        ("machine", team.machine_id.shown()),
        ("image", show::image(&team.effective_image)),
        ("sandbox", sandbox_words(team)),
        ("repository", run_repo::team_words(team.repo.as_ref())),
        ("tools", tools),
        (
            "steps",
            format!("{} to {}", team.steps.least, team.steps.most),
        ),
    ] {
        println!("{label:<11} {text}");
    }
    println!();
    let row = |member: &TeamMember| {
        vec![
            member.node.shown(),
            member.slot.shown(),
            member.name.shown(),
            member
                .status
                .as_ref()
                .map(|status| claws::word(status, None).to_owned())
                .shown(),
            named::short(&member.agent_id),
        ]
    };
    let rows: Vec<_> = team.members.iter().map(row).collect();
    show::table(&["NODE", "SLOT", "AGENT", "STATUS", "ID"], &rows);
}

fn sandbox_words(team: &Team) -> String {
    match team.shared_sandbox {
        true => format!("shared (team:{})", team.name.shown()),
        false => "one for each agent".to_owned(),
    }
}
