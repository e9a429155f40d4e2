//! What agents ask to send to the code host: their branch, and a pull request.

use roost_tests::{Answer, Person, eventually};
use serde_json::{Value, json};

use super::Bench;
use crate::execution::runs::over;
use crate::program::cli::Terminal;

/// An agent that commits, asks to push, and asks for a pull request when it was pushed.
pub(super) const SENDS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I add a file."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/b.txt", content = "two\n" } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Add b" } },
  ]
  [[scene.turn]]
  say = "I ask to push."
  calls = [{ tool = "door.ask", arguments = { action = "repo.branch.push", params = { reason = "The file is there." } } }]
  [[scene.turn]]
  when = 'it was done'
  say = "I ask for a pull request."
  calls = [{ tool = "door.ask", arguments = { action = "repo.pulls.create", params = { title = "Add b", body = "It adds b.", draft = true } } }]
  [[scene.turn]]
  when = '(?<url>http://\S+/pulls/\d+)'
  say = "It is at ${url}."
  [[scene.turn]]
  say = "Nothing was sent."
"#;

pub(super) async fn started(bench: &Bench) -> String {
    let owner = bench.gateway.owner().await;
    let body = json!({ "input": "Do it.", "repo": { "repo_id": bench.repo } });
    let path = format!("/api/teams/{}/run", bench.team);
    let run = owner.post(&path).json(&body).expect(202).await;
    run.str("/id").to_owned()
}

/// The door that waits.
pub(super) async fn asked(owner: &Person) -> Value {
    eventually("a door waits", async || {
        let list = owner.get("/api/doors?state=pending").expect(200).await;
        list.body["items"].get(0).cloned()
    })
    .await
}

/// The last words of the run. The scripted model says before them that it is one.
fn assert_says(ended: &Answer, words: &str) {
    let text = ended.str("/result/text");
    assert!(text.ends_with(words), "{}", ended.text);
}

pub(super) async fn decide(owner: &Person, door: &Value, decision: &str) -> Answer {
    let path = format!("/api/doors/{}/resolve", door["id"].as_str().expect("an id"));
    let body = json!({ "decision": decision });
    owner.post(&path).json(&body).expect(200).await
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_branch_and_pull_request_arrive_at_the_code_host() {
    for bench in Bench::on_each(SENDS).await {
        let owner = bench.gateway.owner().await;
        let run = started(&bench).await;
        let push = asked(owner).await;
        assert_eq!(push["action"], "repo.branch.push", "{push}");
        let offered = &push["branch"];
        let branch = offered["branch"].as_str().expect("a branch").to_owned();
        let commit = offered["commit"].as_str().expect("a commit").to_owned();
        assert!(branch.starts_with("roost/run-"), "{push}");
        assert_eq!(
            (
                &offered["repository"],
                &offered["commits"],
                &offered["files"]
            ),
            (&json!("acme/tools"), &json!(1), &json!(1)),
            "{push}"
        );
        assert_eq!(push["address"], bench.host.clone_url("acme/tools"));
        assert_eq!(push["allowed_by_setting"], false);
        // The person sees what would be sent, before anything is.
        let root = offered["run_id"].as_str().expect("a run");
        let of =
            |commit: &str| format!("/api/runs/{root}/repo/diff?branch={branch}&commit={commit}");
        let diff = owner.get(&of(&commit)).expect(200).await;
        assert!(diff.str("/text").ends_with("+two\n"), "{}", diff.text);
        owner.get(&of(&bench.first)).refused(409, "conflict").await;
        assert_eq!(bench.at_host(&format!("refs/heads/{branch}")).await, "");

        decide(owner, &push, "approve").await;
        let pull = asked(owner).await;
        assert_eq!(bench.at_host(&format!("refs/heads/{branch}")).await, commit);
        assert_eq!(pull["action"], "repo.pulls.create", "{pull}");
        assert_eq!(
            (&pull["branch"]["into"], &pull["branch"]["commit"]),
            (&json!("main"), &json!(commit)),
            "{pull}"
        );
        assert_eq!(bench.host.pulls(), Vec::<Value>::new());
        decide(owner, &pull, "approve").await;
        let ended = over(owner, &run).await;
        assert_eq!(ended.str("/status"), "completed", "{}", ended.text);
        let path = format!("/api/doors/{}", pull["id"].as_str().expect("an id"));
        let door = owner.get(&path).expect(200).await;
        assert_eq!(door.str("/state"), "performed", "{}", door.text);
        let opened = bench.host.pulls();
        assert_eq!(opened.len(), 1, "{opened:?}");
        assert_eq!(
            (
                &opened[0]["title"],
                &opened[0]["head"],
                &opened[0]["base"],
                &opened[0]["body"]
            ),
            (
                &json!("WIP: Add b"),
                &json!(branch),
                &json!("main"),
                &json!("It adds b.")
            )
        );
        let url = opened[0]["html_url"].as_str().expect("an address");
        assert!(ended.str("/result/text").contains(url), "{}", ended.text);
        let repo = owner
            .get(&format!("/api/runs/{run}/repo"))
            .expect(200)
            .await;
        assert_eq!(repo.str("/branches/0/pull_url"), url);
        assert!(repo.body["branches"][0]["pushed_at"].is_string());
        assert_eq!(bench.at_host("refs/heads/main").await, bench.first);
        let audit = owner.get("/api/audit?action=repo.push").expect(200).await;
        assert_eq!(audit.str("/items/0/details/commit"), commit);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_branch_stays_in_the_broker() {
    let bench = Bench::new(SENDS).await;
    let owner = bench.gateway.owner().await;
    let run = started(&bench).await;
    let push = asked(owner).await;
    decide(owner, &push, "deny").await;
    let ended = over(owner, &run).await;
    assert_eq!(ended.str("/status"), "completed", "{}", ended.text);
    assert_says(&ended, "Nothing was sent.");
    let branch = push["branch"]["branch"].as_str().expect("a branch");
    assert_eq!(bench.at_host(&format!("refs/heads/{branch}")).await, "");
    let repo = owner
        .get(&format!("/api/runs/{run}/repo"))
        .expect(200)
        .await;
    assert_eq!(repo.body["branches"][0]["pushed_at"], Value::Null);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workspace_that_allows_it_pushes_at_once_and_still_asks_for_a_pull_request() {
    for bench in Bench::on_each(SENDS).await {
        let owner = bench.gateway.owner().await;
        let own = owner.get("/api/workspaces").expect(200).await;
        let path = format!("/api/workspaces/{}", own.str("/items/0/id"));
        assert_eq!(own.str("/items/0/push_policy"), "ask");
        let allow = json!({ "push_policy": "allow" });
        let member = bench.gateway.person("member").await;
        let refused = member.patch(&path).json(&allow);
        refused.refused(403, "forbidden").await;
        let bad = json!({ "push_policy": "always" });
        let refused = owner.patch(&path).json(&bad);
        refused.refused(400, "validation").await;
        let set = owner.patch(&path).json(&allow).expect(200).await;
        assert_eq!(set.str("/push_policy"), "allow");

        let run = started(&bench).await;
        // The first that waits is the pull request.
        let pull = asked(owner).await;
        assert_eq!(pull["action"], "repo.pulls.create", "{pull}");
        let branch = pull["branch"]["branch"].as_str().expect("a branch");
        let commit = pull["branch"]["commit"].as_str().expect("a commit");
        assert_eq!(bench.at_host(&format!("refs/heads/{branch}")).await, commit);
        let list = owner.get("/api/doors").expect(200).await;
        let mut all = list.body["items"].as_array().expect("a list").iter();
        let push = all.find(|door| door["action"] == "repo.branch.push");
        let push = push.expect("the push is listed");
        assert_eq!(
            (&push["action"], &push["state"], &push["allowed_by_setting"]),
            (
                &json!("repo.branch.push"),
                &json!("performed"),
                &json!(true)
            ),
            "{push}"
        );
        decide(owner, &pull, "deny").await;
        over(owner, &run).await;
        let audit = owner.get("/api/audit?action=workspace.push_policy_set");
        let audit = audit.expect(200).await;
        assert_eq!(audit.str("/items/0/details/to"), "allow", "{}", audit.text);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn branch_that_moved_on_the_host_is_not_pushed_over_and_the_agent_reads_why() {
    let bench = Bench::new(SENDS).await;
    let owner = bench.gateway.owner().await;
    let run = started(&bench).await;
    let push = asked(owner).await;
    let branch = push["branch"]["branch"].as_str().expect("a branch");
    let other = bench.host.commit("acme/tools", branch, "x.txt", b"x").await;
    decide(owner, &push, "approve").await;
    let ended = over(owner, &run).await;
    assert_says(&ended, "Nothing was sent.");
    let path = format!("/api/doors/{}", push["id"].as_str().expect("an id"));
    let door = owner.get(&path).expect(200).await;
    assert_eq!(door.str("/state"), "failed", "{}", door.text);
    let why = door.str("/result/message");
    assert!(why.contains("other commits"), "{why}");
    assert_eq!(bench.at_host(&format!("refs/heads/{branch}")).await, other);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_that_has_nothing_to_send_is_refused_before_anybody_is_asked() {
    let script = r#"
[[scene]]
  [[scene.turn]]
  say = "What may I ask for?"
  calls = [{ tool = "door.actions", arguments = {} }]
  [[scene.turn]]
  when = 'repo.branch.push[\s\S]*repo.pulls.create'
  say = "I ask to push nothing."
  calls = [{ tool = "door.ask", arguments = { action = "repo.branch.push", params = { reason = "Now." } } }]
  [[scene.turn]]
  when = 'no commit of that branch|No commit of that branch'
  say = "I commit, and ask for a pull request first."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/b.txt", content = "two\n" } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Add b" } },
    { tool = "door.ask", arguments = { action = "repo.pulls.create", params = { title = "Add b" } } },
  ]
  [[scene.turn]]
  when = 'repo\.branch\.push first'
  say = "Refused twice."
"#;
    let bench = Bench::new(script).await;
    let owner = bench.gateway.owner().await;
    let run = started(&bench).await;
    let ended = over(owner, &run).await;
    assert_says(&ended, "Refused twice.");
    let list = owner.get("/api/doors").expect(200).await;
    assert_eq!(list.body["items"], json!([]));
    // Outside of a run there is no branch.
    let agents = owner.get("/api/claws").expect(200).await;
    let body = json!({ "agent_id": agents.str("/items/0/id"), "action": "repo.branch.push",
        "params": { "reason": "Now." } });
    let refused = owner.post("/api/doors").json(&body);
    let refused = refused.refused(409, "conflict").await;
    assert!(
        refused.str("/detail").contains("run's page"),
        "{}",
        refused.text
    );
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_shows_the_diff_and_decides() {
    let bench = Bench::new(SENDS).await;
    let owner = bench.gateway.owner().await;
    let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
    let run = started(&bench).await;
    let push = asked(owner).await;
    let id = push["id"].as_str().expect("an id");
    let short = &id[id.len() - 8..];
    let list = terminal.runs(&["door", "list"]).await;
    assert!(
        list.out.contains(short) && list.out.contains("Push 1 commit"),
        "{} {}",
        list.out,
        list.err
    );
    let shown = terminal.runs(&["door", "show", short]).await;
    for part in [
        "\n+two",
        "reason: The file is there.",
        "1 commit, 1 file",
        "pending",
    ] {
        assert!(
            shown.out.contains(part),
            "{part}: {} {}",
            shown.out,
            shown.err
        );
    }
    let none = terminal.runs(&["door", "approve", "zzz"]).await;
    assert!(
        !none.ok && none.err.contains("roost approval list"),
        "{}",
        none.err
    );
    let approved = terminal.runs(&["door", "approve", short]).await;
    assert_eq!(
        approved.out.trim(),
        "Approved. Roost sends it now.",
        "{}",
        approved.err
    );
    let again = terminal.runs(&["door", "deny", short]).await;
    assert!(
        again.out.starts_with("It was decided already"),
        "{}",
        again.out
    );
    let pull = asked(owner).await;
    let denied = terminal
        .runs(&["door", "deny", pull["id"].as_str().expect("an id")])
        .await;
    assert_eq!(
        denied.out.trim(),
        "Denied. Nothing is sent.",
        "{}",
        denied.err
    );
    over(owner, &run).await;

    let asks = terminal.runs(&["workspace", "pushes"]).await;
    assert!(
        asks.out.starts_with("A person decides"),
        "{} {}",
        asks.out,
        asks.err
    );
    let allows = terminal.runs(&["workspace", "pushes", "allow"]).await;
    assert!(
        allows.out.contains("without a decision"),
        "{} {}",
        allows.out,
        allows.err
    );
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_change_workflow_files_leave_the_sandbox_when_an_admin_allows_it() {
    let script = SENDS.replace("/workspace/tools/b.txt", "/workspace/tools/.gitlab-ci.yml");
    for bench in Bench::on_each(&script).await {
        let owner = bench.gateway.owner().await;
        let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
        let allows = terminal.runs(&["workspace", "workflows", "allow"]).await;
        assert!(allows.out.contains("may change"), "{}", allows.err);
        let run = started(&bench).await;
        let push = asked(owner).await;
        assert_eq!(push["action"], "repo.branch.push", "{push}");
        assert_eq!(push["branch"]["files"], 1, "{push}");
        decide(owner, &push, "deny").await;
        over(owner, &run).await;
        let audit = owner.get("/api/audit?action=workspace.workflow_policy_set");
        let audit = audit.expect(200).await;
        assert_eq!(audit.str("/items/0/details/to"), "allow");
        bench.stop().await;
    }
}
