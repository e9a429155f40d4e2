//! The demonstration of a mission (`make demo MISSION=1`): its script drives the command line, the scripted model works on
//! the repository of the demonstration in real sandboxes. A repository that is broken otherwise fails honestly.

use std::path::{Path, PathBuf};

use roost_tests::eventually;

use crate::connections::checkouts::Bench;
use crate::program::cli::Terminal;

const NAME: &str = "demo/tally";

fn at_root(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::path::absolute(root.join(path)).expect("a path")
}

/// The files of the repository. A change replaces a text in one file.
fn files(changes: &[(&str, &str, &str)]) -> Vec<(String, Vec<u8>)> {
    let root = at_root("deploy/demo/tally");
    let names = [
        ".gitignore",
        "Cargo.lock",
        "Cargo.toml",
        "README.md",
        "benches/top.rs",
        "scripts/publish.sh",
        "src/count.rs",
        "src/lib.rs",
        "src/words.rs",
        "tests/tally.rs",
    ];
    let read = |name: &str| {
        let mut text = std::fs::read_to_string(root.join(name)).expect("a file of the repository");
        for (_, from, to) in changes.iter().filter(|(file, ..)| *file == name) {
            assert!(text.contains(from), "{name} has no {from:?} any more");
            text = text.replace(from, to);
        }
        (name.to_owned(), text.into_bytes())
    };
    names.into_iter().map(read).collect()
}

/// A second repository of the code host, with these files; its id.
async fn repository(bench: &Bench, files: &[(String, Vec<u8>)]) -> String {
    bench.host.create(NAME).await;
    for (file, content) in files {
        bench.host.commit(NAME, "main", file, content).await;
    }
    let owner = bench.gateway.owner().await;
    let hosts = owner.get("/api/repos/connections").expect(200).await;
    let path = format!("/api/repos/connections/{}/sync", hosts.str("/items/0/id"));
    owner.post(&path).expect(202).await;
    eventually("the repository is listed", async || {
        let list = owner.get(&format!("/api/repos?q={NAME}")).expect(200).await;
        Some(list.body[0]["id"].as_str()?.to_owned())
    })
    .await
}

/// The exit code of the demonstration on a repository with these changes, what it said, and the folder of what it left.
async fn shown(changes: &[(&str, &str, &str)]) -> (Option<i32>, String, Vec<(String, String)>) {
    let script = at_root("gateway/execution/src/providers/scripted/mission.toml");
    let script = std::fs::read_to_string(script).expect("the script");
    let bench = Bench::new(&script).await;
    let repo = repository(&bench, &files(changes)).await;
    let owner = bench.gateway.owner().await;
    let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
    let folder = terminal.folder().join("left");
    let arguments = [repo.as_str(), folder.to_str().expect("text")];
    let script = at_root("deploy/demo/mission.sh");
    let (code, said) = terminal.script(&script, &arguments).await;
    let left = std::fs::read_dir(&folder).into_iter().flatten();
    let left = left.map(|file| {
        let file = file.expect("a file");
        let text = std::fs::read(file.path()).expect("its content");
        let name = file.file_name().to_string_lossy().into_owned();
        (name, String::from_utf8_lossy(&text).into_owned())
    });
    let left = left.collect();
    bench.stop().await;
    (code, said.err, left)
}

fn of<'a>(left: &'a [(String, String)], end: &str) -> &'a str {
    let found = left.iter().find(|(name, _)| name.ends_with(end));
    found.map_or("", |(_, text)| text)
}

#[tokio::test(flavor = "multi_thread")]
async fn mission_of_the_demonstration_goes_from_its_goal_to_results() {
    let (code, said, left) = shown(&[]).await;
    assert_eq!(code, Some(0), "{said}");
    for words in [
        "times as fast as before",
        "in scripts/publish.sh, line 4",
        "a summary card of each phase",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let report = of(&left, "report.md");
    for words in [
        "INT-01",
        "INT-02",
        "Insights",
        "improvements: 1",
        "| the benchmark that Roost found | ",
        "| roost secrets | 2 | 0 |",
        "scanners gave a report.",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
    let diff = of(&left, "-diff.diff");
    assert!(
        diff.contains("+        .map(|word| word.trim_matches"),
        "{diff}"
    );
    let key = "AKIA4Z7QXJ2WMK6PLTRV";
    for (name, text) in &left {
        assert!(!text.contains(key), "{name} has the key");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demonstration_says_what_went_wrong_with_a_repository_that_is_broken_otherwise() {
    // A fault that the script does not know: the tests still fail, and the mission pauses.
    let unknown = [("src/words.rs", ".to_lowercase()", ".to_string()")];
    let (code, said, _) = shown(&unknown).await;
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the mission did not complete"), "{said}");
    assert!(said.contains("coding: "), "{said}");

    // Nothing is slow, and there is no key: the mission completes, and the demonstration does not claim either.
    let fast = [
        (
            "benches/top.rs",
            "tally::top(black_box(&text), 10)",
            "black_box(&text).len()",
        ),
        ("scripts/publish.sh", "AKIA4Z7QXJ2WMK6PLTRV", "$KEY"),
    ];
    let (code, said, _) = shown(&fast).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("the benchmark did not become faster"),
        "{said}"
    );
    assert!(said.contains("the scan did not report the key"), "{said}");
}
