//! Pull requests against what code hosts publish of their APIs: servers that are made from the descriptions of Forgejo and
//! of GitHub's Enterprise Server, and that refuse what does not fit. GitLab is played from its documentation.

use axum::response::Response;
use roost_tests::described::{self, Described};
use roost_tests::eventually;
use roost_tests::git_host::text_answer;
use serde_json::{Value, json};

use super::sent::{SENDS, asked, decide, started};
use super::{Bench, TOKEN};
use crate::execution::runs::over;

/// What the described server answers to a request for a pull request.
async fn passed_on(url: &str, token: Option<&str>, body: String) -> Response {
    let client = reqwest::Client::builder().build().expect("a client");
    let mut request = client.post(url).body(body);
    request = request.header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", token);
    }
    let answer = request.send().await.expect("the described server answers");
    let status = answer.status().as_u16();
    text_answer(status, answer.text().await.expect("a body"))
}

#[tokio::test(flavor = "multi_thread")]
async fn request_for_a_pull_request_fits_what_each_host_publishes() {
    let (Some(packages), Some(forgejo)) = (described::packages(), described::forgejo()) else {
        return;
    };
    for (kind, description, version) in [
        ("forgejo", forgejo, "/api/v1"),
        ("github_enterprise", described::github(&packages), "/api/v3"),
    ] {
        let server = Described::start_with_examples(&packages, &description).await;
        // It refuses what does not fit.
        let pulls = server.url("/repos/acme/tools/pulls");
        let token = Some("token 0123456789");
        let bad = passed_on(&pulls, token, json!({ "head": 7 }).to_string()).await;
        assert_eq!(bad.status(), 422, "{kind}");

        let bench = Bench::at(kind, SENDS).await;
        let owner = bench.gateway.owner().await;
        bench.host.instead(move |visit| {
            let path = visit.address.strip_prefix(version).map(str::to_owned);
            let passes = visit.method == "POST" && path.is_some();
            let url = server.url(&path.unwrap_or_default());
            let (token, body) = (visit.authorization.clone(), visit.body.clone());
            Box::pin(async move {
                match passes {
                    true => Some(passed_on(&url, token.as_deref(), body).await),
                    false => None,
                }
            })
        });
        let run = started(&bench).await;
        decide(owner, &asked(owner).await, "approve").await;
        let pull = eventually("the pull request is asked for", || async {
            let door = asked(owner).await;
            (door["action"] == "repo.pulls.create").then_some(door)
        })
        .await;
        decide(owner, &pull, "approve").await;
        over(owner, &run).await;
        let path = format!("/api/doors/{}", pull["id"].as_str().expect("an id"));
        let door = owner.get(&path).expect(200).await;
        assert_eq!(
            (door.str("/state"), &door.body["result"]["status"]),
            ("performed", &json!(201)),
            "{kind}: {}",
            door.text
        );
        bench.stop().await;
    }
}

/// A run at GitLab that was allowed to push, and its door for the merge request.
async fn pushed_at_gitlab() -> (Bench, String, Value) {
    let script = SENDS.replace("/pulls/", "/-/merge_requests/");
    let bench = Bench::at("gitlab", &script).await;
    let owner = bench.gateway.owner().await;
    let run = started(&bench).await;
    let push = asked(owner).await;
    assert_eq!(push["action"], "repo.branch.push", "{push}");
    decide(owner, &push, "approve").await;
    let pull = asked(owner).await;
    assert_eq!(pull["action"], "repo.pulls.create", "{pull}");
    (bench, run, pull)
}

/// What came of an approved door: its state, the status of the answer, and the reason.
async fn after(bench: &Bench, run: &str, door: &Value) -> (String, Value, String) {
    let owner = bench.gateway.owner().await;
    decide(owner, door, "approve").await;
    let ended = over(owner, run).await;
    assert_eq!(ended.str("/status"), "completed", "{}", ended.text);
    let path = format!("/api/doors/{}", door["id"].as_str().expect("an id"));
    let door = owner.get(&path).expect(200).await;
    let result = &door.body["result"];
    let why = result["message"].as_str().unwrap_or_default();
    (
        door.str("/state").to_owned(),
        result["status"].clone(),
        why.to_owned(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_merge_request_arrives_at_gitlab_and_a_refused_one_says_why() {
    let (bench, run, pull) = pushed_at_gitlab().await;
    let owner = bench.gateway.owner().await;
    let branch = pull["branch"]["branch"].as_str().expect("a branch");
    let commit = bench.at_host(&format!("refs/heads/{branch}")).await;
    assert_eq!(pull["branch"]["commit"], commit, "{pull}");
    bench.host.visits();
    let done = after(&bench, &run, &pull).await;
    assert_eq!(done, ("performed".to_owned(), json!(201), String::new()));
    let visits = bench.host.visits();
    let [visit] = &*visits else {
        panic!("{visits:?}")
    };
    let address = "/api/v4/projects/acme%2Ftools/merge_requests";
    assert_eq!((&*visit.method, &*visit.address), ("POST", address));
    assert_eq!(
        visit.authorization, None,
        "the token has a header of its own"
    );
    let opened = bench.host.pulls();
    let fields = ["title", "description", "source_branch", "target_branch"];
    assert_eq!(
        fields.map(|field| opened[0][field].as_str()),
        ["Draft: Add b", "It adds b.", branch, "main"].map(Some)
    );
    let url = opened[0]["web_url"].as_str().expect("an address");
    let ended = over(owner, &run).await;
    assert!(ended.str("/result/text").contains(url), "{}", ended.text);
    let path = format!("/api/runs/{run}/repo");
    let repo = owner.get(&path).expect(200).await;
    assert_eq!(repo.str("/branches/0/pull_url"), url);
    bench.stop().await;

    // Somebody opens one while a person still thinks about it.
    let (bench, run, pull) = pushed_at_gitlab().await;
    let own = json!({ "title": "Mine", "source_branch": pull["branch"]["branch"], "target_branch": "main" });
    let client = reqwest::Client::builder().build().expect("a client");
    let posted = client.post(format!("{}{address}", bench.host.url()));
    let posted = posted.header("private-token", TOKEN).json(&own).send();
    assert_eq!(posted.await.expect("an answer").status(), 201);
    let (state, status, why) = after(&bench, &run, &pull).await;
    assert_eq!((&*state, status), ("failed", json!(409)));
    let existing = "Another open merge request already exists for this source branch: !1";
    assert_eq!(why, existing);
    assert_eq!(bench.host.pulls().len(), 1);
    bench.stop().await;

    // The token is revoked there.
    let (bench, run, pull) = pushed_at_gitlab().await;
    bench.host.expect_token("another-token-5f0c");
    let (state, status, why) = after(&bench, &run, &pull).await;
    assert_eq!((&*state, status), ("failed", json!(401)), "{why}");
    assert_eq!(why, "401 Unauthorized");
    assert_eq!(bench.host.pulls(), Vec::<Value>::new());
    bench.stop().await;
}
