//! The command line's session: its token, its name in the list, and its end by a new password.

use std::path::{Path, PathBuf};

use roost_tests::{Client, Gateway, Process, Store};
use serde_json::{Value, json};

use super::{Said, Terminal};

const PASSWORD: &str = "a long password of mine";

#[tokio::test]
async fn a_token_on_stdin_signs_in_when_the_gateway_knows_it_and_is_not_kept_otherwise() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let made = owner
        .post("/api/auth/sessions")
        .json(&json!({ "label": "desk" }));
    let token = made.expect(201).await.str("/token").to_owned();
    let terminal = Terminal::new();
    let url = gateway.url();
    let login = ["login", "--url", &url, "--token-stdin"];
    for (wrong, says) in [
        ("", "holds no token"),
        ("two words", "holds no token"),
        ("rat_unknown", "unauthenticated"),
    ] {
        let said = terminal.types(&login, wrong).await;
        assert!(!said.ok && said.err.contains(says), "{wrong}: {}", said.err);
    }
    assert!(!terminal.folder().join("client.toml").exists());

    let said = terminal.types(&login, &format!("{token}\n")).await;
    assert!(said.ok && !said.out.contains(&token), "{}", said.err);
    let who = terminal.runs(&["whoami", "--json"]).await;
    let who: Value = serde_json::from_str(&who.out).expect("JSON");
    assert_eq!(who["user"]["email"], owner.email.as_str());
    gateway.stop().await;
}

#[tokio::test]
async fn the_session_of_a_terminal_names_the_program_and_its_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let process = Process::start(folder.path(), &Store::Sqlite).await;
    let terminal = Terminal::new();
    let file = folder.path().join("data/first-login");
    let file = file.display().to_string();
    let login = ["login", "--url", &process.url(), "--one-time-file", &file];
    let said = terminal.runs(&login).await;
    assert!(said.ok, "{}", said.err);
    let kept = std::fs::read_to_string(terminal.folder().join("client.toml"));
    let kept: Value = toml::from_str(&kept.expect("the client file")).expect("TOML");
    let token = kept["token"].as_str().expect("a token");
    let me = Client::new(&process.url()).with_token(token);
    let sessions = me.get("/api/auth/sessions").expect(200).await;
    let device = sessions.str("/items/0/device");
    assert!(
        device.starts_with("roost/") && device.contains(" (") && device.ends_with(')'),
        "{device}"
    );
}

/// The session of `make run`, by its script, in the folder of a gateway that runs.
async fn session_of_make_run(terminal: &Terminal, state: &Path) -> Said {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/run.sh");
    let bin = std::path::absolute(roost_tests::bin_dir()).expect("a path");
    let mut command = terminal.command(&script);
    command
        .arg("session")
        .env("ROOST_STATE", state)
        .env("ROOST_CACHE", state.join("cache"))
        .env("ROOST_BIN_DIR", bin)
        .stdin(std::process::Stdio::null());
    command.output().await.expect("bash is there").into()
}

#[tokio::test]
async fn make_run_gets_a_session_after_any_change_of_the_owners_password() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(folder.path(), &Store::Sqlite).await;
    let terminal = Terminal::new();
    // As `.roost` of a clone, with the data of this gateway in it.
    let state = folder.path().join("state");
    let run = state.join("run");
    std::fs::create_dir_all(&run).expect("a folder");
    std::os::unix::fs::symlink(folder.path().join("data"), state.join("data")).expect("a link");
    let before = session_of_make_run(&terminal, &state).await;
    assert!(
        !before.ok && before.err.contains("Roost does not run"),
        "{}",
        before.err
    );
    note_process(&state, &process);

    // The person signs in and chooses a password, which uses the first login up and ends other sessions.
    let owner = process.owner().await;
    let password = json!({ "new": PASSWORD });
    let set = owner.post("/api/auth/password").json(&password);
    set.expect(204).await;

    let client = state.join("client.toml");
    let whoami = async || {
        let program = std::path::absolute(roost_tests::bin_dir().join("roost")).expect("a path");
        let mut command = terminal.command(&program);
        command.env("ROOST_CLIENT_CONFIG", &client);
        let output = command.args(["whoami", "--json"]).output().await;
        Said::from(output.expect("it runs"))
    };
    let made = session_of_make_run(&terminal, &state).await;
    assert!(made.ok, "{}", made.err);
    assert!(whoami().await.ok);
    let token = std::fs::read_to_string(&client).expect("the client file");

    // Another password leaves the token; one that was revoked is made anew.
    let password = json!({ "current": PASSWORD, "new": "another long password" });
    let set = owner.post("/api/auth/password").json(&password);
    set.expect(204).await;
    assert!(session_of_make_run(&terminal, &state).await.ok);
    assert_eq!(std::fs::read_to_string(&client).expect("it stays"), token);
    let sessions = owner.get("/api/auth/sessions").expect(200).await;
    let sessions = sessions.body["items"].as_array().expect("a list").clone();
    let of_run: Vec<&Value> = sessions
        .iter()
        .filter(|one| {
            one["label"]
                .as_str()
                .is_some_and(|label| label.starts_with("make run on "))
        })
        .collect();
    assert_eq!((sessions.len(), of_run.len()), (2, 1), "{sessions:?}");
    let path = format!(
        "/api/auth/sessions/{}",
        of_run[0]["id"].as_str().expect("an id")
    );
    owner.delete(&path).expect(204).await;
    assert!(!whoami().await.ok);
    let again = session_of_make_run(&terminal, &state).await;
    assert!(again.ok && whoami().await.ok, "{}", again.err);
    let left: Vec<_> = std::fs::read_dir(&run)
        .expect("the folder")
        .flatten()
        .collect();
    assert_eq!(left.len(), 2, "no login and no session is left: {left:?}");
    process.terminate().await;
}

/// What the README says, in its order: `make run`, set-up with another address, `make demo`, a restart, `make demo` again.
#[tokio::test]
async fn make_run_gets_a_session_after_a_set_up_with_another_address_and_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let operators = ("operators", r#"["owner@roost.localhost"]"#);
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &[operators]).await;
    let terminal = Terminal::new();
    let state = clone_of(folder.path(), &process);
    let anonymous = Client::new(&process.url());
    let new = json!({ "one_time": process.first_login(), "name": "Ada", "email": "ada@example.test", "password": PASSWORD });
    let owner = anonymous.post("/api/setup").json(&new).expect(200).await;
    let me = anonymous.with_token(owner.str("/token"));
    let me = me.get("/api/auth/me").expect(200).await;
    assert_eq!(me.body["operator"], true, "{me:?}");

    let client = state.join("client.toml");
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let made = session_of_make_run(&terminal, &state).await;
        assert!(made.ok, "{}", made.err);
        let kept = std::fs::read_to_string(&client).expect("the client file");
        let kept: Value = toml::from_str(&kept).expect("TOML");
        let program = anonymous.with_token(kept["token"].as_str().expect("a token"));
        let me = program.get("/api/auth/me").expect(200).await;
        assert_eq!(me.str("/user/email"), "ada@example.test");
        program.get("/api/ops/plans").expect(200).await;
        sessions.push(kept["token"].clone());
        process.terminate().await;
        process.again().await;
        note_process(&state, &process);
    }
    assert_eq!(sessions[0], sessions[1], "the token outlives the restart");
    // A lost session is made anew, by the Owner's new address.
    std::fs::remove_file(&client).expect("it is there");
    let again = session_of_make_run(&terminal, &state).await;
    assert!(again.ok, "{}", again.err);
    assert!(!folder.path().join("data/first-login").exists());
    process.terminate().await;
}

/// A folder as `.roost` of a clone, with the data of this gateway in it.
fn clone_of(folder: &Path, process: &Process) -> PathBuf {
    let state = folder.join("state");
    std::fs::create_dir_all(state.join("run")).expect("a folder");
    std::os::unix::fs::symlink(folder.join("data"), state.join("data")).expect("a link");
    note_process(&state, process);
    state
}

/// Notes where the gateway is and which process it is, as `make run` does.
fn note_process(state: &Path, process: &Process) {
    let run = state.join("run");
    std::fs::write(run.join("url"), process.url()).expect("a file");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).expect("it lives");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in brackets");
    let began = fields.split(' ').nth(19).expect("when it began");
    let pid = format!("{} {began}\n", process.id());
    std::fs::write(run.join("gateway.pid"), pid).expect("a file");
}
