//! Packages that an agent added to a lock file: a person sees exactly what would be fetched, and nothing comes before.

use roost_tests::package_host::{PackageHost, Served, archive};
use roost_tests::{Answer, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use super::super::sent::{asked, decide, started};
use super::super::{Bench, GIT};
use super::{SETTINGS, entry, greeting, hash, lock, on, program, supplies};
use crate::execution::runs::over;
use crate::program::cli::Terminal;

/// The crate `farewell`.
fn farewell() -> Vec<u8> {
    let toml = b"[package]\nname = \"farewell\"\nversion = \"1.0.0\"\nedition = \"2021\"\n";
    let code = b"pub fn farewell() -> &'static str { \"goodbye from a crate\" }\n";
    archive(&[
        ("farewell-1.0.0/Cargo.toml", toml),
        ("farewell-1.0.0/src/lib.rs", code),
    ])
}

/// The begin of a script: the agent runs a command, and asks for the packages of `Cargo.lock`.
fn asks(first: &str) -> String {
    format!(
        r#"
[[scene]]
  [[scene.turn]]
  say = "I change the lock file."
  calls = [{{ tool = "shell", arguments = {{ cwd = "/workspace/tools", command = '''{first}''' }} }}]
  [[scene.turn]]
  say = "I ask for its packages."
  calls = [{{ tool = "door.ask", arguments = {{ action = "supplies.packages.add", params = {{ path = "Cargo.lock", reason = "The program says goodbye too." }} }} }}]
"#
    )
}

/// An agent that runs a command, asks for the packages of `Cargo.lock`, and runs another command when it has them.
fn adds(first: &str, then: &str) -> String {
    let end = format!(
        r#"
  [[scene.turn]]
  when = 'it was done[\s\S]*(?<came>\d of \d approved packages)'
  say = "I use them."
  calls = [{{ tool = "shell", arguments = {{ cwd = "/workspace/tools", command = '''{then}''' }} }}]
  [[scene.turn]]
  when = 'exit code 0'
  say = "Built."
  [[scene.turn]]
  when = '(?<why>changed after the request|does not have the hash|Nothing was fetched)'
  say = "Nothing came: ${{why}}."
  [[scene.turn]]
  say = "Something else came."
"#
    );
    asks(first) + &end
}

/// The lock file with the crate, which the agent puts in the place of the other one.
async fn prepared(bench: &Bench, entries: &str) {
    let toml = "[package]\nname = \"tools\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ngreeting = \"1\"\nfarewell = \"1\"\n";
    let code = "fn main() { println!(\"{}, {}\", greeting::greeting(), farewell::farewell()); }\n";
    let own = "\n[[package]]\nname = \"tools\"\nversion = \"0.1.0\"\ndependencies = [\n \"farewell\",\n \"greeting\",\n]\n";
    let lock = format!("version = 3\n{entries}{own}");
    for (path, text) in [
        ("next/manifest", toml),
        ("next/code", code),
        ("next/lock", &lock),
    ] {
        let host = &bench.host;
        host.commit("acme/tools", "main", path, text.as_bytes())
            .await;
    }
}

const TAKE: &str =
    "cp next/manifest Cargo.toml && cp next/code src/main.rs && cp next/lock Cargo.lock";

fn says(ended: &Answer, words: &str) {
    let text = ended.str("/result/text");
    assert!(text.ends_with(words), "{words}: {}", ended.text);
}

fn names(of: &Value) -> Vec<String> {
    let one = |of: &Value| {
        let text = |key: &str| of[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("name"), text("version"))
    };
    of.as_array().into_iter().flatten().map(one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_packages_of_a_changed_lock_file_come_and_the_program_builds() {
    let registry = PackageHost::start().await;
    registry.serve_crate("greeting", Served::File(greeting()));
    registry.serve_crate("farewell", Served::File(farewell()));
    let crates = registry.crates();
    let script = adds(
        TAKE,
        &format!(
            "cargo run --quiet --offline --locked > b.txt && git add b.txt && {GIT} commit -qm built"
        ),
    );
    let mut stores = vec![(Store::Sqlite, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        stores.push((Store::Postgres(scratch.url().to_owned()), Some(scratch)));
    }
    for (store, scratch) in stores {
        let bench = on(store, scratch, &script, &[(SETTINGS[0], &crates)]).await;
        program(&bench).await;
        let entries = format!(
            "{}{}",
            entry("farewell", &hash(&farewell())),
            entry("greeting", &hash(&greeting()))
        );
        prepared(&bench, &entries).await;
        let before = registry.visits().len();
        let owner = bench.gateway.owner().await;
        let run = started(&bench).await;
        let door = asked(owner).await;
        let seen = &door["packages"];
        assert_eq!(door["action"], "supplies.packages.add", "{door}");
        assert_eq!(
            (&seen["path"], &seen["kind"], names(&seen["added"])),
            (
                &json!("Cargo.lock"),
                &json!("cargo"),
                vec!["farewell 1.0.0".to_owned()]
            ),
            "{door}"
        );
        assert_eq!(
            (&seen["changed"], &seen["removed"], &seen["left_out_count"]),
            (&json!([]), &json!([]), &json!(0)),
            "{door}"
        );
        assert_eq!(door["address"], registry.address.to_string(), "{door}");
        let asks = registry.visits()[before..].to_vec();
        assert!(
            !asks.iter().any(|path| path.contains("farewell")),
            "nothing is fetched before the decision: {asks:?}"
        );

        let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
        let list = terminal.runs(&["door", "list"]).await;
        assert!(
            list.out.contains("From Cargo.lock, add 1 package"),
            "{} {}",
            list.out,
            list.err
        );
        let id = door["id"].as_str().expect("an id");
        let shown = terminal.runs(&["door", "show", id]).await;
        for part in [
            "+ farewell 1.0.0",
            seen["sha256"].as_str().expect("a hash"),
            "The program says goodbye too.",
        ] {
            assert!(
                shown.out.contains(part),
                "{part}: {} {}",
                shown.out,
                shown.err
            );
        }
        let member = bench.gateway.person("viewer").await;
        let request = member.post(&format!("/api/doors/{id}/resolve"));
        let request = request.json(&json!({ "decision": "approve" }));
        request.refused(403, "forbidden").await;
        let approved = terminal.runs(&["door", "approve", id]).await;
        assert!(
            approved.out.contains("fetches them now"),
            "{}",
            approved.err
        );

        let ended = over(owner, &run).await;
        says(&ended, "Built.");
        let path = format!("/api/runs/{run}/repo");
        let diff = owner.get(&format!("{path}/diff")).expect(200).await;
        assert!(
            diff.str("/text")
                .contains("+hello from a crate, goodbye from a crate"),
            "{}",
            diff.text
        );
        let of = supplies(&bench, &path).await;
        assert_eq!(
            (
                &of[0]["wanted"],
                &of[0]["approved"],
                &of[0]["state"],
                &of[0]["left_out_count"]
            ),
            (&json!(2), &json!(1), &json!("done"), &json!(0)),
            "{of}"
        );
        let shown = terminal.runs(&["run", "repo", &run]).await;
        assert!(
            shown.out.contains("1 approved during the run"),
            "{} {}",
            shown.out,
            shown.err
        );
        let door = owner.get(&format!("/api/doors/{id}")).expect(200).await;
        let came = door.str("/result/message");
        assert!(
            came.contains("1 of 1 approved packages of Cargo.lock"),
            "{}",
            door.text
        );
        bench.stop().await;
    }
}

/// The agent has the packages and waits for another decision. Its sandbox ends meanwhile, and the next one has them too.
#[tokio::test(flavor = "multi_thread")]
async fn later_sandbox_of_the_run_has_the_approved_packages() {
    let registry = PackageHost::start().await;
    registry.serve_crate("greeting", Served::File(greeting()));
    registry.serve_crate("farewell", Served::File(farewell()));
    let crates = registry.crates();
    let end = r#"
  [[scene.turn]]
  when = '1 of 1 approved packages'
  say = "I ask to push."
  calls = [{ tool = "door.ask", arguments = { action = "repo.branch.push", params = { reason = "A pause." } } }]
  [[scene.turn]]
  say = "I build in the sandbox that is there now."
  calls = [{ tool = "shell", arguments = { cwd = "/workspace/tools", command = "cargo run --quiet --offline --locked" } }]
  [[scene.turn]]
  when = '(?<said>hello from a crate, goodbye from a crate)'
  say = "It said ${said}."
  [[scene.turn]]
  say = "It did not build."
"#;
    let script = asks(&format!("{TAKE} && {GIT} commit -qam taken")) + end;
    let bench = on(Store::Sqlite, None, &script, &[(SETTINGS[0], &crates)]).await;
    program(&bench).await;
    let entries = format!(
        "{}{}",
        entry("farewell", &hash(&farewell())),
        entry("greeting", &hash(&greeting()))
    );
    prepared(&bench, &entries).await;
    let owner = bench.gateway.owner().await;
    let run = started(&bench).await;
    let packages = asked(owner).await;
    let of = packages["packages"]["owner_id"].as_str().expect("a team");
    let sandbox = format!("/api/teams/{of}/sandbox");
    decide(owner, &packages, "approve").await;
    let push = eventually("the agent has them and asks to push", async || {
        let list = owner.get("/api/doors?state=pending").expect(200).await;
        let door = list.body["items"].get(0).cloned();
        door.filter(|door| door["action"] == "repo.branch.push")
    })
    .await;
    let before = owner.get(&sandbox).expect(200).await.str("/id").to_owned();
    owner.delete(&sandbox).expect(204).await;
    decide(owner, &push, "deny").await;
    let ended = over(owner, &run).await;
    says(&ended, "It said hello from a crate, goodbye from a crate.");
    let after = owner.get(&sandbox).expect(200).await;
    assert_ne!(after.str("/id"), before);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lock_file_that_changed_after_the_request_brings_nothing() {
    let registry = PackageHost::start().await;
    registry.serve_crate("farewell", Served::File(farewell()));
    let crates = registry.crates();
    let script = adds(TAKE, "true");
    for (decision, why) in [
        ("approve", "Nothing came: changed after the request."),
        ("deny", "Nothing came: Nothing was fetched."),
    ] {
        let bench = on(Store::Sqlite, None, &script, &[(SETTINGS[0], &crates)]).await;
        lock(&bench, "").await;
        bench
            .host
            .commit("acme/tools", "main", "src/main.rs", b"")
            .await;
        prepared(&bench, &entry("farewell", &hash(&farewell()))).await;
        let owner = bench.gateway.owner().await;
        let run = started(&bench).await;
        let door = asked(owner).await;
        let owner_id = door["packages"]["owner_id"].as_str().expect("a team");
        let change =
            json!({ "argv": ["sh", "-c", "echo '# more' >> /workspace/tools/Cargo.lock"] });
        let path = format!("/api/teams/{owner_id}/sandbox/exec?wait=true");
        let done = owner.post(&path).json(&change).expect(200).await;
        assert_eq!(done.body["code"], 0, "{}", done.text);
        decide(owner, &door, decision).await;
        says(&over(owner, &run).await, why);
        let path = format!("/api/runs/{run}/repo");
        let of = supplies(&bench, &path).await;
        assert_eq!(of[0]["approved"], 0, "{of}");
        assert_eq!(registry.visits(), [""; 0]);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn package_without_the_pinned_hash_is_refused_and_the_agent_reads_why() {
    let registry = PackageHost::start().await;
    registry.serve_crate("farewell", Served::File(b"other".to_vec()));
    registry.serve_crate("greeting", Served::File(greeting()));
    let crates = registry.crates();
    let bad = entry("farewell", &hash(&farewell()));
    let good = entry("greeting", &hash(&greeting()));
    let forked = "\n[[package]]\nname = \"forked\"\nversion = \"1.0.0\"\nsource = \"git+https://evil.example/x#1\"\n";
    let list = "ls /workspace/.supplies/cargo > b.txt && git add b.txt && git commit -qm listed";
    let script = adds(TAKE, list);
    for (entries, state, words, says_at_end) in [
        (
            bad.clone(),
            "failed",
            "0 of 1 approved packages",
            "Nothing came: does not have the hash.",
        ),
        (
            format!("{bad}{good}{forked}"),
            "performed",
            "1 of 2 approved packages",
            "Built.",
        ),
    ] {
        let bench = on(Store::Sqlite, None, &script, &[(SETTINGS[0], &crates)]).await;
        lock(&bench, "").await;
        bench
            .host
            .commit("acme/tools", "main", "src/main.rs", b"")
            .await;
        prepared(&bench, &entries).await;
        let owner = bench.gateway.owner().await;
        let run = started(&bench).await;
        let door = asked(owner).await;
        let left = door["packages"]["left_out"].as_array().map_or(0, Vec::len);
        assert_eq!(left, entries.matches("git+").count(), "{door}");
        decide(owner, &door, "approve").await;
        let ended = over(owner, &run).await;
        says(&ended, says_at_end);
        let path = format!("/api/doors/{}", door["id"].as_str().expect("an id"));
        let door = owner.get(&path).expect(200).await;
        assert_eq!(door.str("/state"), state, "{}", door.text);
        let message = door.str("/result/message");
        assert!(
            message.contains(words) && message.contains("farewell 1.0.0: "),
            "{message}"
        );
        let of = supplies(&bench, &format!("/api/runs/{run}/repo")).await;
        let why = of[0]["left_out"][0]["why"].as_str().unwrap_or_default();
        assert!(why.contains("does not have the hash"), "{of}");
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn request_that_cannot_bring_anything_is_refused_before_anybody_is_asked() {
    let registry = PackageHost::start().await;
    let crates = registry.crates();
    let setup = "mkdir -p link pipe huge own broken web && ln -s /etc/passwd link/Cargo.lock && ln -s /etc folder && mkfifo pipe/Cargo.lock && truncate -s 9M huge/Cargo.lock && echo x = > broken/Cargo.lock && cp next/lock own/Cargo.lock && echo {} > web/package-lock.json";
    let cases = [
        ("Cargo.lock", "nothing to approve"),
        ("../tools/Cargo.lock", "cannot be used"),
        ("/etc/Cargo.lock", "cannot be used"),
        (".git/Cargo.lock", "cannot be used"),
        ("yarn.lock", "not a lock file that Roost can read"),
        ("none/Cargo.lock", "has no file none/Cargo.lock"),
        ("link/Cargo.lock", "links are not followed"),
        ("folder/Cargo.lock", "links are not followed"),
        ("pipe/Cargo.lock", "a pipe or a device"),
        ("huge/Cargo.lock", "has 9 MiB"),
        ("own/Cargo.lock", "comes from a git repository"),
        ("broken/Cargo.lock", "cannot be read"),
        ("web/package-lock.json", "supplies.npm empty"),
    ];
    let mut script = format!(
        "[[scene]]\n  [[scene.turn]]\n  say = \"I prepare.\"\n  calls = [{{ tool = \"shell\", arguments = {{ cwd = \
         \"/workspace/tools\", command = '''{setup}''' }} }}]\n"
    );
    let mut when = "exit code 0";
    for (path, refusal) in cases {
        script.push_str(&format!(
            "  [[scene.turn]]\n  when = '{when}'\n  say = \"I ask.\"\n  calls = [{{ tool = \"door.ask\", arguments = {{ action = \
             \"supplies.packages.add\", params = {{ path = \"{path}\", reason = \"x\" }} }} }}]\n"
        ));
        when = refusal;
    }
    script.push_str(&format!(
        "  [[scene.turn]]\n  when = '{when}'\n  say = \"All were refused.\"\n  [[scene.turn]]\n  say = \"Something else came.\"\n"
    ));
    let bench = on(Store::Sqlite, None, &script, &[(SETTINGS[0], &crates)]).await;
    lock(&bench, "").await;
    let git = "\n[[package]]\nname = \"forked\"\nversion = \"1.0.0\"\nsource = \"git+https://evil.example/x#1\"\n";
    prepared(&bench, git).await;
    let owner = bench.gateway.owner().await;
    let run = started(&bench).await;
    says(&over(owner, &run).await, "All were refused.");
    let list = owner.get("/api/doors").expect(200).await;
    assert_eq!(list.body["items"], json!([]));
    assert_eq!(registry.visits(), [""; 0]);
    bench.stop().await;
}
