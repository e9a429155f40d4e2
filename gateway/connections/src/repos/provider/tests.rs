//! Addresses and entries of each host.

use rstest::rstest;
use serde_json::json;

use super::*;

fn first_page(kind: ProviderKind, base: &str, owner: Option<&str>) -> Vec<String> {
    let provider = kind.provider();
    let api = provider.api(&base.parse().expect("a URL"));
    let listings = provider.listings(owner);
    listings
        .iter()
        .map(|listing| listing.page(&api, 1).to_string())
        .collect()
}

#[rstest]
#[case(ProviderKind::GitHub, "https://api.github.com/", None, &["https://api.github.com/user/repos?sort=updated&direction=desc&per_page=100&page=1"])]
#[case(ProviderKind::GitHubEnterprise, "https://git.example/", Some("acme"), &[
    "https://git.example/api/v3/orgs/acme/repos?sort=updated&direction=desc&per_page=100&page=1",
    "https://git.example/api/v3/users/acme/repos?sort=updated&direction=desc&per_page=100&page=1",
])]
#[case(ProviderKind::Forgejo, "https://example.org/git/", Some("acme"), &[
    "https://example.org/git/api/v1/orgs/acme/repos?limit=100&page=1",
    "https://example.org/git/api/v1/users/acme/repos?limit=100&page=1",
])]
#[case(ProviderKind::GitLab, "https://gitlab.com", None, &[
    "https://gitlab.com/api/v4/projects?membership=true&order_by=last_activity_at&sort=desc&per_page=100&page=1",
])]
#[case(ProviderKind::GitLab, "https://gitlab.com", Some("acme/tools"), &[
    "https://gitlab.com/api/v4/groups/acme%2Ftools/projects?include_subgroups=true&order_by=last_activity_at&sort=desc&per_page=100&page=1",
    "https://gitlab.com/api/v4/users/acme%2Ftools/projects?order_by=last_activity_at&sort=desc&per_page=100&page=1",
])]
fn lists_are_where_the_host_has_them(
    #[case] kind: ProviderKind,
    #[case] base: &str,
    #[case] owner: Option<&str>,
    #[case] expected: &[&str],
) {
    assert_eq!(first_page(kind, base, owner), expected);
}

#[test]
fn each_kind_is_called_on_the_wire_as_in_the_database() {
    for kind in ProviderKind::ALL {
        assert_eq!(serde_json::to_value(kind).expect("a word"), kind.as_str());
        assert_eq!(ProviderKind::from_stored(kind.as_str()), Some(kind));
    }
}

#[test]
fn an_entry_of_github_is_read_and_cleaned() {
    let entry = json!({
        "id": 1296269, "name": "Hello-World", "full_name": "octocat/Hello-World", "private": false,
        "html_url": "https://github.com/octocat/Hello-World", "clone_url": "https://github.com/octocat/Hello-World.git",
        "description": "My \u{202e}first\u{1b}[31m", "default_branch": "main", "updated_at": "2011-01-26T19:14:43Z",
        "fork": true, "language": null, "unheard_of": {"x": 1},
    });
    let found = ProviderKind::GitHub
        .provider()
        .read(&entry)
        .expect("an entry");
    assert_eq!(found.external_id, "1296269");
    assert_eq!(found.description.as_deref(), Some("My first[31m"));
    assert!(found.fork && !found.private && found.language.is_none());
    assert_eq!(
        found.provider_updated.map(|at| at.to_rfc3339()).as_deref(),
        Some("2011-01-26T19:14:43+00:00")
    );
}

#[test]
fn an_entry_of_gitlab_is_read() {
    let entry = json!({
        "id": 4, "name": "Diaspora Client", "path_with_namespace": "diaspora/diaspora-client", "visibility": "internal",
        "web_url": "https://gitlab.example/diaspora/diaspora-client", "default_branch": null,
        "http_url_to_repo": "https://gitlab.example/diaspora/diaspora-client.git",
        "last_activity_at": "2022-09-30T13:46:02.000+02:00", "forked_from_project": {"id": 1},
    });
    let found = ProviderKind::GitLab
        .provider()
        .read(&entry)
        .expect("a project");
    assert_eq!(found.full_name, "diaspora/diaspora-client");
    assert!(found.private && found.fork && found.default_branch.is_none());
    let at = found.provider_updated.expect("a moment");
    assert_eq!(at.to_rfc3339(), "2022-09-30T11:46:02+00:00");
}

#[rstest]
#[case(json!(null), None)]
#[case(json!([1]), None)]
#[case(json!({"id": "7"}), None)]
#[case(json!({"id": 7}), Some("7"))]
#[case(json!({"id": 7, "name": "x", "full_name": "a/x", "html_url": "javascript:alert(1)"}), Some("7"))]
#[case(json!({"id": 7, "name": "x", "full_name": "a/x", "html_url": "https://me:word@host/x"}), Some("7"))]
#[case(json!({"id": 7, "name": "x", "full_name": "a/x", "html_url": "https://host/x", "clone_url": "ext::sh -c id"}), Some("7"))]
#[case(json!({"id": 7, "name": " \u{7}", "full_name": "a/x", "html_url": "https://host/x"}), Some("7"))]
fn what_is_no_entry_is_told_apart_and_still_named_where_it_can_be(
    #[case] entry: Value,
    #[case] id: Option<&str>,
) {
    for kind in [ProviderKind::GitHub, ProviderKind::Forgejo] {
        let unreadable = kind.provider().read(&entry).expect_err("no entry");
        assert_eq!(unreadable.external_id.as_deref(), id);
    }
}
