//! The gateway's packed images, over requests of their own with the node's token. A transfer goes on where it was cut off.
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{StreamExt, stream};
use http::header::{AUTHORIZATION, CONTENT_RANGE, ETAG, IF_RANGE, RANGE};
use http::{HeaderMap, StatusCode};
use reqwest::{Response, Url};
use roost_protocol::text::clean;
use roost_sandbox_driver::origin::{ImageBytes, ImageOffer, ImageOrigin, OriginError};
use rustls::ClientConfig;
use serde::Deserialize;

use crate::state::Token;

/// How long the gateway may send nothing.
const SILENCE: Duration = Duration::from_secs(60);

/// The gateway's images, as this machine reaches them.
pub struct GatewayImages {
    client: reqwest::Client,
    gateway: Url,
    token: Arc<Token>,
}

impl std::fmt::Debug for GatewayImages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GatewayImages")
    }
}

#[derive(Deserialize)]
struct Offers {
    items: Vec<Offer>,
}

#[derive(Deserialize)]
struct Offer {
    reference: String,
    digest: String,
    size_bytes: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Problem {
    detail: String,
}

impl GatewayImages {
    /// `gateway` is the address that the owner gave at the join.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(gateway: Url, tls: ClientConfig, token: Arc<Token>) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(SILENCE)
            .read_timeout(SILENCE)
            .build()?;
        Ok(Self {
            client,
            gateway,
            token,
        })
    }

    fn get(&self, route: &str) -> Result<reqwest::RequestBuilder, OriginError> {
        let away = |error: &dyn std::fmt::Display| OriginError::Away(error.to_string());
        let address = crate::enrol::route(&self.gateway, route).map_err(|error| away(&error))?;
        let header = self.token.header().map_err(|error| away(&error))?;
        Ok(self.client.get(address).header(AUTHORIZATION, header))
    }
}

fn away(error: &reqwest::Error) -> OriginError {
    OriginError::Away(crate::enrol::chain(error))
}

/// Sends a request. `Ok` also for the status that says that nothing is left.
async fn send(request: reqwest::RequestBuilder) -> Result<Response, OriginError> {
    let answer = request.send().await.map_err(|error| away(&error))?;
    let status = answer.status();
    if status.is_success() || status == StatusCode::RANGE_NOT_SATISFIABLE {
        return Ok(answer);
    }
    let problem: Problem = answer.json().await.unwrap_or_default();
    let text = format!("HTTP {status}: {}", clean(&problem.detail, 512));
    let again = status.is_server_error()
        || matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT | StatusCode::UNAUTHORIZED
        );
    Err(match again {
        true => OriginError::Away(text),
        false => OriginError::Refused(text),
    })
}

impl ImageOrigin for GatewayImages {
    fn offers(&self) -> BoxFuture<'_, Result<Vec<ImageOffer>, OriginError>> {
        Box::pin(async move {
            let answer = send(self.get("api/nodes/images")?).await?;
            let offers: Offers = answer.json().await.map_err(|error| away(&error))?;
            let offer = |offer: Offer| ImageOffer {
                reference: offer.reference,
                id: offer.digest,
                bytes: offer.size_bytes,
            };
            Ok(offers.items.into_iter().map(offer).collect())
        })
    }

    fn read<'a>(
        &'a self,
        id: &'a str,
        have: Option<(u64, &'a str)>,
    ) -> BoxFuture<'a, Result<ImageBytes, OriginError>> {
        Box::pin(async move {
            let mut request = self.get(&format!("dl/images/{id}"))?;
            if let Some((bytes, sha256)) = have {
                request = request
                    .header(RANGE, format!("bytes={bytes}-"))
                    .header(IF_RANGE, format!("\"{sha256}\""));
            }
            let answer = send(request).await?;
            let (from, total) = extent(&answer)
                .ok_or_else(|| OriginError::Away("it did not say how long the image is".into()))?;
            let sha256 = entity(answer.headers())
                .ok_or_else(|| OriginError::Away("it did not say what it sends".into()))?;
            let bytes = match answer.status() {
                StatusCode::RANGE_NOT_SATISFIABLE => stream::empty().boxed(),
                _ => blocks(answer).boxed(),
            };
            Ok(ImageBytes {
                from,
                total,
                sha256,
                bytes,
            })
        })
    }
}

/// Where an answer begins, and the length of the whole.
fn extent(answer: &Response) -> Option<(u64, u64)> {
    match answer.status() {
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
            range(answer.headers().get(CONTENT_RANGE)?.to_str().ok()?)
        }
        _ => Some((0, answer.content_length()?)),
    }
}

/// `bytes 5-9/10` begins at 5 of 10; `bytes */10` has nothing left of 10.
fn range(text: &str) -> Option<(u64, u64)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let total = total.parse().ok()?;
    if range == "*" {
        return Some((total, total));
    }
    let (from, _) = range.split_once('-')?;
    Some((from.parse().ok()?, total))
}

/// The SHA-256 in an entity tag. It becomes part of a file's name, so nothing else is taken.
fn entity(headers: &HeaderMap) -> Option<String> {
    let tag = headers.get(ETAG)?.to_str().ok()?.trim_matches('"');
    let is_hex = tag.len() == 64 && tag.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| tag.to_ascii_lowercase())
}

fn blocks(
    answer: Response,
) -> impl futures::Stream<Item = Result<bytes::Bytes, OriginError>> + Send + 'static {
    stream::unfold(Some(answer), |answer| async move {
        let mut answer = answer?;
        match answer.chunk().await {
            Ok(Some(block)) => Some((Ok(block), Some(answer))),
            Ok(None) => None,
            Err(error) => Some((Err(away(&error)), None)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_of_an_answer_is_read() {
        assert_eq!(range("bytes 5-9/10"), Some((5, 10)));
        assert_eq!(range("bytes */10"), Some((10, 10)));
        for odd in ["", "bytes", "bytes 5/10", "bytes a-b/c", "items 1-2/3"] {
            assert_eq!(range(odd), None, "{odd}");
        }
    }

    #[test]
    fn only_a_hash_is_an_entity() {
        let tagged = |tag: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ETAG, tag.parse().expect("a value"));
            entity(&headers)
        };
        let hash = "ab".repeat(32);
        assert_eq!(tagged(&format!("\"{hash}\"")), Some(hash));
        assert_eq!(tagged("\"../../etc/passwd\""), None);
        assert_eq!(tagged("W/\"abc\""), None);
    }
}
