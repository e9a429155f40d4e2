//! Branches of agents: a bundle goes out of a mirror, a branch comes back from a sandbox, and the broker pushes it.

use roost_secret_broker::wire::{FaultCode, GitBundle, GitDiff};

use super::branch_bench::{BRANCH, Sandbox, bench, kept, push, receive, receive_as, run};
use super::mirror_bench::{MIRROR, keep_reading, record};

#[tokio::test(flavor = "multi_thread")]
async fn branch_goes_out_comes_back_and_arrives_at_the_host() {
    let bench = bench().await;
    let sandbox = Sandbox::seeded(&bench).await;
    let log = sandbox.git(&["log", "--oneline"], &[]).await;
    assert_eq!(log.lines().count(), 3);
    let first = sandbox.commit("src/new.rs", "fn main() {}\n").await;
    let second = sandbox.commit("a.txt", "3\n4\n").await;
    let received = receive(&bench, &sandbox.base, sandbox.bundle().await).await;
    let received = received.expect("it is received");
    assert_eq!(
        (received.commit.as_str(), received.commits),
        (second.as_str(), 2)
    );
    let listed: Vec<&str> = received
        .newest
        .iter()
        .map(|line| line.commit.as_str())
        .collect();
    assert_eq!(listed, [second.as_str(), first.as_str()]);
    assert_eq!(received.newest[0].subject, "work of an agent");
    let files: Vec<_> = received
        .changed
        .iter()
        .map(|file| (file.path.as_str(), file.added, file.removed))
        .collect();
    assert_eq!(
        files,
        [
            ("a.txt", Some(1), Some(0)),
            ("src/new.rs", Some(1), Some(0))
        ]
    );
    let asked = GitDiff {
        name: record(),
        mirror: MIRROR.to_owned(),
        base: sandbox.base.clone(),
        commit: second.clone(),
        most: 1 << 20,
    };
    let (head, mut text) = bench
        .broker
        .client
        .git_diff(asked.clone())
        .await
        .expect("a diff");
    let text = text.whole(1 << 20).await.expect("its text");
    let text = String::from_utf8(text).expect("text");
    assert!(!head.cut && text.contains("+fn main() {}\n"), "{text}");
    let short = GitDiff { most: 10, ..asked };
    let (head, mut text) = bench.broker.client.git_diff(short).await.expect("a diff");
    assert_eq!(
        (head.cut, text.whole(99).await.expect("text").len()),
        (true, 10)
    );
    // A fetch neither changes nor prunes what was received.
    bench.fetch().await.expect("it is fetched");
    let pushed = push(&bench, &second).await.expect("it is pushed");
    assert!(!pushed.unchanged);
    let there = bench
        .host
        .git("acme/tools", &["rev-parse", BRANCH], None)
        .await;
    assert_eq!(there.trim(), second);
    let again = push(&bench, &second).await.expect("it is pushed");
    assert!(again.unchanged, "a repeated push changes nothing");
    // Work goes on: the branch continues, and the host follows.
    let third = sandbox.commit("b.txt", "more\n").await;
    receive(&bench, &sandbox.base, sandbox.bundle().await)
        .await
        .expect("it is received");
    push(&bench, &third).await.expect("it is pushed");
    let there = bench
        .host
        .git("acme/tools", &["rev-parse", BRANCH, "main"], None)
        .await;
    assert_eq!(there, format!("{third}\n{}\n", sandbox.base));
}

#[tokio::test(flavor = "multi_thread")]
async fn next_sandbox_gets_the_received_branch_also_when_its_history_is_cut() {
    let bench = bench().await;
    let cut = |asked| GitBundle {
        shallow_above: 0,
        ..asked
    };
    let first = Sandbox::seeded_as(&bench, cut).await.expect("a bundle");
    assert_eq!(first.head.shallow.as_deref(), Some(first.base.as_str()));
    assert_eq!(
        first.git(&["log", "--oneline"], &[]).await.lines().count(),
        1
    );
    let commit = first.commit("b.txt", "from the first\n").await;
    receive(&bench, &first.base, first.bundle().await)
        .await
        .expect("it is received");
    let base = first.base.clone();
    let onward = |asked| GitBundle {
        from: commit.clone(),
        base: Some(base),
        shallow_above: 0,
        ..asked
    };
    let second = Sandbox::seeded_as(&bench, onward).await.expect("a bundle");
    assert_eq!(second.head.commit, commit);
    assert_eq!(second.head.shallow.as_deref(), Some(first.base.as_str()));
    assert_eq!(
        second.git(&["log", "--oneline"], &[]).await.lines().count(),
        2
    );
    let next = second.commit("b.txt", "from the second\n").await;
    let range = format!("{commit}..{BRANCH}");
    let received = receive(&bench, &first.base, second.bundle_of(&[&range]).await).await;
    assert_eq!(received.expect("it is received").commits, 2);
    push(&bench, &next).await.expect("it is pushed");
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_is_refused_without_a_mirror_or_branch_and_above_its_limit() {
    let bench = bench().await;
    let gone = |asked| GitBundle {
        from: "refs/heads/gone".to_owned(),
        ..asked
    };
    let fault = Sandbox::seeded_as(&bench, gone)
        .await
        .err()
        .expect("a fault");
    assert_eq!(fault.code, FaultCode::UnknownCommit);
    assert!(fault.detail.contains("no `gone`"), "{fault}");
    let elsewhere = |asked| GitBundle {
        mirror: "m9".to_owned(),
        ..asked
    };
    let fault = Sandbox::seeded_as(&bench, elsewhere)
        .await
        .err()
        .expect("a fault");
    assert_eq!(fault.code, FaultCode::UnknownCommit);
    assert!(fault.detail.contains("mirror it first"), "{fault}");
    let small = |asked| GitBundle { most: 100, ..asked };
    let fault = Sandbox::seeded_as(&bench, small)
        .await
        .err()
        .expect("a fault");
    assert_eq!(fault.code, FaultCode::TooLarge);
    let option = |asked| GitBundle {
        from: "--all".to_owned(),
        ..asked
    };
    let fault = Sandbox::seeded_as(&bench, option)
        .await
        .err()
        .expect("a fault");
    assert_eq!(fault.code, FaultCode::BadRequest);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_bundles_are_refused_and_leave_nothing() {
    let bench = bench().await;
    let before = kept(&bench).await;
    let refused = async |sandbox: &Sandbox, bundle: Vec<u8>, word: &str| {
        let fault = receive(&bench, &sandbox.base, bundle)
            .await
            .expect_err("a fault");
        assert_eq!(fault.code, FaultCode::BundleRefused, "{word}: {fault}");
        assert!(fault.detail.contains(word), "{word}: {fault}");
        assert_eq!(kept(&bench).await, before, "{word}");
    };
    let fresh = async || Sandbox::seeded(&bench).await;

    let sandbox = fresh().await;
    sandbox.commit("b.txt", "fine\n").await;
    let fine = sandbox.bundle().await;
    refused(&sandbox, b"nothing of git".to_vec(), "not a git bundle").await;
    refused(
        &sandbox,
        fine[..fine.len() - 30].to_vec(),
        "git found a fault",
    )
    .await;
    let mut changed = fine.clone();
    let middle = fine.len() - 40;
    changed[middle] ^= 0xff;
    refused(&sandbox, changed, "git found a fault").await;

    // Very many refs.
    let line = format!("{} refs/heads/{BRANCH}\n", sandbox.base);
    let many = format!("# v2 git bundle\n{}\nPACK", line.repeat(1_000_000));
    refused(&sandbox, many.into_bytes(), "one branch only").await;
    sandbox.git(&["branch", "other"], &[]).await;
    let two = sandbox.bundle_of(&[BRANCH, "other"]).await;
    refused(&sandbox, two, "another branch").await;

    // Names that git reads as another place.
    for name in ["..", ".git", ".GIT", "git~1", "."] {
        let sandbox = fresh().await;
        let blob = sandbox.blob().await;
        let inner = sandbox
            .git(&["mktree"], format!("100644 blob {blob}\tx\n").as_bytes())
            .await;
        // `mktree` refuses none of these names, because a tree can hold anything.
        sandbox
            .commit_tree(&format!("040000 tree {}\t{name}\n", inner.trim()))
            .await;
        refused(&sandbox, sandbox.bundle().await, "git found a fault").await;
    }

    // Workflows, also one that a later commit removes again, and a link in the folder's place.
    for file in [
        ".github/workflows/ci.yml",
        ".gitea/workflows/x",
        ".forgejo/workflows/x",
        ".gitlab-ci.yml",
    ] {
        let sandbox = fresh().await;
        sandbox.commit(file, "on: push\n").await;
        sandbox.git(&["rm", "--quiet", file], &[]).await;
        sandbox.git(&["commit", "--quiet", "-m", "gone"], &[]).await;
        refused(&sandbox, sandbox.bundle().await, "runs programs").await;
    }
    let sandbox = fresh().await;
    let blob = sandbox.blob().await;
    sandbox
        .commit_tree(&format!("120000 blob {blob}\t.github\n"))
        .await;
    refused(&sandbox, sandbox.bundle().await, "runs programs").await;

    // An object that is not there.
    let sandbox = fresh().await;
    let missing = "0123456789012345678901234567890123456789";
    sandbox
        .commit_tree(&format!("100644 blob {missing}\tx\n"))
        .await;
    let head = sandbox.tip().await;
    let tree = sandbox.git(&["rev-parse", "HEAD^{tree}"], &[]).await;
    let list = format!("{head}\n{tree}");
    let pack = run(
        sandbox.folder.path(),
        &["pack-objects", "--stdout", "-q"],
        list.as_bytes(),
    )
    .await;
    let begin = format!(
        "# v2 git bundle\n-{} x\n{head} refs/heads/{BRANCH}\n\n",
        sandbox.base
    );
    refused(
        &sandbox,
        [begin.as_bytes(), &pack].concat(),
        "git found a fault",
    )
    .await;

    // Another history, and a commit that the mirror does not have.
    let sandbox = fresh().await;
    sandbox
        .git(&["checkout", "--quiet", "--orphan", "new"], &[])
        .await;
    sandbox.git(&["commit", "--quiet", "-m", "new"], &[]).await;
    sandbox
        .git(&["branch", "--force", BRANCH, "new"], &[])
        .await;
    refused(
        &sandbox,
        sandbox.bundle_of(&[BRANCH]).await,
        "does not continue",
    )
    .await;
    let sandbox = fresh().await;
    let first = sandbox.commit("b.txt", "1\n").await;
    sandbox.commit("b.txt", "2\n").await;
    let range = format!("{first}..{BRANCH}");
    refused(
        &sandbox,
        sandbox.bundle_of(&[&range]).await,
        "does not have",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workflow_files_pass_when_the_workspace_allows_them() {
    let bench = bench().await;
    let sandbox = Sandbox::seeded(&bench).await;
    sandbox
        .commit(".github/workflows/ci.yml", "on: push\n")
        .await;
    let bundle = sandbox.bundle().await;
    let received = receive_as(&bench, &sandbox.base, bundle, true).await;
    assert_eq!(received.expect("it is received").files, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn rewritten_branch_is_refused_and_the_kept_one_stays() {
    let bench = bench().await;
    let sandbox = Sandbox::seeded(&bench).await;
    sandbox.commit("b.txt", "1\n").await;
    receive(&bench, &sandbox.base, sandbox.bundle().await)
        .await
        .expect("it is received");
    let before = kept(&bench).await;
    sandbox
        .git(&["commit", "--quiet", "--amend", "-m", "other words"], &[])
        .await;
    let fault = receive(&bench, &sandbox.base, sandbox.bundle().await).await;
    assert_eq!(fault.expect_err("a fault").code, FaultCode::BundleRefused);
    assert_eq!(kept(&bench).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn push_that_lost_its_race_changes_nothing_and_names_the_reason() {
    let bench = bench().await;
    let sandbox = Sandbox::seeded(&bench).await;
    let commit = sandbox.commit("b.txt", "1\n").await;
    receive(&bench, &sandbox.base, sandbox.bundle().await)
        .await
        .expect("it is received");
    let other = bench
        .host
        .commit("acme/tools", BRANCH, "c.txt", b"somebody else")
        .await;
    let fault = push(&bench, &commit).await.expect_err("a fault");
    assert_eq!(fault.code, FaultCode::PushRaced, "{fault}");
    let there = bench
        .host
        .git("acme/tools", &["rev-parse", BRANCH], None)
        .await;
    assert_eq!(there.trim(), other);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_received_commit_is_pushed_and_never_to_the_default_branch() {
    let bench = bench().await;
    let sandbox = Sandbox::seeded(&bench).await;
    let fault = push(&bench, &sandbox.base)
        .await
        .expect_err("nothing was received");
    assert_eq!(fault.code, FaultCode::UnknownCommit);
    let commit = sandbox.commit("b.txt", "1\n").await;
    receive(&bench, &sandbox.base, sandbox.bundle().await)
        .await
        .expect("it is received");
    let fault = push(&bench, &sandbox.base)
        .await
        .expect_err("another commit");
    assert_eq!(fault.code, FaultCode::UnknownCommit);
    let named = format!("refs/heads/{BRANCH}");
    bench
        .host
        .git("acme/tools", &["symbolic-ref", "HEAD", &named], None)
        .await;
    bench.host.commit("acme/tools", BRANCH, "c.txt", b"x").await;
    let fault = push(&bench, &commit).await.expect_err("the default branch");
    assert_eq!(fault.code, FaultCode::NotAllowed, "{fault}");
    // A default branch that is gone is no obstacle for another branch.
    bench
        .host
        .git(
            "acme/tools",
            &["symbolic-ref", "HEAD", "refs/heads/gone"],
            None,
        )
        .await;
    bench
        .host
        .git("acme/tools", &["update-ref", "-d", &named], None)
        .await;
    push(&bench, &commit).await.expect("it is pushed");
}

#[tokio::test(flavor = "multi_thread")]
async fn credential_that_may_only_read_cannot_push() {
    let bench = bench().await;
    let sandbox = Sandbox::seeded(&bench).await;
    let commit = sandbox.commit("b.txt", "1\n").await;
    receive(&bench, &sandbox.base, sandbox.bundle().await)
        .await
        .expect("it is received");
    keep_reading(&bench.broker.client, &bench.host.url()).await;
    bench.host.visits();
    let fault = push(&bench, &commit).await.expect_err("it may only read");
    assert_eq!(fault.code, FaultCode::NotAllowed);
    assert_eq!(bench.host.visits().len(), 0);
}
