//! Pull requests against what code hosts publish of their APIs: servers that are made from the descriptions of Forgejo and
//! of GitHub's Enterprise Server, and that refuse what does not fit.

use axum::response::Response;
use roost_tests::described::{self, Described};
use roost_tests::eventually;
use roost_tests::git_host::text_answer;
use serde_json::json;

use super::Bench;
use super::sent::{SENDS, asked, decide, started};
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
