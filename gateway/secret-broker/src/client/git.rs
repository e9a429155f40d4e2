//! Mirrors: a fetch that reports its progress.

use super::{Client, ClientError, expect, refused};
use crate::wire::{Answer, Fetching, GitFetch, Mirror, Request};

impl Client {
    /// Makes or updates a mirror. Dropping the future makes the broker abort the fetch and keep the mirror as it was.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_fetch(
        &self,
        asked: GitFetch,
        mut on_progress: impl FnMut(Fetching),
    ) -> Result<Mirror, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::GitFetch(asked)).await?;
        let last = loop {
            match connection.answer().await? {
                Answer::Fetching(now) => on_progress(now),
                last => break last,
            }
        };
        self.give_back(connection);
        expect(refused(last)?, |answer| match answer {
            Answer::Fetched(mirror) => Some(mirror),
            _ => None,
        })
    }
}
