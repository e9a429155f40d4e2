//! Which paths a received commit may change.

use super::bundle_head::refused;
use roost_secret_broker::wire::Fault;

/// Longest path, bytes.
const LONGEST: usize = 1024;
/// Most parts of a path.
const DEEPEST: usize = 64;

/// Places from which code hosts run programs after a push.
const WORKFLOWS: [&[&str]; 4] = [
    &[".github", "workflows"],
    &[".gitea", "workflows"],
    &[".forgejo", "workflows"],
    &[".gitlab-ci.yml"],
];

/// Checks one changed path.
///
/// # Errors
/// A fault that names the path.
pub(super) fn check(path: &[u8], workflows: bool) -> Result<(), Fault> {
    let shown = || super::bounded(&String::from_utf8_lossy(path));
    if path.len() > LONGEST {
        return Err(refused(&format!(
            "a path is over {LONGEST} bytes: {}",
            shown()
        )));
    }
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    if parts.len() > DEEPEST {
        return Err(refused(&format!(
            "a path has over {DEEPEST} parts: {}",
            shown()
        )));
    }
    if parts.iter().any(|part| is_dangerous(part)) {
        return Err(refused(&format!(
            "a path has a part that git or a file system reads as another place: {}",
            shown()
        )));
    }
    if !workflows && is_workflow(&parts) {
        return Err(refused(&format!(
            "it changes `{}`, from which the code host runs programs; undo the change, or ask an Admin to allow it in the settings of the workspace (`roost workspace workflows allow`)",
            shown()
        )));
    }
    Ok(())
}

/// `..`, `.git` in the spellings of all file systems, backslashes and control characters.
fn is_dangerous(part: &[u8]) -> bool {
    let text = String::from_utf8_lossy(part);
    // HFS+ ignores these characters; NTFS ignores dots and spaces at the end, and knows short names.
    let plain: String = text.chars().filter(|char| !is_ignored(*char)).collect();
    let plain = plain.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    let stream = plain.split(':').next().unwrap_or_default();
    part.is_empty()
        || plain.is_empty()
        || part == b"."
        || part == b".."
        || stream.trim_end_matches(['.', ' ']) == ".git"
        || stream.starts_with("git~")
        || part
            .iter()
            .any(|byte| *byte < 0x20 || *byte == 0x7f || *byte == b'\\')
}

fn is_ignored(char: char) -> bool {
    matches!(char, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Also a parent of such a place: as a symbolic link or submodule it could stand for it.
fn is_workflow(parts: &[&[u8]]) -> bool {
    WORKFLOWS.iter().any(|place| {
        place
            .iter()
            .zip(parts)
            .all(|(name, part)| part.eq_ignore_ascii_case(name.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("src/main.rs", true)]
    #[case("a b/ü.txt", true)]
    #[case(".gitignore", true)]
    #[case(".github/CODEOWNERS", true)]
    #[case("docs/.github/workflows/a.yml", true)]
    #[case("../a", false)]
    #[case("a/../b", false)]
    #[case("a/./b", false)]
    #[case("a//b", false)]
    #[case(".git/hooks/pre-commit", false)]
    #[case("a/.GIT/config", false)]
    #[case(".git . /config", false)]
    #[case(".g\u{200c}it/config", false)]
    #[case("git~1/config", false)]
    #[case(".git::$INDEX_ALLOCATION/config", false)]
    #[case("a\\b", false)]
    #[case("a\nb", false)]
    #[case(".github/workflows/ci.yml", false)]
    #[case(".GitHub/Workflows/ci.yml", false)]
    #[case(".github", false)]
    #[case(".gitea/workflows/ci.yml", false)]
    #[case(".forgejo/workflows", false)]
    #[case(".gitlab-ci.yml", false)]
    fn dangerous_paths_and_workflows_are_refused(#[case] path: &str, #[case] fine: bool) {
        assert_eq!(check(path.as_bytes(), false).is_ok(), fine);
    }

    #[test]
    fn workflows_pass_when_they_are_allowed() {
        assert!(check(b".github/workflows/ci.yml", true).is_ok());
        assert!(check(b".github/../x", true).is_err());
        assert!(check(&b"a/".repeat(100), true).is_err());
        assert!(check(&[b'a'; 2_000], true).is_err());
    }
}
