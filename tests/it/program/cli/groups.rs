//! The groups of the command line that stand for pages of settings: members, models, skills, the placement; and the world.

use roost_tests::broker::BrokerProcess;
use roost_tests::model_server::ModelServer;
use roost_tests::{Gateway, eventually};
use serde_json::json;

use super::Terminal;
use crate::execution::runs::windows::piece;

#[tokio::test]
async fn person_is_invited_gets_another_role_and_is_removed_from_a_terminal() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let made = terminal
        .runs(&["member", "invite", "--role", "member"])
        .await;
    assert!(made.ok && made.out.starts_with("http"), "{}", made.err);
    assert!(made.err.contains("works once"), "{}", made.err);
    let link = made.out.trim();
    let token = link.rsplit('#').next().expect("a secret");
    let open = terminal.runs(&["member", "invitations"]).await;
    assert!(open.out.contains("member"), "{}", open.out);

    let anonymous = roost_tests::Client::new(&gateway.url());
    let accept = json!({ "token": token, "email": "bea@example.com", "name": "Bea", "password": "a long passphrase of Bea" });
    let accepted = anonymous.post("/api/invitations/accept").json(&accept);
    accepted.expect(200).await;
    let role = ["member", "role", "bea@example.com", "viewer"];
    let changed = terminal.runs(&role).await;
    assert_eq!(changed.out, "Bea is viewer now.\n", "{}", changed.err);
    let listed = terminal.runs(&["member", "list"]).await;
    assert!(listed.out.contains("(you)"), "{}", listed.out);
    let row = listed.out.lines().find(|line| line.contains("Bea"));
    let row = row.expect("her row");
    assert!(row.contains("viewer"), "{row}");
    // The end of an id, as the list shows it.
    let id = row.rsplit(' ').next().expect("an id");
    let removed = terminal.runs(&["member", "remove", id]).await;
    assert!(removed.ok, "{}", removed.err);
    let listed = terminal.runs(&["member", "list"]).await;
    assert!(!listed.out.contains("Bea"), "{}", listed.out);
    let err = terminal.refused(&["member", "role", "Bea", "admin"]).await;
    assert!(err.contains("see `roost member list`"), "{err}");
    gateway.stop().await;
}

#[tokio::test]
async fn model_is_added_tried_and_removed_from_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let broker = BrokerProcess::start(folder.path()).await;
    let socket = broker.client.socket().display().to_string();
    let set = [
        ("broker.socket", socket.as_str()),
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let answer = piece(json!({ "content": "I am here." }), "stop");
    let server = ModelServer::that(move |_| answer.clone()).await;
    let url = format!("http://{}/v1", server.address);
    let err = terminal
        .refused(&["model", "add", "openai", "tiny", "--key-stdin"])
        .await;
    assert!(err.contains("there was no key on stdin"), "{err}");
    let add = ["model", "add", "ollama", "tiny", "--base-url", &url];
    let price = ["--price", "3,15", "--context", "8000", "--default"];
    let added = terminal.runs(&[&add[..], &price[..]].concat()).await;
    assert!(added.ok, "{}", added.err);
    let listed = terminal.runs(&["model", "list"]).await;
    for part in ["(default)", "$3.00 / $15.00", "8000", &url] {
        assert!(listed.out.contains(part), "{part}: {}", listed.out);
    }
    let tried = terminal.runs(&["model", "try", "tiny"]).await;
    assert!(tried.out.starts_with("I am here. ("), "{}", tried.err);
    let nowhere = format!("http://127.0.0.1:{}/v1", roost_tests::free_port());
    let add = ["model", "add", "ollama", "away", "--base-url", &nowhere];
    assert!(terminal.runs(&add).await.ok);
    let err = terminal.refused(&["model", "try", "away"]).await;
    assert!(err.contains("did not answer"), "{err}");
    assert!(terminal.runs(&["model", "rm", "tiny"]).await.ok);
    let err = terminal.refused(&["model", "try", "tiny"]).await;
    assert!(err.contains("no model is called \"tiny\""), "{err}");
    gateway.stop().await;
}

#[tokio::test]
async fn skills_the_placement_and_the_world_are_read_in_a_terminal() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let empty = terminal.runs(&["world"]).await;
    assert!(empty.out.contains("roost team create"), "{}", empty.err);
    let new = json!({ "name": "Ledger", "topology": "single", "roles": [{ "slot": "writer", "name": "Ada" }], "model_binding": "scripted" });
    owner.post("/api/teams").json(&new).expect(201).await;
    let world = terminal.runs(&["world"]).await;
    let lines: Vec<&str> = world.out.lines().collect();
    assert_eq!(lines, ["team    Ledger", "└ agent   Ada"], "{}", world.err);

    let skills = terminal.runs(&["skill", "list"]).await;
    assert!(skills.out.contains("stating-uncertainty"), "{}", skills.err);
    let one = terminal
        .runs(&["skill", "show", "stating-uncertainty"])
        .await;
    assert!(one.out.lines().count() > 4, "{}", one.out);
    let set = ["skill", "set", "stating-uncertainty", "No."];
    let err = terminal.refused(&set).await;
    assert!(!err.is_empty(), "a skill of Roost is not changed");
    let placed = terminal.runs(&["placement"]).await;
    assert!(placed.out.contains("gateway's own host"), "{}", placed.err);
    let err = terminal.refused(&["placement", "nowhere"]).await;
    assert!(err.contains("roost node list"), "{err}");
    gateway.stop().await;
}

#[tokio::test]
async fn skill_is_created_and_token_revoked_by_name() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let new = ["skill", "create", "our-way", "--title", "Ours"];
    let rest = ["--when", "Before a release", "--tag", "own", "# Ours"];
    let made = terminal.runs(&[&new[..], &rest[..]].concat()).await;
    assert_eq!(made.out.trim(), "Created our-way.", "{}", made.err);
    let shown = terminal.runs(&["skill", "show", "our-way"]).await;
    assert!(shown.out.contains("Before a release"), "{}", shown.out);

    terminal.runs(&["token", "create", "nightly"]).await;
    let tokens = terminal.runs(&["token", "list"]).await;
    let line = tokens.out.lines().find(|line| line.contains("nightly"));
    let id = line.and_then(|line| line.split_whitespace().last());
    assert_eq!(
        id.map(str::len),
        Some(8),
        "the end of the id: {}",
        tokens.out
    );
    let revoked = terminal.runs(&["token", "revoke", "nightly"]).await;
    assert_eq!(revoked.out.trim(), "Revoked.", "{}", revoked.err);
    let err = terminal.refused(&["token", "revoke", "nightly"]).await;
    assert!(err.contains("no token is called"), "{err}");
    gateway.stop().await;
}

#[tokio::test]
async fn run_is_found_by_the_end_of_its_id_and_its_time_is_a_distance() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let new = json!({ "name": "Ledger", "topology": "single", "roles": [{ "slot": "writer" }], "model_binding": "scripted" });
    owner.post("/api/teams").json(&new).expect(201).await;
    let run = terminal
        .runs(&["team", "run", "Ledger", "Say something.", "--detach"])
        .await;
    let run = run.out.trim().to_owned();
    let listed = terminal.runs(&["run", "list"]).await;
    let row = listed.out.lines().nth(1).expect("the run");
    let short = row.rsplit(' ').next().expect("an id");
    assert_eq!(short.len(), 8, "{row}");
    assert!(run.ends_with(short), "{row}");
    assert!(row.starts_with("now") || row.contains(" ago"), "{row}");
    eventually("the run is over", async || {
        let shown = terminal.runs(&["run", "show", short]).await;
        shown.out.contains("completed").then_some(())
    })
    .await;
    let err = terminal.refused(&["run", "show", "00000000"]).await;
    assert!(err.contains("roost run list --all"), "{err}");
    gateway.stop().await;
}
