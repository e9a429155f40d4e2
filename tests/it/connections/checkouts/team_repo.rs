//! The repository of a team: its runs work on it unless they name another one, or none. One that does not fit into the
//! sandbox's workspace leaves nothing there.

use serde_json::{Value, json};

use super::{Bench, COMMITS};
use crate::execution::runs::over;
use crate::program::cli::Terminal;

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_a_team_work_on_its_repository_unless_they_name_another_or_none() {
    for bench in Bench::on_each(COMMITS).await {
        let owner = bench.gateway.owner().await;
        let team = format!("/api/teams/{}", bench.team);
        let shown = owner.get(&team).expect(200).await;
        assert_eq!(shown.body["repo"], Value::Null);
        // The page and the command line change the same field.
        let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
        let set = terminal.runs(&["team", "repo", "Coders", "acme/tools@main"]);
        let set = set.await;
        let line = "repository  acme/tools at main";
        assert!(set.ok && set.out.contains(line), "{}{}", set.out, set.err);
        let shown = owner.get(&team).expect(200).await;
        let expected = json!({ "repo_id": bench.repo, "full_name": "acme/tools", "base": "main" });
        assert_eq!(shown.body["repo"], expected);
        let run = async |body: Value| {
            let run = owner
                .post(&format!("{team}/run"))
                .json(&body)
                .expect(202)
                .await;
            over(owner, run.str("/id")).await
        };
        let of_team = run(json!({ "input": "Do it." })).await;
        assert_eq!(of_team.str("/status"), "completed", "{}", of_team.text);
        let repo = format!("/api/runs/{}/repo", of_team.str("/id"));
        let repo = owner.get(&repo).expect(200).await;
        assert_eq!(
            (repo.str("/base"), repo.str("/base_commit")),
            ("main", bench.first.as_str())
        );
        let none = run(json!({ "input": "Do it.", "repo": null })).await;
        let repo = format!("/api/runs/{}/repo", none.str("/id"));
        owner.get(&repo).refused(404, "not-found").await;
        let cleared = terminal.runs(&["team", "repo", "Coders", "--none"]).await;
        assert!(cleared.ok, "{}", cleared.err);
        assert_eq!(owner.get(&team).expect(200).await.body["repo"], Value::Null);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_or_unknown_repository_of_a_team_is_refused_with_what_to_do() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let team = format!("/api/teams/{}", bench.team);
    for (repo, pointer) in [
        (json!({ "repo_id": uuid::Uuid::now_v7() }), "/repo/repo_id"),
        (
            json!({ "repo_id": bench.repo, "base": "a..b" }),
            "/repo/base",
        ),
    ] {
        let refused = owner
            .patch(&team)
            .json(&json!({ "repo": repo }))
            .send()
            .await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert_eq!(refused.str("/errors/0/pointer"), pointer);
    }
    let new = json!({ "name": "Others", "topology": "single", "roles": [{ "slot": "coder" }],
        "repo": { "repo_id": bench.repo } });
    let made = owner.post("/api/teams").json(&new).expect(201).await;
    assert_eq!(made.str("/repo/full_name"), "acme/tools");
    let connection = owner.get("/api/repos/connections").expect(200).await;
    let id = connection.body["items"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let gone = owner
        .delete(&format!("/api/repos/connections/{id}"))
        .send()
        .await;
    assert!((200..300).contains(&gone.status), "{}", gone.text);
    let path = format!("/api/teams/{}", made.str("/id"));
    let shown = owner.get(&path).expect(200).await;
    assert_eq!(shown.body["repo"]["full_name"], Value::Null);
    let body = json!({ "input": "Do it." });
    let refused = owner.post(&format!("{path}/run")).json(&body);
    let refused = refused.refused(409, "conflict").await;
    assert!(
        refused.text.contains("removed from the workspace"),
        "{}",
        refused.text
    );
    let body = json!({ "input": "Do it.", "repo": null });
    owner
        .post(&format!("{path}/run"))
        .json(&body)
        .expect(202)
        .await;
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_that_does_not_fit_into_the_workspace_fails_with_what_to_do_and_leaves_nothing()
{
    use std::io::Read;
    let small = [("sandboxes.each_workspace_bytes", "16777216")];
    let bench = Bench::set(COMMITS, &small).await;
    let owner = bench.gateway.owner().await;
    // What is large as a pack, and what is large when it is checked out.
    let mut noise = Vec::new();
    let random = std::fs::File::open("/dev/urandom").expect("noise");
    random
        .take(20 << 20)
        .read_to_end(&mut noise)
        .expect("noise");
    let text = vec![b'x'; 20 << 20];
    for (branch, content) in [("noise", &noise), ("text", &text)] {
        let host = &bench.host;
        host.commit("acme/tools", branch, "large", content).await;
        let run = bench
            .run(json!({ "repo_id": bench.repo, "base": branch }))
            .await;
        assert_eq!(run.str("/status"), "failed", "{branch}: {}", run.text);
        let why = run.str("/error");
        let words = "does not fit into the sandbox's workspace; make the workspace larger, or remove files from it";
        assert!(why.contains(words), "{branch}: {why}");
        let exec = format!("/api/teams/{}/sandbox/exec?wait=true", bench.team);
        let body = json!({ "argv": ["sh", "-c", "ls -A /workspace | grep -vx .tmp"] });
        let left = owner.post(&exec).json(&body).expect(200).await;
        assert_eq!(left.body["stdout_base64"], "", "{branch}: {}", left.text);
    }
    // The same sandbox takes one that fits.
    bench.completed().await;
    bench.stop().await;
}
