//! The gateway's store of snapshots, over requests of their own with the node's token. Nothing of a snapshot crosses the
//! channel, so a large upload never delays a command.
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http::header::AUTHORIZATION;
use http::{Method, StatusCode};
use reqwest::{Response, Url};
use roost_protocol::text::clean;
use roost_sandbox_driver::{Remote, RemoteError, RemoteSnapshot};
use roost_snapshot::{Address, chunk};
use rustls::ClientConfig;
use serde::Deserialize;
use serde_json::json;

use crate::state::Token;

/// Upper bound of one request: a chunk of one MiB over a slow line.
const REQUEST_TIME: Duration = Duration::from_secs(120);

/// The gateway's store, as this machine reaches it.
pub struct GatewayChunks {
    client: reqwest::Client,
    gateway: Url,
    token: Arc<Token>,
}

impl std::fmt::Debug for GatewayChunks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GatewayChunks")
    }
}

#[derive(Deserialize)]
struct Missing {
    missing: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Problem {
    code: String,
    detail: String,
}

impl GatewayChunks {
    /// `gateway` is the address that the owner gave at the join.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(gateway: Url, tls: ClientConfig, token: Arc<Token>) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .timeout(REQUEST_TIME)
            .build()?;
        Ok(Self {
            client,
            gateway,
            token,
        })
    }

    fn request(
        &self,
        method: Method,
        route: &str,
        query: &[(&str, String)],
    ) -> Result<reqwest::RequestBuilder, RemoteError> {
        let away = |error: &dyn std::fmt::Display| RemoteError::Away(error.to_string());
        let mut address =
            crate::enrol::route(&self.gateway, route).map_err(|error| away(&error))?;
        if !query.is_empty() {
            address.query_pairs_mut().extend_pairs(query);
        }
        let header = self.token.header().map_err(|error| away(&error))?;
        Ok(self
            .client
            .request(method, address)
            .header(AUTHORIZATION, header))
    }
}

/// Sends a request. `Ok` also for the statuses that the caller expects beside success.
async fn send(
    request: reqwest::RequestBuilder,
    expected: &[StatusCode],
) -> Result<Response, RemoteError> {
    let answer = request
        .send()
        .await
        .map_err(|error| RemoteError::Away(crate::enrol::chain(&error)))?;
    let status = answer.status();
    if status.is_success() || expected.contains(&status) {
        return Ok(answer);
    }
    let problem: Problem = answer.json().await.unwrap_or_default();
    if problem.code == "files-stay" {
        return Err(RemoteError::Stays);
    }
    let text = format!("HTTP {status}: {}", clean(&problem.detail, 512));
    // The gateway answers "not found" until it has recorded the snapshot, which the channel tells it.
    let again = status.is_server_error()
        || matches!(
            status,
            StatusCode::NOT_FOUND
                | StatusCode::TOO_MANY_REQUESTS
                | StatusCode::REQUEST_TIMEOUT
                | StatusCode::UNAUTHORIZED
        );
    Err(match again {
        true => RemoteError::Away(text),
        false => RemoteError::Refused(text),
    })
}

impl Remote for GatewayChunks {
    fn missing<'a>(
        &'a self,
        of: RemoteSnapshot,
        chunks: &'a [Address],
    ) -> BoxFuture<'a, Result<Vec<Address>, RemoteError>> {
        Box::pin(async move {
            let route = format!("api/nodes/snapshots/{}/missing", of.digest);
            let chunks: Vec<String> = chunks.iter().map(ToString::to_string).collect();
            let body = json!({ "workspace": of.workspace, "chunks": chunks });
            let request = self.request(Method::POST, &route, &[])?.json(&body);
            let answer: Missing = send(request, &[])
                .await?
                .json()
                .await
                .map_err(|error| RemoteError::Away(error.to_string()))?;
            let missing = answer.missing.iter().map(|text| text.parse());
            missing
                .collect::<Result<_, _>>()
                .map_err(|error| RemoteError::Refused(format!("it answered nonsense: {error}")))
        })
    }

    fn put(
        &self,
        of: RemoteSnapshot,
        chunk: Address,
        stored: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async move {
            let route = format!("api/nodes/chunks/{chunk}");
            let query = [("workspace", of.workspace.to_string())];
            let request = self.request(Method::PUT, &route, &query)?.body(stored);
            send(request, &[]).await.map(drop)
        })
    }

    fn complete(&self, of: RemoteSnapshot) -> BoxFuture<'_, Result<bool, RemoteError>> {
        Box::pin(async move {
            let route = format!("api/nodes/snapshots/{}/uploaded", of.digest);
            let body = json!({ "workspace": of.workspace });
            let request = self.request(Method::POST, &route, &[])?.json(&body);
            let answer = send(request, &[StatusCode::CONFLICT]).await?;
            Ok(answer.status() != StatusCode::CONFLICT)
        })
    }

    fn get(
        &self,
        of: RemoteSnapshot,
        chunk: Address,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, RemoteError>> {
        Box::pin(async move {
            let route = format!("api/nodes/chunks/{chunk}");
            let query = [
                ("workspace", of.workspace.to_string()),
                ("snapshot", of.digest.to_string()),
            ];
            let request = self.request(Method::GET, &route, &query)?;
            let mut answer = send(request, &[StatusCode::NOT_FOUND]).await?;
            if answer.status() == StatusCode::NOT_FOUND {
                return Ok(None);
            }
            let mut bytes = Vec::new();
            while let Some(part) = answer
                .chunk()
                .await
                .map_err(|error| RemoteError::Away(error.to_string()))?
            {
                bytes.extend_from_slice(&part);
                if bytes.len() > chunk::MOST_STORED {
                    return Err(RemoteError::Refused("a chunk is too large".to_owned()));
                }
            }
            Ok(Some(bytes))
        })
    }
}
