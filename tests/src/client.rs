//! A client whose requests state the expected status, and whose failures show the whole answer.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde::Serialize;
use serde_json::Value;

use crate::gateway::prepare_process;

/// A client of one gateway, signed in or not.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
    workspace: Option<String>,
}

impl Client {
    /// A client without credentials.
    ///
    /// # Panics
    /// When TLS cannot be set up.
    pub fn new(url: &str) -> Self {
        prepare_process();
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(60))
            // A gateway in a test has no certificate of a public authority, and reading them all takes long.
            .tls_certs_only([])
            .build()
            .expect("a client");
        Self {
            http,
            url: url.to_owned(),
            token: None,
            workspace: None,
        }
    }

    /// The same client with a bearer token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// The same client in another workspace.
    #[must_use]
    pub fn in_workspace(&self, workspace: &str) -> Self {
        Self {
            workspace: Some(workspace.to_owned()),
            ..self.clone()
        }
    }

    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    pub fn put(&self, path: &str) -> Request {
        self.request(Method::PUT, path)
    }

    pub fn patch(&self, path: &str) -> Request {
        self.request(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> Request {
        self.request(Method::DELETE, path)
    }

    /// A request with any method.
    pub fn request(&self, method: Method, path: &str) -> Request {
        let what = format!("{method} {path}");
        let mut builder = self.http.request(method, format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            builder = builder.bearer_auth(token);
        }
        if let Some(workspace) = &self.workspace {
            builder = builder.header("roost-workspace", workspace);
        }
        Request { what, builder }
    }
}

/// A request that is not sent yet.
#[derive(Debug)]
pub struct Request {
    what: String,
    builder: RequestBuilder,
}

impl Request {
    /// Its path, with the query.
    pub fn path(&self) -> String {
        let (_, path) = self.what.split_once(' ').expect("a method and a path");
        path.to_owned()
    }

    /// With a JSON body.
    #[must_use]
    pub fn json(mut self, body: &impl Serialize) -> Self {
        self.builder = self.builder.json(body);
        self
    }

    /// With any body.
    #[must_use]
    pub fn body(mut self, body: impl Into<reqwest::Body>) -> Self {
        self.builder = self.builder.body(body);
        self
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    /// Sends it.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn send(self) -> Answer {
        let what = self.what.clone();
        self.try_send()
            .await
            .unwrap_or_else(|error| panic!("{what}: no answer, or it broke off: {error:?}"))
    }

    /// Sends it to a gateway that may be dead or may die meanwhile.
    ///
    /// # Errors
    /// When there is no whole answer.
    pub async fn try_send(self) -> reqwest::Result<Answer> {
        let response = self.builder.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await?;
        Ok(Answer {
            what: self.what,
            status,
            headers,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        })
    }

    /// Sends it; any other status fails the test and shows the answer.
    ///
    /// # Panics
    /// On another status.
    pub async fn expect(self, status: u16) -> Answer {
        let answer = self.send().await;
        assert_eq!(answer.status, status, "{}: {}", answer.what, answer.text);
        answer
    }

    /// Sends it and expects an error of this status and code.
    ///
    /// # Panics
    /// On another answer.
    pub async fn refused(self, status: u16, code: &str) -> Answer {
        let answer = self.expect(status).await;
        assert_eq!(
            answer.body["code"], code,
            "{}: {}",
            answer.what, answer.text
        );
        answer
    }

    /// Sends it and leaves the body to be streamed.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn open(self) -> reqwest::Response {
        let what = self.what.clone();
        self.try_open()
            .await
            .unwrap_or_else(|error| panic!("{what}: no answer: {error:?}"))
    }

    /// As [`open`](Self::open), for a gateway that may be dead.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn try_open(self) -> reqwest::Result<reqwest::Response> {
        self.builder.send().await
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    what: String,
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    /// `null` when it is not JSON.
    pub body: Value,
    pub text: String,
}

impl Answer {
    /// A text field of the body.
    ///
    /// # Panics
    /// When there is none.
    pub fn str(&self, pointer: &str) -> &str {
        self.body
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("{}: no text at {pointer}: {}", self.what, self.text))
    }

    /// A header as text; empty when absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}
