//! Mirrors: a fetch that says how far it is.

use super::{Client, ClientError, expect, refused};
use crate::wire::{Answer, Fetching, GitFetch, Mirror, Request};

impl Client {
    /// Makes a mirror or brings it up to date. Dropped before its end, the broker breaks off; the mirror is as it was.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn git_fetch(
        &self,
        asked: GitFetch,
        mut hear: impl FnMut(Fetching),
    ) -> Result<Mirror, ClientError> {
        let mut connection = self.connection().await?;
        connection.send(&Request::GitFetch(asked)).await?;
        let last = loop {
            match connection.answer().await? {
                Answer::Fetching(now) => hear(now),
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
