//! Which names and ids of git a peer may send. Everything else never reaches git's arguments.

use roost_secret_broker::wire::{BRANCHES, Fault, FaultCode};

/// Longest name of a branch.
const LONGEST: usize = 200;

/// A whole commit id.
///
/// # Errors
/// [`FaultCode::BadRequest`].
pub(super) fn commit(text: &str) -> Result<&str, Fault> {
    match is_commit(text) {
        true => Ok(text),
        false => Err(bad("a commit id has 40 or 64 small hexadecimal digits")),
    }
}

pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// A branch of an agent: `roost/` and up to four more parts of small letters, digits and `-`.
///
/// # Errors
/// [`FaultCode::BadRequest`].
pub(super) fn branch(text: &str) -> Result<&str, Fault> {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let fine = text.len() <= LONGEST
        && text.strip_prefix(BRANCHES).is_some_and(|rest| {
            let parts = rest.split('/');
            parts.clone().count() <= 4 && parts.clone().all(part)
        });
    match fine {
        true => Ok(text),
        false => Err(bad(
            "an agent's branch is `roost/` and up to four parts of small letters, digits and `-`",
        )),
    }
}

/// Where the mirror keeps a received branch. A fetch neither changes nor prunes these names.
pub(super) fn kept(branch: &str) -> String {
    format!("refs/{branch}")
}

/// What a bundle begins at: a commit id, or a branch or tag.
///
/// # Errors
/// [`FaultCode::BadRequest`].
pub(super) fn from(text: &str) -> Result<&str, Fault> {
    let named = (text.starts_with("refs/heads/") || text.starts_with("refs/tags/"))
        && text.len() <= 1024
        && !text.contains("..")
        && !text.contains("@{")
        && !text
            .chars()
            .any(|char| char.is_control() || " ~^:?*[\\".contains(char));
    match named || is_commit(text) {
        true => Ok(text),
        false => Err(bad(
            "a base is a whole commit id, or a name below `refs/heads/` or `refs/tags/`",
        )),
    }
}

fn bad(detail: &str) -> Fault {
    Fault::new(FaultCode::BadRequest, detail)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("roost/0190a000-0000-7000-8000-000000000001/1", true)]
    #[case("roost/a", true)]
    #[case("main", false)]
    #[case("roost/", false)]
    #[case("roost//a", false)]
    #[case("roost/../main", false)]
    #[case("roost/a.lock", false)]
    #[case("roost/-a", false)]
    #[case("roost/a b", false)]
    #[case("roost/a:refs/heads/main", false)]
    #[case("roost/a/b/c/d/e", false)]
    fn only_branches_of_agents_pass(#[case] text: &str, #[case] fine: bool) {
        assert_eq!(branch(text).is_ok(), fine);
    }

    #[rstest]
    #[case("refs/heads/main", true)]
    #[case("refs/tags/v1.0", true)]
    #[case("refs/roost/a", false)]
    #[case("refs/heads/a..b", false)]
    #[case("refs/heads/a@{1}", false)]
    #[case("refs/heads/a^{tree}", false)]
    #[case("--all", false)]
    #[case("HEAD", false)]
    fn only_whole_names_and_ids_are_a_base(#[case] text: &str, #[case] fine: bool) {
        assert_eq!(from(text).is_ok(), fine);
        assert!(from(&"0a".repeat(20)).is_ok());
        assert!(from(&"0A".repeat(20)).is_err());
    }
}
