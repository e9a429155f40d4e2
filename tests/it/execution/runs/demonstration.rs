//! The demonstration: a team with the scripted model mends the repository that its script knows. It fails honestly with
//! a repository that is broken in another way or unknown. cargo in a real sandbox decides whether the tests pass.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use roost_tests::{Answer, Gateway, Person};
use serde_json::{Value, json};

use super::{over, started};

fn image() -> String {
    std::env::var("ROOST_TEST_AGENT_IMAGE").unwrap_or_else(|_| "roost-agent:rust".to_owned())
}

/// A copy of the demonstration's repository, to be changed.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/demo/repository");
    for name in ["Cargo.toml", "Cargo.lock", ".gitignore", "README.md"] {
        std::fs::copy(from.join(name), folder.path().join(name)).expect("a file of it");
    }
    for part in ["src", "tests"] {
        std::fs::create_dir(folder.path().join(part)).expect("a folder");
        for file in std::fs::read_dir(from.join(part)).expect("its files") {
            let file: PathBuf = file.expect("a file").path();
            let name = file.file_name().expect("a name");
            std::fs::copy(&file, folder.path().join(part).join(name)).expect("a copy");
        }
    }
    folder
}

fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).expect("the file");
    assert!(
        text.contains(from),
        "{file} does not hold {from:?} any more"
    );
    std::fs::write(path, text.replace(from, to)).expect("written");
}

struct Bench<'a> {
    owner: &'a Person,
    team: Value,
    sandbox: String,
}

impl<'a> Bench<'a> {
    /// A team of the template with the repository in its sandbox.
    async fn with(owner: &'a Person, repository: &Path) -> Bench<'a> {
        let list = owner.get("/api/team-templates?limit=200").expect(200).await;
        let items = list.body["items"].as_array().cloned().unwrap_or_default();
        let template = items.iter().find(|template| template["key"] == "rust_sdlc");
        let template = template.expect("it is built in")["id"].clone();
        let team = json!({ "name": "Demo", "template_id": template, "model_binding": "scripted" });
        let team = owner.post("/api/teams").json(&team).expect(201).await.body;
        let bench = team["id"].as_str().expect("an id");
        let sandbox = format!("/api/teams/{bench}/sandbox");
        owner.post(&sandbox).json(&json!({})).expect(201).await;
        let bench = Self {
            owner,
            team,
            sandbox,
        };
        let mut tar = tar::Builder::new(Vec::new());
        tar.append_dir_all(".", repository).expect("a tar");
        let tar = STANDARD.encode(tar.into_inner().expect("a tar"));
        let seed = "base64 -d | tar x --no-same-owner && git init -q -b main && git add -A && \
                    git -c user.name=d -c user.email=d@example.invalid commit -qm found";
        let seeded = bench.exec(seed, Some(&tar)).await;
        assert_eq!(seeded["code"], 0, "{seeded}");
        bench
    }

    async fn exec(&self, script: &str, stdin: Option<&str>) -> Value {
        let mut body = json!({ "argv": ["bash", "-c", script] });
        if let Some(stdin) = stdin {
            body["stdin"] = stdin.into();
        }
        let path = format!("{}/exec?wait=true", self.sandbox);
        self.owner.post(&path).json(&body).expect(200).await.body
    }

    async fn run(&self) -> Answer {
        over(self.owner, &started(self.owner, &self.team).await).await
    }

    /// What the tests say, and how many commits there are.
    async fn verdict(&self) -> (bool, String) {
        let tests = self.exec("cargo test --offline", None).await;
        let commits = self.exec("git rev-list --count HEAD", None).await;
        let count = STANDARD.decode(commits["stdout_base64"].as_str().unwrap_or_default());
        let count = String::from_utf8(count.expect("base64")).expect("a number");
        (tests["code"] == 0, count.trim().to_owned())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_team_mends_what_its_script_knows_and_fails_honestly_otherwise() {
    let gateway = Gateway::start_with(&[("sandboxes.image", &image())]).await;
    let owner = gateway.owner().await;

    let bench = Bench::with(owner, repository().path()).await;
    let run = bench.run().await;
    assert_eq!(run.body["status"], "completed", "{run:?}");
    assert_eq!(run.body["outcome"], "accepted", "{run:?}");
    assert!(
        run.str("/result/text").contains("COMPLETED: INT-01"),
        "{run:?}"
    );
    assert!(
        run.str("/checkpoint/outputs/tester#1")
            .contains("TEST_PASS: INT-01")
    );
    assert_eq!(bench.verdict().await, (true, "2".to_owned()));
    owner.delete(&bench.sandbox).send().await;

    // Broken in a second place, of which the script knows nothing: it mends what it knows, and the tests still fail.
    let broken = repository();
    change(
        broken.path(),
        "src/format.rs",
        "text.push_str(\"0s\")",
        "text.push_str(\"never\")",
    );
    let bench = Bench::with(owner, broken.path()).await;
    let run = bench.run().await;
    assert_eq!(run.body["status"], "completed", "{run:?}");
    assert_eq!(run.body["outcome"], "rejected", "{run:?}");
    let evidence = &run.body["outcome_evidence"];
    assert_eq!(evidence["step"], "tester", "{run:?}");
    assert_eq!(evidence["marker"], "TEST_FAIL: INT-01", "{run:?}");
    assert!(
        run.str("/checkpoint/outputs/tester#1")
            .contains("TEST_FAIL: INT-01"),
        "{run:?}"
    );
    // The template sends the work back to the coder once.
    assert!(
        run.str("/checkpoint/outputs/tester#2")
            .contains("TEST_FAIL: INT-01"),
        "{run:?}"
    );
    assert!(
        run.str("/result/text").contains("I commit nothing"),
        "{run:?}"
    );
    assert_eq!(bench.verdict().await, (false, "1".to_owned()));
    owner.delete(&bench.sandbox).send().await;

    // Another repository.
    let other = repository();
    std::fs::write(
        other.path().join("src/lib.rs"),
        "//! Another crate.\n\npub fn answer() -> u32 {\n    41\n}\n",
    )
    .expect("written");
    for gone in ["src/parse.rs", "src/format.rs"] {
        std::fs::remove_file(other.path().join(gone)).expect("removed");
    }
    std::fs::write(
        other.path().join("tests/durations.rs"),
        "#[test]\nfn it_is_right() {\n    assert_eq!(durations::answer(), 42);\n}\n",
    )
    .expect("written");
    let bench = Bench::with(owner, other.path()).await;
    let run = bench.run().await;
    assert_eq!(run.body["outcome"], "rejected", "{run:?}");
    assert!(
        run.str("/checkpoint/outputs/planner#1")
            .contains("it_is_right"),
        "{run:?}"
    );
    assert!(
        run.str("/checkpoint/outputs/coder#1")
            .contains("I changed nothing"),
        "{run:?}"
    );
    assert!(
        run.str("/checkpoint/outputs/tester#1")
            .contains("TEST_FAIL: INT-01"),
        "{run:?}"
    );
    assert!(
        run.str("/checkpoint/outputs/reviewer#1")
            .contains("REVIEW_BLOCK: INT-01"),
        "{run:?}"
    );
    assert_eq!(bench.verdict().await, (false, "1".to_owned()));
    owner.delete(&bench.sandbox).send().await;
    gateway.stop().await;
}
