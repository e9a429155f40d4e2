//! Against what GitHub publishes: a server that is generated from the description of its Enterprise API and refuses
//! requests that do not match it, and recorded answers of github.com. Both are packages that `deploy/setup.sh test`
//! installs into `tests/node`.

use roost_tests::code_host::{CodeHost, Reply};
use roost_tests::described::{self, Described, packages};
use serde_json::{Value, json};

use super::{Place, TOKEN, connected, names, new, synced};

#[tokio::test]
async fn requests_fit_githubs_own_description_and_its_answers_are_read() {
    let Some(packages) = packages() else { return };
    let described = Described::start(&packages, &described::github(&packages)).await;
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        // The description's paths begin where an Enterprise server has /api/v3.
        let (to, client) = (
            format!("http://127.0.0.1:{}", described.port),
            reqwest::Client::builder().build().expect("a client"),
        );
        let host = CodeHost::start(|_| Reply::status(500, "")).await;
        host.answers_later(move |asked| {
            let path = asked.path.strip_prefix("/api/v3").unwrap_or("/none");
            let mut url = url::Url::parse(&format!("{to}{path}")).expect("a URL");
            url.query_pairs_mut().extend_pairs(&asked.query);
            let mut request = client.get(url);
            for (name, value) in &asked.headers {
                if name != "host" {
                    request = request.header(name, value);
                }
            }
            Box::pin(async move {
                let answer = request.send().await.expect("the described server answers");
                let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
                let told = Reply::status(status, &answer.text().await.expect("a body"));
                match headers.get("link").and_then(|link| link.to_str().ok()) {
                    Some(link) => told.with("link", link),
                    None => told,
                }
            })
        });
        for of in [None, Some("acme")] {
            let connection = connected(owner, &new("github_enterprise", &host, of)).await;
            // It says of each page that there is a next one, and has the same repository on each.
            assert_eq!(
                (
                    &connection["last_sync_error"],
                    &connection["repos"],
                    &connection["last_sync_skipped"],
                    &connection["last_sync_cut"]
                ),
                (&json!(null), &json!(1), &json!(0), &json!(true)),
                "{connection}"
            );
        }
        let list = owner.get("/api/repos").expect(200).await;
        assert_eq!(names(&list), ["Hello-World", "Hello-World"]);
        assert_eq!(list.str("/0/full_name"), "octocat/Hello-World");
        place.stop().await;
    }
}

fn recorded(packages: &std::path::Path, scenario: &str) -> Vec<Value> {
    let file = packages.join(format!(
        "@octokit/fixtures/scenarios/api.github.com/{scenario}/normalized-fixture.json"
    ));
    let text = std::fs::read_to_string(file).expect("a recorded answer");
    serde_json::from_str(&text).expect("a list of answers")
}

#[tokio::test]
async fn answers_that_were_recorded_from_github_are_read() {
    let Some(packages) = packages() else { return };
    let repository = recorded(&packages, "get-repository").swap_remove(0);
    let pages = recorded(&packages, "paginate-issues");
    let links: Vec<String> = pages
        .iter()
        .map(|page| page["headers"]["link"].as_str().expect("a link").to_owned())
        .collect();
    let last = links.len();
    let moved = recorded(&packages, "rename-repository");
    let moved = moved
        .into_iter()
        .find(|answer| answer["status"] == 301)
        .expect("a redirect was recorded");

    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let (entry, links) = (repository["response"].clone(), links.clone());
        let host = CodeHost::start(move |asked| {
            let link = &links[asked.page() as usize - 1];
            Reply::json(&json!([entry])).with("link", link)
        })
        .await;
        let connection = connected(owner, &new("github_enterprise", &host, None)).await;
        assert_eq!(
            (&connection["repos"], &connection["last_sync_cut"]),
            (&json!(1), &json!(false)),
            "{connection}"
        );
        assert_eq!(host.asked().len(), last, "it read as far as was recorded");
        let list = owner.get("/api/repos").expect(200).await;
        assert_eq!(list.str("/0/full_name"), "octokit-fixture-org/hello-world");
        assert_eq!(list.str("/0/external_id"), "1000");

        let body = moved["response"].to_string();
        host.answers(move |_| Reply::status(301, &body));
        let after = synced(owner, connection["id"].as_str().expect("an id")).await;
        let told = after["last_sync_error"].as_str().expect("an error");
        assert!(
            told.contains("from elsewhere (301)") && told.contains("Moved Permanently"),
            "{told}"
        );
        assert!(!told.contains(TOKEN));
        place.stop().await;
    }
}
