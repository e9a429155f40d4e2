//! What other parts see of the broker: typed verbs, each with a time limit.

use std::time::Duration;

use roost_secret_broker::client::{Body, Client, ClientError, Forwarded, expect};
use roost_secret_broker::wire::{
    Answer, Begin, Begun, Description, Exchange, Fault, FaultCode, Fetching, Forward, GitFetch,
    GitForget, Mirror, RecordName, Request, Status, Store,
};

/// How long a verb without a remote may take: a write to the broker's disk, a restart in between.
const AT_HOME: Duration = Duration::from_secs(20);
/// How long one with a remote may: the broker gives an issuer 30 seconds.
const OUTSIDE: Duration = Duration::from_secs(60);

/// Why the broker did not do it.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the secret broker gave no answer within {0:?}")]
    NoAnswer(Duration),
}

impl BrokerError {
    /// The broker's own refusal, where it was one.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Client(ClientError::Refused(fault)) => Some(fault),
            _ => None,
        }
    }

    /// The closed kind of that refusal.
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
    /// The broker at this socket; it need not be there yet.
    pub fn new(socket: impl Into<std::path::PathBuf>) -> Self {
        Self {
            client: Client::new(socket, concat!("roost ", env!("CARGO_PKG_VERSION"))),
        }
    }

    /// The client, for streams of administration.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Keeps a credential; one of the same name is replaced.
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

    /// Deletes a credential; whether there was one. Again is fine, so an outbox may repeat it.
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

    /// All that can be known of a credential.
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

    /// Begins a sign-in: the challenge for the authorize address.
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

    /// Ends a sign-in; the token stays in the broker.
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

    /// Sends a request with the credential put in; the answer streams. Its time is the request's own `deadline_ms`.
    ///
    /// # Errors
    /// See [`BrokerError`].
    pub async fn forward(&self, forward: Forward, body: Body) -> Result<Forwarded, BrokerError> {
        Ok(self.client.forward(forward, body).await?)
    }

    /// Makes a mirror or brings it up to date, and says how far it is. Its time is the broker's to limit; dropped, the
    /// broker breaks off.
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

    /// Forgets a mirror; whether there was one.
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

    /// The whole live picture.
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
