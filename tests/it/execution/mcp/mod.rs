//! The MCP servers: access, the served tools, and the protocol's own conformance suite.

mod access;
mod conformance;
mod everything;
mod served;

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use roost_execution::tools::mcp::{Addresses, Mcp};
use roost_execution::tools::{Authority, AuthorityOf, Bundle, Profile};
use roost_execution::tools::{ToolsContext, router};
use roost_platform::clock::SystemClock;
use roost_platform::ids::UuidV7;
use roost_tests::{Answer, Client, Gateway, Person};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The revision without sessions.
const CURRENT: &str = "2026-07-28";
/// Those that come with `initialize`.
const FORMER: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// An agent, and a token of it.
async fn agent_with_token(owner: &Person) -> (String, String) {
    let made = owner
        .post("/api/claws")
        .json(&json!({ "name": roost_tests::unique("Ada") }))
        .expect(201)
        .await;
    let agent = made.str("/id").to_owned();
    let token = owner
        .post(&format!("/api/claws/{agent}/tokens"))
        .json(&json!({ "label": "its runtime" }))
        .expect(201)
        .await;
    (agent, token.str("/token").to_owned())
}

/// The servers of this gateway's agents under another authority than their teams give them.
fn mcp(gateway: &Gateway, profile: Profile) -> (Mcp, ToolsContext) {
    let db = gateway.app().db().clone();
    let clock = SystemClock::shared();
    let ids = UuidV7::shared(clock.clone());
    let authority: AuthorityOf = Arc::new(move |_, agent| {
        Box::pin(async move {
            Ok(Authority {
                profile,
                bundles: BTreeSet::from([Bundle::Skills, Bundle::Sandbox, Bundle::Repo]),
                sandbox_of: agent.into(),
            })
        })
    });
    let mcp = Mcp::new(
        db.clone(),
        clock.clone(),
        ids.clone(),
        gateway.app().toolbox().clone(),
        authority,
        Addresses::of(None),
        CancellationToken::new(),
    );
    let state = ToolsContext {
        db,
        clock,
        ids,
        mcp: mcp.clone(),
    };
    (mcp, state)
}

/// A listener of the test's own.
async fn listen(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// The servers under a profile, where a client of the test reaches them.
async fn under(gateway: &Gateway, profile: Profile) -> Client {
    let (_, state) = mcp(gateway, profile);
    Client::new(&listen(router().with_state(state).into()).await)
}

/// A request of the current revision, which says everything with itself.
fn request(method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = CURRENT.into();
    params["_meta"]["io.modelcontextprotocol/clientInfo"] =
        json!({ "name": "test", "version": "1" });
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// Sends a request of the current revision.
fn send(client: &Client, path: &str, method: &str, params: Value) -> roost_tests::Request {
    let name = params["name"].as_str().map(str::to_owned);
    let request = client
        .post(path)
        .json(&request(method, params))
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", CURRENT)
        .header("mcp-method", method);
    match name {
        Some(name) => request.header("mcp-name", &name),
        None => request,
    }
}

/// Calls a tool and gives its text.
async fn call(client: &Client, path: &str, tool: &str, arguments: Value) -> Answer {
    send(
        client,
        path,
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
    )
    .send()
    .await
}
