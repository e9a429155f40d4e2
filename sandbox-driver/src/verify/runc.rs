//! Known vulnerabilities of runc. A distributor fixes an old version without changing its number, so a version with a
//! distributor's revision gives a warning with that revision, never a refusal by the number alone. Pure.
use roost_protocol::verify::Level;

type Version = (u32, u32, u32);

/// A vulnerability, and the first fixed version of each branch; branches before the first have no fix.
const HOLES: [(&str, &[Version]); 2] = [
    ("CVE-2024-21626", &[(1, 1, 12), (1, 2, 0)]),
    (
        "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881",
        &[(1, 2, 8), (1, 3, 3), (1, 4, 0)],
    ),
];

/// Judges a version reported by the engine, with the package's text beside it.
pub(super) fn judge(version: &str, package: &str) -> (Level, String) {
    let version = version.trim().trim_start_matches("runc version").trim();
    let version = version.lines().next().unwrap_or_default();
    let Some(number) = parse(version) else {
        return (
            Level::Warn,
            format!("the runtime's version {version:?} is not one of runc's"),
        );
    };
    let open: Vec<&str> = HOLES
        .iter()
        .filter(|(_, good)| !is_good(number, good))
        .map(|(name, _)| *name)
        .collect();
    if open.is_empty() {
        return (Level::Ok, format!("runc {version}"));
    }
    let open = open.join(", ");
    if is_packaged(version) || is_packaged(package) {
        (
            Level::Warn,
            format!(
                "runc {version} (package {package}): by its number it has {open}; check your distribution's notes for fixes in this revision"
            ),
        )
    } else {
        (
            Level::Fail,
            format!("runc {version} has {open}: upgrade to 1.2.8, 1.3.3 or later"),
        )
    }
}

fn parse(text: &str) -> Option<Version> {
    let mut numbers = text.split(['.', '+', '-', '~']).map(str::parse::<u32>);
    Some((
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
    ))
}

fn is_good(version: Version, good: &[Version]) -> bool {
    let newest = good.last().copied().unwrap_or_default();
    version >= newest
        || good
            .iter()
            .any(|first| (first.0, first.1) == (version.0, version.1) && version >= *first)
}

/// Debian, Ubuntu, Fedora, Alpine and others write a revision; upstream writes only `-rc`.
fn is_packaged(text: &str) -> bool {
    text.contains(['+', '~'])
        || ["deb", "ubuntu", ".el", ".fc", "-r", "amzn"]
            .iter()
            .any(|word| text.contains(word) && !text.contains("-rc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("1.3.3", "", Level::Ok)]
    #[case("1.2.8", "", Level::Ok)]
    #[case("1.4.1", "", Level::Ok)]
    #[case("2.0.0", "", Level::Ok)]
    #[case("1.3.2", "v1.3.2-0-gaeabe4e", Level::Fail)]
    #[case("1.1.12", "v1.1.12-0-g51d5e94", Level::Fail)]
    #[case("1.1.5", "", Level::Fail)]
    #[case("1.1.5+ds1", "1.1.5+ds1-1+deb12u1", Level::Warn)]
    #[case("1.1.12-0ubuntu2", "", Level::Warn)]
    #[case("runc version 1.1.5+ds1\ncommit: x", "", Level::Warn)]
    #[case("crun 1.8", "", Level::Warn)]
    fn versions_are_judged_by_branch_and_package(
        #[case] version: &str,
        #[case] package: &str,
        #[case] level: Level,
    ) {
        assert_eq!(judge(version, package).0, level, "{version}");
    }

    #[test]
    fn warning_names_the_revision_and_the_vulnerability() {
        let (_, detail) = judge("1.1.5+ds1", "1.1.5+ds1-1+deb12u1");
        assert!(
            detail.contains("deb12u1") && detail.contains("CVE-2024-21626"),
            "{detail}"
        );
    }
}
