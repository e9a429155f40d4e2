//! The real `roost-broker` as a separate process, and a remote on loopback that echoes requests.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use axum::extract::Request;
use axum::response::IntoResponse;
use axum::{Form, Json, Router};
use roost_secret_broker::client::Client;
use roost_secret_broker::wire::{
    Allow, Answer, Inject, RecordName, Request as Verb, Secret, Store,
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

use crate::bin_dir;

/// A broker in a folder.
pub struct BrokerProcess {
    child: Child,
    folder: PathBuf,
    pub client: Client,
}

/// The options for client secrets in a broker's folder.
fn client_secrets(folder: &Path) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(folder.join("client-secrets")) else {
        return Vec::new();
    };
    let named = files.flatten().map(|file| {
        let (name, path) = (file.file_name(), file.path());
        format!("--client-secret={}={}", name.display(), path.display())
    });
    named.collect()
}

impl BrokerProcess {
    /// File of an OAuth client's secret for brokers in this folder.
    pub fn client_secret_file(folder: &Path, client: &str) -> PathBuf {
        folder.join("client-secrets").join(client)
    }

    /// Stores an OAuth client's secret for brokers in this folder, as an operator does.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn keep_client_secret(folder: &Path, client: &str, secret: &str) {
        let file = Self::client_secret_file(folder, client);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, format!("{secret}\n")).expect("a file");
    }

    /// Starts it without waiting. It aborts after `die_after` steps on the disk.
    ///
    /// # Panics
    /// When the program is missing.
    pub fn launch(folder: &Path, die_after: Option<u32>) -> Self {
        Self::launch_with(folder, die_after, &[])
    }

    fn launch_with(folder: &Path, die_after: Option<u32>, more: &[&str]) -> Self {
        let log = File::options()
            .create(true)
            .append(true)
            .open(folder.join("log"));
        let mut command = Command::new(bin_dir().join("roost-broker"));
        command
            .args(["serve", "--allow-private=127.0.0.1"])
            .arg(format!("--data-dir={}", folder.join("data").display()))
            .args(client_secrets(folder))
            .args(more)
            .env_remove("CREDENTIALS_DIRECTORY")
            .env_remove("ROOST_BROKER_LOG")
            .stdin(Stdio::null())
            .stderr(log.expect("a file for the log"));
        if let Some(steps) = die_after {
            command.env("ROOST_BROKER_DIE_AFTER", steps.to_string());
        }
        let child = command
            .spawn()
            .expect("`cargo build --bins` made roost-broker");
        Self {
            child,
            folder: folder.to_owned(),
            client: Client::new(folder.join("data/run/broker.sock"), "roost-tests"),
        }
    }

    /// Starts it and waits until it answers.
    ///
    /// # Panics
    /// When it ends instead.
    pub async fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[]).await
    }

    /// As [`start`](Self::start), with more arguments.
    ///
    /// # Panics
    /// When it ends instead.
    pub async fn start_with(folder: &Path, more: &[&str]) -> Self {
        let mut process = Self::launch_with(folder, None, more);
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            assert!(
                process.ended().is_none(),
                "the broker ended:\n{}",
                process.log()
            );
            if process.client.call(&Verb::Status).await.is_ok() {
                return process;
            }
            assert!(
                Instant::now() < deadline,
                "the broker does not answer:\n{}",
                process.log()
            );
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("it is a child")
    }

    /// Sends `SIGKILL` and waits for its end.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Sends `SIGTERM` without waiting for its end.
    ///
    /// # Panics
    /// When it has already ended.
    pub fn terminate(&self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.expect("a process id"), Signal::TERM).expect("it is a child");
    }

    /// The log of it and its predecessors.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for BrokerProcess {
    fn drop(&mut self) {
        // A process that has already ended is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Stores a bearer token that is allowed for everything at a remote.
///
/// # Errors
/// See the client.
pub async fn keep(
    client: &Client,
    name: RecordName,
    secret: Secret,
    remote: SocketAddr,
) -> Result<Answer, roost_secret_broker::client::ClientError> {
    client
        .call(&Verb::Store(Store {
            name,
            secret,
            inject: Inject::Bearer,
            allow: everything_at(remote),
        }))
        .await
}

/// An allow-list for everything at a remote.
pub fn everything_at(remote: SocketAddr) -> Vec<Allow> {
    vec![Allow {
        origin: format!("http://{remote}"),
        methods: vec!["GET".into(), "POST".into()],
        path_prefix: "/".into(),
    }]
}

/// A remote that answers `/echo` with the received credential in many encodings, and issues tokens at `/token`.
///
/// # Panics
/// When it cannot listen.
pub async fn echoing_remote(
    token: impl Fn(u32) -> serde_json::Value + Clone + Send + Sync + 'static,
) -> SocketAddr {
    use base64::Engine;
    let count = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let give = move |Form(_): Form<std::collections::HashMap<String, String>>| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let answer = token(number);
        async move { Json(answer) }
    };
    let echo = |request: Request| async move {
        let seen = request
            .headers()
            .get("authorization")
            .map(|value| value.as_bytes().to_vec());
        let seen = seen.unwrap_or_default();
        let text = String::from_utf8_lossy(&seen).into_owned();
        let secret = text.trim_start_matches("Bearer ").to_owned();
        let forms = [
            text.clone(),
            secret.clone(),
            base64::engine::general_purpose::STANDARD.encode(&secret),
            base64::engine::general_purpose::STANDARD.encode(&text),
            hex::encode(&secret),
            secret.replace('-', "%2D"),
        ];
        ([("x-echo", text)], forms.join("\n")).into_response()
    };
    let router = Router::new()
        .route("/echo", axum::routing::get(echo).post(echo))
        .route("/small", axum::routing::get(|| async { "{\"ok\":true}" }))
        .route("/token", axum::routing::post(give));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
