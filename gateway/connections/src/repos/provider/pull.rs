//! Pull requests, which GitLab calls merge requests.

use roost_secret_broker::wire::RecordName;
use serde_json::Value;
use url::Url;

use super::{Place, ProviderKind};

/// A pull request to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPull {
    /// 1 to 256 characters.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// The branch with the changes, without `refs/heads/`.
    pub head: String,
    /// The branch that gets the changes, without `refs/heads/`.
    pub base: String,
    /// Nobody should merge it yet.
    pub draft: bool,
}

/// The request that opens a pull request.
#[derive(Debug, Clone, PartialEq)]
pub struct PullRequest {
    /// The credential's name in the broker.
    pub name: RecordName,
    pub url: Url,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

/// The address of a repository's pull requests in the API of its host. `None` when the name has no owner.
pub(in crate::repos) fn address(kind: ProviderKind, base: &Url, full_name: &str) -> Option<Url> {
    let provider = kind.provider();
    let mut url = provider.api(base);
    let segments = provider.pulls(&Place::of(full_name)?);
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .extend(segments);
    Some(url)
}

/// The path that a token needs for the pull requests of all repositories.
pub(in crate::repos) fn path_of_any(kind: ProviderKind, base: &Url) -> String {
    let provider = kind.provider();
    let api = provider.api(base);
    let below = provider.pulls(&Place::Any).join("/");
    format!("{}/{below}", api.path().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(
        ProviderKind::GitHub,
        "https://api.github.com/",
        "acme/tools",
        "https://api.github.com/repos/acme/tools/pulls",
        "/repos/*/*/pulls"
    )]
    #[case(
        ProviderKind::GitHubEnterprise,
        "https://git.example/",
        "acme/tools",
        "https://git.example/api/v3/repos/acme/tools/pulls",
        "/api/v3/repos/*/*/pulls"
    )]
    #[case(
        ProviderKind::Forgejo,
        "https://git.example/forge/",
        "acme/tools",
        "https://git.example/forge/api/v1/repos/acme/tools/pulls",
        "/forge/api/v1/repos/*/*/pulls"
    )]
    #[case(
        ProviderKind::GitLab,
        "https://gitlab.com/",
        "acme/group/tools",
        "https://gitlab.com/api/v4/projects/acme%2Fgroup%2Ftools/merge_requests",
        "/api/v4/projects/*/merge_requests"
    )]
    fn each_host_has_its_own_address(
        #[case] kind: ProviderKind,
        #[case] base: &str,
        #[case] name: &str,
        #[case] expected: &str,
        #[case] any: &str,
    ) {
        let base = Url::parse(base).unwrap();
        let found = address(kind, &base, name).unwrap();
        assert_eq!(found.as_str(), expected);
        assert_eq!(path_of_any(kind, &base), any);
    }

    #[rstest]
    #[case("tools")]
    #[case("../tools")]
    #[case("acme/..")]
    #[case("acme/*")]
    #[case("/tools")]
    fn name_without_an_owner_has_no_address(#[case] name: &str) {
        let base = Url::parse("https://git.example/").unwrap();
        assert_eq!(address(ProviderKind::Forgejo, &base, name), None);
    }

    #[test]
    fn draft_is_said_as_each_host_says_it() {
        let new = NewPull {
            title: "Mend it".to_owned(),
            body: "Why".to_owned(),
            head: "roost/run-1/a".to_owned(),
            base: "main".to_owned(),
            draft: true,
        };
        let body = |kind: ProviderKind| kind.provider().pull_body(&new);
        assert_eq!(body(ProviderKind::GitHub)["draft"], true);
        assert_eq!(body(ProviderKind::GitHub)["title"], "Mend it");
        assert_eq!(body(ProviderKind::Forgejo)["title"], "WIP: Mend it");
        let gitlab = body(ProviderKind::GitLab);
        assert_eq!(gitlab["title"], "Draft: Mend it");
        assert_eq!(gitlab["source_branch"], "roost/run-1/a");
        assert_eq!(gitlab["target_branch"], "main");
        assert_eq!(gitlab["description"], "Why");
    }
}
