//! Phases without teams with the real programs of the images that Roost builds: hyperfine, pytest-benchmark and Go's
//! benchmarks, bandit and semgrep with the rules of Roost.

use roost_tests::Person;
use serde_json::{Value, json};

use super::probes::{artifact, card, coders, content};
use super::{becomes, created, launched};
use crate::connections::checkouts::Bench;

/// An agent that makes `a.txt` shorter: each benchmark below does less then.
const SHORTENS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I make it faster."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/a.txt", content = "4" } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Faster" } },
  ]
  [[scene.turn]]
  say = "Done."
"#;

const PYTHON: &str = "import time\n\ndef wait():\n    time.sleep(int(open('a.txt').read()) / 1000)\n\n\
    def test_wait(benchmark):\n    benchmark.pedantic(wait, rounds=3)\n";

const GO: &str = "package tools\n\nimport (\n\t\"os\"\n\t\"strconv\"\n\t\"testing\"\n\t\"time\"\n)\n\n\
    func BenchmarkWait(b *testing.B) {\n\ttext, _ := os.ReadFile(\"a.txt\")\n\tn, _ := strconv.Atoi(string(text))\n\
    \tfor i := 0; i < b.N; i++ {\n\t\ttime.Sleep(time.Duration(n) * time.Millisecond)\n\t}\n}\n";

/// Each program that measures, one after the other. What they write beside the repository is not committed.
const MEASURES: &str = "set -e; export HOME=/tmp GOCACHE=/workspace/.go GOFLAGS=-mod=mod\n\
    hyperfine --shell none --runs 2 --warmup 0 --export-json \"$ROOST_RESULTS/hyperfine.json\" --command-name sleep \
    \"sleep 0.0$(printf %02d \"$(cat a.txt)\")\"\n\
    python3 -m pytest -q -p no:cacheprovider --benchmark-json \"$ROOST_RESULTS/pytest.json\" test_wait.py >/dev/null\n\
    go test -run '^$' -bench . -benchtime 3x .";

/// A bench whose sandboxes have this image of Roost.
async fn bench(script: &str, recipe: &str, files: &[(&str, &str)]) -> Bench {
    let image = format!("roost-agent:{recipe}");
    let more = [("sandboxes.image", image.as_str())];
    let bench = Bench::set(script, &more).await;
    for (name, text) in files {
        let host = &bench.host;
        host.commit("acme/tools", "main", name, text.as_bytes())
            .await;
    }
    bench
}

async fn coded(bench: &Bench, owner: &Person, second: &str, config: Value) -> String {
    let mut config = config;
    config["phases"] = json!(["coding", second]);
    config["phase_teams"] = json!({ "coding": [coders(owner).await] });
    let new = json!({ "template_kind": "custom", "title": "Tools", "goal": "Do it.", "repo_id": bench.repo, "config": config });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn hyperfine_pytest_and_go_measure_the_same_improvement() {
    let files = [
        ("a.txt", "40"),
        ("test_wait.py", PYTHON),
        ("wait_test.go", GO),
        ("go.mod", "module tools\n\ngo 1.19\n"),
    ];
    let bench = bench(SHORTENS, "polyglot", &files).await;
    let owner = bench.gateway.owner().await;
    let config = json!({ "benchmark": { "command": MEASURES, "iterations": 6 } });
    let id = coded(&bench, owner, "benchmark", config).await;
    let over = becomes(owner, &id, "completed").await;
    let measured = content(&artifact(owner, &over, "Measurements").await);
    let rows = measured["comparison"]["rows"].as_array().expect("rows");
    let shown = |row: &Value| {
        let word = |key: &str| row[key].as_str().expect("a word").to_owned();
        (word("name"), word("verdict"))
    };
    let mut all: Vec<(String, String)> = rows.iter().map(shown).collect();
    all.sort();
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), 3, "{measured}");
    for (wanted, (name, verdict)) in ["Wait", "sleep", "test_wait"].iter().zip(&all) {
        assert!(name.contains(wanted), "{names:?}");
        assert_eq!(verdict, "improvement", "{name}: {measured}");
    }
    let metrics = &card(owner, &over, 1).await.body["metrics"];
    assert_eq!(metrics, &json!({ "regressions": 0, "improvements": 3 }));
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn benchmark_of_pytest_is_found_without_a_command() {
    let files = [("a.txt", "2"), ("test_wait.py", PYTHON)];
    let bench = bench(SHORTENS, "python", &files).await;
    let owner = bench.gateway.owner().await;
    let new = json!({ "template_kind": "benchmark", "title": "Measure", "repo_id": bench.repo,
        "config": { "benchmark": { "iterations": 1 } } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let over = becomes(owner, &id, "completed").await;
    let measured = content(&artifact(owner, &over, "Measurements").await);
    let name = measured["comparison"]["rows"][0]["name"].as_str();
    assert!(
        name.is_some_and(|name| name.contains("test_wait")),
        "{measured}"
    );
    bench.stop().await;
}

/// A shell that runs what it is given, since the base commit.
const OLD: &str =
    "import subprocess\n\ndef run(text):\n    return subprocess.call(text, shell=True)\n";
/// The same in a file whose findings are accepted.
const ACCEPTED: &str =
    "[[suppress]]\nrule = \"*\"\npath = \"tests/**\"\nreason = \"Tests start their own shell.\"\n";

/// An agent that calls a server without a check of its certificate.
const TRUSTS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I call the server."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/call.go", content = "package tools\n\nimport \"crypto/tls\"\n\nvar Config = tls.Config{InsecureSkipVerify: true}\n" } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Call the server" } },
  ]
  [[scene.turn]]
  say = "Done."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn bandit_and_semgrep_find_what_is_new_and_agree_on_what_is_old() {
    let files = [
        ("app.py", OLD),
        ("tests/app_test.py", OLD),
        (".roost-security.toml", ACCEPTED),
    ];
    let bench = bench(TRUSTS, "security", &files).await;
    let owner = bench.gateway.owner().await;
    let id = coded(&bench, owner, "security_scan", json!({})).await;
    let over = becomes(owner, &id, "completed").await;
    let found = content(&artifact(owner, &over, "Findings").await);
    let tools = found["tools"].as_array().expect("tools").iter();
    let ran: Vec<&str> = tools
        .filter(|tool| tool["ran"] == true)
        .filter_map(|tool| tool["tool"].as_str())
        .collect();
    assert!(
        ran.contains(&"bandit") && ran.contains(&"semgrep"),
        "{found}"
    );
    let open = found["open"].as_array().expect("findings");
    let at = |file: &str| -> Vec<&Value> {
        let all = open.iter();
        all.filter(|finding| finding["file"] == file).collect()
    };
    let go = at("call.go");
    assert_eq!(go.len(), 1, "{found}");
    assert_eq!(go[0]["rule"], "go-tls-unchecked");
    assert_eq!(go[0]["is_new"], true);
    assert_eq!(go[0]["line"], 5);
    // Both scanners found the shell, in the same line and of the same weakness. It is one finding, and not a new one.
    let shells: Vec<&Value> = at("app.py")
        .into_iter()
        .filter(|finding| finding["line"] == 4)
        .collect();
    assert_eq!(shells.len(), 1, "{found}");
    assert_eq!(shells[0]["is_new"], false);
    let tools = shells[0]["tools"].as_array().map(Vec::len);
    assert_eq!(tools, Some(2), "{found}");
    assert!(at("tests/app_test.py").is_empty(), "{found}");
    let suppressed = found["suppressed"].to_string();
    assert!(
        suppressed.contains("Tests start their own shell."),
        "{found}"
    );
    bench.stop().await;
}
