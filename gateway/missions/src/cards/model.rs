//! Builds a summary card from facts. Pure code.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum number of sources of a card.
const MOST_SOURCES: usize = 100;
/// The maximum number of next actions of a card.
const MOST_ACTIONS: usize = 20;

/// A summary card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PhaseSummaryCard)]
pub struct Card {
    /// What happened, in some sentences.
    pub narrative: String,
    pub metrics: Metrics,
    /// The addresses and places in files that the results name.
    pub sources: Vec<String>,
    /// The tools and the models that were used.
    pub tooling: Vec<ToolUse>,
    /// What is open.
    pub next_actions: Vec<String>,
}

/// The figures of a card. They depend on the kind of the phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, deny_unknown_fields)]
#[schema(as = PhaseMetrics)]
pub enum Metrics {
    Research {
        /// Points below a heading that names insights or findings.
        insights: u32,
        sources: u32,
        /// Tasks of the phase.
        int_cards: u32,
        artifacts: u32,
    },
    Coding {
        /// Tasks that were begun.
        cards_picked_up: u32,
        commits: u32,
        /// Checks that ran, and verdicts of tests.
        tests: u32,
        /// Checks that failed, and verdicts that reject.
        issues: u32,
    },
    /// Null when nothing was measured.
    Benchmark {
        regressions: Option<u32>,
        improvements: Option<u32>,
    },
    SecurityScan {
        /// The number of findings of each severity. Null when nothing was scanned.
        findings: Option<BTreeMap<String, u32>>,
    },
}

/// How often a tool or a model was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PhaseToolUse)]
pub struct ToolUse {
    /// `model`, `tool` or `check`. A scanner and the command of a benchmark are tools.
    pub kind: String,
    pub name: String,
    pub calls: u64,
    pub failed: u64,
    /// Of a model.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Of a model, in millionths of a US dollar.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cost_microusd: u64,
}

impl ToolUse {
    /// A tool that was not used yet.
    pub fn of_tool(name: &str) -> Self {
        Self {
            kind: "tool".to_owned(),
            name: name.to_owned(),
            calls: 0,
            failed: 0,
            tokens: 0,
            cost_microusd: 0,
        }
    }

    /// Counts one use.
    pub fn add(&mut self, has_failed: bool) {
        self.calls += 1;
        self.failed += u64::from(has_failed);
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What the figures of a phase count, beside its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counted {
    Research,
    Coding {
        commits: u32,
        /// Of the declared checks of steps.
        checks: u32,
        failed_checks: u32,
        /// `TEST_PASS` and `TEST_FAIL`.
        test_verdicts: u32,
        /// `TEST_FAIL` and `REVIEW_BLOCK`.
        rejections: u32,
    },
    /// What a benchmark phase found.
    Benchmark {
        regressions: u32,
        improvements: u32,
    },
    /// What a security scan found, by severity.
    Security {
        findings: BTreeMap<String, u32>,
    },
    /// A phase that ended before it measured something.
    NotMeasured,
    /// A phase that ended before it scanned something.
    NotScanned,
}

/// A task of the phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFact {
    pub external_id: String,
    pub title: String,
    /// As the board shows it.
    pub status: &'static str,
}

/// The facts of a phase that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The kind of the phase, in words.
    pub noun: &'static str,
    pub completed: bool,
    /// Why it ended so.
    pub reason: String,
    pub attempt: i32,
    pub seconds: i64,
    pub teams: Vec<String>,
    pub tasks: Vec<TaskFact>,
    /// The texts that the phase left.
    pub results: Vec<String>,
    pub artifacts: u32,
    pub tooling: Vec<ToolUse>,
    pub counted: Counted,
}

/// The card of a phase. The gateway composes the narrative; a model may replace it.
pub fn card(facts: &Facts) -> Card {
    let sources = sources(&facts.results);
    let begun = facts.tasks.iter().filter(|task| task.status != "created");
    let metrics = match &facts.counted {
        Counted::Research => Metrics::Research {
            insights: facts.results.iter().map(|text| insights(text)).sum(),
            sources: count(sources.len()),
            int_cards: count(facts.tasks.len()),
            artifacts: facts.artifacts,
        },
        Counted::Coding {
            commits,
            checks,
            failed_checks,
            test_verdicts,
            rejections,
        } => Metrics::Coding {
            cards_picked_up: count(begun.count()),
            commits: *commits,
            tests: checks + test_verdicts,
            issues: failed_checks + rejections,
        },
        Counted::Benchmark {
            regressions,
            improvements,
        } => Metrics::Benchmark {
            regressions: Some(*regressions),
            improvements: Some(*improvements),
        },
        Counted::Security { findings } => Metrics::SecurityScan {
            findings: Some(findings.clone()),
        },
        Counted::NotMeasured => Metrics::Benchmark {
            regressions: None,
            improvements: None,
        },
        Counted::NotScanned => Metrics::SecurityScan { findings: None },
    };
    Card {
        narrative: narrative(facts),
        metrics,
        sources,
        tooling: facts.tooling.clone(),
        next_actions: next_actions(facts),
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn narrative(facts: &Facts) -> String {
    let end = match facts.completed {
        true => "completed",
        false => "failed",
    };
    let who = match facts.teams.as_slice() {
        [] => String::new(),
        [one] => format!(" {one} worked on it."),
        many => format!(" {} worked on it.", many.join(", ")),
    };
    let attempt = match facts.attempt {
        ..=1 => String::new(),
        attempt => format!(" in attempt {attempt}"),
    };
    let tasks = match facts.tasks.len() {
        0 => String::new(),
        all => {
            let done = facts.tasks.iter().filter(|task| task.status == "complete");
            format!(" {} of {all} tasks are complete.", done.count())
        }
    };
    format!(
        "The {} phase {end}{attempt} after {}.{who}{tasks} {}",
        facts.noun,
        duration(facts.seconds),
        facts.reason
    )
    .trim_end()
    .to_owned()
}

/// A duration in words.
fn duration(seconds: i64) -> String {
    let unit = |number: i64, word: &str| match number {
        1 => format!("1 {word}"),
        number => format!("{number} {word}s"),
    };
    match seconds.max(0) {
        seconds @ 0..120 => unit(seconds, "second"),
        seconds @ 120..7_200 => unit(seconds / 60, "minute"),
        seconds => unit(seconds / 3_600, "hour"),
    }
}

fn next_actions(facts: &Facts) -> Vec<String> {
    let of_task = |word: &str, task: &TaskFact| match task.title == task.external_id {
        true => format!("{word} {}.", task.external_id),
        false => format!(
            "{word} {}: {}.",
            task.external_id,
            task.title.trim_end_matches('.')
        ),
    };
    let first = (!facts.completed)
        .then(|| "Retry the phase, skip it, or fail the mission.".to_owned())
        .into_iter();
    let failed = facts.tasks.iter().filter(|task| task.status == "failed");
    let failed = failed.map(|task| of_task("Look at the failed task", task));
    let is_open = |task: &&TaskFact| !matches!(task.status, "failed" | "complete");
    let open = facts.tasks.iter().filter(is_open);
    let open = open.map(|task| of_task("Continue", task));
    first.chain(failed).chain(open).take(MOST_ACTIONS).collect()
}

/// The points of a list below a heading that names insights or findings.
fn insights(text: &str) -> u32 {
    let (mut below, mut found) = (false, 0);
    for line in text.lines() {
        let words = line.trim_start();
        if words.starts_with('#') || (words.starts_with("**") && words.trim_end().ends_with("**")) {
            let heading = words.to_lowercase();
            below = heading.contains("insight") || heading.contains("finding");
        } else if below && line.len() == words.len() && is_point(words) {
            found += 1;
        }
    }
    found
}

/// Whether a line is a point of a list: `- x`, `* x`, `+ x`, `1. x` or `1) x`.
fn is_point(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => line[digits..].strip_prefix(['.', ')']),
    };
    rest.is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty())
}

/// The addresses and places in files that texts name, sorted.
fn sources(texts: &[String]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for text in texts {
        for word in text.split(|c: char| c.is_whitespace() || "<>()[]{}\"'`|,;".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?', '*', '_']);
            if is_address(word) || is_place(word) {
                found.insert(word.to_owned());
            }
        }
    }
    found.into_iter().take(MOST_SOURCES).collect()
}

fn is_address(word: &str) -> bool {
    let rest = word
        .strip_prefix("https://")
        .or_else(|| word.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.contains('.') && rest.len() < 500)
}

/// A place in a file: `src/lib.rs:12`, also with a column or a range of lines.
fn is_place(word: &str) -> bool {
    let Some((path, line)) = word.split_once(':') else {
        return false;
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_end = name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=10).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    has_end && path.len() < 300 && !line.is_empty() && line.split([':', '-']).all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(counted: Counted) -> Facts {
        Facts {
            noun: "research",
            completed: true,
            reason: "All tests pass.".to_owned(),
            attempt: 1,
            seconds: 192,
            teams: vec!["Archeologists".to_owned()],
            tasks: Vec::new(),
            results: Vec::new(),
            artifacts: 1,
            tooling: Vec::new(),
            counted,
        }
    }

    fn task(id: &str, title: &str, status: &'static str) -> TaskFact {
        TaskFact {
            external_id: id.to_owned(),
            title: title.to_owned(),
            status,
        }
    }

    #[test]
    fn card_of_research_counts_insights_sources_and_tasks() {
        let text = "# Report\n- not one\n\n## Insights\n- The copy costs 40 % (`src/lib.rs:12`).\n  - of the time\n2. See <https://example.org/paper.pdf>.\n-\n\n## Next\n- no\n**Key findings**\n* Third, in src/a-b.rs:3-9 and e.g. http://x";
        let facts = Facts {
            results: vec![text.to_owned()],
            tasks: vec![task("INT-01", "INT-01", "created")],
            ..facts(Counted::Research)
        };
        let card = card(&facts);
        let expected = Metrics::Research {
            insights: 3,
            sources: 3,
            int_cards: 1,
            artifacts: 1,
        };
        assert_eq!(card.metrics, expected);
        assert_eq!(
            card.sources,
            [
                "https://example.org/paper.pdf",
                "src/a-b.rs:3-9",
                "src/lib.rs:12"
            ]
        );
        assert_eq!(card.next_actions, ["Continue INT-01."]);
        assert_eq!(
            card.narrative,
            "The research phase completed after 3 minutes. Archeologists worked on it. 0 of 1 tasks are complete. All tests pass."
        );
    }

    #[test]
    fn card_of_coding_counts_tasks_that_were_begun_and_what_was_tested() {
        let facts = Facts {
            completed: false,
            tasks: vec![
                task("INT-01", "Copy less.", "complete"),
                task("INT-02", "Test it", "failed"),
                task("INT-03", "Later", "created"),
            ],
            ..facts(Counted::Coding {
                commits: 2,
                checks: 3,
                failed_checks: 1,
                test_verdicts: 4,
                rejections: 1,
            })
        };
        let card = card(&facts);
        let expected = Metrics::Coding {
            cards_picked_up: 2,
            commits: 2,
            tests: 7,
            issues: 2,
        };
        assert_eq!(card.metrics, expected);
        assert_eq!(
            card.next_actions,
            [
                "Retry the phase, skip it, or fail the mission.",
                "Look at the failed task INT-02: Test it.",
                "Continue INT-03: Later.",
            ]
        );
    }

    #[test]
    fn card_has_exactly_the_keys_of_the_specification() {
        let research = serde_json::to_value(card(&facts(Counted::Research))).unwrap();
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let expected = ["metrics", "narrative", "next_actions", "sources", "tooling"];
        let mut found = keys(&research);
        found.sort();
        assert_eq!(found, expected);
        for (counted, expected) in [
            (
                Counted::Research,
                vec!["insights", "sources", "int_cards", "artifacts"],
            ),
            (Counted::NotMeasured, vec!["regressions", "improvements"]),
            (Counted::NotScanned, vec!["findings"]),
        ] {
            let card = serde_json::to_value(card(&facts(counted))).unwrap();
            let mut found = keys(&card["metrics"]);
            found.sort();
            let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            expected.sort();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn stored_card_reads_back() {
        let counted = [
            Counted::Research,
            Counted::Benchmark {
                regressions: 1,
                improvements: 2,
            },
            Counted::Security {
                findings: BTreeMap::from([("high".to_owned(), 3)]),
            },
            Counted::NotMeasured,
            Counted::NotScanned,
        ];
        for counted in counted {
            let card = card(&facts(counted));
            let stored = serde_json::to_string(&card).unwrap();
            let read: Card = serde_json::from_str(&stored).unwrap();
            assert_eq!(read, card);
        }
    }

    #[test]
    fn only_an_address_or_a_place_in_a_file_is_a_source() {
        for word in [
            "12:30",
            "a:b",
            "lib.rs",
            "src/lib.rs:",
            ":12",
            "x.y:z",
            "https://",
            "e.g.:",
        ] {
            assert!(!is_address(word) && !is_place(word), "{word}");
        }
    }
}
