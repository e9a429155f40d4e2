//! A git host on loopback: the real `git http-backend` over bare repositories, protected by a token, with lists in
//! Forgejo's format, and with its pull requests. Below GitLab's path it speaks GitLab's API. A test can override the
//! answer to any request.

mod gitlab;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// One request.
#[derive(Debug, Clone)]
pub struct Visit {
    pub method: String,
    /// Path and query.
    pub address: String,
    pub authorization: Option<String>,
    /// The body of a request that is not of git.
    pub body: String,
}

type Instead = Arc<dyn Fn(&Visit) -> BoxFuture<'static, Option<Response>> + Send + Sync>;

/// The host.
#[derive(Clone)]
pub struct GitHost {
    pub address: SocketAddr,
    folder: Arc<TempDir>,
    token: Arc<Mutex<String>>,
    visits: Arc<Mutex<Vec<Visit>>>,
    listed: Arc<Mutex<Vec<Value>>>,
    pulls: Arc<Mutex<Vec<Value>>>,
    instead: Arc<Mutex<Option<Instead>>>,
}

impl GitHost {
    /// Starts it. Every request needs the token, as a password or in Forgejo's own header.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn start(token: &str) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let host = Self {
            address: listener.local_addr().expect("an address"),
            folder: Arc::new(tempfile::tempdir().expect("a folder")),
            token: Arc::new(Mutex::new(token.to_owned())),
            visits: Arc::default(),
            listed: Arc::default(),
            pulls: Arc::default(),
            instead: Arc::default(),
        };
        let router = Router::new().fallback(answer).with_state(host.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        host
    }

    /// `http://127.0.0.1:<port>`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of a repository, such as `acme/tools`.
    pub fn clone_url(&self, name: &str) -> String {
        format!("{}/{name}.git", self.url())
    }

    /// Its path on the disk.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.git"))
    }

    /// Makes an empty repository and lists it from now on.
    ///
    /// # Panics
    /// When git fails.
    pub async fn create(&self, name: &str) {
        let path = self.path(name);
        let path = path.to_str().expect("a path of text");
        self.git(
            name,
            &["init", "--quiet", "--bare", "--initial-branch=main", path],
            None,
        )
        .await;
        let mut listed = lock(&self.listed);
        let id = listed.len() + 1;
        listed.push(json!({
            "id": id, "name": name.rsplit('/').next(), "full_name": name, "private": true, "fork": false,
            "archived": false, "description": null, "language": "Rust", "default_branch": "main",
            "html_url": format!("{}/{name}", self.url()), "clone_url": self.clone_url(name),
            "updated_at": "2026-01-01T00:00:00Z",
        }));
    }

    /// Adds a commit with one file to a branch; returns its id.
    ///
    /// # Panics
    /// When git fails.
    pub async fn commit(&self, name: &str, branch: &str, file: &str, content: &[u8]) -> String {
        let reference = format!("refs/heads/{branch}");
        let shown = ["for-each-ref", "--format=%(objectname)", reference.as_str()];
        let parent = self.git(name, &shown, None).await;
        let from = match parent.trim() {
            "" => String::new(),
            parent => format!("from {parent}\n"),
        };
        let head = format!(
            "commit {reference}\ncommitter Ann <ann@example.com> 1700000000 +0000\ndata 6\nchange\n{from}M 100644 inline {file}\ndata {}\n",
            content.len()
        );
        let stream = [head.as_bytes(), content, b"\n"].concat();
        self.git(name, &["fast-import", "--quiet"], Some(&stream))
            .await;
        self.git(name, &shown, None).await.trim().to_owned()
    }

    /// Runs git in a repository of the host.
    ///
    /// # Panics
    /// When it fails.
    pub async fn git(&self, name: &str, arguments: &[&str], input: Option<&[u8]>) -> String {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        if self.path(name).exists() {
            command.env("GIT_DIR", self.path(name));
        }
        let (output, complaint) = fed(command, input.unwrap_or_default()).await;
        String::from_utf8(output).unwrap_or_else(|_| panic!("git {arguments:?}: {complaint}"))
    }

    /// Sets a script that is asked first; git answers only when the script does not.
    pub fn instead(
        &self,
        instead: impl Fn(&Visit) -> BoxFuture<'static, Option<Response>> + Send + Sync + 'static,
    ) {
        *lock(&self.instead) = Some(Arc::new(instead));
    }

    /// Removes the script.
    pub fn as_before(&self) {
        *lock(&self.instead) = None;
    }

    /// Every request needs this token from now on.
    pub fn expect_token(&self, token: &str) {
        token.clone_into(&mut lock(&self.token));
    }

    fn token(&self) -> String {
        lock(&self.token).clone()
    }

    /// The pull requests that were opened.
    pub fn pulls(&self) -> Vec<Value> {
        lock(&self.pulls).clone()
    }

    /// The requests so far; clears them.
    pub fn visits(&self) -> Vec<Visit> {
        std::mem::take(&mut *lock(&self.visits))
    }

    fn lets_in(&self, authorization: Option<&str>) -> bool {
        use base64::Engine;
        let Some(given) = authorization else {
            return false;
        };
        let basic = given
            .strip_prefix("Basic ")
            .and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok());
        let token = self.token();
        match basic {
            Some(pair) => pair.ends_with(format!(":{token}").as_bytes()),
            None => given == format!("token {token}") || given == format!("Bearer {token}"),
        }
    }
}

fn lock<T>(what: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(host): State<GitHost>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let of_git = head.uri.path().contains(".git/");
    let body = to_bytes(body, 64 << 20).await.expect("a request");
    let visit = Visit {
        method: head.method.to_string(),
        address: head.uri.to_string(),
        authorization: head
            .headers
            .get("authorization")
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
        body: match of_git {
            true => String::new(),
            false => String::from_utf8_lossy(&body).into_owned(),
        },
    };
    lock(&host.visits).push(visit.clone());
    let instead = lock(&host.instead).clone();
    if let Some(instead) = instead
        && let Some(response) = instead(&visit).await
    {
        return response;
    }
    if gitlab::is_asked(head.uri.path()) {
        return gitlab::answer(&host, &head, &body).await;
    }
    if !host.lets_in(visit.authorization.as_deref()) {
        return text_answer(401, "who are you?");
    }
    if of_git {
        return backend(&host, &head, &body).await;
    }
    if let ("POST", Some(name)) = (head.method.as_str(), pulls_of(head.uri.path())) {
        return open_pull(&host, name, &body).await;
    }
    json_answer(200, &Value::Array(lock(&host.listed).clone()))
}

/// The repository of Forgejo's path for pull requests.
fn pulls_of(path: &str) -> Option<&str> {
    path.strip_prefix("/api/v1/repos/")?.strip_suffix("/pulls")
}

/// Opens a pull request as Forgejo does: both branches must exist, and there is one from a branch into another at a time.
async fn open_pull(host: &GitHost, name: &str, body: &[u8]) -> Response {
    let Ok(mut pull) = serde_json::from_slice::<Value>(body) else {
        return json_answer(422, &json!({ "message": "the body is not JSON" }));
    };
    for end in ["head", "base"] {
        let reference = format!("refs/heads/{}", pull[end].as_str().unwrap_or_default());
        let shown = ["for-each-ref", "--format=%(objectname)", reference.as_str()];
        if host.git(name, &shown, None).await.trim().is_empty() {
            return json_answer(404, &json!({ "message": format!("no branch for {end}") }));
        }
    }
    let mut pulls = lock(&host.pulls);
    let same = |other: &Value| other["head"] == pull["head"] && other["base"] == pull["base"];
    if pulls.iter().any(same) {
        let message = "pull request already exists for these targets";
        return json_answer(409, &json!({ "message": message }));
    }
    let number = pulls.len() + 1;
    pull["html_url"] = format!("{}/{name}/pulls/{number}", host.url()).into();
    pull["number"] = number.into();
    pulls.push(pull.clone());
    json_answer(201, &pull)
}

fn json_answer(status: u16, body: &Value) -> Response {
    let mut response = text_answer(status, body.to_string());
    let json = "application/json".parse().expect("a value");
    response.headers_mut().insert("content-type", json);
    response
}

/// A short text answer.
pub fn text_answer(status: u16, body: impl Into<Body>) -> Response {
    let response = Response::builder().status(status).body(body.into());
    response.expect("a status and a body")
}

/// Calls git's CGI program with its expected environment.
async fn backend(host: &GitHost, head: &Parts, body: &Bytes) -> Response {
    let header = |name: &str| {
        let value = head.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", host.folder.path())
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("REQUEST_METHOD", head.method.as_str())
        .env("PATH_INFO", head.uri.path())
        .env("QUERY_STRING", head.uri.query().unwrap_or_default())
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("REMOTE_USER", "somebody");
    let (output, _) = fed(command, body).await;
    let end = output
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .expect("a CGI head");
    let mut response = Response::builder();
    for line in String::from_utf8_lossy(&output[..end]).lines() {
        let (name, value) = line.split_once(':').expect("a header");
        response = match name.eq_ignore_ascii_case("status") {
            true => response.status(value.trim().split(' ').next().unwrap_or_default()),
            false => response.header(name, value.trim()),
        };
    }
    let body = Body::from(output[end + 4..].to_vec());
    response.body(body).expect("an answer of git")
}

/// Runs a program with this input; returns its output and its standard error.
async fn fed(mut command: Command, input: &[u8]) -> (Vec<u8>, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git is installed");
    let mut stdin = child.stdin.take().expect("an input");
    let input = input.to_vec();
    let writing = tokio::spawn(async move {
        // A program that needs no input may have ended.
        let _ = stdin.write_all(&input).await;
    });
    let output = child.wait_with_output().await.expect("its output");
    writing.await.expect("it was written");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git failed: {complaint}");
    (output.stdout, complaint)
}
