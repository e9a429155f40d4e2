//! `roost run list`: runs by team, state, outcome, person, time and words of their title.

use std::process::ExitCode;

use crate::api::types::{
    RunOriginWord, RunOutcome, RunStatus, RunSummary, TeamId, TemplateId, UserId,
};
use crate::api::{Api, Parsed, routes};
use crate::live::{Listing, Live};
use crate::named;
use crate::run::{cost, state, team_names, team_of};
use crate::show::{self, Shown};
use crate::when::Within;
use crate::{member, team, template};

/// List runs, newest first
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  roost run list --team Ledger --outcome rejected\n  roost run list --status running --all\n  roost run list --sort=-cost --limit 5\n  roost run list --by me --from 2d\n  roost run list --watch"
)]
pub struct List {
    #[arg(long, default_value_t = 20, value_name = "COUNT")]
    limit: u32,
    /// Also runs that belong to something else: the parts of other runs, single agents, routines, rooms
    #[arg(long)]
    all: bool,
    /// Only runs of this origin: team, company, org, mission_phase, routine, room, chat, a2a, planner, call, compare, fork
    #[arg(long, value_name = "ORIGIN")]
    origin: Option<String>,
    /// Only runs of this team
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    /// Only runs of teams of this template, by its key
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,
    /// Only runs in which this model answered
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Only runs with this status: queued, running, waiting, completed, failed, cancelled
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only runs with this outcome: accepted, rejected, undecided
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,
    /// Only runs that this person started: a name or an e-mail, or `me`
    #[arg(long, value_name = "PERSON")]
    by: Option<String>,
    #[command(flatten)]
    within: Within,
    /// Only runs with these words in their title
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// The order: -created_at, created_at, -cost, -duration
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true)]
    sort: Option<String>,
    #[command(flatten)]
    live: Live,
}

impl List {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let team = match &self.team {
            Some(name) => Some(team::find(api, name).await?),
            None => None,
        };
        let template = match &self.template {
            Some(key) => Some(template::id(api, key).await?),
            None => None,
        };
        let by = match &self.by {
            Some(person) => Some(member::named(api, person).await?),
            None => None,
        };
        let chosen = (team.as_ref(), template.as_ref(), by.as_ref());
        self.live
            .show(api, async || self.read(api, chosen).await)
            .await
    }

    async fn read(
        &self,
        api: &Api,
        (team, template, by): (Option<&TeamId>, Option<&TemplateId>, Option<&UserId>),
    ) -> anyhow::Result<Listing> {
        let (from, until) = self.within.times()?;
        // A run that waits has the status `running` in the API.
        let (waiting, status) = match self.status.as_deref() {
            Some("waiting") => (Some(true), None),
            status => (
                None,
                status.map(|status| RunStatus::from(status.to_owned())),
            ),
        };
        let call = routes::runs(
            Some(self.limit.into()),
            team,
            template,
            self.model.as_deref(),
            status.as_ref(),
            waiting,
            self.outcome.clone().map(RunOutcome::from).as_ref(),
            by,
            from.as_ref(),
            until.as_ref(),
            self.search.as_deref(),
            self.sort.as_deref(),
            self.origin.clone().map(RunOriginWord::from).as_ref(),
            Some(self.all),
        );
        let page = api.ask(call).await?;
        let teams = team_names(api).await?;
        let row = |run: &Parsed<RunSummary>| {
            let state = match (&run.paused_at, &run.waiting_on) {
                (Some(_), _) => "paused".to_owned(),
                (None, Some(_)) if !run.cancelling => "waiting".to_owned(),
                _ => state(&run.status, run.outcome.as_ref()),
            };
            vec![
                show::relative(Some(&run.created_at)),
                run.title.shown(),
                team_of(run.team_id.as_ref(), &teams),
                run.kind.shown(),
                state,
                format!("{}/{}", run.steps_done, run.steps_most),
                cost(run.cost_microusd),
                named::short(&run.id),
            ]
        };
        let rows: Vec<_> = page.items.iter().map(row).collect();
        let head = [
            "BEGUN", "TITLE", "TEAM", "KIND", "STATUS", "STEPS", "COST", "ID",
        ];
        Ok(Listing {
            text: show::columns(&head, &rows),
            json: page.raw().clone(),
        })
    }
}
