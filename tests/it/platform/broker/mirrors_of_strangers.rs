//! Mirrors of hosts that lie, echo, redirect or send too much: a clear error, no leak, and an unchanged mirror.

use std::os::unix::fs::PermissionsExt;

use axum::response::Response;
use roost_secret_broker::client::ClientError;
use roost_secret_broker::wire::{FaultCode, Forward, GIT, GitFetch};
use roost_tests::git_host::text_answer;
use rstest::rstest;

use super::mirror_bench::{Bench, TOKEN, asked, fetch, keep, record};

fn with(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let mut response = text_answer(status, body.to_owned());
    for (name, value) in headers {
        let name: http::HeaderName = name.parse().expect("a name");
        response
            .headers_mut()
            .insert(name, value.parse().expect("a value"));
    }
    response
}

#[rstest]
#[case(401, &[], "no", FaultCode::RemoteRefused, "does not let this credential read")]
#[case(404, &[], "no", FaultCode::RemoteRefused, "has no such repository")]
#[case(503, &[], "no", FaultCode::RemoteRefused, "failed (503)")]
#[case(302, &[("location", "http://127.0.0.1:9/stolen")], "", FaultCode::RemoteRefused, "redirects to another address")]
#[case(200, &[("content-type", "text/html")], "<p>hello</p>", FaultCode::RemoteRefused, "not a git repository")]
#[case(200, &[("content-encoding", "gzip")], "x", FaultCode::RemoteRefused, "compressed")]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_repository_is_reported(
    #[case] status: u16,
    #[case] headers: &'static [(&'static str, &'static str)],
    #[case] body: &'static str,
    #[case] code: FaultCode,
    #[case] words: &str,
) {
    let bench = Bench::start().await;
    bench
        .host
        .instead(move |_| Box::pin(async move { Some(with(status, headers, body)) }));
    let fault = bench.fetch().await.expect_err("it is refused");
    assert_eq!(fault.code, code, "{fault}");
    assert!(fault.detail.contains(words), "{fault}");
    // The host is there again, and so is the mirror.
    bench.host.as_before();
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    bench.fetch().await.expect("it is fetched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_says_the_credential_back_is_not_repeated() {
    let bench = Bench::start().await;
    bench.host.instead(|_| {
        let words = format!("ERR \u{1b}[31mno {TOKEN} here\n");
        let line = format!("{:04x}{words}", words.len() + 4);
        let body = format!("001e# service=git-upload-pack\n0000{line}0000");
        let kind = [(
            "content-type",
            "application/x-git-upload-pack-advertisement",
        )];
        Box::pin(async move { Some(with(200, &kind, &body)) })
    });
    let fault = bench.fetch().await.expect_err("it is refused");
    assert_eq!(fault.code, FaultCode::GitFailed);
    assert!(
        fault.detail.contains("no ") && fault.detail.contains("here"),
        "{fault}"
    );
    assert!(
        !fault.detail.contains(TOKEN) && !fault.detail.contains('\u{1b}'),
        "{fault}"
    );
    assert!(
        !fault.detail.contains("/r/"),
        "people know the host's address, not the door's: {fault}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_says_which_repositories_and_forward_is_no_way_around() {
    let bench = Bench::start().await;
    keep(&bench.broker.client, &bench.host.url(), "/acme").await;
    bench.fetch().await.expect("it is below /acme");
    for url in [
        bench.host.clone_url("other/tools"),
        bench.host.clone_url("acme/../other/tools"),
        bench.host.clone_url("acmes/tools"),
        "http://localhost:1/acme/tools.git".to_owned(),
    ] {
        let fault = fetch(&bench.broker.client, &url)
            .await
            .expect_err("it is not covered");
        assert!(
            matches!(fault.code, FaultCode::NotAllowed | FaultCode::BadRequest),
            "{url}: {fault}"
        );
    }
    let mirror = GitFetch {
        mirror: "../x".to_owned(),
        ..asked(&bench.host.clone_url("acme/tools"))
    };
    let refused = bench.broker.client.git_fetch(mirror, |_| {}).await;
    assert!(
        matches!(refused, Err(ClientError::Refused(fault)) if fault.code == FaultCode::BadRequest)
    );
    bench.host.visits();
    for method in [GIT, "GET", "POST"] {
        let forward = Forward {
            name: record(),
            method: method.to_owned(),
            url: format!("{}/info/refs", bench.host.clone_url("acme/tools")),
            headers: Vec::new(),
            body: false,
            body_length: None,
            deadline_ms: None,
            on_behalf: String::new(),
        };
        let refused = bench
            .broker
            .client
            .forward(forward, roost_secret_broker::client::Body::None)
            .await;
        assert!(matches!(refused, Err(ClientError::Refused(_))), "{method}");
    }
    assert!(bench.host.visits().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn forbidden_address_is_not_dialled() {
    let bench = Bench::start().await;
    // The metadata address of clouds, and one of this machine that the deployment does not allow.
    for origin in [
        "http://169.254.169.254",
        "https://169.254.169.254",
        "https://127.0.0.2",
    ] {
        keep(&bench.broker.client, origin, "/").await;
        let fault = fetch(&bench.broker.client, &format!("{origin}/acme/tools.git")).await;
        let fault = fault.expect_err("it is refused");
        assert!(
            matches!(
                fault.code,
                FaultCode::AddressRefused | FaultCode::NotAllowed
            ),
            "{origin}: {fault}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_large_fetch_is_cut_off_and_the_mirror_is_unchanged() {
    let bench = Bench::start_with(&["--mirror-mib=1"]).await;
    let first = bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    bench.fetch().await.expect("it is small");
    let big: Vec<u8> = (0..3_u32 << 20)
        .scan(1_u32, |state, _| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some((*state >> 24) as u8)
        })
        .collect();
    bench
        .host
        .commit("acme/tools", "main", "big.bin", &big)
        .await;
    let fault = bench.fetch().await.expect_err("it is too large");
    assert_eq!(fault.code, FaultCode::TooLarge, "{fault}");
    assert!(fault.detail.contains("broker.mirror_mib"), "{fault}");
    let path = bench.mirror().expect("a mirror");
    let main = std::fs::read_to_string(path.join("refs/heads/main")).expect("a branch");
    assert_eq!(main.trim(), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_hooks_nor_broken_objects_get_in() {
    let bench = Bench::start().await;
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"one")
        .await;
    bench.fetch().await.expect("it is fetched");
    // Nobody but the broker writes there; still, what lies there is not run.
    let (path, proof) = (
        bench.mirror().expect("a mirror"),
        bench.folder.path().join("it-ran"),
    );
    std::fs::create_dir_all(path.join("hooks")).expect("a folder");
    for hook in [
        "reference-transaction",
        "post-update",
        "post-receive",
        "pre-auto-gc",
    ] {
        let file = path.join("hooks").join(hook);
        std::fs::write(&file, format!("#!/bin/sh\ntouch {}\n", proof.display())).expect("a hook");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))
            .expect("it may run");
    }
    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"two")
        .await;
    bench.fetch().await.expect("it is fetched");
    assert!(!proof.exists());
    // A tree with an entry that would be written outside of every checkout.
    let blob = bench
        .host
        .git("acme/tools", &["hash-object", "-w", "--stdin"], Some(b"x"))
        .await;
    let mut tree = b"100644 ..\0".to_vec();
    tree.extend(hex::decode(blob.trim()).expect("an id"));
    let tree = bench
        .host
        .git(
            "acme/tools",
            &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
            Some(&tree),
        )
        .await;
    let commit = format!(
        "tree {}\nauthor Ann <ann@example.com> 1 +0000\ncommitter Ann <ann@example.com> 1 +0000\n\nx\n",
        tree.trim()
    );
    let commit = bench
        .host
        .git(
            "acme/tools",
            &["hash-object", "-w", "-t", "commit", "--stdin"],
            Some(commit.as_bytes()),
        )
        .await;
    bench
        .host
        .git(
            "acme/tools",
            &["update-ref", "refs/heads/evil", commit.trim()],
            None,
        )
        .await;
    let fault = bench.fetch().await.expect_err("it is refused");
    assert_eq!(fault.code, FaultCode::GitFailed, "{fault}");
    assert!(fault.detail.contains("hasDotdot"), "{fault}");
}
