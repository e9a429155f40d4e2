//! What a routine starts: the run of a team that is minted for it and removed after it, or a mission.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{RoutineError, RoutinesContext};
use crate::missions::{self, Launch, MissionError, NewMission};
use roost_execution::runs::{Origin, RunLimits};
use roost_organisation::teams::{self, Lifecycle, NewTeam, RunTeam, TeamError, TeamRepo, Work};
use roost_organisation::templates;
use roost_platform::ids::{FiringId, MissionId, RoutineId, RunId, TeamId, TemplateId, fresh};
use roost_tenancy::auth::{Role, Verb};
use roost_tenancy::change::Change;
use roost_web::json::{Check, Mistakes};

/// A recipe.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = RoutineRecipe)]
pub enum Recipe {
    Team(TeamRecipe),
    Mission(Box<MissionRecipe>),
}

/// A team of a template that works once. It is deleted with its agents after its run.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RoutineTeamRecipe)]
pub struct TeamRecipe {
    pub template_id: TemplateId,
    /// The input of the run.
    #[schema(min_length = 1, max_length = 100_000)]
    pub goal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<TeamRepo>,
    /// The model of its agents (`<provider>/<model>`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub model_binding: Option<String>,
    /// The machine for its sandboxes. To name one, a person needs the right to set the placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 40)]
    pub machine_id: Option<String>,
    /// The cost limit of each run, in millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub cost_ceiling_microusd: Option<i64>,
    #[serde(default)]
    pub limits: RunLimits,
    /// Mint the team although something is missing that its template needs.
    #[serde(default)]
    pub accept_lacks: bool,
}

/// A mission that is created and launched.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RoutineMissionRecipe)]
pub struct MissionRecipe {
    /// As in `POST /api/missions`, without a schedule.
    pub mission: NewMission,
    /// Mint its teams although something is missing that their templates need.
    #[serde(default)]
    pub accept_lacks: bool,
}

/// What a firing started.
#[derive(Debug, Clone, Copy)]
pub enum Started {
    Run(RunId),
    Mission(MissionId),
}

impl Recipe {
    /// Checks the recipe of a request.
    pub fn check(&self, mistakes: &mut Mistakes) {
        match self {
            Self::Team(team) => {
                mistakes.text("/recipe/goal", &team.goal, 1, 100_000);
                if let Some(model) = &team.model_binding {
                    mistakes.text("/recipe/model_binding", model, 1, 200);
                }
                if let Some(machine) = &team.machine_id {
                    mistakes.text("/recipe/machine_id", machine, 1, 40);
                }
                if team.cost_ceiling_microusd.is_some_and(|most| most < 0) {
                    mistakes.add("/recipe/cost_ceiling_microusd", "must not be below 0");
                }
                team.limits.check("/recipe/limits", mistakes);
            }
            Self::Mission(of) => {
                let mut inner = Mistakes::default();
                of.mission.check(&mut inner);
                let wrong = inner.done().err().map(|error| error.errors);
                for error in wrong.unwrap_or_default() {
                    mistakes.add(&format!("/recipe/mission{}", error.pointer), error.detail);
                }
                if of.mission.schedule.is_some() {
                    let detail = "must be absent: the routine has the schedule";
                    mistakes.add("/recipe/mission/schedule", detail);
                }
            }
        }
    }

    /// What a person needs to start it.
    fn verbs(&self) -> &'static [Verb] {
        match self {
            Self::Team(_) => &[Verb::ManageRoutines, Verb::ManageTeams, Verb::StartRuns],
            Self::Mission(_) => &[Verb::ManageRoutines, Verb::ManageMissions],
        }
    }

    /// Why a person with this role may not start it.
    pub fn refusal(&self, role: Option<Role>) -> Option<String> {
        let Some(role) = role else {
            return Some(
                "The person who made the routine is not a member of the workspace any more."
                    .to_owned(),
            );
        };
        let lacking = self.verbs().iter().find(|verb| !role.may(**verb))?;
        Some(format!(
            "The person who made the routine has the role {}, and `{}` needs the role {}.",
            role.as_str(),
            lacking.name(),
            lacking.least_role().as_str()
        ))
    }
}

/// Starts what the recipe says, in the caller's change.
///
/// # Errors
/// [`RoutineError::NoRight`], and those of new teams, runs and missions.
pub async fn start(
    state: &RoutinesContext,
    change: &mut Change,
    role: Option<Role>,
    recipe: &Recipe,
    (name, routine, firing): (&str, RoutineId, FiringId),
) -> Result<Started, RoutineError> {
    if let Some(why) = recipe.refusal(role) {
        return Err(RoutineError::NoRight(why));
    }
    let may_place = role.is_some_and(|role| role.may(Verb::SetPlacement));
    match recipe {
        Recipe::Team(of) => {
            let origin = Origin::Routine { routine, firing };
            let run = start_team(state, change, may_place, of, (name, origin));
            Ok(Started::Run(run.await?))
        }
        Recipe::Mission(of) => {
            let id: MissionId = fresh(&state.ids);
            let how = Launch {
                may_place,
                accept_lacks: of.accept_lacks,
            };
            missions::templates_are_there(change, &of.mission).await?;
            let new = of.mission.clone();
            missions::create_in(&state.missions, change, id, new, Some(routine)).await?;
            missions::launch_in(&state.missions, change, id, how).await?;
            Ok(Started::Mission(id))
        }
    }
}

async fn start_team(
    state: &RoutinesContext,
    change: &mut Change,
    may_place: bool,
    of: &TeamRecipe,
    (name, origin): (&str, Origin),
) -> Result<RunId, RoutineError> {
    let teams = &state.missions.teams;
    let team: TeamId = fresh(&state.ids);
    let new = NewTeam {
        name: name.chars().take(MOST_NAME).collect(),
        template_id: Some(of.template_id),
        lifecycle: Lifecycle::Ephemeral,
        model_binding: of.model_binding.clone(),
        machine_id: of.machine_id.clone(),
        repo: of.repo.clone(),
        accept_lacks: of.accept_lacks,
        ..NewTeam::default()
    };
    match teams::create_in(teams, change, team, may_place, &new).await {
        Ok(_) => {}
        Err(TeamError::NoTemplate) => return Err(no_template(change, of.template_id).await?),
        Err(error) => return Err(error.into()),
    }
    let id: RunId = fresh(&state.ids);
    let work = Work {
        id,
        origin,
        title: None,
        earlier: None,
    };
    let asked = RunTeam {
        input: of.goal.clone(),
        repo: None,
        cost_ceiling_microusd: of.cost_ceiling_microusd,
        limits: of.limits,
        model: of.model_binding.clone(),
    };
    teams::run_in(teams, change, team, work, asked).await?;
    Ok(id)
}

/// The error about the template of a recipe: one that was deleted has a name.
async fn no_template(change: &Change, id: TemplateId) -> Result<RoutineError, RoutineError> {
    let name = templates::name_of_deleted(change.tx(), change.scope(), id).await?;
    Ok(match name {
        None => TeamError::NoTemplate.into(),
        Some(_) => RoutineError::TemplateGone(MissionError::TemplateGone {
            id,
            name,
            place: "recipe.template_id".to_owned(),
        }),
    })
}

/// The maximum length of a team's name, in characters.
const MOST_NAME: usize = 100;
