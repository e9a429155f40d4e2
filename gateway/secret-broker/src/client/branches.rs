//! Branches of agents: bundles in both directions, diffs and pushes.

use std::io;

use bytes::Bytes;
use futures::stream::{Stream, StreamExt};

use super::{Client, ClientError, Pieces, expect, refused};
use crate::wire::{
    Answer, Bundled, Diffed, GitBundle, GitDiff, GitFiles, GitPush, GitReceive, MAX_BODY_FRAME,
    Pushed, ReadFiles, Received, Request,
};

impl Client {
    /// Begins a bundle of a mirror's commit.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_bundle(&self, asked: GitBundle) -> Result<(Bundled, Pieces), ClientError> {
        let (head, pieces) = self.streamed(Request::GitBundle(asked)).await?;
        let head = expect(head, |answer| match answer {
            Answer::Bundled(head) => Some(head),
            _ => None,
        })?;
        Ok((head, pieces))
    }

    /// Begins the diff of two commits of a mirror.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_diff(&self, asked: GitDiff) -> Result<(Diffed, Pieces), ClientError> {
        let (head, pieces) = self.streamed(Request::GitDiff(asked)).await?;
        let head = expect(head, |answer| match answer {
            Answer::Diffed(head) => Some(head),
            _ => None,
        })?;
        Ok((head, pieces))
    }

    /// Begins to read files of a commit of a mirror.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_files(&self, asked: GitFiles) -> Result<(ReadFiles, Pieces), ClientError> {
        let (head, pieces) = self.streamed(Request::GitFiles(asked)).await?;
        let head = expect(head, |answer| match answer {
            Answer::ReadFiles(head) => Some(head),
            _ => None,
        })?;
        Ok((head, pieces))
    }

    pub(super) async fn streamed(&self, request: Request) -> Result<(Answer, Pieces), ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&request).await?;
        match refused(connection.answer().await?) {
            Ok(head) => Ok((head, Pieces::new(self, connection))),
            Err(fault) => {
                self.give_back(connection);
                Err(fault)
            }
        }
    }

    /// Gives the broker a branch. The broker keeps it only when the bundle passes every check.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_receive(
        &self,
        asked: GitReceive,
        bundle: impl Stream<Item = io::Result<Bytes>>,
    ) -> Result<Received, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::GitReceive(asked)).await?;
        let mut bundle = std::pin::pin!(bundle);
        while let Some(piece) = bundle.next().await {
            for part in piece.map_err(ClientError::Source)?.chunks(MAX_BODY_FRAME) {
                connection.send_piece(part).await?;
            }
        }
        connection.send_end().await?;
        let answer = connection.answer().await?;
        self.give_back(connection);
        expect(refused(answer)?, |answer| match answer {
            Answer::Received(received) => Some(received),
            _ => None,
        })
    }

    /// Pushes a received branch. Dropping the future makes the broker abort the push.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_push(&self, asked: GitPush) -> Result<Pushed, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::GitPush(asked)).await?;
        let answer = connection.answer().await?;
        self.give_back(connection);
        expect(refused(answer)?, |answer| match answer {
            Answer::Pushed(pushed) => Some(pushed),
            _ => None,
        })
    }
}
