//! The differences between code hosts, at the wire.

use roost_tests::code_host::{CodeHost, Reply, entry};
use serde_json::json;

use super::{Place, TOKEN, connected, names, new};

#[tokio::test]
async fn forgejo_is_asked_in_its_way_and_gives_fewer_a_page_than_asked_for() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|asked| {
            let page = u64::from(asked.page());
            let next = "<http://x/?page=2>; rel=\"next\",<http://x/?page=2>; rel=\"last\"";
            match asked.path.as_str() {
                "/git/api/v1/users/mia/repos" if page == 1 => {
                    Reply::json(&(0..50).map(|id| entry(id, 1)).collect()).with("link", next)
                }
                "/git/api/v1/users/mia/repos" => Reply::json(&json!([entry(70, 2)]))
                    .with("link", "<http://x/?page=1>; rel=\"first\""),
                _ => Reply::status(404, r#"{"message":"GetOrgByName"}"#),
            }
        })
        .await;
        let mut body = new("forgejo", &host, Some("mia"));
        body["base_url"] = format!("{}/git/", host.url()).into();
        let connection = connected(owner, &body).await;
        assert_eq!(connection["repos"], json!(51), "{connection}");
        let asked = host.asked();
        assert_eq!(asked[0].path, "/git/api/v1/orgs/mia/repos");
        assert_eq!(asked.len(), 3);
        for request in asked {
            assert_eq!(request.headers["authorization"], format!("token {TOKEN}"));
            assert_eq!(request.query["limit"], "100");
        }
        place.stop().await;
    }
}

#[tokio::test]
async fn gitlab_is_asked_in_its_way_for_a_group_in_a_group() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|asked| {
        let project = |id: u64| {
            json!({
                "id": id, "name": format!("p{id}"), "path_with_namespace": format!("acme/tools/p{id}"),
                "visibility": "private", "web_url": format!("https://gitlab.example/acme/tools/p{id}"),
                "http_url_to_repo": format!("https://gitlab.example/acme/tools/p{id}.git"),
                "default_branch": "main", "last_activity_at": "2026-09-30T13:46:02Z",
            })
        };
        match (asked.path.as_str(), asked.page()) {
            ("/api/v4/groups/acme%2Ftools/projects", 1) => {
                Reply::json(&json!([project(1)])).with("x-next-page", "2")
            }
            ("/api/v4/groups/acme%2Ftools/projects", 2) => {
                Reply::json(&json!([project(2)])).with("x-next-page", "")
            }
            _ => Reply::status(404, r#"{"message":"404 Group Not Found"}"#),
        }
    })
    .await;
        let connection = connected(owner, &new("gitlab", &host, Some("acme/tools"))).await;
        assert_eq!(connection["last_sync_error"], json!(null));
        let list = owner.get("/api/repos").expect(200).await;
        assert_eq!(names(&list), ["p1", "p2"]);
        assert_eq!(list.body[0]["private"], true);
        let asked = host.asked();
        assert_eq!(asked.len(), 2);
        for request in asked {
            assert_eq!(request.headers["private-token"], TOKEN);
            assert!(!request.headers.contains_key("authorization"));
            assert_eq!(request.query["include_subgroups"], "true");
        }
        place.stop().await;
    }
}
