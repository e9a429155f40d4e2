//! Works on one mirror: the broker fetches or deletes it, while this job holds its row.

use std::time::Duration;

use chrono::TimeDelta;
use roost_secret_broker::wire::{FaultCode, FetchPhase, Fetching, GitFetch, GitForget, Mirror};
use sea_orm::DbErr;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};
use url::Url;
use uuid::Uuid;

use crate::repos::commands::record_name;
use crate::repos::entity::{connection, mirror, repo};
use crate::repos::provider::ProviderKind;
use crate::repos::{ReposContext, model, store_mirrors};
use roost_platform::broker::BrokerError;
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::RepoId;

/// How long a hold lasts without a renewal.
const HOLD: TimeDelta = TimeDelta::seconds(60);
/// The interval for progress and for the check whether the mirror is still wanted.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// The number of attempts while the broker works on the mirror for another caller.
const BUSY_TRIES: u32 = 30;

/// Takes a mirror; `None` when another job has it.
pub(super) async fn claim(
    state: &ReposContext,
    id: RepoId,
    holder: Uuid,
) -> Result<Option<mirror::Model>, DbErr> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let Some(row) = store_mirrors::claim(&tx, id, holder, now, now + HOLD).await? else {
        return Ok(None);
    };
    let fact = Event::changed(ResourceKind::Repo, id, row.version);
    events::append(&mut tx, row.workspace_id, now, [fact]).await?;
    tx.commit().await?;
    Ok(Some(row))
}

/// Releases the hold; nothing was done.
pub(super) async fn release(state: &ReposContext, id: RepoId, holder: Uuid) -> Result<(), DbErr> {
    let tx = state.db.write().await?;
    store_mirrors::release(&tx, id, holder).await?;
    tx.commit().await
}

/// Does the wanted work and stores its result. When the database fails, the work stays wanted and is assigned again.
pub(super) async fn run(
    state: &ReposContext,
    row: &mirror::Model,
    holder: Uuid,
) -> Result<(), DbErr> {
    let found = store_mirrors::source(state.db.read(), row.repo_id).await?;
    let Some((repo, connection)) = found else {
        // The connection was removed, and its mirrors with it.
        return Ok(());
    };
    match row.dropped {
        true => forget(state, row, &connection, holder).await,
        false => fetch(state, row, &repo, &connection, holder).await,
    }
}

async fn forget(
    state: &ReposContext,
    row: &mirror::Model,
    connection: &connection::Model,
    holder: Uuid,
) -> Result<(), DbErr> {
    let forget = GitForget {
        name: record_name(connection)?,
        mirror: row.repo_id.to_string(),
    };
    if let Err(error) = forget_when_free(state, forget).await {
        // The mirror stays dropped; the next attempt comes when the hold is over.
        tracing::warn!(error = &error as &dyn std::error::Error, repo = %row.repo_id, "the broker has not deleted a mirror yet; the gateway tries again");
        return Ok(());
    }
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    if !store_mirrors::remove(&tx, row.repo_id, holder).await? {
        store_mirrors::release(&tx, row.repo_id, holder).await?;
    }
    let fact = Event::changed(ResourceKind::Repo, row.repo_id, row.version + 1);
    events::append(&mut tx, row.workspace_id, now, [fact]).await?;
    tx.commit().await
}

async fn fetch(
    state: &ReposContext,
    row: &mirror::Model,
    repo: &repo::Model,
    connection: &connection::Model,
    holder: Uuid,
) -> Result<(), DbErr> {
    let ended = match request(repo, connection) {
        Ok(request) => match fetched(state, row, request, holder).await? {
            Some(Ok(mirror)) => Ok((mirror, state.clock.now())),
            Some(Err(error)) => Err(error_text(connection, &error)),
            None => return Ok(()),
        },
        Err(unknown) => Err(unknown),
    };
    let error = ended.as_ref().err().cloned();
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let Some(ended) = store_mirrors::end(&tx, row.repo_id, holder, ended).await? else {
        return Ok(());
    };
    let fact = Event::changed(ResourceKind::Repo, row.repo_id, ended.version);
    events::append(&mut tx, row.workspace_id, now, [fact]).await?;
    tx.commit().await?;
    match error {
        None => tracing::info!(repo = %row.repo_id, bytes = ended.bytes, "a mirror is up to date"),
        Some(error) => {
            tracing::warn!(repo = %row.repo_id, error, "the broker could not fetch a mirror");
        }
    }
    Ok(())
}

/// The request to the broker, or why there cannot be one.
fn request(repo: &repo::Model, connection: &connection::Model) -> Result<GitFetch, String> {
    let unknown = || {
        "This gateway does not know that kind of host. Run the newest release, or connect again."
            .to_owned()
    };
    let kind = ProviderKind::from_stored(&connection.provider).ok_or_else(unknown)?;
    let base = Url::parse(&connection.base_url).map_err(|_| unknown())?;
    Ok(GitFetch {
        name: record_name(connection).map_err(|_| unknown())?,
        mirror: repo.id.to_string(),
        url: model::git_address(kind, &base, &repo.full_name)
            .ok_or_else(unknown)?
            .to_string(),
        user: kind.provider().git_user().to_owned(),
        head: repo.default_branch.clone(),
        deadline_ms: None,
        on_behalf: format!("mirror of repository {}", repo.id),
    })
}

/// Fetches and stores progress; `None` when another job has the mirror now, or when it is not wanted any more.
async fn fetched(
    state: &ReposContext,
    row: &mirror::Model,
    request: GitFetch,
    holder: Uuid,
) -> Result<Option<Result<Mirror, BrokerError>>, DbErr> {
    let begin = Fetching {
        phase: FetchPhase::Waiting,
        percent: 0,
        bytes: 0,
    };
    let (progress_tx, progress_rx) = watch::channel(begin);
    let mut fetching = std::pin::pin!(fetch_when_free(state, request, &progress_tx));
    let mut tick = interval(PROGRESS_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = None;
    loop {
        tokio::select! {
            biased;
            done = &mut fetching => return Ok(Some(done)),
            _ = tick.tick() => {
                let now = *progress_rx.borrow();
                if !record_progress(state, row, holder, now, last != Some(now)).await? {
                    return Ok(None);
                }
                last = Some(now);
            }
        }
    }
}

/// Fetches. A job that lost its hold may still be fetching; it stops within a second or two, and this waits for it.
async fn fetch_when_free(
    state: &ReposContext,
    request: GitFetch,
    progress_tx: &watch::Sender<Fetching>,
) -> Result<Mirror, BrokerError> {
    let mut tries_left = BUSY_TRIES;
    loop {
        let on_progress = |now| {
            progress_tx.send_replace(now);
        };
        match state.broker.git_fetch(request.clone(), on_progress).await {
            Err(error) if is_busy(&error, &mut tries_left) => sleep(PROGRESS_EVERY).await,
            done => return done,
        }
    }
}

/// Has the broker delete the mirror; waits as for a fetch.
async fn forget_when_free(state: &ReposContext, request: GitForget) -> Result<bool, BrokerError> {
    let mut tries_left = BUSY_TRIES;
    loop {
        match state.broker.git_forget(request.clone()).await {
            Err(error) if is_busy(&error, &mut tries_left) => sleep(PROGRESS_EVERY).await,
            done => return done,
        }
    }
}

fn is_busy(error: &BrokerError, tries_left: &mut u32) -> bool {
    *tries_left = tries_left.saturating_sub(1);
    *tries_left > 0 && error.code() == Some(FaultCode::Busy)
}

/// Stores the progress and renews the hold; `false` when the hold is lost.
async fn record_progress(
    state: &ReposContext,
    row: &mirror::Model,
    holder: Uuid,
    progress: Fetching,
    news: bool,
) -> Result<bool, DbErr> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let Some(row) =
        store_mirrors::record_progress(&tx, row.repo_id, holder, now + HOLD, progress).await?
    else {
        return Ok(false);
    };
    if news {
        let report = Event::reported(ResourceKind::Repo, row.repo_id, row.version);
        events::append(&mut tx, row.workspace_id, now, [report]).await?;
    }
    tx.commit().await?;
    Ok(true)
}

/// Why the fetch failed, in words for people.
fn error_text(connection: &connection::Model, error: &BrokerError) -> String {
    let kind = ProviderKind::from_stored(&connection.provider).unwrap_or(ProviderKind::GitHub);
    if error.fault().is_none() {
        tracing::warn!(
            error = error as &dyn std::error::Error,
            "the secret broker did not fetch a mirror"
        );
    }
    model::unmirrored(kind, error.fault())
}
