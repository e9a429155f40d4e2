//! The broker's handle for other parts: typed calls, each with a time limit.

use std::time::Duration;

use bytes::Bytes;
use futures::stream::Stream;
use roost_secret_broker::client::{Body, Client, ClientError, Forwarded, Pieces, expect};
use roost_secret_broker::wire::{
    Answer, Begin, Begun, Branches, Bundled, Clean, Cleaned, Description, Diffed, Exchange, Fault,
    FaultCode, Fetching, Forward, GitArchive, GitBranches, GitBundle, GitDiff, GitFetch, GitFiles,
    GitForget, GitImport, GitPush, GitReceive, Imported, Mirror, Pushed, ReadFiles, Received,
    RecordName, Redeem, Redeemed, Request, Status, Store,
};

/// The time limit of a call without a remote server. It allows a write to the broker's disk and a restart.
const AT_HOME: Duration = Duration::from_secs(20);
/// The time limit of a call with a remote server. The broker allows an issuer 30 seconds.
const OUTSIDE: Duration = Duration::from_secs(60);

/// Why a call to the broker failed.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the secret broker did not answer within {0:?}")]
    NoAnswer(Duration),
}

impl BrokerError {
    /// The broker's own refusal, if the broker refused.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Client(ClientError::Refused(fault)) => Some(fault),
            _ => None,
        }
    }

    /// The code of that refusal.
    pub fn code(&self) -> Option<FaultCode> {
        self.fault().map(|fault| fault.code)
    }
}

/// The broker. Cheap to clone; reconnects by itself.
#[derive(Clone)]
pub struct BrokerHandle {
    client: Client,
}

impl BrokerHandle {
    /// The broker at this socket. The socket need not exist yet.
    pub fn new(socket: impl Into<std::path::PathBuf>) -> Self {
        Self {
            client: Client::new(socket, concat!("roost ", env!("CARGO_PKG_VERSION"))),
        }
    }

    /// The client, for administrative streams.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Stores a credential. It replaces one of the same name.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn store(&self, store: Store) -> Result<Description, BrokerError> {
        self.ask(AT_HOME, Request::Store(store), |answer| match answer {
            Answer::Stored(described) => Some(described),
            _ => None,
        })
        .await
    }

    /// Deletes a credential and returns whether it existed. The call may be repeated, so an outbox can retry it.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn delete(&self, name: RecordName) -> Result<bool, BrokerError> {
        self.ask(AT_HOME, Request::Delete(name), |answer| match answer {
            Answer::Deleted { existed } => Some(existed),
            _ => None,
        })
        .await
    }

    /// Describes a credential without its secret.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn describe(&self, name: RecordName) -> Result<Description, BrokerError> {
        self.ask(AT_HOME, Request::Describe(name), |answer| match answer {
            Answer::Described(described) => Some(described),
            _ => None,
        })
        .await
    }

    /// Begins a sign-in and returns the challenge for the authorize URL.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn begin(&self, begin: Begin) -> Result<Begun, BrokerError> {
        self.ask(AT_HOME, Request::Begin(begin), |answer| match answer {
            Answer::Begun(begun) => Some(begun),
            _ => None,
        })
        .await
    }

    /// Completes a sign-in. The token stays in the broker.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn exchange(&self, exchange: Exchange) -> Result<Description, BrokerError> {
        self.ask(
            OUTSIDE,
            Request::Exchange(exchange),
            |answer| match answer {
                Answer::Exchanged(described) => Some(described),
                _ => None,
            },
        )
        .await
    }

    /// Completes a person's sign-in. The tokens stay in the broker; it returns what the issuer stated about the person.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn redeem(&self, redeem: Redeem) -> Result<Redeemed, BrokerError> {
        self.ask(OUTSIDE, Request::Redeem(redeem), redeemed).await
    }

    /// Renews the tokens of a person's sign-in immediately.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn renew(&self, name: RecordName) -> Result<Redeemed, BrokerError> {
        self.ask(OUTSIDE, Request::Renew(name), redeemed).await
    }

    /// Sends a request with the credential inserted and streams the answer. The time limit is the request's
    /// `deadline_ms`.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn forward(&self, forward: Forward, body: Body) -> Result<Forwarded, BrokerError> {
        Ok(self.client.forward(forward, body).await?)
    }

    /// Removes a credential from a text that the gateway composed.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn clean(&self, name: RecordName, text: String) -> Result<Cleaned, BrokerError> {
        let asked = Request::Clean(Clean { name, text });
        self.ask(AT_HOME, asked, |answer| match answer {
            Answer::Cleaned(cleaned) => Some(cleaned),
            _ => None,
        })
        .await
    }

    /// Creates a mirror or updates it, and reports progress. The broker limits the time. When the future is dropped,
    /// the broker stops the fetch.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_fetch(
        &self,
        asked: GitFetch,
        hear: impl FnMut(Fetching),
    ) -> Result<Mirror, BrokerError> {
        Ok(self.client.git_fetch(asked, hear).await?)
    }

    /// Reads the branches of a repository from its host.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_branches(&self, asked: GitBranches) -> Result<Branches, BrokerError> {
        let asked = Request::GitBranches(asked);
        self.ask(OUTSIDE, asked, |answer| match answer {
            Answer::Branches(found) => Some(found),
            _ => None,
        })
        .await
    }

    /// Deletes a mirror and returns whether it existed.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_forget(&self, asked: GitForget) -> Result<bool, BrokerError> {
        self.ask(AT_HOME, Request::GitForget(asked), |answer| match answer {
            Answer::Forgotten { existed } => Some(existed),
            _ => None,
        })
        .await
    }

    /// Begins a bundle of a mirror's commit. The broker limits the time. When the pieces are dropped, the broker stops.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_bundle(&self, asked: GitBundle) -> Result<(Bundled, Pieces), BrokerError> {
        Ok(self.client.git_bundle(asked).await?)
    }

    /// Gives the broker a branch from a sandbox. The broker limits the time, and keeps the branch only when it passes
    /// every check.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_receive(
        &self,
        asked: GitReceive,
        bundle: Bytes,
    ) -> Result<Received, BrokerError> {
        let bundle = futures::stream::iter([Ok(bundle)]);
        Ok(self.client.git_receive(asked, bundle).await?)
    }

    /// The difference of two commits of a mirror. The broker limits the time and the size.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_diff(&self, asked: GitDiff) -> Result<(Diffed, Pieces), BrokerError> {
        Ok(self.client.git_diff(asked).await?)
    }

    /// Reads files of a commit of a mirror. The broker limits the time, the number and the size.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_files(&self, asked: GitFiles) -> Result<(ReadFiles, Pieces), BrokerError> {
        Ok(self.client.git_files(asked).await?)
    }

    /// Pushes a received branch to its host. The time limit is the request's `deadline_ms`. When the future is dropped,
    /// the broker stops the push.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_push(&self, asked: GitPush) -> Result<Pushed, BrokerError> {
        Ok(self.client.git_push(asked).await?)
    }

    /// Makes a repository of files. The broker limits the time, and keeps the repository only when all files came.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_import(
        &self,
        asked: GitImport,
        entries: impl Stream<Item = std::io::Result<Bytes>>,
    ) -> Result<Imported, BrokerError> {
        Ok(self.client.git_import(asked, entries).await?)
    }

    /// Begins the archive of a commit's files. When the pieces are dropped, the broker stops.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn git_archive(&self, asked: GitArchive) -> Result<Pieces, BrokerError> {
        Ok(self.client.git_archive(asked).await?)
    }

    /// The broker's complete current status.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn status(&self) -> Result<Status, BrokerError> {
        self.ask(AT_HOME, Request::Status, |answer| match answer {
            Answer::Status(status) => Some(status),
            _ => None,
        })
        .await
    }

    async fn ask<T>(
        &self,
        within: Duration,
        request: Request,
        fits: impl FnOnce(Answer) -> Option<T>,
    ) -> Result<T, BrokerError> {
        let answer = tokio::time::timeout(within, self.client.call(&request)).await;
        let answer = answer.map_err(|_| BrokerError::NoAnswer(within))??;
        Ok(expect(answer, fits)?)
    }
}

fn redeemed(answer: Answer) -> Option<Redeemed> {
    match answer {
        Answer::Redeemed(redeemed) => Some(redeemed),
        _ => None,
    }
}
