//! Takes an archive in. It arrives in a file without a name, its entries go to the broker, and the row comes last. If the
//! gateway dies in between, the outbox deletes what the broker has.

use std::fs::File;
use std::io::Write;

use axum::body::Body;
use bytes::Bytes;
use futures::StreamExt;
use roost_secret_broker::wire::{GitImport, Imported, Inject, RecordName, Secret, Store};
use tokio::sync::mpsc;

use super::{REPOSITORY, record_name};
use crate::uploads::entity::Model;
use crate::uploads::unpack::{Stopped, unpack};
use crate::uploads::{UploadError, UploadsContext, store};
use roost_platform::ids::{UploadId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// Pieces between the reader of the archive and the broker.
const PIECES: usize = 8;

/// Makes an upload of an archive.
///
/// # Errors
/// See [`UploadError`]. Nothing is kept then.
pub async fn create(
    state: &UploadsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: UploadId,
    name: String,
    body: Body,
) -> Result<Model, UploadError> {
    let room = state.work.0.clone().try_acquire_owned();
    let _room = room.map_err(|_| UploadError::Busy)?;
    room_in_workspace(state, state.db.read(), scope, 0).await?;
    let archive = arrived(state, body).await?;
    let record = record_name(scope.workspace(), id)?;
    let placed = state.credentials.place(nothing(&record)).await?;
    let kept = kept(state, user, &record, archive).await;
    let written = match kept {
        Ok((imported, (files, bytes))) => {
            let row = Model {
                id,
                workspace_id: scope.workspace(),
                name,
                commit_id: imported.commit,
                files: i64::try_from(files).unwrap_or(i64::MAX),
                bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
                created_by: user,
                created_at: state.clock.now(),
            };
            write(state, scope, user, placed, row).await
        }
        Err(error) => Err(error),
    };
    if written.is_err() {
        // At once, so that a full disk has room again. The outbox repeats it.
        let _ = state.broker.delete(record).await;
    }
    written
}

/// A record that opens nothing: the repository lies below it, and goes with it.
fn nothing(name: &RecordName) -> Store {
    Store {
        name: name.clone(),
        secret: Secret::from("no-credential"),
        inject: Inject::Never,
        allow: Vec::new(),
    }
}

async fn room_in_workspace(
    state: &UploadsContext,
    db: &impl sea_orm::ConnectionTrait,
    scope: WorkspaceScope,
    more: u64,
) -> Result<(), UploadError> {
    let (used, most) = (store::used(db, scope).await?, state.limits.workspace);
    match used >= most || used + more > most {
        true => Err(UploadError::Full { used, most }),
        false => Ok(()),
    }
}

/// The archive in a file that has no name and goes with its last user.
async fn arrived(state: &UploadsContext, body: Body) -> Result<File, UploadError> {
    let folder = state.folder.clone();
    let opened = tokio::task::spawn_blocking(move || tempfile::tempfile_in(&folder));
    let mut file = joined(opened.await)?.map_err(UploadError::Disk)?;
    let (mut body, mut bytes) = (body.into_data_stream(), 0_u64);
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(UploadError::BrokeOff)?;
        bytes += piece.len() as u64;
        if bytes > state.limits.bytes {
            return Err(UploadError::TooLarge(state.limits.bytes));
        }
        let written = tokio::task::spawn_blocking(move || file.write_all(&piece).map(|()| file));
        file = joined(written.await)?.map_err(UploadError::Disk)?;
    }
    Ok(file)
}

/// Gives the entries of the archive to the broker.
async fn kept(
    state: &UploadsContext,
    user: UserId,
    record: &RecordName,
    archive: File,
) -> Result<(Imported, (u64, u64)), UploadError> {
    let (sender, receiver) = mpsc::channel::<std::io::Result<Bytes>>(PIECES);
    let limits = state.limits;
    let reading = tokio::task::spawn_blocking(move || {
        let read = unpack(archive, limits, |piece| {
            sender.blocking_send(Ok(piece)).is_ok()
        });
        if read.is_err() {
            // The broker keeps nothing of a body that broke off.
            let _ = sender.blocking_send(Err(std::io::Error::other("the archive was refused")));
        }
        read
    });
    let entries = futures::stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let asked = GitImport {
        name: record.clone(),
        mirror: REPOSITORY.to_owned(),
        on_behalf: format!("user {user}"),
    };
    let imported = state.broker.git_import(asked, entries).await;
    let read = joined(reading.await)?;
    match (read, imported) {
        (Err(Stopped::Refused(refusal)), _) => Err(refusal.into()),
        (Ok(total), Ok(imported)) => Ok((imported, total)),
        (_, Err(error)) => Err(UploadError::Broker(error)),
        (Err(Stopped::Unread), Ok(_)) => Err(UploadError::TooSlow),
    }
}

async fn write(
    state: &UploadsContext,
    scope: WorkspaceScope,
    user: UserId,
    placed: roost_platform::broker::Credential,
    row: Model,
) -> Result<Model, UploadError> {
    let mut change = Change::begin(state, scope, user).await?;
    // One after the other, so that two uploads at the limit cannot both succeed.
    if !workspaces::lock(&change, scope).await? {
        return Err(UploadError::NoWorkspace);
    }
    let bytes = u64::try_from(row.bytes).unwrap_or(u64::MAX);
    room_in_workspace(state, change.tx(), scope, bytes).await?;
    placed.keep(&change).await?;
    store::insert(&change, row.clone()).await?;
    let details = serde_json::json!({
        "name": row.name, "files": row.files, "bytes": row.bytes, "commit": row.commit_id,
    });
    change.record("uploads.created", ("upload", &row.id), details);
    change.commit().await?;
    Ok(row)
}

/// The work of a blocking thread is only lost when the gateway stops.
fn joined<T>(done: Result<T, tokio::task::JoinError>) -> Result<T, UploadError> {
    done.map_err(|error| UploadError::Disk(std::io::Error::other(error)))
}
