//! Fires the routines that are due. One worker of one gateway does so: each firing renews the worker's lease in its own
//! transaction, and the routine's row is read again there.
//!
//! Parent: `roost/missions`. Restart: permanent. All its state is in rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::{firing, routine};
use super::model::{Act, Cause, Decision, FiringState, Look, Missed, Overlap};
use super::recipe::{self, Started};
use super::touch::{schedule_of, touch};
use super::{RoutineError, RoutinesContext, settle, store};
use roost_platform::db::lease::Lease;
use roost_platform::ids::{FiringId, RoutineId, UserId, WorkspaceId, fresh};
use roost_platform::kill_point;
use roost_platform::supervision::{ActorKind, ChildSpec, Failure, JobContext, NoMessages, Nudge};
use roost_tenancy::auth::{Role, WorkspaceScope};
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;
use roost_web::error::ApiError;

/// How often due routines are looked for.
const PERIOD: Duration = Duration::from_secs(1);
/// The routines of one look.
const SOME: u64 = 100;
/// The name of the worker's lease.
const LEASE: &str = "routines:scheduler";
/// The time that a gateway fires routines without a renewal.
const LEASED: Duration = Duration::from_secs(5);

/// The worker.
pub fn child(state: &RoutinesContext) -> ChildSpec<NoMessages> {
    let nudge: Nudge = state.handle.scheduler().clone();
    let state = state.clone();
    let forgot = Arc::new(AtomicBool::new(false));
    let kind = ActorKind::RoutineScheduler;
    ChildSpec::periodic("routines", kind, PERIOD, &nudge, move |cx| {
        let (state, forgot) = (state.clone(), forgot.clone());
        async move {
            if !forgot.load(Ordering::Relaxed) {
                // On SQLite only one gateway can open the file, so no lease of an earlier process counts.
                Lease::forget(&state.db, LEASE, state.handle.owner()).await?;
                forgot.store(true, Ordering::Relaxed);
            }
            settle::settle_all(&state).await?;
            fire_all(&state, &cx).await
        }
    })
    .serves("routines that are due")
}

async fn fire_all(state: &RoutinesContext, cx: &JobContext) -> Result<(), Failure> {
    let now = state.clock.now();
    for (id, workspace, user) in store::due(state.db.read(), now, SOME).await? {
        let due = Due {
            id,
            workspace,
            user,
        };
        match fire(state, cx, due).await {
            Ok(true) => {}
            // Another gateway fires routines.
            Ok(false) => break,
            Err(RoutineError::Db(error)) => return Err(error.into()),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, routine = %id, "a routine did not fire; the next look tries again");
            }
        }
    }
    Ok(())
}

/// A routine that is due.
#[derive(Debug, Clone, Copy)]
struct Due {
    id: RoutineId,
    workspace: WorkspaceId,
    user: UserId,
}

/// Begins a change while this gateway has the lease. `None` when another gateway has it.
pub(super) async fn change(
    state: &RoutinesContext,
    scope: WorkspaceScope,
    user: UserId,
) -> Result<Option<Change>, DbErr> {
    let tx = state.db.write().await?;
    let lease = Lease::acquire_in(&tx, LEASE, state.handle.owner(), LEASED).await?;
    Ok(lease.map(|_| Change::within(state, tx, scope, user)))
}

/// Handles the due times of a routine. `false` when another gateway has the lease.
async fn fire(state: &RoutinesContext, cx: &JobContext, due: Due) -> Result<bool, RoutineError> {
    match attempt(state, cx, due, None).await? {
        Attempt::Done => Ok(true),
        Attempt::Elsewhere => Ok(false),
        // What the attempt made is taken back. The journal gets the reason.
        Attempt::Failed(why) => match attempt(state, cx, due, Some(why)).await? {
            Attempt::Elsewhere => Ok(false),
            Attempt::Done | Attempt::Failed(_) => Ok(true),
        },
    }
}

enum Attempt {
    Done,
    Elsewhere,
    /// It could not start, for this reason.
    Failed(String),
}

async fn attempt(
    state: &RoutinesContext,
    cx: &JobContext,
    due: Due,
    failed: Option<String>,
) -> Result<Attempt, RoutineError> {
    let scope = WorkspaceScope::of_row(due.workspace);
    let Some(mut change) = change(state, scope, due.user).await? else {
        return Ok(Attempt::Elsewhere);
    };
    let Some(row) = store::locked(&change, scope, due.id).await? else {
        return Ok(Attempt::Done);
    };
    let Some(decision) = decide(&change, &row).await? else {
        return Ok(Attempt::Done);
    };
    if let Some(lapsed) = decision.lapsed {
        let line = Line {
            due: lapsed.last,
            cause: Cause::Schedule,
            state: FiringState::Missed,
            due_times: lapsed.count,
            reason: Some("No gateway worked at the due time.".to_owned()),
            started: None,
        };
        note(&change, &row, fresh(&state.ids), line).await?;
    }
    let mut last = None;
    match decision.act {
        Act::Nothing => {}
        Act::Skip(due, cause) => {
            let why = "An earlier firing still worked.";
            let line = Line::without(due, cause, FiringState::Skipped, why.to_owned());
            note(&change, &row, fresh(&state.ids), line).await?;
        }
        Act::Fire(at, cause) => {
            let made = match failed {
                Some(why) => Err(why),
                None => match start(state, &mut change, &row, (at, cause)).await {
                    Ok(()) => Ok(()),
                    Err(RoutineError::Db(error)) => return Err(error.into()),
                    Err(error) => return Ok(Attempt::Failed(in_words(error))),
                },
            };
            if let Err(why) = made {
                let details = serde_json::json!({ "name": row.name, "reason": why });
                change.record("routine.firing_failed", ("routine", &row.id), details);
                let line = Line::without(at, cause, FiringState::Failed, why);
                note(&change, &row, fresh(&state.ids), line).await?;
                last = Some(FiringState::Failed);
            }
        }
    }
    let row = routine::Model {
        next_due_at: decision.next,
        ..row
    };
    touch(&mut change, row, last).await?;
    kill_point!(cx, "routines.fire.before_commit");
    change.commit().await?;
    kill_point!(cx, "routines.fire.after_commit");
    Ok(Attempt::Done)
}

/// What happens with a routine now. `None` when it is not due any more.
async fn decide(change: &Change, row: &routine::Model) -> Result<Option<Decision>, RoutineError> {
    let Some(due) = row.next_due_at.filter(|due| *due <= change.now()) else {
        return Ok(None);
    };
    if !row.enabled {
        return Ok(None);
    }
    // A schedule that a newer version of the program cannot read any more has no due times.
    let Ok(schedule) = schedule_of(row)?.checked(row.created_at) else {
        return Ok(Some(Decision {
            lapsed: None,
            act: Act::Nothing,
            next: None,
        }));
    };
    let at_work = store::at_work(change.tx(), change.scope(), &[row.id]).await?;
    let look = Look {
        schedule: &schedule,
        missed: Missed::from_stored(&row.missed),
        overlap: Overlap::from_stored(&row.overlap),
        due,
        now: change.now(),
        open: at_work.get(&row.id).copied().unwrap_or_default().firings,
    };
    Ok(Some(look.decide()))
}

async fn start(
    state: &RoutinesContext,
    change: &mut Change,
    row: &routine::Model,
    (due, cause): (DateTime<Utc>, Cause),
) -> Result<(), RoutineError> {
    let (user, workspace) = (row.created_by, row.workspace_id);
    let member = workspaces::membership(change.tx(), user, workspace).await?;
    let role = member.map(|(member, _)| Role::from_stored(&member.role));
    fire_in(state, change, row, role, (fresh(&state.ids), due, cause)).await
}

/// Starts what the routine's recipe says, and notes the firing, in the caller's change. The caller holds the row, and writes
/// it.
///
/// # Errors
/// Those of [`recipe::start`].
pub(super) async fn fire_in(
    state: &RoutinesContext,
    change: &mut Change,
    row: &routine::Model,
    role: Option<Role>,
    (id, due, cause): (FiringId, DateTime<Utc>, Cause),
) -> Result<(), RoutineError> {
    let recipe = serde_json::from_str(&row.recipe).map_err(RoutineError::Unreadable)?;
    let of = (row.name.as_str(), row.id, id);
    let started = recipe::start(state, change, role, &recipe, of).await?;
    let (run, mission) = match started {
        Started::Run(run) => (Some(run), None),
        Started::Mission(mission) => (None, Some(mission)),
    };
    let details = serde_json::json!({
        "name": row.name, "cause": cause.as_str(), "run": run, "mission": mission,
    });
    change.record("routine.fired", ("routine", &row.id), details);
    let line = Line {
        due,
        cause,
        state: FiringState::Started,
        due_times: 1,
        reason: None,
        started: Some(started),
    };
    note(change, row, id, line).await?;
    Ok(())
}

/// A line of the journal.
struct Line {
    due: DateTime<Utc>,
    cause: Cause,
    state: FiringState,
    due_times: u32,
    reason: Option<String>,
    started: Option<Started>,
}

impl Line {
    fn without(due: DateTime<Utc>, cause: Cause, state: FiringState, why: String) -> Self {
        Self {
            due,
            cause,
            state,
            due_times: 1,
            reason: Some(why),
            started: None,
        }
    }
}

async fn note(
    change: &Change,
    row: &routine::Model,
    id: FiringId,
    line: Line,
) -> Result<(), DbErr> {
    let (run_id, mission_id) = match line.started {
        Some(Started::Run(run)) => (Some(run), None),
        Some(Started::Mission(mission)) => (None, Some(mission)),
        None => (None, None),
    };
    let firing = firing::Model {
        id,
        workspace_id: row.workspace_id,
        routine_id: row.id,
        cause: line.cause.as_str().to_owned(),
        state: line.state.as_str().to_owned(),
        due_at: line.due,
        noted_at: change.now(),
        due_times: i32::try_from(line.due_times).unwrap_or(i32::MAX),
        reason: line.reason,
        run_id,
        mission_id,
        acted_for: change.actor(),
        at_door: false,
        ended_at: (line.state != FiringState::Started).then(|| change.now()),
    };
    store::note(change, change.scope(), firing).await
}

/// Why a firing could not start, as people read it.
fn in_words(error: RoutineError) -> String {
    ApiError::from(error).detail_text()
}
