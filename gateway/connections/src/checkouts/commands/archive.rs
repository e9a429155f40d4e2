//! The files of a run's newest commit, to take its work out without a code host.

use bytes::Bytes;
use roost_secret_broker::wire::GitArchive;

use crate::checkouts::entity::bound;
use crate::checkouts::{CheckoutError, CheckoutsContext, model, source, store};
use roost_platform::broker::BrokerError;
use roost_platform::ids::{RunId, UserId};
use roost_secret_broker::client::Pieces;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Most bytes of the files.
const MOST: u64 = 2 << 30;

/// The files of a commit as tar, on their way.
pub struct Files {
    /// The repository or the upload.
    pub full_name: String,
    pub commit: String,
    pieces: Pieces,
}

impl Files {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// The broker's.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, CheckoutError> {
        let piece = self.pieces.piece().await;
        piece.map_err(|error| BrokerError::from(error).into())
    }
}

/// Begins the archive of a branch: of `branch`, else of the one with the newest commits. A run without commits gives the
/// files that it began with.
///
/// # Errors
/// [`CheckoutError::NoBinding`], [`CheckoutError::NoCommits`], and the broker's refusals.
pub async fn archive(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    user: UserId,
    run: RunId,
    branch: Option<&str>,
) -> Result<Files, CheckoutError> {
    let db = state.db.read();
    let bound = store::bound(db, scope, run)
        .await?
        .ok_or(CheckoutError::NoBinding)?;
    let rows = store::commits(db, scope, run).await?;
    let heads = model::heads(&rows);
    let head = heads
        .iter()
        .find(|row| branch.is_none_or(|branch| row.branch == branch))
        .and_then(|row| row.head.clone());
    let commit = match branch {
        Some(_) => head,
        None => head
            .or_else(|| bound.start_commit.clone())
            .or_else(|| bound.base_commit.clone()),
    };
    let commit = commit.ok_or(CheckoutError::NoCommits)?;
    let files = begun(
        state,
        scope,
        &bound,
        commit,
        MOST,
        format!("user {user}, run {run}"),
    )
    .await?;
    let commit = &files.commit;
    let mut change = Change::begin(state, scope, user).await?;
    let details = serde_json::json!({ "repo": bound.full_name, "commit": commit });
    change.record("repo.download", ("run", &run), details);
    change.commit().await?;
    Ok(files)
}

/// Begins the archive of a commit of a run's repository, for work of the gateway itself. More than `most` bytes are refused.
///
/// # Errors
/// [`CheckoutError::NoBinding`], and the broker's refusals.
pub async fn files_of(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    run: RunId,
    commit: String,
    most: u64,
) -> Result<Files, CheckoutError> {
    let bound = store::bound(state.db.read(), scope, run)
        .await?
        .ok_or(CheckoutError::NoBinding)?;
    begun(state, scope, &bound, commit, most, format!("run {run}")).await
}

async fn begun(
    state: &CheckoutsContext,
    scope: WorkspaceScope,
    bound: &bound::Model,
    commit: String,
    most: u64,
    on_behalf: String,
) -> Result<Files, CheckoutError> {
    let source = source::of(state.db.read(), scope, bound).await?;
    let asked = GitArchive {
        name: source.name,
        mirror: source.mirror,
        commit: commit.clone(),
        most,
        on_behalf,
    };
    Ok(Files {
        full_name: bound.full_name.clone(),
        commit,
        pieces: state.broker.git_archive(asked).await?,
    })
}
