//! The protocol's own conformance suite, in the current revision and the one before it. It runs against fixtures on the
//! transport and behind the guard of agents' servers, and against each of the product's own servers.
//! `expected-failures-<revision>.yaml` lists what the fixtures do not serve, and `expected-failures-own-<revision>.yaml`
//! what the product's servers do not serve, with reasons. An entry there that passes is a failure, too.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn_with_state, map_request};
use http::{HeaderValue, header};
use roost_execution::tools::mcp::guard;
use roost_execution::tools::{Profile, router};
use roost_tests::Gateway;
use rstest::rstest;

use super::everything::Everything;
use super::{agent_with_token, listen, mcp};

/// The suite and the Node that it needs; `None` where they are not installed, which is a failure where every test must
/// run.
fn suite() -> Option<(PathBuf, PathBuf)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/node/node_modules"));
    let suite = folder.join("@modelcontextprotocol/conformance/dist/index.js");
    let node = folder.join("node/bin/node");
    let there = suite.exists() && node.exists();
    let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(
        there || !required,
        "run `deploy/setup.sh test`, which installs the packages of tests/node"
    );
    there.then_some((suite, node))
}

/// What the suite wrote down of checks that failed.
fn failures(results: &std::path::Path) -> String {
    let mut said = String::new();
    let scenarios = std::fs::read_dir(results).expect("the results");
    for scenario in scenarios.flatten() {
        let file = scenario.path().join("checks.json");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let checks: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap_or_default();
        for check in checks.iter().filter(|check| check["status"] == "FAILURE") {
            let name = scenario.file_name();
            said.push_str(&format!("{name:?}: {}\n", check["errorMessage"]));
        }
    }
    said
}

/// What the suite judges.
enum Servers {
    /// Fixtures that have everything of the protocol.
    Fixtures,
    /// One of the product's servers.
    Own(&'static str),
}

/// The address of the servers. The suite sends more requests than one agent may, and knows no bearer. So each request
/// gets the token of the next agent.
async fn served(gateway: &Gateway, servers: &Servers) -> String {
    let mut tokens = Vec::new();
    for _ in 0..8 {
        let (_, token) = agent_with_token(gateway.owner().await).await;
        tokens.push(HeaderValue::from_str(&format!("Bearer {token}")).expect("a header"));
    }
    let (router, path): (Router, _) = match servers {
        Servers::Fixtures => {
            let (mcp, _) = mcp(gateway, Profile::Toolfree);
            let router = Router::new()
                .route_service("/mcp/everything", mcp.transport(|| Everything))
                .layer(from_fn_with_state(mcp, guard));
            (router, "everything")
        }
        Servers::Own(name) => {
            let (_, state) = mcp(gateway, Profile::CodingReadwrite);
            (router().with_state(state).into(), *name)
        }
    };
    let turn = Arc::new(AtomicUsize::new(0));
    let router = router.layer(map_request(move |mut request: Request| {
        let next = turn.fetch_add(1, Ordering::Relaxed);
        let token = tokens[next % tokens.len()].clone();
        request.headers_mut().insert(header::AUTHORIZATION, token);
        async move { request }
    }));
    format!("{}/mcp/{path}", listen(router).await)
}

async fn judged(revision: &str, servers: Servers) {
    let Some((suite, node)) = suite() else { return };
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let url = served(&gateway, &servers).await;
    let own = match servers {
        Servers::Fixtures => "",
        Servers::Own(_) => "own-",
    };
    let expected = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/it/execution/mcp"))
        .join(format!("expected-failures-{own}{revision}.yaml"));
    let results = tempfile::tempdir().expect("a folder");
    let judged = tokio::process::Command::new(node)
        .arg(suite)
        .args(["server", "--url", &url, "--requirements", revision])
        .arg("--expected-failures")
        .arg(expected)
        .arg("--output-dir")
        .arg(results.path())
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the suite runs");
    assert!(
        judged.status.success(),
        "{}\n{}\n{}",
        String::from_utf8_lossy(&judged.stdout),
        String::from_utf8_lossy(&judged.stderr),
        failures(results.path())
    );
    gateway.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn fixtures_pass_the_suite(#[values("2026-07-28", "2025-11-25")] revision: &str) {
    judged(revision, Servers::Fixtures).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn own_server_passes_the_suite(
    #[values("2026-07-28", "2025-11-25")] revision: &str,
    #[values("sandbox", "repo", "skills")] server: &'static str,
) {
    judged(revision, Servers::Own(server)).await;
}
