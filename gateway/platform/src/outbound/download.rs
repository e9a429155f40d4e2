//! A download: an answer that arrives piece by piece, from hosts that the caller names.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use reqwest::header::LOCATION;
use url::Url;

use super::Outbound;
use super::error::OutboundError;
use super::fetch::broken;

/// Most redirects of one download.
const MOST_REDIRECTS: usize = 5;

/// What to download.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub url: &'a Url,
    /// The `Accept` header.
    pub accept: &'a str,
    /// The hosts that may answer, as [`authority`] writes them. The first request goes to one of them too.
    pub hosts: &'a [String],
    /// The longest time without a byte.
    pub silence: Duration,
    /// Most bytes.
    pub most: u64,
}

/// An answer on its way.
pub struct Download {
    host: String,
    pieces: BoxStream<'static, reqwest::Result<Bytes>>,
    silence: Duration,
    left: u64,
    most: u64,
}

/// The host of an address, with its port when that is not the scheme's own.
pub fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

impl Outbound {
    /// Begins a download. The caller limits its whole time.
    ///
    /// # Errors
    /// See [`OutboundError`].
    pub async fn download(&self, wanted: Wanted<'_>) -> Result<Download, OutboundError> {
        let mut url = wanted.url.clone();
        let mut from = authority(&url);
        for _ in 0..=MOST_REDIRECTS {
            let to = authority(&url);
            if !wanted.hosts.contains(&to) {
                return Err(OutboundError::Redirected { host: from, to });
            }
            self.check(&url)?;
            let request = self.http.get(url.clone()).header("accept", wanted.accept);
            let answer = within(&to, wanted.silence, request.send()).await?;
            let answer = answer.map_err(|error| broken(&to, error))?;
            let status = answer.status();
            if status.is_redirection() {
                let location = answer.headers().get(LOCATION);
                let next = location.and_then(|location| url.join(location.to_str().ok()?).ok());
                url = next.ok_or_else(|| OutboundError::Status {
                    host: to.clone(),
                    status: status.as_u16(),
                })?;
                from = to;
                continue;
            }
            if !status.is_success() {
                return Err(OutboundError::Status {
                    host: to,
                    status: status.as_u16(),
                });
            }
            if answer
                .content_length()
                .is_some_and(|length| length > wanted.most)
            {
                return Err(too_large(to, wanted.most));
            }
            return Ok(Download {
                host: to,
                pieces: answer.bytes_stream().boxed(),
                silence: wanted.silence,
                left: wanted.most,
                most: wanted.most,
            });
        }
        Err(OutboundError::Redirects { host: from })
    }
}

impl Download {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// See [`OutboundError`].
    pub async fn piece(&mut self) -> Result<Option<Bytes>, OutboundError> {
        let Some(piece) = within(&self.host, self.silence, self.pieces.next()).await? else {
            return Ok(None);
        };
        let piece = piece.map_err(|error| broken(&self.host, error))?;
        match self.left.checked_sub(piece.len() as u64) {
            Some(left) => self.left = left,
            None => return Err(too_large(self.host.clone(), self.most)),
        }
        Ok(Some(piece))
    }

    /// The whole answer.
    ///
    /// # Errors
    /// See [`OutboundError`].
    pub async fn whole(mut self) -> Result<Vec<u8>, OutboundError> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }
}

fn too_large(host: String, most: u64) -> OutboundError {
    OutboundError::TooLarge {
        host,
        most: usize::try_from(most).unwrap_or(usize::MAX),
    }
}

async fn within<T>(
    host: &str,
    silence: Duration,
    work: impl Future<Output = T>,
) -> Result<T, OutboundError> {
    let done = tokio::time::timeout(silence, work).await;
    done.map_err(|_| OutboundError::TooSlow {
        host: host.to_owned(),
        within: silence,
    })
}
