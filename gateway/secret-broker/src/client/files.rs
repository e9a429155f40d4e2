//! Uploaded files in, and the files of a commit out.

use std::io;

use bytes::Bytes;
use futures::stream::{Stream, StreamExt};

use super::{Client, ClientError, Pieces, expect, refused};
use crate::wire::{Answer, GitArchive, GitImport, Imported, MAX_BODY_FRAME, Request};

impl Client {
    /// Makes a repository of files. The broker keeps it only when all entries came. An error of the stream aborts it.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_import(
        &self,
        asked: GitImport,
        entries: impl Stream<Item = io::Result<Bytes>>,
    ) -> Result<Imported, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::GitImport(asked)).await?;
        let mut entries = std::pin::pin!(entries);
        while let Some(piece) = entries.next().await {
            for part in piece.map_err(ClientError::Source)?.chunks(MAX_BODY_FRAME) {
                connection.send_piece(part).await?;
            }
        }
        connection.send_end().await?;
        let answer = connection.answer().await?;
        self.give_back(connection);
        expect(refused(answer)?, |answer| match answer {
            Answer::Imported(imported) => Some(imported),
            _ => None,
        })
    }

    /// Begins the archive of a commit's files, as tar.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_archive(&self, asked: GitArchive) -> Result<Pieces, ClientError> {
        let (head, pieces) = self.streamed(Request::GitArchive(asked)).await?;
        expect(head, |answer| {
            matches!(answer, Answer::Archive).then_some(())
        })?;
        Ok(pieces)
    }
}
