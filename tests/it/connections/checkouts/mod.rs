//! Repositories of runs: a real broker, git's own HTTP server, a real sandbox and the scripted model.

mod broken_uploads;
mod published;
mod sent;
mod supplies;
mod team_repo;
mod uploaded;

use roost_gateway::app::Surroundings;
use roost_tests::broker::BrokerProcess;
use roost_tests::git_host::GitHost;
use roost_tests::{Answer, Gateway, Person, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::execution::runs::over;
use crate::program::cli::Terminal;

const TOKEN: &str = "rsttoken-9a0c41d7be52";

/// An agent that reads the repository, and commits a new file.
const COMMITS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I read the repository."
  calls = [{ tool = "shell", arguments = { command = "cd /workspace/tools && cat a.txt && git remote && git branch --show-current" } }]
  [[scene.turn]]
  when = 'one[\s\S]*roost/run-'
  say = "I add a file."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/b.txt", content = "two\n" } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Add b" } },
    { tool = "write_file", arguments = { path = "/workspace/tools/c.txt", content = "left over\n" } },
  ]
  [[scene.turn]]
  say = "Done."
"#;

/// An agent that runs one command in the checkout.
fn runs(command: &str) -> String {
    format!(
        "[[scene]]\n  [[scene.turn]]\n  say = \"I work.\"\n  calls = [{{ tool = \"shell\", arguments = {{ cwd = \
         \"/workspace/tools\", command = '''{command}''' }} }}]\n  [[scene.turn]]\n  say = \"Done.\"\n"
    )
}

const GIT: &str = "git -c user.name=A -c user.email=a@example.com";

pub(crate) struct Bench {
    pub(crate) gateway: Gateway,
    pub(crate) host: GitHost,
    pub(crate) repo: String,
    first: String,
    team: String,
    broker: BrokerProcess,
    folder: TempDir,
    scratch: Option<ScratchPostgres>,
}

impl Bench {
    pub(crate) async fn new(script: &str) -> Self {
        Self::at("forgejo", script).await
    }

    pub(crate) async fn set(script: &str, more: &[(&str, &str)]) -> Self {
        Self::with(Store::Sqlite, None, script, "forgejo", more).await
    }

    async fn at(kind: &str, script: &str) -> Self {
        Self::with(Store::Sqlite, None, script, kind, &[]).await
    }

    async fn with(
        store: Store,
        scratch: Option<ScratchPostgres>,
        script: &str,
        kind: &str,
        more: &[(&str, &str)],
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let broker = BrokerProcess::start(folder.path()).await;
        let path = folder.path().join("script.toml");
        std::fs::write(&path, script).expect("it is written");
        let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
        let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
        let socket = broker.client.socket().display().to_string();
        let mut set = vec![
            ("broker.socket", socket.as_str()),
            ("outbound.allow_private", "[\"127.0.0.1\"]"),
            ("sandboxes.image", &image),
            ("runs.script", path.to_str().expect("text")),
        ];
        set.extend_from_slice(more);
        let own = tempfile::tempdir().expect("a folder");
        let gateway = Gateway::start_in(own, &store, &set, Surroundings::default()).await;
        let gateway = gateway.expect("the gateway starts");
        let host = GitHost::start(TOKEN).await;
        host.create("acme/tools").await;
        let first = host.commit("acme/tools", "main", "a.txt", b"one").await;
        let owner = gateway.owner().await;
        let repo = connected(owner, &host, kind).await;
        let team = json!({ "name": "Coders", "topology": "single", "risk_profile": "coding_readwrite",
            "mcp_bundles": ["sandbox", "repo", "door"], "roles": [{ "slot": "coder" }] });
        let team = owner.post("/api/teams").json(&team).expect(201).await;
        Self {
            team: team.str("/id").to_owned(),
            gateway,
            host,
            repo,
            first,
            broker,
            folder,
            scratch,
        }
    }

    pub(crate) async fn on_each(script: &str) -> Vec<Self> {
        let mut all = vec![Self::new(script).await];
        if let Some(scratch) = ScratchPostgres::new().await {
            let on = Store::Postgres(scratch.url().to_owned());
            all.push(Self::with(on, Some(scratch), script, "forgejo", &[]).await);
        }
        all
    }

    /// A run that is over.
    async fn run(&self, repo: Value) -> Answer {
        let owner = self.gateway.owner().await;
        let body = json!({ "input": "Do it.", "repo": repo });
        let path = format!("/api/teams/{}/run", self.team);
        let run = owner.post(&path).json(&body).expect(202).await;
        over(owner, run.str("/id")).await
    }

    async fn completed(&self) -> String {
        let run = self.run(json!({ "repo_id": self.repo })).await;
        assert_eq!(run.str("/status"), "completed", "{}", run.text);
        format!("/api/runs/{}/repo", run.str("/id"))
    }

    async fn at_host(&self, name: &str) -> String {
        let shown = ["for-each-ref", "--format=%(objectname)", name];
        let found = self.host.git("acme/tools", &shown, None).await;
        found.trim().to_owned()
    }

    pub(crate) async fn stop(self) {
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }
}

/// Connects the host; the id of its one repository.
async fn connected(owner: &Person, host: &GitHost, kind: &str) -> String {
    let body = json!({ "provider": kind, "base_url": host.url(), "token": TOKEN });
    owner
        .post("/api/repos/connections")
        .json(&body)
        .expect(201)
        .await;
    eventually("the host is listed", || async {
        let list = owner.get("/api/repos").expect(200).await;
        let id = list.body[0]["id"].as_str()?.to_owned();
        Some(id)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_of_a_run_are_shown_and_pushed_by_a_person() {
    for bench in Bench::on_each(COMMITS).await {
        let owner = bench.gateway.owner().await;
        let path = bench.completed().await;
        let repo = owner.get(&path).expect(200).await;
        assert_eq!(repo.str("/full_name"), "acme/tools");
        assert_eq!(repo.str("/base_commit"), bench.first);
        let branch = &repo.body["branches"][0];
        assert_eq!(
            (
                &branch["commits"],
                &branch["files"],
                &branch["newest"][0]["subject"]
            ),
            (&json!(1), &json!(1), &json!("Add b")),
            "{}",
            repo.text
        );
        assert_eq!(
            branch["changed"],
            json!([{ "path": "b.txt", "added": 1, "removed": 0 }])
        );
        assert_eq!(branch["pushed_at"], Value::Null);
        let step = &repo.body["steps"][0];
        assert_eq!(
            (&step["step"], &step["uncommitted"], &step["refused"]),
            (&json!("coder#1"), &json!(1), &Value::Null)
        );
        let name = repo.str("/branches/0/branch").to_owned();
        let commit = repo.str("/branches/0/commit").to_owned();
        let diff = owner.get(&format!("{path}/diff")).expect(200).await;
        assert!(diff.str("/text").contains("+++ b/b.txt"), "{}", diff.text);
        assert!(diff.str("/text").ends_with("+two\n"), "{}", diff.text);
        assert_eq!(
            (diff.str("/base"), diff.str("/commit")),
            (&*bench.first, &*commit)
        );
        assert_eq!(bench.at_host(&format!("refs/heads/{name}")).await, "");

        let push = format!("{path}/push");
        let stranger = bench.gateway.stranger().await;
        stranger.get(&path).refused(404, "not-found").await;
        let request = stranger.post(&push).json(&json!({}));
        request.refused(404, "not-found").await;
        let viewer = bench.gateway.person("viewer").await;
        viewer.get(&path).expect(200).await;
        let request = viewer.post(&push).json(&json!({}));
        request.refused(403, "forbidden").await;
        let old = json!({ "branch": name, "commit": bench.first });
        let moved = owner.post(&push).json(&old).refused(409, "conflict").await;
        assert!(moved.str("/detail").contains(&commit), "{}", moved.text);

        let seen = json!({ "branch": name, "commit": commit });
        let pushed = owner.post(&push).json(&seen).expect(200).await;
        assert_eq!(pushed.body["unchanged"], false);
        assert_eq!(bench.at_host(&format!("refs/heads/{name}")).await, commit);
        assert_eq!(bench.at_host("refs/heads/main").await, bench.first);
        let again = owner.post(&push).json(&json!({})).expect(200).await;
        assert_eq!(again.body["unchanged"], true);
        let repo = owner.get(&path).expect(200).await;
        assert!(repo.body["branches"][0]["pushed_at"].is_string());
        let audit = owner.get("/api/audit?action=repo.push").expect(200).await;
        assert_eq!(audit.str("/items/0/details/commit"), commit);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn second_run_begins_at_the_base_in_a_folder_of_its_own() {
    let command = format!(
        "pwd; ls; {GIT} checkout -q -b mine; echo more >> a.txt; {GIT} commit -qam more; git -C \"$(ls -d \
         /workspace/tools-* 2>/dev/null || echo .)\" log --oneline"
    );
    let bench = Bench::new(&runs(&command)).await;
    let owner = bench.gateway.owner().await;
    let first = owner.get(&bench.completed().await).expect(200).await;
    // The agent's own branch continues the branch of the run.
    assert_eq!(first.body["branches"][0]["commits"], 1, "{}", first.text);
    let next = bench
        .host
        .commit("acme/tools", "main", "a.txt", b"two")
        .await;
    let second = owner.get(&bench.completed().await).expect(200).await;
    assert_eq!(second.str("/base_commit"), next);
    // The script works in the folder of the first run, so nothing came out of the second one.
    assert_eq!(second.body["branches"], json!([]), "{}", second.text);
    assert_ne!(first.str("/run_id"), second.str("/run_id"));

    let agent = owner.post("/api/claws").json(&json!({ "name": "Solo" }));
    let agent = agent.expect(201).await;
    let body = json!({ "input": "Do it.", "repo": { "repo_id": bench.repo, "base": bench.first } });
    let path = format!("/api/claws/{}/run", agent.str("/id"));
    let run = owner.post(&path).json(&body).expect(202).await;
    let alone = owner.get(&format!("/api/runs/{}/repo", run.str("/id")));
    assert_eq!(alone.expect(200).await.str("/base"), bench.first);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_without_a_repository_it_could_work_on_is_refused_or_fails_with_the_reason() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let path = format!("/api/teams/{}/run", bench.team);
    for (repo, pointer) in [
        (json!({ "repo_id": bench.team }), "/repo/repo_id"),
        (
            json!({ "repo_id": bench.repo, "base": "a..b" }),
            "/repo/base",
        ),
    ] {
        let request = owner
            .post(&path)
            .json(&json!({ "input": "Do it.", "repo": repo }));
        let refused = request.refused(400, "validation").await;
        assert_eq!(refused.str("/pointer"), pointer, "{}", refused.text);
    }
    let run = bench
        .run(json!({ "repo_id": bench.repo, "base": "gone" }))
        .await;
    assert_eq!(run.str("/status"), "failed", "{}", run.text);
    assert!(run.str("/error").contains("no `gone`"), "{}", run.text);

    let plain = owner.post(&path).json(&json!({ "input": "Do it." }));
    let plain = plain.expect(202).await;
    let none = format!("/api/runs/{}/repo", plain.str("/id"));
    owner.get(&none).refused(404, "not-found").await;
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_that_breaks_a_rule_is_refused_with_the_reason_and_the_step_goes_on() {
    for (command, why) in [
        (
            format!(
                "mkdir -p .github/workflows; echo on: push > .github/workflows/x.yml; git add -A; {GIT} commit -qm x"
            ),
            "roost workspace workflows allow",
        ),
        (
            format!(
                "t=$(git mktree < /dev/null); b=$(printf '040000 tree %s\\t..\\n' $t | git mktree); c=$({GIT} commit-tree -p \
                 HEAD -m x $b); git update-ref HEAD $c"
            ),
            "git found a fault",
        ),
        (
            format!("{GIT} commit --amend -qm other"),
            "does not continue",
        ),
    ] {
        let bench = Bench::new(&runs(&command)).await;
        let owner = bench.gateway.owner().await;
        let path = bench.completed().await;
        let repo = owner.get(&path).expect(200).await;
        let refused = repo.body["steps"][0]["refused"].as_str();
        assert!(
            refused.is_some_and(|text| text.contains(why)),
            "{why}: {}",
            repo.text
        );
        assert_eq!(repo.body["branches"], json!([]), "{why}");
        let push = owner.post(&format!("{path}/push")).json(&json!({}));
        push.refused(409, "conflict").await;
        let diff = owner.get(&format!("{path}/diff"));
        diff.refused(409, "conflict").await;
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn push_that_lost_its_race_changes_nothing_and_says_so() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let path = bench.completed().await;
    let repo = owner.get(&path).expect(200).await;
    let name = repo.str("/branches/0/branch");
    let other = bench.host.commit("acme/tools", name, "x.txt", b"x").await;
    let push = owner.post(&format!("{path}/push")).json(&json!({}));
    let refused = push.refused(409, "conflict").await;
    assert!(
        refused.str("/detail").contains("other commits"),
        "{}",
        refused.text
    );
    assert_eq!(bench.at_host(&format!("refs/heads/{name}")).await, other);
    let repo = owner.get(&path).expect(200).await;
    assert_eq!(repo.body["branches"][0]["pushed_at"], Value::Null);
    bench.stop().await;
}

/// Two agents: each commits a file in the newest checkout.
const TWO: &str = r#"
[[scene]]
slot = "first"
  [[scene.turn]]
  say = "I work."
  calls = [{ tool = "shell", arguments = { command = "cd $(ls -td /workspace/tools* | head -n 1) && echo 1 > b.txt && git add -A && git commit -qm first" } }]
  [[scene.turn]]
  when = 'exit code 0'
  say = "Done."
[[scene]]
slot = "second"
  [[scene.turn]]
  say = "I go on."
  calls = [{ tool = "shell", arguments = { command = "cd $(ls -td /workspace/tools* | head -n 1) && cat b.txt && echo 2 > c.txt && git add -A && git commit -qm second" } }]
  [[scene.turn]]
  when = 'exit code 0'
  say = "Done."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn next_agent_and_a_fork_continue_the_commits_of_the_steps_before() {
    let mut bench = Bench::new(TWO).await;
    let owner = bench.gateway.owner().await;
    let team = json!({ "name": "Two", "topology": "pipeline", "risk_profile": "coding_readwrite",
        "mcp_bundles": ["sandbox"], "roles": [{ "slot": "first" }, { "slot": "second" }] });
    let team = owner.post("/api/teams").json(&team).expect(201).await;
    bench.team = team.str("/id").to_owned();
    let path = bench.completed().await;
    let repo = owner.get(&path).expect(200).await;
    let newest = &repo.body["branches"][0];
    assert_eq!(newest["commits"], 2, "{}", repo.text);
    let steps = repo.body["steps"].as_array().map(Vec::len);
    assert_eq!(steps, Some(2), "{}", repo.text);
    let first = repo.str("/steps/1/commit");

    bench
        .host
        .commit("acme/tools", "main", "a.txt", b"later")
        .await;
    let fork = format!("/api/topology-runs/{}/fork", repo.str("/run_id"));
    let fork = owner.post(&fork).json(&json!({ "step": "second" }));
    let fork = over(owner, fork.expect(202).await.str("/id")).await;
    assert_eq!(fork.str("/status"), "completed", "{}", fork.text);
    let forked = format!("/api/runs/{}/repo", fork.str("/repo_run_id"));
    let forked = owner.get(&forked).expect(200).await;
    assert_eq!(forked.str("/base_commit"), bench.first);
    let subjects: Vec<_> = forked.body["branches"][0]["newest"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|commit| commit["subject"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(subjects, ["second", "first"], "{}", forked.text);
    assert_eq!(forked.body["branches"][0]["newest"][1]["commit"], first);
    assert_ne!(
        forked.str("/branches/0/branch"),
        repo.str("/branches/0/branch")
    );
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_binds_a_run_and_shows_and_pushes_its_branch() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
    let start = async |repo| {
        let run = [
            "team", "run", "Coders", "Do it.", "--detach", "--repo", repo,
        ];
        terminal.runs(&run).await
    };
    let unknown = start("nothing").await;
    assert!(
        !unknown.ok && unknown.err.contains("no repository is called"),
        "{}",
        unknown.err
    );
    let started = start("tools@main").await;
    assert!(started.ok, "{}", started.err);
    let run = started.out.trim();
    over(owner, run).await;
    let shown = terminal.runs(&["run", "repo", run]).await;
    for part in ["acme/tools", "Add b", "b.txt", "not pushed", "in no commit"] {
        assert!(
            shown.out.contains(part),
            "{part}: {} {}",
            shown.out,
            shown.err
        );
    }
    let diff = terminal.runs(&["run", "diff", run]).await;
    assert!(diff.out.contains("\n+two"), "{} {}", diff.out, diff.err);
    let pushed = terminal.runs(&["run", "push", run]).await;
    assert!(
        pushed.ok && pushed.out.starts_with("Pushed roost/run-"),
        "{}",
        pushed.err
    );
    let again = terminal.runs(&["run", "push", run]).await;
    assert!(again.out.contains("already"), "{} {}", again.out, again.err);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_history_is_cut_at_the_base_and_commits_come_back() {
    let command = format!(
        "test $(git log --oneline | wc -l) = 1 && echo x > b.txt && git add -A && {GIT} commit -qm cut"
    );
    let bench = Bench::new(&runs(&command)).await;
    let owner = bench.gateway.owner().await;
    // Nothing compresses it, so its objects are over the limit of a whole history.
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let large = std::iter::repeat_with(|| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    });
    let large: Vec<u8> = large.take(66 << 17).flat_map(u64::to_le_bytes).collect();
    for text in [large.as_slice(), b"small"] {
        let name = "acme/tools";
        bench.host.commit(name, "main", "a.txt", text).await;
    }
    let path = bench.completed().await;
    let repo = owner.get(&path).expect(200).await;
    assert_eq!(
        repo.body["branches"][0]["newest"][0]["subject"], "cut",
        "{}",
        repo.text
    );
    let pushed = owner.post(&format!("{path}/push")).json(&json!({}));
    let pushed = pushed.expect(200).await;
    let branch = format!("refs/heads/{}", pushed.str("/branch"));
    assert_eq!(bench.at_host(&branch).await, pushed.str("/commit"));
    bench.stop().await;
}
