//! Parses git's progress lines into phases and percents.

use roost_secret_broker::wire::FetchPhase;

/// A line of git's standard error.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    Progress(FetchPhase, u8),
    /// A line that may hold the reason of a failure.
    Said(&'l str),
}

/// Parses a line; `None` for a line without information.
pub(super) fn read(line: &str) -> Option<Line<'_>> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    let text = line.strip_prefix("remote:").map_or(line, str::trim);
    let phase = [
        ("Enumerating objects", FetchPhase::Preparing),
        ("Counting objects", FetchPhase::Preparing),
        ("Compressing objects", FetchPhase::Preparing),
        ("Receiving objects", FetchPhase::Receiving),
        ("Resolving deltas", FetchPhase::Checking),
        ("Checking objects", FetchPhase::Checking),
        ("Checking connectivity", FetchPhase::Checking),
    ];
    let phase = phase.iter().find(|(begin, _)| text.starts_with(begin));
    match phase {
        Some((_, phase)) => Some(Line::Progress(*phase, percent(text))),
        // The summary of a pack, and the list of branches after it.
        None if text.starts_with("Total ") || line.starts_with("From ") || is_update(line) => None,
        None => Some(Line::Said(line)),
    }
}

fn percent(text: &str) -> u8 {
    let before = text
        .split('%')
        .next()
        .filter(|before| before.len() < text.len());
    let digits = before.and_then(|before| before.rsplit([' ', ':']).next());
    digits
        .and_then(|digits| digits.parse().ok())
        .filter(|percent| *percent <= 100)
        .unwrap_or(0)
}

/// ` * [new branch]  main -> main`, `   1a2b..3c4d  main -> main`.
fn is_update(line: &str) -> bool {
    line.contains(" -> ") && !line.starts_with('!') && !line.starts_with("error")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("remote: Counting objects:  50% (1/2)", Some((FetchPhase::Preparing, 50)))]
    #[case("remote: Enumerating objects: 12, done.", Some((FetchPhase::Preparing, 0)))]
    #[case("Receiving objects:   7% (70/1000), 1.20 MiB | 3.00 MiB/s", Some((FetchPhase::Receiving, 7)))]
    #[case("Resolving deltas: 100% (3/3), done.", Some((FetchPhase::Checking, 100)))]
    #[case("Receiving objects: 999% (1/1)", Some((FetchPhase::Receiving, 0)))]
    #[case("remote: Total 3 (delta 0), reused 0 (delta 0)", None)]
    #[case(" * [new branch]      main -> main", None)]
    #[case("", None)]
    fn progress_is_parsed_and_other_lines_are_ignored(
        #[case] line: &str,
        #[case] read_as: Option<(FetchPhase, u8)>,
    ) {
        assert_eq!(
            read(line),
            read_as.map(|(phase, percent)| Line::Progress(phase, percent))
        );
    }

    #[test]
    fn lines_that_may_be_a_reason_are_kept() {
        let line = "fatal: unable to access 'http://127.0.0.1:1/r/': The requested URL returned error: 502";
        assert_eq!(read(line), Some(Line::Said(line)));
        assert_eq!(
            read("remote: access denied"),
            Some(Line::Said("remote: access denied"))
        );
    }
}
