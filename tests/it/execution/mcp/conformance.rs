//! The protocol's own conformance suite, in the current revision and the one before it, against fixtures on the
//! transport and behind the guard of agents' servers. `expected-failures-<revision>.yaml` lists what is not served,
//! with reasons. An entry there that passes is a failure, too.

use std::path::PathBuf;
use std::process::Stdio;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn_with_state, map_request};
use http::{HeaderValue, header};
use roost_execution::tools::Profile;
use roost_execution::tools::mcp::guard;
use roost_tests::Gateway;

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

async fn judged(revision: &str) {
    let Some((suite, node)) = suite() else { return };
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    // The suite asks more often than one agent may, and knows no bearer: a token an agent for each of its requests in turn.
    let mut tokens = Vec::new();
    for _ in 0..8 {
        let (_, token) = agent_with_token(gateway.owner().await).await;
        tokens.push(HeaderValue::from_str(&format!("Bearer {token}")).expect("a header"));
    }
    let (mcp, _) = mcp(&gateway, Profile::Toolfree);
    let turn = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let router = Router::new()
        .route_service("/mcp/everything", mcp.transport(|| Everything))
        .layer(from_fn_with_state(mcp, guard))
        .layer(map_request(move |mut request: Request| {
            let next = turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let token = tokens[next % tokens.len()].clone();
            request.headers_mut().insert(header::AUTHORIZATION, token);
            async move { request }
        }));
    let url = format!("{}/mcp/everything", listen(router).await);
    let expected = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/it/execution/mcp"))
        .join(format!("expected-failures-{revision}.yaml"));
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

#[tokio::test(flavor = "multi_thread")]
async fn the_current_revision_passes_the_suite_for_what_is_served() {
    judged("2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_revision_before_passes_the_suite_for_what_is_served() {
    judged("2025-11-25").await;
}
