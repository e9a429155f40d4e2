//! The parts that the tests of mirrors share: a broker that holds the token of a git host, and its child processes.

use std::path::PathBuf;

use roost_secret_broker::client::{Client, ClientError};
use roost_secret_broker::wire::{
    Allow, Fault, Fetching, GIT, GIT_PUSH, GitFetch, Inject, Mirror, RecordName, Request, Secret,
    Store,
};
use roost_tests::broker::BrokerProcess;
use roost_tests::eventually;
use roost_tests::git_host::GitHost;
use tempfile::TempDir;

pub(super) const TOKEN: &str = "rsttoken-of-git-84c1d07e";
pub(super) const MIRROR: &str = "0190a000-0000-7000-8000-000000000001";

pub(super) fn record() -> RecordName {
    RecordName::new("w1", "repos/c1").expect("a name")
}

/// A broker that holds the token of a host with one repository.
pub(super) struct Bench {
    pub(super) broker: BrokerProcess,
    pub(super) host: GitHost,
    pub(super) folder: TempDir,
}

impl Bench {
    pub(super) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    pub(super) async fn start_with(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let broker = BrokerProcess::start_with(folder.path(), more).await;
        let host = GitHost::start(TOKEN).await;
        host.create("acme/tools").await;
        keep(&broker.client, &host.url(), "/").await;
        Self {
            broker,
            host,
            folder,
        }
    }

    pub(super) async fn fetch(&self) -> Result<Mirror, Fault> {
        fetch(&self.broker.client, &self.host.clone_url("acme/tools")).await
    }

    /// The one mirror on the broker's disk.
    pub(super) fn mirror(&self) -> Option<PathBuf> {
        let mut shelves = std::fs::read_dir(self.mirrors()).ok()?.flatten();
        // Beside them is the folder of bundles that arrive.
        let shelf = shelves.find(|shelf| shelf.file_name() != "incoming")?;
        Some(shelf.path().join(format!("{MIRROR}.git"))).filter(|path| path.exists())
    }

    pub(super) fn mirrors(&self) -> PathBuf {
        self.folder.path().join("data/mirrors")
    }
}

pub(super) async fn keep(client: &Client, origin: &str, below: &str) {
    store(client, origin, below, &[GIT, GIT_PUSH]).await;
}

/// The same credential, which may only read from now on.
pub(super) async fn keep_reading(client: &Client, origin: &str) {
    store(client, origin, "/", &[GIT]).await;
}

async fn store(client: &Client, origin: &str, below: &str, methods: &[&str]) {
    let store = Store {
        name: record(),
        secret: Secret::from(TOKEN),
        inject: Inject::Bearer,
        allow: vec![Allow {
            origin: origin.to_owned(),
            methods: methods.iter().map(|method| (*method).to_owned()).collect(),
            path_prefix: below.to_owned(),
        }],
    };
    client
        .call(&Request::Store(store))
        .await
        .expect("it is stored");
}

pub(super) fn asked(url: &str) -> GitFetch {
    GitFetch {
        name: record(),
        mirror: MIRROR.to_owned(),
        url: url.to_owned(),
        user: "roost".to_owned(),
        head: Some("main".to_owned()),
        deadline_ms: None,
        on_behalf: "a test".to_owned(),
    }
}

pub(super) async fn fetch(client: &Client, url: &str) -> Result<Mirror, Fault> {
    fetch_hearing(client, url, |_| {}).await
}

pub(super) async fn fetch_hearing(
    client: &Client,
    url: &str,
    hear: impl FnMut(Fetching),
) -> Result<Mirror, Fault> {
    match client.git_fetch(asked(url), hear).await {
        Ok(mirror) => Ok(mirror),
        Err(ClientError::Refused(fault)) => Err(fault),
        Err(error) => panic!("{error:?}"),
    }
}

pub(super) async fn no_git_is_left(broker: &BrokerProcess) {
    let none = async || descendants(broker.id()).is_empty().then_some(());
    eventually("git has ended", none).await;
}

pub(super) fn is_git(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/cmdline"))
        .is_ok_and(|line| line.contains("git"))
}

/// All processes that this one started, and theirs.
pub(super) fn descendants(process: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
    for task in tasks.into_iter().flatten().flatten() {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|id| id.parse().ok()) {
            found.push(child);
            found.extend(descendants(child));
        }
    }
    found
}
