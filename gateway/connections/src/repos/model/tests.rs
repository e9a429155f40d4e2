//! Tests of the rules.

use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case(ProviderKind::GitHub, None, Ok("https://api.github.com/"))]
#[case(
    ProviderKind::GitHub,
    Some("https://api.github.com"),
    Ok("https://api.github.com/")
)]
#[case(
    ProviderKind::GitHub,
    Some("https://git.example"),
    Err("GitHub Enterprise")
)]
#[case(ProviderKind::GitHubEnterprise, None, Err("missing"))]
#[case(
    ProviderKind::GitHubEnterprise,
    Some("https://git.example/"),
    Ok("https://git.example/")
)]
#[case(
    ProviderKind::Forgejo,
    Some("https://example.org/git//"),
    Ok("https://example.org/git")
)]
#[case(
    ProviderKind::Forgejo,
    Some("http://127.0.0.1:3000"),
    Ok("http://127.0.0.1:3000/")
)]
#[case(ProviderKind::GitLab, None, Ok("https://gitlab.com/"))]
#[case(
    ProviderKind::GitLab,
    Some("https://me:word@gitlab.example"),
    Err("user")
)]
#[case(
    ProviderKind::GitLab,
    Some("https://gitlab.example/?a=b"),
    Err("query")
)]
#[case(ProviderKind::GitLab, Some("https://gitlab.example/#a"), Err("query"))]
#[case(ProviderKind::GitLab, Some("file:///etc/passwd"), Err("https://"))]
#[case(ProviderKind::GitLab, Some("gitlab.example"), Err("such as"))]
fn an_address_is_checked_before_anything_is_asked(
    #[case] kind: ProviderKind,
    #[case] given: Option<&str>,
    #[case] expected: Result<&str, &str>,
) {
    match (base_url(kind, given), expected) {
        (Ok(url), Ok(expected)) => assert_eq!(url.as_str(), expected),
        (Err(text), Err(part)) => assert!(text.contains(part), "{text}"),
        (got, _) => panic!("{given:?}: {got:?}"),
    }
}

#[rstest]
#[case(ProviderKind::GitHub, "acme", true)]
#[case(ProviderKind::GitHub, "acme/tools", false)]
#[case(ProviderKind::GitLab, "acme/tools.new", true)]
#[case(ProviderKind::GitLab, "acme//tools", false)]
#[case(ProviderKind::GitLab, "acme/..", false)]
#[case(ProviderKind::GitHub, "..", false)]
#[case(ProviderKind::GitHub, "a b", false)]
#[case(ProviderKind::GitHub, "a?x=1", false)]
#[case(ProviderKind::GitHub, "", false)]
fn an_owner_is_a_name_and_no_path_out(
    #[case] kind: ProviderKind,
    #[case] owner: &str,
    #[case] fine: bool,
) {
    assert_eq!(is_owner(kind, owner), fine);
}

#[test]
fn a_token_may_go_to_its_lists_and_to_git_and_nowhere_else() {
    let base = Url::parse("https://example.org/git").expect("a URL");
    let text: Vec<String> = allow(ProviderKind::Forgejo, &base, Some("acme"))
        .iter()
        .map(|entry| {
            format!(
                "{} {}{}",
                entry.methods.join(),
                entry.origin,
                entry.path_prefix
            )
        })
        .collect();
    assert_eq!(
        text,
        [
            "GET https://example.org/git/api/v1/orgs/acme/repos",
            "GET https://example.org/git/api/v1/users/acme/repos",
            "GIT,GIT-PUSH https://example.org/git",
            "POST https://example.org/git/api/v1/repos/*/*/pulls",
        ]
    );
    let base = Url::parse("https://api.github.com/").expect("a URL");
    let all = allow(ProviderKind::GitHub, &base, None);
    let origins: Vec<&str> = all.iter().map(|entry| entry.origin.as_str()).collect();
    assert_eq!(
        origins,
        [
            "https://api.github.com",
            "https://github.com",
            "https://api.github.com"
        ]
    );
}

#[test]
fn a_repository_is_cloned_from_below_its_connection_whatever_it_is_called() {
    let cases = [
        (
            ProviderKind::GitHub,
            "https://api.github.com/",
            "acme/tools",
            Some("https://github.com/acme/tools.git"),
        ),
        (
            ProviderKind::GitHubEnterprise,
            "https://git.intern/",
            "acme/tools",
            Some("https://git.intern/acme/tools.git"),
        ),
        (
            ProviderKind::GitHubEnterprise,
            "https://api.intern/",
            "acme/tools",
            Some("https://api.intern/acme/tools.git"),
        ),
        (
            ProviderKind::Forgejo,
            "https://example.org/git",
            "acme/tools",
            Some("https://example.org/git/acme/tools.git"),
        ),
        (
            ProviderKind::GitLab,
            "https://gitlab.com/",
            "a/b/c",
            Some("https://gitlab.com/a/b/c.git"),
        ),
        (
            ProviderKind::GitLab,
            "https://gitlab.com/",
            "a/b c?x#y",
            Some("https://gitlab.com/a/b%20c%3Fx%23y.git"),
        ),
        (
            ProviderKind::Forgejo,
            "https://example.org/git",
            "../tools",
            None,
        ),
        (
            ProviderKind::Forgejo,
            "https://example.org/git",
            "acme//tools",
            None,
        ),
        (
            ProviderKind::Forgejo,
            "https://example.org/git",
            "tools",
            None,
        ),
        (
            ProviderKind::Forgejo,
            "https://example.org/git",
            "https://evil.example/x",
            None,
        ),
    ];
    for (kind, base, name, address) in cases {
        let base = Url::parse(base).expect("a URL");
        let text = git_address(kind, &base, name).map(|url| url.to_string());
        assert_eq!(text.as_deref(), address, "{name}");
    }
}

trait Join {
    fn join(&self) -> String;
}

impl Join for Vec<String> {
    fn join(&self) -> String {
        self.as_slice().join(",")
    }
}

#[rstest]
#[case(1, 100, &[], More::Yes)]
#[case(1, 99, &[], More::No)]
#[case(1, 50, &[("link", "<https://x/?page=2>; rel=\"next\", <https://x/?page=9>; rel=\"last\"")], More::Yes)]
#[case(9, 100, &[("link", "<https://x/?page=1>; rel=\"first\", <https://x/?page=8>; rel=prev")], More::No)]
#[case(1, 20, &[("x-next-page", "2")], More::Yes)]
#[case(2, 100, &[("x-next-page", "")], More::No)]
#[case(20, 100, &[], More::Cut)]
#[case(20, 30, &[], More::No)]
#[case(3, 0, &[("x-next-page", "4")], More::No)]
fn pages_end_where_the_host_says_or_at_the_twentieth(
    #[case] page: u32,
    #[case] entries: usize,
    #[case] headers: &[(&str, &str)],
    #[case] expected: More,
) {
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    assert_eq!(more(page, entries, header), expected);
}

proptest! {
    #[test]
    fn a_refusal_is_one_short_clean_sentence_or_three(status in 100_u16..1000, message in ".{0,400}", owner in "[a-z]{1,39}") {
        for kind in ProviderKind::ALL {
            let text = refusal(kind, Some(&owner), status, |_| None, Some(&message));
            prop_assert!(text.len() < 500, "{}", text);
            prop_assert!(!text.chars().any(char::is_control), "{:?}", text);
            prop_assert!(text.contains(&status.to_string()), "{}", text);
        }
    }

    #[test]
    fn reading_a_list_always_ends(answers in proptest::collection::vec((0_usize..200, any::<bool>()), 0..60)) {
        let mut page = 1;
        while let Some((entries, link)) = answers.get(page as usize - 1) {
            let header = |name: &str| (name == "link" && *link).then(|| "<x>; rel=\"next\"".to_owned());
            if more(page, *entries, header) != More::Yes {
                break;
            }
            page += 1;
            prop_assert!(page <= MOST_PAGES);
        }
    }
}
