//! The verdicts in agents' answers: `TEST_PASS`, `TEST_FAIL`, `REVIEW_APPROVE`, `REVIEW_BLOCK`, each alone on its line, with
//! or without the id of a task (`TEST_FAIL: INT-01`). The rules of a line are those of the directives: it is outside of
//! code fences, and begins at its first column. So a quotation or a sentence about a marker is not a verdict.

use std::collections::BTreeMap;

use super::directives::open_lines;

/// The most different verdicts that one answer gives.
const MOST: usize = 200;

/// The check that a verdict comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    Test,
    Review,
}

/// A verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    pub check: Check,
    /// The id of the task. `None` is the whole work.
    pub task: Option<String>,
    pub accepts: bool,
}

impl Marker {
    /// The marker as it stands in the answer.
    pub fn text(&self) -> String {
        let word = match (self.check, self.accepts) {
            (Check::Test, true) => "TEST_PASS",
            (Check::Test, false) => "TEST_FAIL",
            (Check::Review, true) => "REVIEW_APPROVE",
            (Check::Review, false) => "REVIEW_BLOCK",
        };
        match &self.task {
            Some(task) => format!("{word}: {task}"),
            None => word.to_owned(),
        }
    }
}

/// The verdicts of an answer: one for each check and task. An answer that accepts and rejects the same rejects it: a
/// status of a task only moves forward, and failed is behind validating.
pub fn markers(text: &str) -> Vec<Marker> {
    let mut found: BTreeMap<(Check, Option<String>), bool> = BTreeMap::new();
    for line in open_lines(text) {
        let Some(marker) = parsed(line) else {
            continue;
        };
        let key = (marker.check, marker.task);
        if found.len() < MOST || found.contains_key(&key) {
            *found.entry(key).or_insert(true) &= marker.accepts;
        }
    }
    found
        .into_iter()
        .map(|((check, task), accepts)| Marker {
            check,
            task,
            accepts,
        })
        .collect()
}

/// Whether an answer rejects something.
pub fn rejects(text: &str) -> bool {
    markers(text).iter().any(|marker| !marker.accepts)
}

/// A line that is a marker and nothing else.
fn parsed(line: &str) -> Option<Marker> {
    let (word, task) = match line.split_once(": ") {
        Some((word, task)) if is_task_id(task) => (word, Some(task.to_owned())),
        Some(_) => return None,
        None => (line, None),
    };
    let (check, accepts) = match word {
        "TEST_PASS" => (Check::Test, true),
        "TEST_FAIL" => (Check::Test, false),
        "REVIEW_APPROVE" => (Check::Review, true),
        "REVIEW_BLOCK" => (Check::Review, false),
        _ => return None,
    };
    Some(Marker {
        check,
        task,
        accepts,
    })
}

/// `INT-` and two to five digits.
pub fn is_task_id(text: &str) -> bool {
    text.strip_prefix("INT-").is_some_and(|digits| {
        (2..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str) -> Vec<String> {
        markers(answer).iter().map(Marker::text).collect()
    }

    #[test]
    fn marker_alone_on_its_line_is_a_verdict() {
        let answer =
            "All tests pass.\n\nTEST_PASS: INT-01\nTEST_FAIL: INT-12345 \r\nREVIEW_BLOCK\n";
        assert_eq!(
            texts(answer),
            ["TEST_PASS: INT-01", "TEST_FAIL: INT-12345", "REVIEW_BLOCK"]
        );
        assert!(rejects(answer));
        assert!(!rejects("REVIEW_APPROVE: INT-01"));
    }

    #[test]
    fn prose_about_a_marker_is_not_a_verdict() {
        for line in [
            "> TEST_FAIL: INT-01",
            "- TEST_FAIL: INT-01",
            " TEST_FAIL: INT-01",
            "**TEST_FAIL: INT-01**",
            "TEST_FAIL: INT-01 because of the parser",
            "TEST_FAIL: INT-1",
            "TEST_FAIL: INT-123456",
            "TEST_FAIL: everything",
            "TEST_FAIL:",
            "TEST_FAIL:INT-01",
            "TEST_FAIL is what I would say",
            "test_fail: INT-01",
            "ТEST_FAIL: INT-01",
            "COMPLETED: INT-01",
            "HANDOFF: INT-01",
            "```\nTEST_FAIL: INT-01\n```",
            "~~~text\nREVIEW_BLOCK\n",
        ] {
            assert_eq!(markers(line), [], "{line:?}");
        }
    }

    #[test]
    fn answer_that_accepts_and_rejects_the_same_task_rejects_it() {
        let answer = "TEST_FAIL: INT-01\nTEST_PASS: INT-01\nREVIEW_APPROVE: INT-01";
        assert_eq!(
            texts(answer),
            ["TEST_FAIL: INT-01", "REVIEW_APPROVE: INT-01"]
        );
    }

    #[test]
    fn number_of_verdicts_is_bounded() {
        let answer: String = (10..99_999)
            .map(|n| format!("TEST_PASS: INT-{n}\n"))
            .collect();
        assert_eq!(markers(&answer).len(), MOST);
    }
}
