//! One gateway as the client sees it: requests, and problems as sentences. Routes and types are written from
//! the API's document.

#[rustfmt::skip]
mod answers;
mod call;
#[rustfmt::skip]
mod events;
#[rustfmt::skip]
mod level_ups;
#[rustfmt::skip]
mod mission_names;
#[rustfmt::skip]
mod mission_routes;
#[rustfmt::skip]
mod missions;
#[rustfmt::skip]
mod names;
#[rustfmt::skip]
mod requests;
#[rustfmt::skip]
pub mod routes;
mod owner;
mod parsed;
#[rustfmt::skip]
#[expect(clippy::too_many_arguments, reason = "a list of runs has many filters, and each is an argument")]
mod run_routes;
#[rustfmt::skip]
mod runs;
#[rustfmt::skip]
mod sandbox_routes;
mod strings;
#[rustfmt::skip]
mod workspace;
#[rustfmt::skip]
mod workspace_requests;
#[rustfmt::skip]
mod workspace_routes;

/// What the client sends and reads.
pub mod types {
    pub use super::answers::*;
    pub use super::events::*;
    pub use super::level_ups::*;
    pub use super::missions::*;
    pub use super::names::*;
    pub use super::requests::*;
    pub use super::runs::*;
    pub use super::strings::Moment;
    pub use super::workspace::*;
    pub use super::workspace_requests::*;
}

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use http::Method;
use reqwest::{Body, Client, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::io::{InspectReader, ReaderStream};

pub use call::{Call, Page, Stream};
pub use owner::Owner;
pub use parsed::{Parsed, raw_list};
pub use strings::Moment;

use self::types::WorkspaceId;
use crate::ClientArgs;
use crate::gateway_clock;
use crate::problem::sentence;
use crate::profile::Profile;
use crate::show;
use crate::sse::Messages;

/// What this machine calls itself.
pub fn host() -> String {
    let host = rustix::system::uname();
    host.nodename().to_string_lossy().into_owned()
}

/// How the client names itself, so that a person knows the session of their terminal among those of browsers. A header
/// holds only some characters.
fn user_agent(host: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-._".contains(*c);
    let host: String = host.chars().filter(plain).take(64).collect();
    let program = concat!("roost/", env!("CARGO_PKG_VERSION"));
    match host.is_empty() {
        true => program.to_owned(),
        false => format!("{program} ({host})"),
    }
}

/// A signed-in client.
pub struct Api {
    client: Client,
    base: String,
    token: Option<String>,
    workspace: Option<String>,
    /// Print JSON instead of text.
    pub json: bool,
}

impl Api {
    /// For the gateway and session of the client file.
    ///
    /// # Errors
    /// When nobody signed in.
    pub fn signed_in(args: &ClientArgs) -> anyhow::Result<Self> {
        let profile = Profile::load()?;
        let mut api = Self::at(&profile.url, profile.ca_file.as_deref(), args)?;
        api.token = Some(profile.token);
        api.workspace = profile.workspace;
        Ok(api)
    }

    /// Requests carry this token.
    #[must_use]
    pub fn with_token(mut self, token: String) -> Self {
        self.token = Some(token);
        self
    }

    /// From now on in this workspace, by its id.
    pub fn act_in(&mut self, workspace: &WorkspaceId) {
        self.workspace = Some(workspace.to_string());
    }

    /// For a gateway without a session. With `ca_file` (PEM) no other authority is trusted.
    ///
    /// # Errors
    /// When the file holds no certificate, or TLS cannot be set up.
    pub fn at(url: &str, ca_file: Option<&Path>, args: &ClientArgs) -> anyhow::Result<Self> {
        let mut client = Client::builder()
            .user_agent(user_agent(&host()))
            .connect_timeout(Duration::from_secs(10))
            .redirect(reqwest::redirect::Policy::none());
        if let Some(file) = ca_file {
            let pem =
                std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            let authorities = reqwest::Certificate::from_pem_bundle(&pem)?;
            ensure!(
                !authorities.is_empty(),
                "{} holds no certificate; it must be PEM",
                file.display()
            );
            client = client.tls_certs_only(authorities);
        }
        let client = client.build().context("TLS cannot be set up here")?;
        Ok(Self {
            client,
            base: url.trim_end_matches('/').to_owned(),
            token: None,
            workspace: None,
            json: args.json,
        })
    }

    /// The gateway's address.
    pub fn base(&self) -> &str {
        &self.base
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let mut request = self.client.request(method, format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(workspace) = &self.workspace {
            request = request.header("roost-workspace", workspace);
        }
        request
    }

    /// Sends a call and reads its answer; an answer without a body is `null`.
    ///
    /// # Errors
    /// The problem's sentence, or that the answer is not of this type.
    pub async fn ask<T: DeserializeOwned>(&self, call: Call<T>) -> anyhow::Result<Parsed<T>> {
        let mut request = self
            .request(call.method, &call.path)
            .header("accept", "application/json");
        if let Some(body) = call.body {
            request = request.json(&body?);
        }
        let response = self.checked(request).await?;
        let bytes = response.bytes().await.context("the answer broke off")?;
        let answer = match bytes.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&bytes)
                .context("the gateway's answer is not JSON; is this a Roost gateway?")?,
        };
        serde_json::from_value(answer)
            .context("cannot read the gateway's answer; is the gateway of another version?")
    }

    /// A whole list, page by page.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn all<T: DeserializeOwned>(
        &self,
        list: impl Fn(Option<u64>, Option<&str>) -> Call<Page<T>>,
    ) -> anyhow::Result<Vec<Parsed<T>>> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let call = list(Some(200), cursor.as_deref());
            let page = self.ask(call).await?.into_value();
            items.extend(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(items);
            }
        }
    }

    /// Reads the answer as text.
    ///
    /// # Errors
    /// The problem's sentence.
    pub async fn text<T>(&self, call: Call<T>) -> anyhow::Result<String> {
        let request = self.request(call.method, &call.path);
        Ok(self.checked(request).await?.text().await?)
    }

    /// Writes the bytes of the answer as they come.
    ///
    /// # Errors
    /// The problem's sentence, or that the answer broke off.
    pub async fn download<T>(
        &self,
        call: Call<T>,
        to: &mut impl std::io::Write,
    ) -> anyhow::Result<()> {
        let request = self.request(call.method, &call.path);
        let mut answer = self.checked(request).await?;
        while let Some(bytes) = answer.chunk().await.context("the answer broke off")? {
            to.write_all(&bytes).context("cannot write the file")?;
        }
        to.flush().context("cannot write the file")
    }

    /// Sends bytes as the call's body.
    ///
    /// # Errors
    /// The problem's sentence.
    pub async fn send<T>(&self, call: Call<T>, bytes: Vec<u8>) -> anyhow::Result<()> {
        let request = self
            .request(call.method, &call.path)
            .header("content-type", "application/octet-stream")
            .body(bytes);
        self.checked(request).await.map(drop)
    }

    /// Sends a file as the call's body, and shows how much was sent.
    ///
    /// # Errors
    /// The problem's sentence.
    pub async fn upload<T: DeserializeOwned>(
        &self,
        call: Call<T>,
        file: std::fs::File,
        bytes: u64,
    ) -> anyhow::Result<Parsed<T>> {
        // A gateway may refuse before it has read everything. A write to the closed connection must then be an error, and not
        // the end of this process, so that the reason is shown.
        #[cfg(unix)]
        let _closed = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::pipe())?;
        let mut sent = 0_u64;
        let file = InspectReader::new(tokio::fs::File::from_std(file), move |piece| {
            sent += piece.len() as u64;
            let percent = sent * 100 / bytes.max(1);
            show::progress(&format!("sending… {percent} %"));
        });
        let request = self
            .request(call.method, &call.path)
            .header("content-type", "application/octet-stream")
            .header("content-length", bytes)
            .body(Body::wrap_stream(ReaderStream::new(file)));
        let answer = self.checked(request).await;
        show::progress_over();
        let answer = answer?.bytes().await.context("the answer broke off")?;
        serde_json::from_slice(&answer)
            .context("cannot read the gateway's answer; is the gateway of another version?")
    }

    /// Opens an event stream.
    ///
    /// # Errors
    /// The problem's sentence.
    pub async fn stream<T>(&self, call: Call<Stream<T>>) -> anyhow::Result<Messages> {
        let request = self
            .request(call.method, &call.path)
            .header("accept", "text/event-stream");
        Ok(Messages::of(self.checked(request).await?))
    }

    async fn checked(&self, request: RequestBuilder) -> anyhow::Result<Response> {
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("the gateway at {} cannot be reached", self.base));
            }
        };
        let date = response.headers().get(http::header::DATE);
        gateway_clock::hear(date.and_then(|date| date.to_str().ok()));
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = response.bytes().await.unwrap_or_default();
        let Ok(problem) = serde_json::from_slice::<Value>(&body) else {
            bail!("the gateway answered {status}");
        };
        if self.json {
            eprintln!(
                "{}",
                roost_protocol::text::json_for_terminals(&problem.to_string())
            );
        }
        // A proxy may answer with something else than a problem.
        let problem = serde_json::from_value(problem).unwrap_or_default();
        bail!(sentence(&problem, status.as_u16()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_names_itself_and_its_machine_in_characters_that_a_header_may_hold() {
        let agent = user_agent("my desk\r\nx: y.local");
        assert!(
            agent.starts_with("roost/0.") || agent.starts_with("roost/1."),
            "{agent}"
        );
        assert!(agent.ends_with(" (mydeskxy.local)"), "{agent}");
        assert!(!user_agent("\u{202e}").contains('('));
    }
}
