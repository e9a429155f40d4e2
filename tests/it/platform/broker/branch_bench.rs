//! The parts that the tests of branches share: a sandbox with a clone, and the broker's verbs with their faults.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures::StreamExt;
use roost_secret_broker::client::ClientError;
use roost_secret_broker::wire::{Bundled, Fault, GitBundle, GitPush, GitReceive, Pushed, Received};
use tempfile::TempDir;

use super::mirror_bench::{Bench, MIRROR, record};

pub(super) const BRANCH: &str = "roost/r1/1";

/// A sandbox: a folder with a clone that an agent may change as it likes.
pub(super) struct Sandbox {
    pub(super) folder: TempDir,
    pub(super) base: String,
    pub(super) head: Bundled,
}

impl Sandbox {
    /// Seeds it from the mirror's main branch, as the guest does.
    pub(super) async fn seeded(bench: &Bench) -> Self {
        Self::seeded_as(bench, |asked| asked)
            .await
            .expect("a bundle")
    }

    pub(super) async fn seeded_as(
        bench: &Bench,
        change: impl FnOnce(GitBundle) -> GitBundle,
    ) -> Result<Self, Fault> {
        let asked = change(GitBundle {
            name: record(),
            mirror: MIRROR.to_owned(),
            from: "refs/heads/main".to_owned(),
            branch: BRANCH.to_owned(),
            base: None,
            shallow_above: u64::MAX,
            most: 64 << 20,
            on_behalf: "a test".to_owned(),
        });
        let (head, mut pieces) = answer(bench.broker.client.git_bundle(asked).await)?;
        let bundle = answer(pieces.whole(64 << 20).await)?;
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("in.bundle"), bundle).expect("a file");
        let sandbox = Self {
            folder,
            base: head.commit.clone(),
            head,
        };
        sandbox
            .git(&["init", "--quiet", "--initial-branch=none"], &[])
            .await;
        if let Some(at) = &sandbox.head.shallow {
            let file = sandbox.folder.path().join(".git/shallow");
            std::fs::write(file, format!("{at}\n")).expect("a file");
        }
        let only = format!("refs/heads/{BRANCH}:refs/heads/{BRANCH}");
        sandbox
            .git(&["fetch", "--quiet", "in.bundle", &only], &[])
            .await;
        sandbox.git(&["checkout", "--quiet", BRANCH], &[]).await;
        Ok(sandbox)
    }

    pub(super) async fn git(&self, arguments: &[&str], input: &[u8]) -> String {
        let path = self.folder.path();
        let output = run(path, arguments, input).await;
        String::from_utf8(output).expect("text")
    }

    /// Commits a file; returns the commit.
    pub(super) async fn commit(&self, file: &str, content: &str) -> String {
        let path = self.folder.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
        self.git(&["add", "--force", file], &[]).await;
        self.git(&["commit", "--quiet", "-m", "work of an agent"], &[])
            .await;
        self.tip().await
    }

    /// Commits a tree that no checkout could make: `mode kind id\tname` lines.
    pub(super) async fn commit_tree(&self, lines: &str) {
        let tree = self.git(&["mktree", "--missing"], lines.as_bytes()).await;
        self.commit_of(tree.trim()).await;
    }

    pub(super) async fn commit_of(&self, tree: &str) {
        let made = ["commit-tree", "-p", &self.base, "-m", "x", tree];
        let commit = self.git(&made, &[]).await;
        let set = ["update-ref", &format!("refs/heads/{BRANCH}"), commit.trim()];
        self.git(&set, &[]).await;
    }

    pub(super) async fn blob(&self) -> String {
        let blob = self.git(&["hash-object", "-w", "--stdin"], b"hello").await;
        blob.trim().to_owned()
    }

    pub(super) async fn tip(&self) -> String {
        let tip = self.git(&["rev-parse", BRANCH], &[]).await;
        tip.trim().to_owned()
    }

    pub(super) async fn bundle(&self) -> Vec<u8> {
        let range = format!("{}..{BRANCH}", self.base);
        self.bundle_of(&[&range]).await
    }

    pub(super) async fn bundle_of(&self, what: &[&str]) -> Vec<u8> {
        let made = ["bundle", "create", "--quiet", "-"];
        run(self.folder.path(), &[&made, what].concat(), &[]).await
    }
}

pub(super) async fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    use tokio::io::AsyncWriteExt;
    let mut child = tokio::process::Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Agent")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "agent@example.com")))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("git is installed");
    let mut stdin = child.stdin.take().expect("an input");
    stdin.write_all(input).await.expect("it is written");
    drop(stdin);
    let output = child.wait_with_output().await.expect("its output");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {complaint}");
    output.stdout
}

fn answer<T>(answer: Result<T, ClientError>) -> Result<T, Fault> {
    match answer {
        Ok(value) => Ok(value),
        Err(ClientError::Refused(fault)) => Err(fault),
        Err(error) => panic!("{error:?}"),
    }
}

pub(super) async fn receive(bench: &Bench, base: &str, bundle: Vec<u8>) -> Result<Received, Fault> {
    receive_as(bench, base, bundle, false).await
}

pub(super) async fn receive_as(
    bench: &Bench,
    base: &str,
    bundle: Vec<u8>,
    workflows: bool,
) -> Result<Received, Fault> {
    let asked = GitReceive {
        name: record(),
        mirror: MIRROR.to_owned(),
        branch: BRANCH.to_owned(),
        base: base.to_owned(),
        workflows,
        on_behalf: "a test".to_owned(),
    };
    let bundle = futures::stream::once(async { Ok(Bytes::from(bundle)) });
    answer(bench.broker.client.git_receive(asked, bundle.boxed()).await)
}

pub(super) async fn push(bench: &Bench, commit: &str) -> Result<Pushed, Fault> {
    let asked = GitPush {
        name: record(),
        mirror: MIRROR.to_owned(),
        url: bench.host.clone_url("acme/tools"),
        user: "roost".to_owned(),
        branch: BRANCH.to_owned(),
        commit: commit.to_owned(),
        deadline_ms: None,
        on_behalf: "a test".to_owned(),
    };
    answer(bench.broker.client.git_push(asked).await)
}

pub(super) async fn bench() -> Bench {
    let bench = Bench::start().await;
    for number in 1..4 {
        let content = format!("{number}\n");
        let bytes = content.as_bytes();
        bench
            .host
            .commit("acme/tools", "main", "a.txt", bytes)
            .await;
    }
    bench.fetch().await.expect("it is fetched");
    bench
}

/// What the mirror holds: its refs, and whether anything half is left.
pub(super) async fn kept(bench: &Bench) -> String {
    let path = bench.mirror().expect("a mirror");
    let left: Vec<PathBuf> = std::fs::read_dir(&path)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().contains("tmp_"))
        .collect();
    assert_eq!(left, Vec::<PathBuf>::new());
    let arriving = std::fs::read_dir(bench.mirrors().join("incoming"));
    assert_eq!(arriving.into_iter().flatten().count(), 0);
    String::from_utf8(run(&path, &["for-each-ref"], &[]).await).expect("text")
}
