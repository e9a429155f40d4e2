//! The guides: every command of `deploy/guide` is run as it is printed, with a real gateway, machine and engine.

use std::path::Path;
use std::process::{Command, Stdio};

use roost_tests::{Client, Process, Store, bin_dir, free_port};
use serde_json::{Value, json};

const EMAIL: &str = "you@example.com";
const PASSWORD: &str = "a long password of mine";

/// The commands of a page, in their order.
fn commands(page: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/guide");
    let text = std::fs::read_to_string(path.join(page)).expect("the page");
    let blocks: Vec<&str> = text
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(!blocks.is_empty(), "{page} has no commands");
    blocks.concat()
}

struct Place {
    process: Process,
    folder: tempfile::TempDir,
    owner: Client,
}

/// As [`empty_place`], with an Admin who came by invitation and keeps the password in a file.
async fn place() -> Place {
    invited(empty_place().await).await
}

/// As [`place`], with an image that has git and Python.
async fn place_for_work() -> Place {
    let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
    invited(place_with(&image).await).await
}

async fn invited(place: Place) -> Place {
    let me = place.owner.get("/api/auth/me").expect(200).await;
    let invitations = format!("/api/workspaces/{}/invitations", me.str("/workspace/id"));
    let invitation = place
        .owner
        .post(&invitations)
        .json(&json!({ "role": "admin" }));
    let invitation = invitation.expect(201).await;
    let accept = json!({
        "token": invitation.str("/token"), "name": "You", "email": EMAIL, "password": PASSWORD,
    });
    let accepted = Client::new(&place.process.url())
        .post("/api/invitations/accept")
        .json(&accept);
    accepted.expect(200).await;
    place
}

/// A gateway whose folder holds `roost.toml`.
async fn empty_place() -> Place {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    place_with(&image).await
}

async fn place_with(image: &str) -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let operators = format!("127.0.0.1:{}", free_port());
    let set = [
        ("sandboxes.local", "on"),
        ("sandboxes.image", image),
        ("operator_listen", operators.as_str()),
    ];
    let process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let listen = process.url().replace("http://", "");
    let keys = format!(
        "listen = \"{listen}\"\noperator_listen = \"{operators}\"\ndata_dir = \"data\"\n[sandboxes]\nimage = \"{image}\"\n"
    );
    std::fs::write(folder.path().join("roost.toml"), keys).expect("a file");
    std::fs::write(folder.path().join("password.txt"), PASSWORD).expect("a file");
    let owner = process.owner().await;
    Place {
        process,
        folder,
        owner,
    }
}

impl Place {
    /// Runs a page's commands as somebody at a terminal would; what they said.
    async fn follow(&self, page: &str) -> String {
        let script = commands(page).replace("https://roost.example.com", &self.process.url());
        // A person goes on when the page shows the machine.
        let wait = "roostd run &\nuntil roostd status >/dev/null; do sleep 0.1; done\n";
        let script = script.replace("roostd run &\n", wait);
        // Whatever the page leaves running ends with it; a machine that leaves ends its own.
        let script = format!("trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{script}");
        let path = format!(
            "{}:{}",
            bin_dir().canonicalize().expect("the programs").display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let mut command = Command::new("bash");
        command
            .args(["-euxo", "pipefail", "-c", &script])
            .current_dir(self.folder.path())
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("ROOSTD_STATE_DIR", self.folder.path().join("node"))
            .stdin(Stdio::null());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "ROOST_CLIENT_CONFIG"] {
            command.env_remove(name);
        }
        let ended = tokio::task::spawn_blocking(move || command.output()).await;
        let output = ended.expect("it is not aborted").expect("bash is there");
        let said = format!(
            "{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            output.status.success(),
            "{page}: {said}\n{}",
            self.process.log()
        );
        said
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_of_a_machine_joins_stays_in_control_and_leaves() {
    let place = place().await;
    let paired = place
        .owner
        .post("/api/nodes/pair")
        .json(&json!({ "name": "attic" }));
    let code = paired.expect(201).await.str("/join_code").to_owned();
    std::fs::write(place.folder.path().join("code.txt"), code).expect("a file");
    let said = place.follow("machine.md").await;
    assert!(said.contains("Docker") || said.contains("Podman"), "{said}");
    // The state folder was there (`roostd status` found it), and goes with what is in it.
    let left = place.folder.path().join("node");
    assert!(!left.exists(), "{:?}", std::fs::read_dir(&left));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_signs_in_runs_commands_and_cleans_up() {
    let place = place().await;
    let said = place.follow("team.md").await;
    assert!(
        said.contains("\nfrom outside\n") && said.contains("\nkept\n"),
        "{said}"
    );
    // The run, and its two forks. The image has no git, so the tester of the script rejects all three.
    let rejected = said.matches("\ncompleted, rejected: 2 steps, ");
    assert_eq!(rejected.count(), 3, "{said}");
    assert!(said.contains("tools       skills, sandbox, repo"), "{said}");
    let exported = std::fs::read_to_string(place.folder.path().join("run.json"));
    let exported: Value = serde_json::from_str(&exported.expect("it was written")).expect("JSON");
    assert_eq!(exported["status"], "completed", "{exported}");
    assert_eq!(exported["outcome"], "rejected", "{exported}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_has_a_first_result() {
    let said = place_for_work().await.follow("first-result.md").await;
    assert!(said.contains("completed"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_person_come_back_as_commits() {
    place_for_work().await.follow("repository.md").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_added_and_removed_in_a_terminal() {
    let said = place().await.follow("models.md").await;
    assert!(said.contains("claude-sonnet-5-5"), "{said}");
    assert!(said.contains("$2.00 / $10.00"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_looks_after_the_gateway() {
    let place = empty_place().await;
    place.follow("operator.md").await;
    let token = std::fs::read_to_string(place.folder.path().join("one-time.txt"));
    let login = json!({ "one_time": token.expect("it was written").trim() });
    let anonymous = Client::new(&place.process.url());
    anonymous
        .post("/api/auth/login")
        .json(&login)
        .expect(200)
        .await;
    assert!(place.folder.path().join("support.tar.gz").exists());
    assert!(place.folder.path().join("monday.db").exists());
}
