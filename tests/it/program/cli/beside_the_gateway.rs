//! Commands beside the gateway use the present database and never create one.

use roost_tests::{Client, Gateway, Process, Store, eventually};

use super::Terminal;

#[tokio::test]
async fn where_no_database_is_every_command_refuses_names_the_place_and_makes_nothing() {
    let terminal = Terminal::new();
    let wanted = terminal.folder().join(".roost/roost.db");
    let wanted = wanted.display().to_string();
    for args in [
        &["audit", "verify"][..],
        &["backup", "saved.db"],
        &["one-time", "--email", "a@example.com", "--file", "x.txt"],
        &["operator", "grant", "a@example.com", "--file", "x.txt"],
    ] {
        let err = terminal.refused(args).await;
        for part in [wanted.as_str(), "--config", ".roost/data"] {
            assert!(err.contains(part), "{args:?} does not say {part}: {err}");
        }
        let left = std::fs::read_dir(terminal.folder()).expect("the folder");
        assert_eq!(left.count(), 0, "{args:?} made something");
    }
    let doctor = terminal.runs(&["doctor"]).await;
    assert!(!doctor.ok, "{}", doctor.out);
    assert!(doctor.out.contains(&wanted), "{}", doctor.out);
    assert!(
        doctor.out.contains("neither a roost.toml"),
        "{}",
        doctor.out
    );

    // A configuration that waits for its first start is no mistake.
    let file = terminal.folder().join("roost.toml");
    std::fs::write(file, "listen = \"127.0.0.1:0\"\n").expect("a file");
    let doctor = terminal.runs(&["doctor"]).await;
    assert!(
        doctor.out.contains("it is made at the first start") && !doctor.out.contains("neither"),
        "{}",
        doctor.out
    );
    assert!(!terminal.folder().join(".roost").exists());
}

#[tokio::test]
async fn beside_a_running_gateway_they_work_on_its_database() {
    let terminal = Terminal::new();
    let process = Process::start(terminal.folder(), &Store::Sqlite).await;
    let data = format!("data_dir={}", terminal.folder().join("data").display());
    let saved = terminal.runs(&["backup", "saved.db", "--set", &data]).await;
    assert!(
        saved.ok && saved.out.contains("rows are saved"),
        "{}",
        saved.err
    );
    let verify = ["audit", "verify", "--set", &data];
    let proof = terminal.runs(&verify).await;
    assert!(proof.ok && proof.out.contains("intact"), "{}", proof.err);
    assert!(proof.out.contains("sign in with"), "{}", proof.out);
    // The proof says whether this is the log of the running gateway.
    let token = process.owner_token().await;
    let login = ["login", "--url", &process.url(), "--token-stdin"];
    assert!(terminal.types(&login, &token).await.ok);
    eventually("the sign-in has its link", async || {
        let proof = terminal.runs(&verify).await;
        let is_its_log = format!("It is the log of the gateway at {}", process.url());
        (proof.ok && proof.out.contains(&is_its_log)).then_some(())
    })
    .await;
    let again = terminal.runs(&["backup", "again.db", "--set", &data]).await;
    let is_its = format!("It is the database of the gateway at {}", process.url());
    assert!(again.ok && again.out.contains(&is_its), "{}", again.out);
    let copy = terminal.folder().join("copy");
    let copy = format!("data_dir={}", copy.display());
    let restored = ["restore", "saved.db", "--set", &copy];
    assert!(terminal.runs(&restored).await.ok);
    let owner = Client::new(&process.url()).with_token(&token);
    let agent = serde_json::json!({ "name": "Ada" });
    owner.post("/api/claws").json(&agent).expect(201).await;
    eventually("the copy is behind", async || {
        let proof = terminal.runs(&["audit", "verify", "--set", &copy]).await;
        (proof.ok && proof.out.contains("NOT the log")).then_some(())
    })
    .await;
    let stale = terminal.runs(&["backup", "stale.db", "--set", &copy]).await;
    assert!(
        stale.ok && stale.out.contains("NOT the database"),
        "{}",
        stale.out
    );
    drop(process);
    let proof = terminal.runs(&verify).await;
    assert!(
        proof.ok && proof.out.contains("Not compared"),
        "{}",
        proof.out
    );

    // A restore makes a database where none is, so it says where that was.
    let elsewhere = terminal.folder().join("elsewhere");
    let data = format!("data_dir={}", elsewhere.display());
    let restored = terminal
        .runs(&["restore", "saved.db", "--set", &data])
        .await;
    let place = elsewhere.join("roost.db").display().to_string();
    assert!(
        restored.ok && restored.out.contains(&place),
        "{}{}",
        restored.out,
        restored.err
    );
}

/// What `make run` lets a gateway ask on its own machine, as its script says it.
fn allowed_by_make_run() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/run.sh");
    let script = std::fs::read_to_string(script).expect("the script");
    let key = "--set 'outbound.allow_private=";
    let (_, rest) = script.split_once(key).expect("the script sets it");
    let (value, _) = rest.split_once('\'').expect("it is quoted");
    value.to_owned()
}

#[tokio::test]
async fn a_model_on_this_machine_is_taken_as_make_run_sets_it_up_and_else_refused_with_the_key_to_set()
 {
    let ollama = serde_json::json!({ "provider": "ollama", "model": "tiny" });
    let strict = Gateway::start().await;
    let owner = strict.owner().await;
    let refused = owner.post("/api/models").json(&ollama);
    let refused = refused.refused(400, "validation").await;
    for part in ["127.0.0.1", "outbound.allow_private", "roost.toml"] {
        assert!(refused.text.contains(part), "{part}: {}", refused.text);
    }
    strict.stop().await;

    let allowed = allowed_by_make_run();
    let terminal = Terminal::new();
    let set = [("outbound.allow_private", allowed.as_str())];
    let process = Process::start_with(terminal.folder(), &Store::Sqlite, &set).await;
    let owner = process.owner().await;
    owner.post("/api/models").json(&ollama).expect(201).await;
    let named = serde_json::json!({ "provider": "ollama", "model": "named", "base_url": "http://localhost:11434/v1" });
    owner.post("/api/models").json(&named).expect(201).await;
}
