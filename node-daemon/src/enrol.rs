//! Redeems a join code, and reports a departure. A join sends only the hash of the token, never the token.
use std::time::Duration;

use roost_protocol::ids::{InstallId, NodeId};
use roost_protocol::text::clean;
use rustls::ClientConfig;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::state::Token;

/// The body of a join request.
#[derive(Clone, Debug, Serialize)]
pub struct JoinRequest<'a> {
    pub code: &'a str,
    pub token_sha256: String,
    pub install_id: InstallId,
    pub hostname: String,
    pub daemon_version: &'static str,
}

/// The gateway's answer.
#[derive(Clone, Debug, Deserialize)]
pub struct JoinAnswer {
    pub node_id: NodeId,
    pub workspace_name: String,
    pub channel_url: String,
}

/// Why a join failed.
#[derive(Debug, thiserror::Error)]
pub enum EnrolError {
    #[error(
        "the gateway does not know this code: it was mistyped, or it is older than ten minutes. Create a new one on the fleet page"
    )]
    Unknown,
    #[error(
        "this code was used by another machine or another installation. Create a new one on the fleet page"
    )]
    Used,
    #[error("the gateway answered HTTP {status}: {detail}")]
    Refused { status: u16, detail: String },
    #[error("cannot reach the gateway: {}", chain(.0))]
    Unreachable(#[source] reqwest::Error),
    #[error("cannot parse the gateway's answer: {}", chain(.0))]
    Answer(#[source] reqwest::Error),
    #[error("{0:?} is not an address")]
    Address(String),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Problem {
    code: String,
    detail: String,
}

/// Redeems a code. The gateway answers the same code and token again, so a join may be repeated after a crash.
///
/// # Errors
/// [`EnrolError`] in words for the machine's owner.
pub async fn join(
    gateway: &Url,
    tls: ClientConfig,
    request: &JoinRequest<'_>,
) -> Result<JoinAnswer, EnrolError> {
    let address = route(gateway, "api/nodes/join")?;
    let answer = client(tls)?
        .post(address)
        .json(request)
        .send()
        .await
        .map_err(EnrolError::Unreachable)?;
    let status = answer.status();
    if status.is_success() {
        return answer.json().await.map_err(EnrolError::Answer);
    }
    let problem: Problem = answer.json().await.unwrap_or_default();
    Err(match problem.code.as_str() {
        "join-code-unknown" => EnrolError::Unknown,
        "join-code-used" => EnrolError::Used,
        _ => EnrolError::Refused {
            status: status.as_u16(),
            detail: clean(&problem.detail, 512),
        },
    })
}

/// Reports to the gateway that this machine leaves; `false` when the gateway has no such route.
///
/// # Errors
/// [`EnrolError`]; the caller continues to leave.
pub async fn leave(gateway: &Url, tls: ClientConfig, token: &Token) -> Result<bool, EnrolError> {
    let address = route(gateway, "api/nodes/leave")?;
    let header = token
        .header()
        .map_err(|_| EnrolError::Address("token".into()))?;
    let request = client(tls)?
        .post(address)
        .header(http::header::AUTHORIZATION, header);
    let answer = request.send().await.map_err(EnrolError::Unreachable)?;
    match answer.status().as_u16() {
        404 | 405 => Ok(false),
        // An unknown token belongs to a node that was deleted already.
        401 | 403 => Ok(true),
        _ if answer.status().is_success() => Ok(true),
        status => Err(EnrolError::Refused {
            status,
            detail: String::new(),
        }),
    }
}

fn client(tls: ClientConfig) -> Result<reqwest::Client, EnrolError> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(30))
        .build()
        .map_err(EnrolError::Unreachable)
}

/// A path below the gateway's address. The address may have a path of its own.
pub(crate) fn route(gateway: &Url, path: &str) -> Result<Url, EnrolError> {
    let base = format!("{}/", gateway.as_str().trim_end_matches('/'));
    let failed = || EnrolError::Address(gateway.to_string());
    Url::parse(&base)
        .map_err(|_| failed())?
        .join(path)
        .map_err(|_| failed())
}

pub(crate) fn chain(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let part = error.to_string();
        if !text.contains(&part) {
            text = format!("{text}: {part}");
        }
        cause = error.source();
    }
    clean(&text, 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_below_the_gateways_address() {
        for (gateway, wanted) in [
            ("https://a.example", "https://a.example/api/nodes/join"),
            ("https://a.example/", "https://a.example/api/nodes/join"),
            (
                "https://a.example/roost",
                "https://a.example/roost/api/nodes/join",
            ),
        ] {
            let url = Url::parse(gateway).expect("an address");
            assert_eq!(
                route(&url, "api/nodes/join").expect("a route").as_str(),
                wanted
            );
        }
    }
}
