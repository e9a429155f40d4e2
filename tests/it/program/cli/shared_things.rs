//! Templates, connections and plans from a terminal, and lists that are watched.

use std::process::Stdio;
use std::time::Duration;

use roost_tests::Gateway;
use roost_tests::bin_dir;
use roost_tests::broker::BrokerProcess;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};

use super::Terminal;

/// A longer time means a fault.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn template_is_copied_kept_in_a_file_changed_and_deleted_from_a_terminal() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let copy = ["template", "copy", "rust_sdlc", "our_rust"];
    let copied = terminal
        .runs(&[&copy[..], &["--name", "Ours"]].concat())
        .await;
    assert_eq!(
        copied.out, "Ours (our_rust) has version 1 now.\n",
        "{}",
        copied.err
    );
    let listed = terminal.runs(&["template", "list"]).await;
    let of = |key: &str| {
        let row = listed.out.lines().find(|line| line.starts_with(key));
        row.unwrap_or_default().to_owned()
    };
    assert!(of("our_rust").contains("workspace"), "{}", listed.out);
    assert!(of("rust_sdlc").contains("Roost"), "{}", listed.out);
    let shown = terminal.runs(&["template", "show", "our_rust"]).await;
    for part in ["Ours (our_rust)", "coder", "ROLE"] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }

    let exported = terminal.runs(&["template", "export", "our_rust"]).await;
    let changed = exported.out.replace("\"Ours\"", "\"Theirs\"");
    assert_ne!(changed, exported.out, "{}", exported.err);
    let import = ["template", "import", "our_rust", "-"];
    let imported = terminal.types(&import, &changed).await;
    assert_eq!(
        imported.out, "Theirs (our_rust) has version 2 now.\n",
        "{}",
        imported.err
    );
    let import = ["template", "import", "another", "-"];
    let imported = terminal.types(&import, &changed).await;
    assert_eq!(
        imported.out, "Theirs (another) has version 1 now.\n",
        "{}",
        imported.err
    );
    let again = terminal.runs(&["template", "export", "another"]).await;
    assert_eq!(again.out, changed, "what came in goes out");
    let import = ["template", "import", "rust_sdlc", "-"];
    let refused = terminal.types(&import, &changed).await;
    assert!(refused.err.contains("our_rust_sdlc"), "{}", refused.err);
    let damaged = terminal
        .types(&["template", "import", "x", "-"], "{}")
        .await;
    assert!(
        damaged.err.contains("roost template export"),
        "{}",
        damaged.err
    );
    let upgraded = terminal.runs(&["template", "upgrade", "our_rust"]).await;
    assert!(
        upgraded.out.contains("have version 2 already"),
        "{}",
        upgraded.out
    );
    for key in ["our_rust", "another"] {
        assert!(terminal.runs(&["template", "rm", key]).await.ok);
    }
    let err = terminal.refused(&["template", "show", "our_rust"]).await;
    assert!(err.contains("roost template list"), "{err}");
    gateway.stop().await;
}

#[tokio::test]
async fn operator_lists_and_changes_plans_from_a_terminal() {
    let set = [("operators", "[\"owner@roost.localhost\"]")];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let listed = terminal.runs(&["plan", "list"]).await;
    assert!(
        listed.out.contains("new workspaces"),
        "{} {}",
        listed.out,
        listed.err
    );
    let name = listed
        .out
        .lines()
        .nth(1)
        .and_then(|row| row.split(' ').next());
    let name = name.expect("a plan").to_owned();
    let err = terminal.refused(&["plan", "set", &name]).await;
    assert!(err.contains("--agents"), "{err}");
    let set = ["plan", "set", &name, "--agents", "77"];
    let changed = terminal.runs(&set).await;
    assert!(changed.out.contains("allows 77 agents"), "{}", changed.err);
    let listed = terminal.runs(&["plan", "list"]).await;
    assert!(listed.out.contains("77"), "{}", listed.out);
    let err = terminal
        .refused(&["plan", "set", "gold", "--agents", "1"])
        .await;
    assert!(err.contains("roost plan list"), "{err}");
    gateway.stop().await;
}

#[tokio::test]
async fn agent_is_connected_to_an_app_and_disconnected_from_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = BrokerProcess::start(folder.path()).await;
    let socket = broker.client.socket().display().to_string();
    let gateway = Gateway::start_with(&[("broker.socket", socket.as_str())]).await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    assert!(terminal.runs(&["agent", "create", "Ada"]).await.ok);
    let options = terminal.runs(&["connection", "options"]).await;
    let first = options.out.lines().next().unwrap_or_default();
    let provider = first
        .trim_start_matches("With a token: ")
        .split(", ")
        .next();
    let provider = provider.expect("an app").to_owned();
    let add = ["connection", "add", "Ada", &provider];
    assert!(first.ends_with("webhook"), "{first}");
    let err = terminal.types(&add, "").await.err;
    assert!(err.contains("there was no token on stdin"), "{err}");
    let added = terminal.types(&add, "a-secret-of-the-app\n").await;
    assert!(added.out.contains("Connected to"), "{}", added.err);
    let listed = terminal
        .runs(&["connection", "list", "--agent", "Ada"])
        .await;
    assert!(
        listed.out.contains("Ada") && listed.out.contains(&provider),
        "{}",
        listed.out
    );
    assert!(!listed.out.contains("a-secret"), "{}", listed.out);
    let row = listed.out.lines().nth(1).expect("its row");
    let id = row.rsplit(' ').next().expect("an id");
    assert!(terminal.runs(&["connection", "rm", id]).await.ok);
    let listed = terminal.runs(&["connection", "list"]).await;
    assert_eq!(listed.out.lines().count(), 1, "{}", listed.out);
    // Without an issuer in the settings, the refusal says what is missing.
    let err = terminal
        .refused(&["connection", "sign-in", "Ada", "notes"])
        .await;
    assert!(!err.is_empty());
    gateway.stop().await;
}

#[tokio::test]
async fn watched_list_shows_what_is_made_while_it_is_watched() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let program = std::path::absolute(bin_dir().join("roost")).expect("a path");
    let mut child = terminal
        .command(&program)
        .args(["team", "list", "--watch", "--json"])
        .stdin(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let first = lines.next_line().await.expect("a pipe");
    assert_eq!(first.as_deref(), Some("[]"), "an empty list at once");
    // The list is read after its stream is open, so what is made now is shown.
    let new = json!({ "name": "Ledger", "topology": "single", "roles": [{ "slot": "writer" }], "model_binding": "scripted" });
    owner.post("/api/teams").json(&new).expect(201).await;
    let seen = async {
        loop {
            let line = lines.next_line().await.expect("a pipe").expect("it stays");
            if line.contains("Ledger") {
                return line;
            }
        }
    };
    let seen = tokio::time::timeout(PATIENCE, seen).await;
    let seen = seen.expect("the new team is shown");
    assert!(seen.starts_with('['), "{seen}");
    child.kill().await.expect("it ends");
    gateway.stop().await;
}
