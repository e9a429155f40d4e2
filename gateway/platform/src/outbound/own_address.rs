//! Asks whether this deployment answers at an address that its operator chose. Such an address is often private, so the
//! policy of other outbound requests does not hold. The path is fixed, no redirect is followed, and only the comparison of
//! one id leaves this module.

use std::time::Duration;

use futures::StreamExt;
use roost_secret_broker::outbound::{Dial, chain, client};
use serde::{Deserialize, Serialize};
use url::Url;

use super::OutboundSettings;

/// The path at which a gateway says which deployment it belongs to.
pub const PATH: &str = "/api/gateway";
/// The time limit of a whole request.
const WITHIN: Duration = Duration::from_secs(4);
/// The size limit of an answer, in bytes.
const MOST: usize = 4 << 10;

/// What a gateway says about itself at [`PATH`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaysItIs {
    /// The same for all gateways of a deployment.
    pub id: String,
}

/// Why the deployment was not found at an address. The texts are for the operator, and contain nothing of the answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReached {
    #[error("it must begin with https:// or http://, have a host and no user, query or fragment")]
    BadAddress,
    #[error("nothing answers there: {cause}")]
    Unreachable { cause: String },
    #[error("nothing answered there within {} s", within.as_secs())]
    TooSlow { within: Duration },
    #[error("what answers there says {status}, and a gateway would say 200")]
    Status { status: u16 },
    #[error("what answers there is not a Roost gateway")]
    NotRoost,
    #[error("another deployment of Roost answers there")]
    Another,
}

/// The client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct OwnAddress {
    http: reqwest::Client,
}

impl OwnAddress {
    /// With the certificate authorities of these settings.
    ///
    /// # Errors
    /// When the CA file cannot be used.
    pub fn new(config: &OutboundSettings) -> anyhow::Result<Self> {
        let http = client(&Dial {
            policy: None,
            ca_file: config.ca_file.clone(),
            connect: WITHIN,
            lookup: None,
        })?;
        Ok(Self { http })
    }

    /// Whether the deployment with this id answers at an address.
    ///
    /// # Errors
    /// See [`NotReached`].
    pub async fn check(&self, base: &Url, id: &str) -> Result<(), NotReached> {
        let url = below(base).ok_or(NotReached::BadAddress)?;
        let within = NotReached::TooSlow { within: WITHIN };
        let asked = tokio::time::timeout(WITHIN, self.ask(url)).await;
        let body = asked.map_err(|_| within)??;
        match serde_json::from_slice::<SaysItIs>(&body) {
            Ok(found) if found.id == id => Ok(()),
            Ok(_) => Err(NotReached::Another),
            Err(_) => Err(NotReached::NotRoost),
        }
    }

    async fn ask(&self, url: Url) -> Result<Vec<u8>, NotReached> {
        let broken = |error: reqwest::Error| NotReached::Unreachable {
            cause: chain(&error.without_url()),
        };
        let answer = self.http.get(url).send().await.map_err(broken)?;
        let status = answer.status();
        if status != reqwest::StatusCode::OK {
            return Err(NotReached::Status {
                status: status.as_u16(),
            });
        }
        let mut pieces = answer.bytes_stream();
        let mut body = Vec::new();
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece.map_err(broken)?);
            if body.len() > MOST {
                return Err(NotReached::NotRoost);
            }
        }
        Ok(body)
    }
}

/// The address of the question below an address of a gateway.
fn below(base: &Url) -> Option<Url> {
    let good = matches!(base.scheme(), "http" | "https")
        && base.host_str().is_some_and(|host| !host.is_empty())
        && base.username().is_empty()
        && base.password().is_none()
        && base.query().is_none()
        && base.fragment().is_none();
    let mut url = base.clone();
    url.set_path(&format!("{}{PATH}", base.path().trim_end_matches('/')));
    good.then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_goes_below_the_address_and_bad_addresses_get_none() {
        let of = |text: &str| Some(below(&Url::parse(text).ok()?)?.to_string());
        for (base, url) in [
            ("http://127.0.0.1:7667", "http://127.0.0.1:7667/api/gateway"),
            ("https://a.example/", "https://a.example/api/gateway"),
            (
                "https://a.example/roost/",
                "https://a.example/roost/api/gateway",
            ),
        ] {
            assert_eq!(of(base).as_deref(), Some(url));
        }
        for bad in [
            "ftp://a.example",
            "https://user@a.example",
            "https://a.example/?x=1",
            "https://a.example/#x",
            "mailto:a@example.com",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
