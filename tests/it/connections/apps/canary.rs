//! Pasted tokens and webhook secrets go into the broker, and doors use them at a remote that echoes them in every
//! encoding. Then the test searches everything except the broker's own memory for them.

use std::path::Path;

use axum::Router;
use axum::extract::Request as Asked;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use roost_secret_broker::client::Client as Broker;
use roost_secret_broker::wire::Request as Verb;
use roost_tests::{
    Client, Process, Store, Stream, around_in_memory, encodings_of, eventually, in_memory,
};
use serde_json::{Value, json};

use crate::connections::doors::{decide, issue, until};

/// With what has to be escaped in JSON, in URLs and in base64's own alphabet. The letters in the middle are in each form
/// together, so half of one is found as well.
const PASTED: &str = "cnry/\"+\\~Qm7f3A9c51Vx-pasted";
const HOOK: &str = "cnry/\"+\\~Lk0b2D86e0Zr-hooked";
const REFUSED: &str = "cnry Tg1e97C5d8Ws-refused";
const CORES: [&str; 3] = ["Qm7f3A9c51Vx", "Lk0b2D86e0Zr", "Tg1e97C5d8Ws"];

/// What is searched for: the middle of each, in each form that does not lean on what stands around it.
fn needles() -> Vec<(&'static str, Vec<u8>)> {
    let of = |core: &str| {
        // Of base64 the letters that do not depend on the neighbours.
        let inside = |form: &'static str, text: String| match form {
            "base64 after one byte" | "base64 after two bytes" | "base64 as a header" => {
                (form, text.as_bytes()[4..text.len() - 6].to_vec())
            }
            _ => (form, text.trim_end_matches('=').as_bytes().to_vec()),
        };
        let forms = encodings_of(core).into_iter();
        forms
            .map(move |(form, text)| inside(form, text))
            .collect::<Vec<_>>()
    };
    let mut all: Vec<_> = CORES.iter().flat_map(|core| of(core)).collect();
    // Letters and digits look alike in many forms.
    let mut seen = std::collections::HashSet::new();
    all.retain(|(_, needle): &(_, Vec<u8>)| seen.insert(needle.clone()));
    all
}

/// Echoes the credential in its body, its headers, and as what the doors show of an answer.
async fn echo(asked: Asked) -> Response {
    let seen = asked.headers()["authorization"].to_str().expect("text");
    let secret = seen.trim_start_matches("Bearer ");
    // Those with escapes of their own stand as they are in the text of JSON, the others are escaped for it.
    let mut all = Vec::new();
    for (form, text) in encodings_of(secret) {
        let quoted = Value::from(text.as_str()).to_string();
        match form.starts_with("JSON") {
            true => all.push(text),
            false => all.push(quoted[1..quoted.len() - 1].to_owned()),
        }
    }
    let all = all.join(" ");
    // An error in an error.
    let cause = Value::from(json!({ "message": secret }).to_string());
    let status = match asked.uri().path() {
        "/hook" => StatusCode::OK,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let body = format!(
        "{{\"message\":\"{all}\",\"html_url\":\"https://app.example/{all}\",\"cause\":{cause}}}"
    );
    let headers = [("content-type", "application/json"), ("x-echo", secret)];
    (status, headers, body).into_response()
}

fn search_files(folder: &Path, needles: &[(&str, Vec<u8>)], seen: &mut usize) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            search_files(&path, needles, seen);
        } else if path.is_file() {
            *seen += 1;
            let bytes = std::fs::read(&path).expect("a file");
            is_clean(&bytes, needles, &path.display().to_string());
        }
    }
}

fn is_clean(bytes: &[u8], needles: &[(&str, Vec<u8>)], place: &str) {
    for (form, needle) in needles {
        let found = bytes.windows(needle.len()).any(|window| window == needle);
        assert!(!found, "{form} in {place}");
    }
}

#[tokio::test]
async fn pasted_secret_is_only_in_the_broker() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let remote = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(echo)).await });
    let folder = tempfile::tempdir().unwrap();
    let api = format!("http://{remote}/api");
    let set = [
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
        ("oauth.apis.github", api.as_str()),
        ("log.filter", "trace"),
    ];
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let broker = folder.path().join("data/broker/run/broker.sock");
    let broker = Broker::new(broker, "roost-tests");
    eventually("the broker answers", || async {
        broker.call(&Verb::Status).await.ok().map(drop)
    })
    .await;
    let token = process.owner_token().await;
    let owner = Client::new(&process.url()).with_token(&token);
    let agent = super::agent_of(&owner).await;
    let mut stream = Stream::open(owner.get("/api/events")).await;

    // Each comes by a connection that its client would keep open and never uses again.
    let mut shown = String::new();
    let mut kept = Vec::new();
    let url = format!("http://{remote}/hook");
    for (status, key, body) in [
        (
            400,
            "",
            json!({ "clawId": agent, "provider": "github", "secret": REFUSED }),
        ),
        (
            409,
            "",
            json!({ "clawId": agent, "provider": "unheard-of", "secret": PASTED }),
        ),
        (
            201,
            "once",
            json!({ "clawId": agent, "provider": "github", "secret": PASTED }),
        ),
        (
            201,
            "",
            json!({ "clawId": agent, "provider": "webhook", "secret": HOOK, "url": url }),
        ),
    ] {
        let one = Client::new(&process.url()).with_token(&token);
        let mut request = one.post("/api/apps/connections").json(&body);
        if !key.is_empty() {
            request = request.header("idempotency-key", key);
        }
        let answer = request.expect(status).await;
        assert_eq!(answer.header("connection"), "close", "its buffer goes");
        shown += &answer.text;
        kept.push(one);
    }
    for (action, params, end) in [
        ("github.issues.create", issue(), "failed"),
        ("webhook.event.send", json!({ "event": "x" }), "performed"),
    ] {
        let wish = json!({ "agent_id": agent, "action": action, "params": params });
        let asked = owner.post("/api/doors").json(&wish).expect(201).await;
        decide(&owner, asked.str("/id"), "approve").await;
        let done = until(&owner, asked.str("/id"), end).await;
        shown += &done.to_string();
        assert_ne!(done["result"], Value::Null);
    }
    assert!(
        shown.contains("****"),
        "it was echoed, and taken out: {shown}"
    );

    let all = needles();
    let places: Vec<&[u8]> = all.iter().map(|(_, needle)| needle.as_slice()).collect();
    let there = folder.path().to_str().unwrap().as_bytes();
    assert!(
        in_memory(process.id(), &[there])[0] > 0,
        "the search finds what is there"
    );
    // An answer is sent a moment before its connection is gone.
    eventually("the gateway forgets", || async {
        let counts = in_memory(process.id(), &places);
        let found: Vec<_> = all
            .iter()
            .zip(&counts)
            .filter(|(_, count)| **count > 0)
            .collect();
        for ((form, needle), count) in &found {
            eprintln!("{count} times {form}: {}", String::from_utf8_lossy(needle));
            for place in around_in_memory(process.id(), needle) {
                eprintln!("  at {place}");
            }
        }
        found.is_empty().then_some(())
    })
    .await;

    drop(kept);
    // The search took so long that the gateway hung up.
    let owner = Client::new(&process.url()).with_token(&token);
    for path in ["/api/apps/connections", "/api/doors", "/api/audit"] {
        shown += &owner.get(path).expect(200).await.text;
    }
    for event in stream.take(6).await {
        shown += &format!("{event:?}");
    }
    is_clean(shown.as_bytes(), &all, "an answer");
    process.terminate().await;
    // The gateway's database and log, the broker's records, audit log and key.
    let mut seen = 0;
    search_files(folder.path(), &all, &mut seen);
    assert!(
        seen >= 6,
        "database, log, records, audit, key: {seen} files"
    );
}
