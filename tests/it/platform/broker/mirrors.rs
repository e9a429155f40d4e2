//! Mirrors: what is fetched, what git receives, and what is deleted with a connection.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::response::Response;
use roost_secret_broker::client::ClientError;
use roost_secret_broker::wire::{
    Answer, FaultCode, FetchPhase, Fetching, GitBranches, GitFetch, GitForget, Request,
};
use roost_tests::broker::BrokerProcess;
use roost_tests::eventually;
use roost_tests::git_host::GitHost;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::mirror_bench::{
    Bench, MIRROR, TOKEN, asked, descendants, fetch, fetch_hearing, is_git, no_git_is_left, record,
};

/// Everything that git needs to read a repository is there and whole.
async fn is_whole(repository: &Path) {
    let checked = tokio::process::Command::new("git")
        .args(["fsck", "--full", "--strict"])
        .env("GIT_DIR", repository)
        .output();
    let checked = checked.await.expect("git runs");
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mirror_follows_its_repository_also_where_branches_go() {
    let bench = Bench::start().await;
    let empty = bench.fetch().await.expect("an empty repository is one");
    assert_eq!((empty.branches, empty.tags, empty.head), (0, 0, None));
    let first = bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    bench
        .host
        .commit("acme/tools", "topic", "b.txt", b"two")
        .await;
    bench
        .host
        .git("acme/tools", &["tag", "v1", &first], None)
        .await;
    let mirror = bench.fetch().await.expect("it is fetched");
    let head = mirror.head.expect("a head");
    assert_eq!((mirror.branches, mirror.tags), (2, 1));
    assert_eq!(
        (head.branch.as_str(), head.commit.as_str()),
        ("main", first.as_str())
    );
    assert!(mirror.bytes > 0);
    // A branch goes, another takes its name as a folder, the tag moves: history that is rewritten is followed, too.
    bench
        .host
        .git(
            "acme/tools",
            &["update-ref", "-d", "refs/heads/topic"],
            None,
        )
        .await;
    bench
        .host
        .commit("acme/tools", "topic/deep", "c.txt", b"three")
        .await;
    let second = bench
        .host
        .commit("acme/tools", "main", "a.txt", b"four")
        .await;
    bench
        .host
        .git("acme/tools", &["tag", "--force", "v1", &second], None)
        .await;
    let mirror = bench.fetch().await.expect("it is fetched again");
    assert_eq!((mirror.branches, mirror.tags), (2, 1));
    assert_eq!(mirror.head.expect("a head").commit, second);
    let path = bench.mirror().expect("a mirror");
    is_whole(&path).await;
    let named = bench.host.git("acme/tools", &["for-each-ref"], None).await;
    let kept = tokio::process::Command::new("git")
        .arg("for-each-ref")
        .env("GIT_DIR", &path)
        .output();
    assert_eq!(
        String::from_utf8_lossy(&kept.await.expect("git runs").stdout),
        named
    );
    let visits = bench.host.visits();
    assert!(
        visits
            .iter()
            .all(|visit| visit.address.starts_with("/acme/tools.git/")),
        "{visits:?}"
    );
    assert!(visits.iter().all(|visit| {
        visit
            .authorization
            .as_deref()
            .is_some_and(|given| given.starts_with("Basic "))
    }));
    let forgotten = Request::GitForget(GitForget {
        name: record(),
        mirror: MIRROR.to_owned(),
    });
    for existed in [true, false] {
        let answer = bench
            .broker
            .client
            .call(&forgotten)
            .await
            .expect("it is forgotten");
        assert_eq!(answer, Answer::Forgotten { existed });
    }
    assert_eq!(bench.mirror(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_of_a_host_are_listed_without_a_mirror() {
    let bench = Bench::start().await;
    let url = bench.host.clone_url("acme/tools");
    let list = async |url: &str, containing: &str, most: u32| {
        let asked = Request::GitBranches(GitBranches {
            name: record(),
            url: url.to_owned(),
            user: "roost".to_owned(),
            containing: containing.to_owned(),
            most,
            deadline_ms: Some(20_000),
            on_behalf: "a test".to_owned(),
        });
        bench.broker.client.call(&asked).await
    };
    let found = async |containing: &str, most: u32| match list(&url, containing, most).await {
        Ok(Answer::Branches(found)) => found,
        other => panic!("{other:?}"),
    };
    assert!(found("", 10).await.names.is_empty(), "an empty repository");
    for branch in ["main", "Fix/login", "fix/logout"] {
        bench.host.commit("acme/tools", branch, "a.txt", b"a").await;
    }
    bench
        .host
        .git("acme/tools", &["tag", "v1", "main"], None)
        .await;
    let all = found("", 10).await;
    assert_eq!(all.names, ["Fix/login", "fix/logout", "main"]);
    assert!(!all.more);
    assert_eq!(found("LOG", 10).await.names, ["Fix/login", "fix/logout"]);
    let cut = found("", 2).await;
    assert_eq!((cut.names.len(), cut.more), (2, true));
    assert_eq!(bench.mirror(), None, "no mirror was made");
    for (url, code) in [
        (bench.host.clone_url("acme/gone"), FaultCode::RemoteRefused),
        (
            "https://elsewhere.example/acme/tools.git".to_owned(),
            FaultCode::NotAllowed,
        ),
    ] {
        match list(&url, "", 10).await {
            Err(ClientError::Refused(fault)) => assert_eq!(fault.code, code, "{fault:?}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(!bench.broker.log().contains(TOKEN));
    no_git_is_left(&bench.broker).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_fetches_leave_few_packs_and_say_how_far_they_are() {
    let bench = Bench::start().await;
    let big: Vec<u8> = (0..3_u32 << 20)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    bench
        .host
        .commit("acme/tools", "main", "big.bin", &big)
        .await;
    let mut heard = Vec::new();
    let url = bench.host.clone_url("acme/tools");
    let mirror = fetch_hearing(&bench.broker.client, &url, |now| heard.push(now)).await;
    mirror.expect("it is fetched");
    for round in 0..25 {
        bench
            .host
            .commit("acme/tools", "main", "a.txt", format!("{round}").as_bytes())
            .await;
        bench.fetch().await.expect("it is fetched");
    }
    let path = bench.mirror().expect("a mirror");
    let packs = std::fs::read_dir(path.join("objects/pack"))
        .expect("packs")
        .flatten();
    let packs = packs.filter(|entry| entry.path().extension().is_some_and(|kind| kind == "pack"));
    assert!(packs.count() <= 21);
    is_whole(&path).await;
    assert!(heard.iter().all(|now| now.percent <= 100), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_never_has_the_credential_and_it_is_never_on_the_disk() {
    let bench = Bench::start().await;
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    hold_packs(&bench.host, &arrived, &go);
    let (client, url) = (
        bench.broker.client.clone(),
        bench.host.clone_url("acme/tools"),
    );
    let fetching = tokio::spawn(async move { fetch(&client, &url).await });
    arrived.notified().await;
    let family = descendants(bench.broker.id());
    assert!(family.len() >= 2, "git and its helper run: {family:?}");
    for process in &family {
        for file in ["cmdline", "environ"] {
            let bytes =
                std::fs::read(format!("/proc/{process}/{file}")).expect("a process of this test");
            assert!(
                !bytes.is_empty() && !holds(&bytes, TOKEN),
                "{file} of {process}"
            );
        }
        assert_eq!(
            roost_tests::in_memory(*process, &[TOKEN.as_bytes()])[0],
            0,
            "memory of {process}"
        );
    }
    // Other processes cannot use the open proxy: they do not know its password, not even from arguments.
    let arguments = family.iter().map(|process| {
        std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default()
    });
    let door = arguments.flat_map(|line| line.split('\0').map(str::to_owned).collect::<Vec<_>>());
    let door = door
        .into_iter()
        .find(|word| word.starts_with("http://127.0.0.1:"))
        .expect("an address");
    let address = door.trim_start_matches("http://").trim_end_matches("/r");
    let mut stranger = TcpStream::connect(address).await.expect("a connection");
    let asking =
        "GET /r/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stranger
        .write_all(asking.as_bytes())
        .await
        .expect("it is asked");
    let mut told = String::new();
    stranger
        .read_to_string(&mut told)
        .await
        .expect("it answers");
    assert!(told.starts_with("HTTP/1.1 403"), "{told}");
    // The same mirror once more at the same time is refused, and the credential's own way stays shut.
    let again = bench.fetch().await.expect_err("it is being fetched");
    assert_eq!(again.code, FaultCode::Busy);
    bench.host.as_before();
    go.notify_one();
    fetching.await.expect("it ended").expect("it is fetched");
    let broker = bench.folder.path().to_owned();
    let mut files = Vec::new();
    walk(&broker, &mut files);
    assert!(files.len() > 10);
    for file in files {
        assert!(
            !holds(&std::fs::read(&file).unwrap_or_default(), TOKEN),
            "{}",
            file.display()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_goes_takes_its_mirrors_and_fetches_with_it() {
    let bench = Bench::start().await;
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    bench.fetch().await.expect("it is fetched");
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"two")
        .await;
    let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    hold_packs(&bench.host, &arrived, &go);
    let (client, url) = (
        bench.broker.client.clone(),
        bench.host.clone_url("acme/tools"),
    );
    let fetching = tokio::spawn(async move { fetch(&client, &url).await });
    arrived.notified().await;
    let deleted = bench.broker.client.call(&Request::Delete(record())).await;
    assert_eq!(
        deleted.expect("it is deleted"),
        Answer::Deleted { existed: true }
    );
    let ended = fetching.await.expect("it ended").expect_err("nobody may");
    assert_eq!(ended.code, FaultCode::UnknownRecord);
    assert_eq!(bench.mirror(), None);
    no_git_is_left(&bench.broker).await;
    let again = bench.fetch().await.expect_err("there is no credential");
    assert_eq!(
        (again.code, bench.mirror()),
        (FaultCode::UnknownRecord, None)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fetch_ends_when_its_caller_leaves_and_continues_after_a_broker_crash() {
    let mut bench = Bench::start().await;
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    bench.fetch().await.expect("it is fetched");
    let second = bench
        .host
        .commit("acme/tools", "main", "a.txt", b"two")
        .await;
    let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    hold_packs(&bench.host, &arrived, &go);
    let (client, url) = (
        bench.broker.client.clone(),
        bench.host.clone_url("acme/tools"),
    );
    let fetching = tokio::spawn(async move { fetch(&client, &url).await });
    arrived.notified().await;
    fetching.abort();
    no_git_is_left(&bench.broker).await;
    // Now the broker itself, with a lock and half a pack as a git leaves them that is killed.
    let (client, url) = (
        bench.broker.client.clone(),
        bench.host.clone_url("acme/tools"),
    );
    let fetching = tokio::spawn(async move { client.git_fetch(asked(&url), |_| {}).await });
    arrived.notified().await;
    let orphans = descendants(bench.broker.id());
    bench.broker.kill();
    assert!(fetching.await.expect("it ended").is_err());
    bench.host.as_before();
    let gone = async || (!orphans.iter().any(|process| is_git(*process))).then_some(());
    eventually("what it had started ends by itself", gone).await;
    let path = bench.mirror().expect("a mirror");
    std::fs::write(path.join("refs/heads/main.lock"), b"").expect("a lock");
    std::fs::write(path.join("objects/pack/tmp_pack_x"), b"half").expect("half a pack");
    bench.broker = BrokerProcess::start(bench.folder.path()).await;
    let mirror = bench.fetch().await.expect("it is fetched");
    assert_eq!(mirror.head.expect("a head").commit, second);
    assert!(!path.join("objects/pack/tmp_pack_x").exists());
    is_whole(&path).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mirrors_without_their_credential_are_swept_when_the_broker_starts() {
    let mut bench = Bench::start().await;
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    bench.fetch().await.expect("it is fetched");
    let left = bench.mirrors().join("0".repeat(64)).join("x.git");
    std::fs::create_dir_all(&left).expect("a folder");
    bench.broker.kill();
    bench.broker = BrokerProcess::start(bench.folder.path()).await;
    assert!(!left.exists());
    assert!(bench.mirror().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_fetch_reports_that_it_waits() {
    let bench = Bench::start().await;
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    hold_packs(&bench.host, &arrived, &go);
    let mut held = Vec::new();
    for number in 0..2 {
        let (client, url) = (
            bench.broker.client.clone(),
            bench.host.clone_url("acme/tools"),
        );
        held.push(tokio::spawn(async move {
            let asked = GitFetch {
                mirror: format!("m{number}"),
                ..asked(&url)
            };
            client.git_fetch(asked, |_| {}).await
        }));
        arrived.notified().await;
    }
    let said = Arc::new(Notify::new());
    let (client, url) = (
        bench.broker.client.clone(),
        bench.host.clone_url("acme/tools"),
    );
    let heard = said.clone();
    let third = tokio::spawn(async move {
        let asked = GitFetch {
            mirror: "m2".to_owned(),
            ..asked(&url)
        };
        let hear = |now: Fetching| {
            if now.phase == FetchPhase::Waiting {
                heard.notify_one();
            }
        };
        client.git_fetch(asked, hear).await
    });
    said.notified().await;
    bench.host.as_before();
    go.notify_one();
    go.notify_one();
    for fetching in held {
        fetching.await.expect("it ended").expect("it is fetched");
    }
    third.await.expect("it ended").expect("it is fetched");
}

/// From now on the host says when somebody wants a pack, and gives it when it is told to.
fn hold_packs(host: &GitHost, arrived: &Arc<Notify>, go: &Arc<Notify>) {
    let (arrived, go) = (arrived.clone(), go.clone());
    host.instead(move |visit| {
        let (arrived, go) = (arrived.clone(), go.clone());
        let pack = visit.method == "POST";
        Box::pin(async move {
            if pack {
                arrived.notify_one();
                go.notified().await;
            }
            None::<Response>
        })
    });
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.file_type().expect("a type").is_dir() {
            true => walk(&entry.path(), files),
            false => files.push(entry.path()),
        }
    }
}

fn holds(bytes: &[u8], needle: &str) -> bool {
    bytes
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}
