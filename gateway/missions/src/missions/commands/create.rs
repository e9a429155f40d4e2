//! Creates a mission with its phases, as a draft.

use crate::missions::dto::NewMission;
use crate::missions::entity::{mission, phase};
use crate::missions::model::{PhaseStatus, RuntimeKind, Status};
use crate::missions::{MissionError, MissionsContext, plan, runtime, store};
use roost_connections::repos;
use roost_execution::models;
use roost_machines::fleet;
use roost_organisation::templates;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{MissionId, RoutineId, UserId, fresh};
use roost_tenancy::auth::{Role, WorkspaceScope};
use roost_tenancy::change::Change;
use roost_web::json::Mistakes;
use roost_web::problem::FieldError;

/// Creates the mission `id`. A repeat with the same id returns the existing mission. With a schedule, it makes a routine too.
///
/// # Errors
/// [`MissionError::Wrong`]; [`MissionError::NotFound`] for a node of another workspace. With a schedule, those of a launch.
pub async fn create(
    state: &MissionsContext,
    scope: WorkspaceScope,
    (user, role): (UserId, Role),
    id: MissionId,
    new: NewMission,
) -> Result<mission::Model, MissionError> {
    if let Some(present) = store::get(state.db.read(), scope, id).await? {
        return Ok(present);
    }
    if let Some(schedule) = &new.schedule {
        let who = (user, role);
        let routines = &state.recurrence;
        routines.check(state, scope, who, &new, schedule).await?;
    }
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(present) = store::get(change.tx(), scope, id).await? {
        return Ok(present);
    }
    let row = create_in(state, &mut change, id, new, None).await?;
    change.commit().await?;
    Ok(row)
}

/// As [`create`], in the caller's change, and without the look for an existing mission. `routine` is the routine that
/// launches it.
///
/// # Errors
/// As [`create`].
pub async fn create_in(
    state: &MissionsContext,
    change: &mut Change,
    id: MissionId,
    new: NewMission,
    routine: Option<RoutineId>,
) -> Result<mission::Model, MissionError> {
    let (scope, user) = (change.scope(), change.actor());
    let config = new.config.clone().unwrap_or_default();
    let mut ignored = Mistakes::default();
    let kinds = plan::phases(new.template_kind, &config, &mut ignored);
    unknown_things(state, change, scope, &new).await?;
    let title = title_of(&new);
    let schedule = match &new.schedule {
        Some(schedule) => {
            let (routines, pattern) = (state.recurrence.clone(), (id, title.as_str()));
            let made = routines.begin(state, change, pattern, &new, schedule);
            Some(made.await?.to_string())
        }
        None => None,
    };
    let now = change.now();
    let row = mission::Model {
        id,
        workspace_id: scope.workspace(),
        title,
        goal: new.goal.unwrap_or_default().trim().to_owned(),
        template_kind: new.template_kind.as_str().to_owned(),
        team_id: None,
        team_template_id: new.team_template_id,
        routine_id: routine,
        schedule,
        status: Status::Draft.as_str().to_owned(),
        status_reason: None,
        status_detail: None,
        config: serde_json::Value::Object(config).to_string(),
        repo_id: new.repo_id,
        base_ref: new.base_ref,
        runtime_kind: new.runtime_kind.as_str().to_owned(),
        target_node_id: new.target_node_id,
        runtime_container_name: None,
        runtime_endpoint: None,
        runtime_pairing_code: None,
        runtime_state: None,
        runtime_detail: None,
        budget_microusd: new.budget_usd.map(microusd),
        model_binding: new.model,
        created_by: user,
        created_at: now,
        updated_at: now,
        launched_at: None,
        ended_at: None,
        version: 1,
    };
    let phases = kinds
        .into_iter()
        .zip(0..)
        .map(|(kind, position)| phase::Model {
            id: fresh(&state.ids),
            workspace_id: scope.workspace(),
            mission_id: id,
            position,
            kind: kind.as_str().to_owned(),
            status: PhaseStatus::Pending.as_str().to_owned(),
            attempt: 0,
            reason: None,
            input: None,
            dropped_tasks: 0,
            started_at: None,
            ended_at: None,
        });
    store::insert(change, row.clone(), phases.collect()).await?;
    let details = serde_json::json!({
        "title": row.title, "template_kind": row.template_kind, "repo": row.repo_id, "runtime": row.runtime_kind,
    });
    change.record("mission.created", ("mission", &row.id), details);
    change.event(Event::changed(ResourceKind::Mission, row.id, row.version));
    Ok(row)
}

/// Refuses a mission that names things that the workspace does not have.
async fn unknown_things(
    state: &MissionsContext,
    change: &Change,
    scope: WorkspaceScope,
    new: &NewMission,
) -> Result<(), MissionError> {
    let db = change.tx();
    if new.runtime_kind == RuntimeKind::LocalNode
        && let Some(node) = new.target_node_id
        && fleet::availability(db, scope, node).await?.is_none()
    {
        return Err(MissionError::NoNode);
    }
    let mut wrong = Vec::new();
    let mut add = |pointer: String, detail: &str| {
        wrong.push(FieldError {
            pointer,
            detail: detail.to_owned(),
        });
    };
    if let Some(repo) = new.repo_id
        && repos::upstream(db, scope, repo).await?.is_none()
    {
        let detail = "the workspace has no such repository; `/api/repos` lists them";
        add("/repo_id".to_owned(), detail);
    }
    let config = new.config.clone().unwrap_or_default();
    if let Some(runtime) = runtime::config::read(&config, &mut Mistakes::default())
        && let Some(detail) = state.teams.sandboxes.images().refusal(&runtime.image)
    {
        add("/config/runtime/image".to_owned(), &detail);
    }
    if let Some(model) = &new.model
        && !models::is_there(db, scope, model).await?
    {
        let detail = "names no model of this workspace; add it under Models, or leave it out";
        add("/model".to_owned(), detail);
    }
    let mut ignored = Mistakes::default();
    let named = plan::phase_teams(&config, &mut ignored).unwrap_or_default();
    let detail = "there is no such template; `/api/team-templates` lists them";
    for mint in named {
        if templates::find(db, scope, mint.template).await?.is_none() {
            add(
                format!("/config/phase_teams/{}", mint.purpose.as_str()),
                detail,
            );
        }
    }
    if let Some(template) = new.team_template_id
        && templates::find(db, scope, template).await?.is_none()
    {
        add("/team_template_id".to_owned(), detail);
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(MissionError::Wrong(wrong)),
    }
}

/// Refuses a request with a template that was deleted since it was checked: that of a routine.
///
/// # Errors
/// [`MissionError::TemplateGone`].
pub async fn templates_are_there(change: &Change, new: &NewMission) -> Result<(), MissionError> {
    let (db, scope) = (change.tx(), change.scope());
    let config = new.config.clone().unwrap_or_default();
    let mut named = plan::phase_teams(&config, &mut Mistakes::default()).unwrap_or_default();
    if named.is_empty() {
        named = plan::mints(&config, new.team_template_id, &[]);
    }
    for (place, mint) in named.iter().enumerate() {
        let id = mint.template;
        let name = templates::name_of_deleted(db, scope, id).await?;
        if name.is_some() {
            let place = plan::place_of(&config, &named, place);
            return Err(MissionError::TemplateGone { id, name, place });
        }
    }
    Ok(())
}

/// The title of a request, else the first line of its goal, else the kind.
fn title_of(new: &NewMission) -> String {
    let of_goal = new
        .goal
        .as_deref()
        .and_then(|goal| goal.trim().lines().next());
    let title = new.title.as_deref().map(str::trim).or(of_goal);
    let title = title.filter(|title| !title.is_empty());
    let kind = format!("Mission: {}", new.template_kind.as_str().replace('_', " "));
    title.unwrap_or(&kind).chars().take(MOST_TITLE).collect()
}

/// The maximum length of a title, in characters.
const MOST_TITLE: usize = 200;

/// Dollars in millionths. The request was checked, so the number is in range.
#[expect(clippy::cast_possible_truncation, reason = "at most a million dollars")]
fn microusd(usd: f64) -> i64 {
    (usd * 1e6).round() as i64
}
