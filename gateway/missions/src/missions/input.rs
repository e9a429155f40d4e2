//! The input of a phase's runs, from the mission's goal, its open tasks and what earlier phases left. Pure code. The page
//! shows the same text.

use std::fmt::Write as _;

use super::model::PhaseKind;

/// The maximum size of an input, in bytes.
pub const MOST_BYTES: usize = 90_000;
/// The maximum number of tasks that are written out.
const MOST_TASKS: usize = 200;
/// The maximum number of branches that are named.
const MOST_BRANCHES: usize = 50;
/// The maximum size of one task's body, in characters.
const MOST_BODY: usize = 2_000;
/// The least that one earlier result gets, in characters.
const LEAST_RESULT: usize = 1_000;

/// A task for the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTask {
    pub external_id: String,
    pub title: String,
    pub body: String,
    pub status: &'static str,
}

/// What an earlier phase left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    pub phase: PhaseKind,
    pub title: String,
    pub text: String,
}

/// A branch with commits of an earlier phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub name: String,
    /// The team that committed.
    pub worker: String,
    pub commits: i64,
}

/// What the input is built from.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    pub title: &'a str,
    pub goal: &'a str,
    pub kind: PhaseKind,
    /// From 1.
    pub number: usize,
    pub of: usize,
    /// From 1.
    pub attempt: i32,
    /// Why the attempt before failed.
    pub failed: Option<&'a str>,
    pub repository: Option<&'a str>,
    pub tasks: &'a [OpenTask],
    pub earlier: &'a [Earlier],
    /// The checkout begins with the first one.
    pub branches: &'a [Branch],
}

/// The input.
pub fn input(parts: &Parts<'_>) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# {}\n", one_line(parts.title));
    if !parts.goal.trim().is_empty() {
        let _ = writeln!(text, "{}\n", parts.goal.trim());
    }
    let _ = writeln!(
        text,
        "## Your phase\n\nThis is phase {} of {}: {}.{}",
        parts.number,
        parts.of,
        parts.kind.noun(),
        match parts.repository {
            Some(name) => format!(" The repository {name} is checked out in your sandbox."),
            None => String::new(),
        }
    );
    let _ = writeln!(text, "{}\n", instructions(parts.kind));
    if let Some(why) = parts.failed {
        let _ = writeln!(
            text,
            "This is attempt {}. The attempt before failed: {}\n",
            parts.attempt,
            cut(why.trim(), MOST_BODY)
        );
    }
    branches(&mut text, parts.branches);
    tasks(&mut text, parts.tasks);
    let room = MOST_BYTES.saturating_sub(text.len());
    earlier(&mut text, parts.earlier, room);
    cut_bytes(&mut text, MOST_BYTES);
    text.truncate(text.trim_end().len());
    text
}

/// What a phase does, and how its agents report the tasks.
fn instructions(kind: PhaseKind) -> &'static str {
    match kind {
        PhaseKind::Research => {
            "Find out what the goal needs. Write down each piece of work as a task: a line `TASK: INT-01` alone, then its \
             title on the next line, then what has to be done and where. Number the tasks INT-01, INT-02 and so on. Name \
             the sources of what you found. End with the insights as a list below the heading `Insights`."
        }
        PhaseKind::Coding => {
            "Work on the open tasks. Report each step alone on a line of its own: `WORK: INT-01` when you begin a task, \
             `HANDOFF: INT-01` when it is ready for a check, `TEST_PASS: INT-01` or `TEST_FAIL: INT-01` after its tests, \
             `REVIEW_APPROVE: INT-01` or `REVIEW_BLOCK: INT-01` after a review, `COMPLETED: INT-01` when it is done. Commit \
             what you change."
        }
        PhaseKind::Benchmark => {
            "The benchmark of the repository is measured before and after the work."
        }
        PhaseKind::SecurityScan => "Scanners look for flaws in the repository.",
    }
}

/// With which branch the work begins, and which ones it leaves out. One branch needs no words.
pub fn branches(text: &mut String, branches: &[Branch]) {
    let [first, others @ ..] = branches else {
        return;
    };
    if others.is_empty() {
        return;
    }
    let named = |branch: &Branch| {
        let commits = match branch.commits {
            1 => "1 commit".to_owned(),
            many => format!("{many} commits"),
        };
        let worker = one_line(&branch.worker);
        format!("`{}` of {worker} ({commits})", one_line(&branch.name))
    };
    let _ = writeln!(
        text,
        "## Branches\n\nThe work begins with the branch {}. These branches of earlier phases are not in it:\n",
        named(first)
    );
    for branch in others.iter().take(MOST_BRANCHES) {
        let _ = writeln!(text, "- {}", named(branch));
    }
    if others.len() > MOST_BRANCHES {
        let _ = writeln!(text, "- and {} more", others.len() - MOST_BRANCHES);
    }
    text.push('\n');
}

fn tasks(text: &mut String, tasks: &[OpenTask]) {
    if tasks.is_empty() {
        return;
    }
    let _ = writeln!(text, "## Open tasks\n");
    for task in tasks.iter().take(MOST_TASKS) {
        let _ = writeln!(
            text,
            "- {} ({}): {}",
            task.external_id,
            task.status,
            one_line(&task.title)
        );
        for line in cut(task.body.trim(), MOST_BODY).lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    if tasks.len() > MOST_TASKS {
        let _ = writeln!(text, "- and {} more", tasks.len() - MOST_TASKS);
    }
    text.push('\n');
}

/// The newest results come first, and each gets an equal share of the room.
fn earlier(text: &mut String, earlier: &[Earlier], room: usize) {
    if earlier.is_empty() {
        return;
    }
    let _ = writeln!(text, "## What earlier phases left\n");
    let share = (room / earlier.len()).max(LEAST_RESULT);
    for result in earlier.iter().rev() {
        let mut part = format!(
            "### {} ({})\n\n{}\n\n",
            one_line(&result.title),
            result.phase.noun(),
            result.text.trim()
        );
        cut_bytes(&mut part, share);
        text.push_str(&part);
        text.push('\n');
    }
}

/// A text in one line, so that it cannot begin a heading or a marker of its own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most);
    end.map_or(text, |(place, _)| &text[..place])
}

fn cut_bytes(text: &mut String, most: usize) {
    const CUT: &str = "\n[The rest was left out.]\n";
    if text.len() <= most {
        return;
    }
    let mut end = most.saturating_sub(CUT.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(CUT);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tasks::parser;

    fn parts<'a>(tasks: &'a [OpenTask], earlier: &'a [Earlier]) -> Parts<'a> {
        Parts {
            title: "Faster parser",
            goal: "Make the parser twice as fast.",
            kind: PhaseKind::Coding,
            number: 2,
            of: 4,
            attempt: 1,
            failed: None,
            repository: Some("ada/parser"),
            tasks,
            earlier,
            branches: &[],
        }
    }

    #[test]
    fn branches_that_are_left_out_are_named_and_one_alone_needs_no_words() {
        let branch = |name: &str, commits| Branch {
            name: name.to_owned(),
            worker: "Coders\n# of a mission".to_owned(),
            commits,
        };
        let said = |all: &[Branch]| {
            let mut text = String::new();
            branches(&mut text, all);
            text
        };
        assert_eq!(said(&[]) + &said(&[branch("roost/a", 1)]), "");
        let text = said(&[branch("roost/a", 2), branch("roost/b", 1)]);
        assert!(
            text.contains("begins with the branch `roost/a` of Coders"),
            "{text}"
        );
        assert!(text.contains("\n- `roost/b` of Coders"), "{text}");
        assert!(text.contains("(1 commit)"), "{text}");
        assert!(!text.contains("\n# of"), "{text}");
    }

    #[test]
    fn input_says_the_goal_the_phase_the_tasks_and_what_was_left() {
        let task = OpenTask {
            external_id: "INT-01".to_owned(),
            title: "Copy less".to_owned(),
            body: "In `lines`.\nTASK: INT-77".to_owned(),
            status: "created",
        };
        let left = Earlier {
            phase: PhaseKind::Research,
            title: "Result of Archeologists".to_owned(),
            text: "The copy costs 40 %.".to_owned(),
        };
        let (tasks, earlier) = ([task], [left]);
        let text = input(&parts(&tasks, &earlier));
        for part in [
            "# Faster parser",
            "twice as fast",
            "phase 2 of 4: coding. The repository ada/parser",
            "- INT-01 (created): Copy less",
            "### Result of Archeologists (research)",
            "The copy costs 40 %.",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(parser::marks(&text), [], "the input itself moves no task");
    }

    #[test]
    fn second_attempt_says_why_the_first_failed() {
        let again = Parts {
            attempt: 2,
            failed: Some("Rejected by a test."),
            ..parts(&[], &[])
        };
        let text = input(&again);
        assert!(text.contains("attempt 2. The attempt before failed: Rejected by a test."));
    }

    proptest! {
        #[test]
        fn input_is_bounded(
            goal in (0_usize..30_000).prop_map(|length| "é\n".repeat(length)),
            lengths in prop::collection::vec(0_usize..30_000, 0..6),
        ) {
            let results = lengths.into_iter().map(|length| "ü ".repeat(length));
            let earlier: Vec<Earlier> = results
                .map(|text| Earlier {
                    phase: PhaseKind::Research,
                    title: "x\n# y".to_owned(),
                    text,
                })
                .collect();
            let text = input(&Parts { goal: &goal, ..parts(&[], &earlier) });
            prop_assert!(text.len() <= MOST_BYTES);
        }
    }
}
