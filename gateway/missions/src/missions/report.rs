//! The report of a mission as one Markdown document: its goal, the card of each phase, its tasks and its artifacts. Pure
//! code.

use std::fmt::Write as _;

use super::dto::{MissionDetail, PhaseSummary};
use crate::artifacts::{ArtifactKind, ArtifactRow};
use crate::cards::Metrics;

/// The report. `cards` and `artifacts` are those of the mission.
pub fn report(
    mission: &MissionDetail,
    cards: &[PhaseSummary],
    artifacts: &[ArtifactRow],
) -> String {
    let mut text = String::new();
    let head = &mission.mission;
    let _ = writeln!(text, "# {}\n", head.title);
    let _ = writeln!(
        text,
        "Status: {}.{} Cost: ${}.\n",
        head.status.as_str(),
        match &head.status_detail {
            Some(detail) => format!(" {detail}"),
            None => String::new(),
        },
        dollars(mission.cost_microusd)
    );
    if !head.goal.is_empty() {
        let _ = writeln!(text, "## Goal\n\n{}\n", head.goal);
    }
    for phase in &mission.phase_details {
        let _ = writeln!(
            text,
            "## Phase {}: {} ({})\n",
            phase.position + 1,
            phase.kind.noun(),
            phase.status.as_str()
        );
        if let Some(card) = cards.iter().find(|card| card.phase_id == phase.id) {
            card_of(&mut text, card);
        }
        let tasks = mission
            .tasks
            .iter()
            .filter(|task| task.phase_id == phase.id);
        let lines: Vec<String> = tasks
            .map(|task| {
                format!(
                    "| {} | {} | {} |",
                    task.external_id,
                    cell(&task.title),
                    task.status.as_str()
                )
            })
            .collect();
        if !lines.is_empty() {
            let _ = writeln!(
                text,
                "| task | title | status |\n|---|---|---|\n{}\n",
                lines.join("\n")
            );
        }
        let left = artifacts.iter().filter(|artifact| {
            artifact.phase_id == Some(phase.id) && artifact.attempt == phase.attempt
        });
        for artifact in left {
            artifact_of(&mut text, artifact);
        }
    }
    text
}

fn card_of(text: &mut String, summary: &PhaseSummary) {
    let card = &summary.card;
    let _ = writeln!(text, "{}\n", card.narrative);
    let figures: Vec<(String, Option<u32>)> = match &card.metrics {
        Metrics::Research {
            insights,
            sources,
            int_cards,
            artifacts,
        } => figures([
            ("insights", Some(*insights)),
            ("sources", Some(*sources)),
            ("tasks", Some(*int_cards)),
            ("artifacts", Some(*artifacts)),
        ]),
        Metrics::Coding {
            cards_picked_up,
            commits,
            tests,
            issues,
        } => figures([
            ("tasks begun", Some(*cards_picked_up)),
            ("commits", Some(*commits)),
            ("tests", Some(*tests)),
            ("issues", Some(*issues)),
        ]),
        Metrics::Benchmark {
            regressions,
            improvements,
        } => figures([
            ("regressions", *regressions),
            ("improvements", *improvements),
        ]),
        Metrics::SecurityScan { findings: None } => figures([("findings", None)]),
        Metrics::SecurityScan {
            findings: Some(findings),
        } => findings
            .iter()
            .map(|(severity, count)| (severity.clone(), Some(*count)))
            .collect(),
    };
    for (name, count) in figures {
        let count = count.map_or_else(|| "not measured".to_owned(), |count| count.to_string());
        let _ = writeln!(text, "- {name}: {count}");
    }
    text.push('\n');
    for (heading, lines) in [("Sources", &card.sources), ("Next", &card.next_actions)] {
        if !lines.is_empty() {
            let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
            let _ = writeln!(text, "{heading}:\n\n{}\n", lines.join("\n"));
        }
    }
}

fn figures<const N: usize>(of: [(&str, Option<u32>); N]) -> Vec<(String, Option<u32>)> {
    of.map(|(name, count)| (name.to_owned(), count)).to_vec()
}

fn artifact_of(text: &mut String, artifact: &ArtifactRow) {
    let _ = writeln!(text, "### {}\n", artifact.title);
    let Some(content) = &artifact.content else {
        let why = artifact.error.as_deref().unwrap_or("It is not ready.");
        let _ = writeln!(text, "{why}\n");
        return;
    };
    match ArtifactKind::from_stored(&artifact.kind) {
        ArtifactKind::Markdown | ArtifactKind::Pdf => {
            let _ = writeln!(text, "{}\n", lowered(content));
        }
        kind => {
            let fence = fence_for(content);
            let _ = writeln!(
                text,
                "{fence}{}\n{}\n{fence}\n",
                kind.extension(),
                content.trim_end()
            );
        }
    }
}

/// A text of an agent below a heading of the report: each of its headings goes three levels down, so that the outline of
/// the report stays its own.
fn lowered(content: &str) -> String {
    let lines = roost_execution::topology::lines(content).map(|(line, is_open)| {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&level) && line[level..].starts_with(' ');
        match is_open && is_heading {
            true => format!("{}{}", "#".repeat((level + 3).min(6)), &line[level..]),
            false => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A fence that the content does not close.
fn fence_for(content: &str) -> String {
    let longest = content
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    "`".repeat((longest + 1).max(3))
}

/// A text in one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn dollars(micro: i64) -> String {
    format!("{}.{:02}", micro / 1_000_000, micro % 1_000_000 / 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_of_an_agent_stays_below_the_headings_of_the_report() {
        let text = "# One\n```\n# code\n```\n#### Deep\n#no heading";
        assert_eq!(
            lowered(text),
            "#### One\n```\n# code\n```\n###### Deep\n#no heading"
        );
    }

    #[test]
    fn fence_is_longer_than_every_run_of_backticks_inside() {
        assert_eq!(fence_for("a `b` c"), "```");
        assert_eq!(fence_for("````\nx\n````"), "`````");
    }

    #[test]
    fn cost_and_cells_are_plain() {
        assert_eq!(dollars(12_345_678), "12.34");
        assert_eq!(cell("a | b\nc"), "a \\| b c");
    }
}
