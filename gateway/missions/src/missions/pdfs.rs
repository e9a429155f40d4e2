//! Makes the PDFs of missions. A PDF that somebody wants is a pending artifact. The renderer takes it, runs the program that
//! typesets, and records the file or the error.
//!
//! Parent: `roost/missions`. Restart: permanent. A lease on each artifact keeps two gateways from making the same PDF, and the
//! result is written only while it holds. A gateway that dies leaves the artifact pending, and a gateway makes it again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::try_join_all;
use sea_orm::DbErr;

use super::entity::mission;
use super::model::Status;
use super::touch::touch;
use super::{MissionError, MissionsContext, read, store};
use crate::artifacts::pdfs::{self, Begun, Made};
use crate::artifacts::{self, ArtifactKind, ArtifactRow, ArtifactStatus};
use crate::pdf::Document;
use roost_platform::db::lease::Lease;
use roost_platform::ids::{MissionArtifactId, UserId, WorkspaceId, fresh};
use roost_platform::kill_point;
use roost_platform::supervision::{ActorKind, ChildSpec, Failure, JobContext, NoMessages, Nudge};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// How often pending PDFs are looked for without a nudge: another gateway may have lost one.
const PERIOD: Duration = Duration::from_secs(2);
/// PDFs that a gateway makes at once.
const AT_ONCE: usize = 2;
/// Pending PDFs that a pass reads. Others may be taken by other gateways.
const MOST_READ: u64 = 32;
/// Longer than the program may take.
const LEASE: Duration = Duration::from_secs(90);
const LEASES: &str = "pdf:";
/// A document that ended its gateway so often is not tried again.
const MOST_ATTEMPTS: i32 = 3;

/// What a PDF shows.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// The report of the mission.
    Report,
    /// A Markdown artifact, with its title.
    Artifact(MissionArtifactId, String),
}

/// A PDF that somebody wants.
#[derive(Debug)]
pub(super) struct Wanted {
    pub id: MissionArtifactId,
    /// It has just become pending.
    pub is_new: bool,
}

/// Makes a PDF pending, unless it is, or is ready and still right. The caller holds the mission.
///
/// # Errors
/// When the database fails.
pub(super) async fn want(
    change: &mut Change,
    state: &MissionsContext,
    mission: &mission::Model,
    source: Source,
) -> Result<Wanted, DbErr> {
    let (scope, now) = (change.scope(), change.now());
    let (source, title) = match source {
        Source::Report => (None, format!("Report of {}", mission.title)),
        Source::Artifact(id, title) => (Some(id), title),
    };
    let earlier = pdfs::of_source(change.tx(), scope, mission.id, source).await?;
    let wanted = match earlier {
        Some(row) if !is_wanted_again(&row, source.is_some(), mission) => {
            return Ok(Wanted {
                id: row.id,
                is_new: false,
            });
        }
        Some(row) => {
            pdfs::insist(change, scope, row.id, &title, now).await?;
            row.id
        }
        None => {
            let id = fresh(&state.ids);
            let row = ArtifactRow {
                id,
                workspace_id: scope.workspace(),
                mission_id: mission.id,
                phase_id: None,
                attempt: 1,
                kind: ArtifactKind::Pdf.as_str().to_owned(),
                title,
                status: ArtifactStatus::Pending.as_str().to_owned(),
                path: None,
                error: None,
                content: None,
                run_id: None,
                created_at: now,
                updated_at: now,
            };
            pdfs::insert(change, row, source).await?;
            id
        }
    };
    change.wake(state.handle.pdfs());
    Ok(Wanted {
        id: wanted,
        is_new: true,
    })
}

/// Whether an earlier PDF does not show what there is now. An artifact never changes; the report does until the mission has
/// ended, and each later change of the mission writes its row.
fn is_wanted_again(row: &ArtifactRow, of_artifact: bool, mission: &mission::Model) -> bool {
    match ArtifactStatus::from_stored(&row.status) {
        ArtifactStatus::Pending => false,
        ArtifactStatus::Failed => true,
        ArtifactStatus::Ready => {
            let is_over = Status::parse(&mission.status).is_some_and(Status::is_final);
            let is_later = mission.ended_at.is_none_or(|ended| row.updated_at > ended);
            let is_last = is_over && is_later && row.updated_at >= mission.updated_at;
            !of_artifact && !is_last
        }
    }
}

/// The renderer.
pub(super) fn child(state: &MissionsContext) -> ChildSpec<NoMessages> {
    let nudge: Nudge = state.handle.pdfs().clone();
    let state = state.clone();
    let forgot = Arc::new(AtomicBool::new(false));
    ChildSpec::periodic(
        "pdf-renderer",
        ActorKind::PdfRenderer,
        PERIOD,
        &nudge,
        move |cx| {
            let (state, forgot) = (state.clone(), forgot.clone());
            async move {
                if !forgot.load(Ordering::Relaxed) {
                    Lease::forget(&state.db, LEASES, state.handle.owner()).await?;
                    forgot.store(true, Ordering::Relaxed);
                }
                make_all(&state, &cx).await
            }
        },
    )
    .serves("reports and artifacts as PDF")
}

async fn make_all(state: &MissionsContext, cx: &JobContext) -> Result<(), Failure> {
    loop {
        let mut taken = Vec::new();
        for (id, workspace) in pdfs::pending(state.db.read(), MOST_READ).await? {
            if taken.len() == AT_ONCE {
                break;
            }
            taken.extend(take(state, cx, id, workspace).await?);
        }
        if taken.is_empty() {
            return Ok(());
        }
        let work = taken.into_iter().map(|taken| make(state, cx, taken));
        try_join_all(work).await?;
    }
}

/// A PDF that this gateway makes.
struct Taken {
    lease: Lease,
    scope: WorkspaceScope,
    begun: Begun,
}

/// Takes a pending PDF. `None` when another gateway makes it.
async fn take(
    state: &MissionsContext,
    cx: &JobContext,
    id: MissionArtifactId,
    workspace: WorkspaceId,
) -> Result<Option<Taken>, Failure> {
    let scope = WorkspaceScope::of_row(workspace);
    let tx = state.db.write().await?;
    let name = format!("{LEASES}{id}");
    let lease = Lease::acquire_in(&tx, &name, state.handle.owner(), LEASE).await?;
    let Some(lease) = lease else {
        return Ok(None);
    };
    let Some(begun) = pdfs::begin(&tx, scope, id).await? else {
        return Ok(None);
    };
    tx.commit().await?;
    kill_point!(cx, "pdfs.make.after_take");
    Ok(Some(Taken {
        lease,
        scope,
        begun,
    }))
}

async fn make(state: &MissionsContext, cx: &JobContext, taken: Taken) -> Result<(), Failure> {
    let read_of = store::get(
        state.db.read(),
        taken.scope,
        taken.begun.artifact.mission_id,
    )
    .await?;
    let made = made(state, &taken).await?;
    if let Err(why) = &made {
        let artifact = taken.begun.artifact.id;
        tracing::warn!(%artifact, mission = %taken.begun.artifact.mission_id, %why, "a PDF could not be made");
    }
    kill_point!(cx, "pdfs.make.before_record");
    record(state, &taken, made, read_of.map(|mission| mission.version)).await?;
    taken.lease.remove(&state.db).await?;
    Ok(())
}

/// The file, or why there is none.
async fn made(state: &MissionsContext, taken: &Taken) -> Result<Made, DbErr> {
    if taken.begun.attempts > MOST_ATTEMPTS {
        return Ok(Err(format!(
            "The gateway ended {MOST_ATTEMPTS} times while it made this PDF, so it does not try again by itself. Ask for the PDF again, or use the Markdown file."
        )));
    }
    let document = match document(state, taken).await {
        Ok(document) => document,
        Err(MissionError::Db(error)) => return Err(error),
        Err(error) => return Ok(Err(format!("The document cannot be read: {error}."))),
    };
    Ok(match state.pdf.typeset(&document).await {
        Ok(pdf) => Ok((pdf.bytes, pdf.pages)),
        Err(error) => Err(error.to_string()),
    })
}

async fn document(state: &MissionsContext, taken: &Taken) -> Result<Document, MissionError> {
    let (db, scope) = (state.db.read(), taken.scope);
    let mission = taken.begun.artifact.mission_id;
    let Some(source) = taken.begun.source_id else {
        return read::printed_report(db, scope, mission).await;
    };
    let row = artifacts::content(db, scope, mission, source).await?;
    let row = row.ok_or(MissionError::NoArtifact)?;
    let title = store::get(db, scope, mission).await?;
    let title = title.ok_or(MissionError::NotFound)?.title;
    let created = row.created_at.format("%Y-%m-%d %H:%M UTC").to_string();
    Ok(Document {
        title: row.title,
        facts: vec![
            ("Artifact of".to_owned(), title),
            ("Created".to_owned(), created),
        ],
        markdown: row.content.unwrap_or_default(),
    })
}

/// Records what became of a PDF, while this gateway still has its lease. `read_of` is the version of the mission before the
/// document was read.
async fn record(
    state: &MissionsContext,
    taken: &Taken,
    made: Made,
    read_of: Option<i64>,
) -> Result<(), DbErr> {
    let mut change = Change::begin(state, taken.scope, UserId::SYSTEM).await?;
    if !taken.lease.guard(&change).await? {
        return Ok(());
    }
    let artifact = &taken.begun.artifact;
    let mission = store::locked(&change, taken.scope, artifact.mission_id).await?;
    let Some(mission) = mission else {
        return Ok(());
    };
    let now = change.now();
    let is_report = taken.begun.source_id.is_none();
    if made.is_ok() && is_report && is_outdated(&mission, read_of) {
        pdfs::insist(&change, taken.scope, artifact.id, &artifact.title, now).await?;
        change.wake(state.handle.pdfs());
        return change.commit().await;
    }
    if pdfs::end(&change, taken.scope, artifact, made, now).await? {
        touch(&mut change, mission).await?;
    }
    change.commit().await
}

/// Whether the report of a mission that has ended got more, such as a narrative, after it was read. Nobody asks for it again.
/// The report of a mission at work is only as new as its request.
fn is_outdated(mission: &mission::Model, read_of: Option<i64>) -> bool {
    let is_over = Status::parse(&mission.status).is_some_and(Status::is_final);
    is_over && read_of != Some(mission.version)
}

#[cfg(test)]
#[path = "pdfs_tests.rs"]
mod tests;
