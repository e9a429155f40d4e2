//! One request of an agent to an app. The broker sends it with the agent's own connection.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use roost_secret_broker::client::{Body, ClientError};
use roost_secret_broker::wire::{FaultCode, Forward, RecordName};
use serde_json::Value;
use url::Url;

use super::model::WEBHOOK;
use super::{entity, record_of, store};
use crate::repos::PullRequest;
use roost_platform::broker::{BrokerError, BrokerHandle};
use roost_platform::db::Db;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// How long the app may take, in milliseconds.
const DEADLINE_MS: u64 = 30_000;
/// The most bytes of the answer that are read.
const MOST: usize = 256 * 1024;

/// The request to send. Only the closed catalogue creates these, so only it chooses the method and the path.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    pub method: &'static str,
    /// The path below the provider's API, one item for each encoded segment. It is empty for a webhook, whose connection
    /// has the address.
    pub path: Vec<String>,
    pub body: Value,
}

/// The app's answer.
#[derive(Debug, Clone)]
pub struct Called {
    pub status: u16,
    /// `null` if it was not JSON.
    pub body: Value,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("the agent is not connected to {0} any more; connect it and ask again")]
    NotConnected(String),
    #[error(
        "the agent's connection got another address after the request, so the gateway sent nothing; let the agent ask again"
    )]
    Moved,
    #[error("the app revoked its consent; connect the agent again")]
    NeedsReauth,
    /// The request was not sent.
    #[error("it could not be sent: {0}")]
    NotSent(#[source] BrokerError),
    /// It is unknown whether the app did it.
    #[error("the app's answer did not arrive; check the app to see whether the action happened")]
    Unclear(#[source] BrokerError),
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

/// Sends the calls. Cheap to clone.
#[derive(Clone)]
pub struct AppCaller {
    pub db: Db,
    pub broker: BrokerHandle,
    pub apis: Arc<BTreeMap<String, Url>>,
}

impl AppCaller {
    /// The address to which the agent's connection to this app would send a request; `None` without a connection.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn address(
        &self,
        scope: WorkspaceScope,
        agent: ClawId,
        provider: &str,
        outgoing: &Outgoing,
    ) -> Result<Option<Url>, sea_orm::DbErr> {
        let found = store::of_provider(self.db.read(), scope, agent, provider).await?;
        Ok(found.and_then(|row| self.leads_to(&row, outgoing)))
    }

    /// The providers to which the agent is connected.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn providers(
        &self,
        scope: WorkspaceScope,
        agent: ClawId,
    ) -> Result<Vec<String>, sea_orm::DbErr> {
        store::providers_of(self.db.read(), scope, agent).await
    }

    fn leads_to(&self, row: &entity::connection::Model, outgoing: &Outgoing) -> Option<Url> {
        let base = match row.provider.as_str() {
            WEBHOOK => row.issuer_url.parse().ok(),
            provider => self.apis.get(provider).cloned(),
        };
        Some(address(base?, &outgoing.path))
    }

    /// Sends the request once, and only to the address `approved`. `key` is the idempotency key for apps that support
    /// one.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call(
        &self,
        scope: WorkspaceScope,
        agent: ClawId,
        provider: &str,
        outgoing: Outgoing,
        approved: &str,
        key: &str,
    ) -> Result<Called, CallError> {
        let missing = || CallError::NotConnected(provider.to_owned());
        let row = store::of_provider(self.db.read(), scope, agent, provider)
            .await?
            .ok_or_else(missing)?;
        let url = self.leads_to(&row, &outgoing).ok_or_else(missing)?;
        if url.as_str() != approved {
            return Err(CallError::Moved);
        }
        let headers = vec![
            header("accept", "application/json"),
            header("idempotency-key", key),
        ];
        let request = Request {
            name: record_of(&row)?,
            method: outgoing.method,
            url,
            headers,
            body: outgoing.body,
            on_behalf: format!("agent {agent}, request {key}"),
        };
        self.send(request).await
    }

    /// Opens a pull request with the credential of a code host.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn open_pull(
        &self,
        pull: PullRequest,
        on_behalf: String,
    ) -> Result<Called, CallError> {
        let request = Request {
            name: pull.name,
            method: "POST",
            url: pull.url,
            headers: pull.headers,
            body: pull.body,
            on_behalf,
        };
        self.send(request).await
    }

    async fn send(&self, request: Request) -> Result<Called, CallError> {
        let mut headers = request.headers;
        headers.push(header("content-type", "application/json"));
        let forward = Forward {
            name: request.name,
            method: request.method.to_owned(),
            url: request.url.into(),
            headers,
            body: true,
            body_length: None,
            deadline_ms: Some(DEADLINE_MS),
            on_behalf: request.on_behalf,
        };
        let body = Body::Whole(Bytes::from(request.body.to_string()));
        let mut answer = self.broker.forward(forward, body).await.map_err(refused)?;
        let status = answer.status;
        // Only the status matters; the body may be too long or break off.
        let body = answer.whole(MOST).await.unwrap_or_default();
        Ok(Called {
            status,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        })
    }
}

/// One request with a credential of the broker.
struct Request {
    name: RecordName,
    method: &'static str,
    url: Url,
    headers: Vec<(String, String)>,
    body: Value,
    on_behalf: String,
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// The base with these segments below it.
fn address(mut base: Url, path: &[String]) -> Url {
    if !path.is_empty()
        && let Ok(mut segments) = base.path_segments_mut()
    {
        segments.pop_if_empty().extend(path);
    }
    base
}

/// What a broker's error means for the call: it was not sent, or its result is unknown.
fn refused(error: BrokerError) -> CallError {
    if matches!(error, BrokerError::Client(ClientError::Down { .. })) {
        return CallError::NotSent(error);
    }
    match error.code() {
        Some(FaultCode::NeedsReauth) => CallError::NeedsReauth,
        Some(
            FaultCode::RemoteUnreachable
            | FaultCode::RemoteTimeout
            | FaultCode::RemoteRefused
            | FaultCode::Unknown,
        )
        | None => CallError::Unclear(error),
        Some(_) => CallError::NotSent(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_stay_segments() {
        let base: Url = "https://git.example/api/v3/".parse().unwrap();
        let path = ["repos", "a/../b", "x?y#z"].map(str::to_owned);
        assert_eq!(
            address(base.clone(), &path).as_str(),
            "https://git.example/api/v3/repos/a%2F..%2Fb/x%3Fy%23z"
        );
        assert_eq!(address(base.clone(), &[]), base);
    }
}
