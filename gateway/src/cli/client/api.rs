//! One gateway as the client sees it: requests, and problems as sentences.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use http::Method;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;

use super::ClientArgs;
use super::profile::Profile;
use super::show::clean;

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
        api.workspace = args.workspace.clone().or(profile.workspace);
        Ok(api)
    }

    /// For a gateway without a session. With `ca_file` (PEM) no other authority is trusted.
    ///
    /// # Errors
    /// When the file holds no certificate, or TLS cannot be set up.
    pub fn at(url: &str, ca_file: Option<&Path>, args: &ClientArgs) -> anyhow::Result<Self> {
        let mut client = Client::builder()
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

    /// Sends a request and answers the JSON of a success (`null` when there is no body).
    ///
    /// # Errors
    /// The problem's sentence.
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let mut request = self
            .request(method, path)
            .header("accept", "application/json");
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = self.checked(request).await?;
        let bytes = response.bytes().await.context("the answer broke off")?;
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes)
            .context("the gateway's answer is not JSON; is this a Roost gateway?")
    }

    /// Reads.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.call(Method::GET, path, None).await
    }

    /// Reads text.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn text(&self, path: &str) -> anyhow::Result<String> {
        Ok(self
            .checked(self.request(Method::GET, path))
            .await?
            .text()
            .await?)
    }

    /// Asks with a body.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn send(&self, path: &str, bytes: Vec<u8>) -> anyhow::Result<()> {
        let request = self
            .request(Method::POST, path)
            .header("content-type", "application/octet-stream")
            .body(bytes);
        self.checked(request).await.map(drop)
    }

    /// Opens an event stream.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn stream(&self, path: &str) -> anyhow::Result<Response> {
        self.checked(
            self.request(Method::GET, path)
                .header("accept", "text/event-stream"),
        )
        .await
    }

    async fn checked(&self, request: RequestBuilder) -> anyhow::Result<Response> {
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("the gateway at {} cannot be reached", self.base));
            }
        };
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
        bail!(sentence(&problem, status.as_u16()))
    }
}

/// A problem as people read it.
fn sentence(problem: &Value, status: u16) -> String {
    let field = |name: &str| problem.get(name).and_then(Value::as_str).map(clean);
    let mut text = field("detail")
        .or_else(|| field("title"))
        .unwrap_or_else(|| format!("the gateway answered {status}"));
    for error in problem
        .get("errors")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let part = |name: &str| clean(error.get(name).and_then(Value::as_str).unwrap_or_default());
        text.push_str(&format!("\n  {} {}", part("pointer"), part("detail")));
    }
    let code = field("code").unwrap_or_else(|| status.to_string());
    match field("request_id") {
        Some(request) => format!("{text} ({code}, request {request})"),
        None => format!("{text} ({code})"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_problem_reads_as_a_sentence_with_what_finds_it_again() {
        let problem = json!({ "title": "T", "detail": "The \u{1b}[31mname is too long.", "code": "validation", "request_id": "r1",
            "errors": [{ "pointer": "/name", "detail": "must have 1 to 100 characters" }] });
        assert_eq!(
            sentence(&problem, 400),
            "The \\x1b[31mname is too long.\n  /name must have 1 to 100 characters (validation, request r1)"
        );
        assert_eq!(sentence(&json!({}), 502), "the gateway answered 502 (502)");
    }
}
