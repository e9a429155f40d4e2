//! Reads a JSON document from an address that another party chose.

use std::time::Duration;

use futures::StreamExt;
use roost_secret_broker::outbound::{
    AddressPolicy, Dial, Lookup, chain, client, permits, refused_in,
};
use serde::de::DeserializeOwned;
use url::Url;

use super::OutboundSettings;
use super::error::OutboundError;

/// The time limit of a whole request.
const WITHIN: Duration = Duration::from_secs(10);
/// The time limit of connecting.
const CONNECT: Duration = Duration::from_secs(5);
/// The size limit of an answer, in bytes.
const MOST: usize = 1 << 20;

/// The client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbound {
    pub(super) http: reqwest::Client,
    policy: AddressPolicy,
}

impl Outbound {
    /// With the given settings and the system's resolver.
    ///
    /// # Errors
    /// When the CA file cannot be used.
    pub fn new(config: &OutboundSettings) -> anyhow::Result<Self> {
        Self::with_lookup(config, None)
    }

    /// With another resolver than the system's.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_lookup(config: &OutboundSettings, lookup: Option<Lookup>) -> anyhow::Result<Self> {
        let policy = AddressPolicy::new(config.allow_private.clone());
        let http = client(&Dial {
            policy: Some(policy.clone()),
            ca_file: config.ca_file.clone(),
            connect: CONNECT,
            lookup,
        })?;
        Ok(Self { http, policy })
    }

    /// Whether an address is permitted. Callers check this before they send a request or a person there.
    ///
    /// # Errors
    /// [`OutboundError::BadAddress`], [`OutboundError::Refused`].
    pub fn check(&self, url: &Url) -> Result<(), OutboundError> {
        let host = url.host_str().unwrap_or_default();
        let bad = |why| {
            Err(OutboundError::BadAddress {
                host: host.to_owned(),
                why,
            })
        };
        match url.scheme() {
            "https" => {}
            "http" if self.policy.may_be_plain(host) => {}
            "http" => {
                return bad(
                    "it must be https; for plain http, an operator names the host in `outbound.allow_private` of roost.toml and restarts Roost",
                );
            }
            _ => return bad("it must be https"),
        }
        if host.is_empty() {
            return bad("it has no host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return bad("it carries a user");
        }
        permits(&self.policy, url)?;
        Ok(())
    }

    /// Gets a JSON document.
    ///
    /// # Errors
    /// See [`OutboundError`].
    pub async fn get_json<T: DeserializeOwned>(&self, url: &Url) -> Result<T, OutboundError> {
        let request = self.http.get(url.clone());
        self.json(url, request.header("accept", "application/json"))
            .await
    }

    async fn json<T: DeserializeOwned>(
        &self,
        url: &Url,
        request: reqwest::RequestBuilder,
    ) -> Result<T, OutboundError> {
        self.check(url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let body = tokio::time::timeout(WITHIN, body(&host, request)).await;
        let body = body.map_err(|_| OutboundError::TooSlow {
            host: host.clone(),
            within: WITHIN,
        })??;
        serde_json::from_slice(&body).map_err(|error| OutboundError::NotJson {
            host,
            // Only the position, without the remote's text.
            cause: format!("{:?} at line {}", error.classify(), error.line()),
        })
    }
}

async fn body(host: &str, request: reqwest::RequestBuilder) -> Result<Vec<u8>, OutboundError> {
    let answer = request.send().await.map_err(|error| broken(host, error))?;
    let status = answer.status();
    if !status.is_success() {
        return Err(OutboundError::Status {
            host: host.to_owned(),
            status: status.as_u16(),
        });
    }
    let mut pieces = answer.bytes_stream();
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| broken(host, error))?;
        if body.len() + piece.len() > MOST {
            return Err(OutboundError::TooLarge {
                host: host.to_owned(),
                most: MOST,
            });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

pub(super) fn broken(host: &str, error: reqwest::Error) -> OutboundError {
    let error = error.without_url();
    match refused_in(&error) {
        Some(refused) => OutboundError::Refused(refused.clone()),
        None => OutboundError::Unreachable {
            host: host.to_owned(),
            cause: chain(&error),
        },
    }
}
