//! Reading a JSON document from an address that somebody else chose.

use std::time::Duration;

use futures::StreamExt;
use roost_secret_broker::outbound::{
    AddressPolicy, Dial, Lookup, chain, client, permits, refused_in,
};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use url::Url;

use super::error::OutboundError;
use crate::config;

/// For the whole of one question.
const WITHIN: Duration = Duration::from_secs(10);
/// Until a connection stands.
const CONNECT: Duration = Duration::from_secs(5);
/// Bytes of an answer.
const MOST: usize = 1 << 20;

/// The client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbound {
    http: reqwest::Client,
    policy: AddressPolicy,
}

impl Outbound {
    /// As configured.
    ///
    /// # Errors
    /// When the file of authorities cannot be used.
    pub fn new(config: &config::Outbound) -> anyhow::Result<Self> {
        Self::with_lookup(config, None)
    }

    /// With another resolver than the system's.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_lookup(config: &config::Outbound, lookup: Option<Lookup>) -> anyhow::Result<Self> {
        let policy = AddressPolicy::new(config.allow_private.clone());
        let http = client(&Dial {
            policy: Some(policy.clone()),
            ca_file: config.ca_file.clone(),
            connect: CONNECT,
            lookup,
        })?;
        Ok(Self { http, policy })
    }

    /// Whether an address may be asked at all, before anything is sent to it or a person is sent there.
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
                return bad("it must be https, or a host that `outbound.allow_private` names");
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

    /// Gets a JSON document with a bearer that the same issuer gave a moment ago.
    ///
    /// # Errors
    /// See [`OutboundError`].
    pub async fn get_json_as<T: DeserializeOwned>(
        &self,
        url: &Url,
        bearer: &SecretString,
    ) -> Result<T, OutboundError> {
        let request = self.http.get(url.clone());
        let request = request.header("accept", "application/json");
        self.json(url, request.bearer_auth(bearer.expose_secret()))
            .await
    }

    /// Posts a form, as the token endpoint of an issuer takes it; with the client's own credentials where it has some.
    ///
    /// # Errors
    /// See [`OutboundError`].
    pub async fn post_form<T: DeserializeOwned>(
        &self,
        url: &Url,
        form: &[(&str, &str)],
        client: Option<(&str, &SecretString)>,
    ) -> Result<T, OutboundError> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let mut request = self
            .http
            .post(url.clone())
            .header("accept", "application/json")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body);
        if let Some((id, secret)) = client {
            // Each part is encoded as in a form before it becomes a part of the header (RFC 6749, 2.3.1).
            let coded = |text: &str| {
                url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
            };
            let secret = coded(secret.expose_secret());
            request = request.basic_auth(coded(id), Some(secret));
        }
        self.json(url, request).await
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
            // The place, and not the remote's own words.
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

fn broken(host: &str, error: reqwest::Error) -> OutboundError {
    let error = error.without_url();
    match refused_in(&error) {
        Some(refused) => OutboundError::Refused(refused.clone()),
        None => OutboundError::Unreachable {
            host: host.to_owned(),
            cause: chain(&error),
        },
    }
}
