//! The real `roost` as a separate process that a test can kill, pause and restart at the same address.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use roost_test_database::template;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{Client, Store, catalogue};

/// How long a start may take on a machine that builds other things meanwhile.
const START: Duration = Duration::from_secs(60);

/// The folder of the programs that `cargo build --bins` built.
pub fn bin_dir() -> PathBuf {
    std::env::var("ROOST_TEST_BIN_DIR").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debug"),
        PathBuf::from,
    )
}

/// A `roost serve` with its own folder and port.
#[derive(Debug)]
pub struct Process {
    child: Child,
    folder: PathBuf,
    store: Store,
    set: Vec<(String, String)>,
    port: u16,
}

impl Process {
    /// Starts it in this folder and waits until it is ready.
    ///
    /// # Panics
    /// When it does not get ready.
    pub async fn start(folder: &Path, store: &Store) -> Self {
        Self::start_with(folder, store, &[]).await
    }

    /// As [`start`](Self::start), with some keys set, as with `--set`, in this and all later starts.
    ///
    /// # Panics
    /// When it does not get ready.
    pub async fn start_with(folder: &Path, store: &Store, set: &[(&str, &str)]) -> Self {
        if let Store::Sqlite = store {
            template::copy_sqlite(&data(folder).join("roost.db"), catalogue::load).await;
        }
        let mut process = Self::launched(folder, store, set, "");
        assert!(process.is_ready().await, "it ended:\n{}", process.log());
        process
    }

    /// Starts it with armed kill points and does not wait: it may die before it is ready.
    ///
    /// # Panics
    /// When the program is missing.
    pub fn spawn(folder: &Path, store: &Store, arms: &str) -> Self {
        Self::launched(folder, store, &[], arms)
    }

    fn launched(folder: &Path, store: &Store, set: &[(&str, &str)], arms: &str) -> Self {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let set: Vec<_> = set.iter().map(own).collect();
        let port = free_port();
        let child = launch(folder, store, &set, port, arms);
        Self {
            child,
            folder: folder.to_owned(),
            store: store.clone(),
            set,
            port,
        }
    }

    /// Starts it again at its address after its end, with nothing armed; waits until it is ready.
    ///
    /// # Panics
    /// When it does not get ready.
    pub async fn again(&mut self) {
        self.again_with("").await;
    }

    /// As [`again`](Self::again), with armed kill points; `false` when it died before it was ready.
    pub async fn again_with(&mut self, arms: &str) -> bool {
        self.child.wait().expect("it is a child");
        self.child = launch(&self.folder, &self.store, &self.set, self.port, arms);
        let ready = self.is_ready().await;
        assert!(ready || !arms.is_empty(), "it ended:\n{}", self.log());
        ready
    }

    /// Waits until it is ready; `false` when it ended instead.
    pub async fn is_ready(&mut self) -> bool {
        let client = Client::new(&self.url());
        let deadline = Instant::now() + START;
        while self.ended().is_none() {
            let answer = client.get("/readyz").try_send().await;
            if answer.is_ok_and(|answer| answer.status == 200) {
                return true;
            }
            assert!(Instant::now() < deadline, "not ready:\n{}", self.log());
            sleep(Duration::from_millis(10)).await;
        }
        false
    }

    /// A session of the Owner, opened with the first login of its folder.
    ///
    /// # Panics
    /// When the login is refused.
    pub async fn owner_token(&self) -> String {
        let login = json!({ "one_time": self.first_login() });
        let login = Client::new(&self.url())
            .post("/api/auth/login")
            .json(&login);
        login.expect(200).await.str("/token").to_owned()
    }

    /// A client of the Owner, with a session of its own.
    ///
    /// # Panics
    /// When the login is refused.
    pub async fn owner(&self) -> Client {
        Client::new(&self.url()).with_token(&self.owner_token().await)
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("it is a child")
    }

    /// Waits briefly for an end by this signal: a connection breaks before the process is gone.
    ///
    /// # Panics
    /// When it still runs, or ended in another way.
    pub async fn ended_by(&mut self, signal: i32) {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            if let Some(status) = self.ended() {
                let log = self.log();
                assert_eq!(status.signal(), Some(signal), "{status}\n{log}");
                return;
            }
            assert!(Instant::now() < deadline, "it lives:\n{}", self.log());
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends `SIGKILL` and waits for its end.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Sends `SIGTERM` and waits for its end.
    ///
    /// # Panics
    /// When its exit status is not 0.
    pub async fn terminate(&mut self) {
        self.signal(Signal::TERM);
        let deadline = Instant::now() + START;
        let status = loop {
            if let Some(status) = self.ended() {
                break status;
            }
            assert!(Instant::now() < deadline, "it lives:\n{}", self.log());
            sleep(Duration::from_millis(10)).await;
        };
        assert!(status.success(), "{status}:\n{}", self.log());
    }

    /// Pauses it (`SIGSTOP`), like a machine that sleeps.
    ///
    /// The call returns when every thread is stopped. The kernel delivers the signal to one thread first, so on a busy machine the
    /// other threads go on for some milliseconds.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
        let stopped = waitid(WaitId::Pid(self.pid()), WaitIdOptions::STOPPED);
        stopped.expect("the child can be waited for");
    }

    /// Continues it.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the child can be signalled");
    }

    /// Nothing waited for the child's end yet, so the id is still its own.
    fn pid(&self) -> Pid {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        id.expect("a process id")
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The address of its node channel.
    pub fn channel(&self) -> String {
        format!("ws://127.0.0.1:{}/api/nodes/agent", self.port)
    }

    /// The one-time login of the first start.
    ///
    /// # Panics
    /// When there is none.
    pub fn first_login(&self) -> String {
        let file = data(&self.folder).join("first-login");
        let text = std::fs::read_to_string(file).expect("a first login");
        text.trim().to_owned()
    }

    /// The address of its database.
    pub fn database(&self) -> String {
        match &self.store {
            Store::Sqlite => format!("sqlite:{}", data(&self.folder).join("roost.db").display()),
            Store::Postgres(url) => url.clone(),
        }
    }

    /// The log of it and its predecessors.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that has already ended is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}

/// A port below the kernel's ephemeral range, so that it is still free when a killed gateway restarts.
pub fn free_port() -> u16 {
    loop {
        let port = rand::random_range(10_000..20_000);
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn launch(folder: &Path, store: &Store, more: &[(String, String)], port: u16, arms: &str) -> Child {
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .expect("a file for the log");
    let mut command = Command::new(bin_dir().join("roost"));
    command.arg("serve").current_dir(folder);
    for (key, _) in std::env::vars_os() {
        if key.to_string_lossy().starts_with("ROOST_") {
            command.env_remove(key);
        }
    }
    let mut set = vec![
        ("listen", format!("127.0.0.1:{port}")),
        ("operator_listen", "127.0.0.1:0".to_owned()),
        ("data_dir", data(folder).display().to_string()),
        ("sandboxes.local", "off".to_owned()),
    ];
    if let Store::Postgres(url) = store {
        set.push(("database.url", url.clone()));
    }
    for (key, value) in set {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    for (key, value) in more {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    if !arms.is_empty() {
        command.env("ROOST_CHAOS__ALLOW", "true");
        command.env("ROOST_CHAOS__ARM", arms);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("`cargo build --bins` made roost")
}
