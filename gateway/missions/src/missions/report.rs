//! The report of a mission as one Markdown document: its goal, the card of each phase, its tasks and its artifacts. Pure
//! code.

use std::fmt::Write as _;

use super::dto::{MissionDetail, PhaseSummary};
use crate::artifacts::{ArtifactKind, ArtifactRow};
use crate::cards::Metrics;
use crate::pdf::Document;

/// Most bytes of an artifact in a PDF.
const MOST_PRINTED: usize = 256 << 10;
/// Most bytes of all artifacts in a PDF.
const MOST_PRINTED_OF_ALL: usize = 2 << 20;

/// For whom a report is written.
enum Form {
    /// One file with everything.
    Whole,
    /// Pages for people: no data for programs, and at most this many bytes of artifacts.
    Printed(usize),
}

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
        dollars(head.cost_microusd)
    );
    body(&mut text, (mission, cards, artifacts), Form::Whole);
    text
}

/// The report as a document to typeset. What its head says is not in the text.
pub fn document(
    mission: &MissionDetail,
    cards: &[PhaseSummary],
    artifacts: &[ArtifactRow],
) -> Document {
    let head = &mission.mission;
    let day = |at: &chrono::DateTime<chrono::Utc>| at.format("%Y-%m-%d %H:%M UTC").to_string();
    let status = match &head.status_detail {
        Some(detail) => format!("{}: {detail}", head.status.as_str()),
        None => head.status.as_str().to_owned(),
    };
    let facts = [
        ("Report of", Some(format!("Mission {}", head.id))),
        ("Status", Some(status)),
        ("Repository", mission.repo_full_name.clone()),
        ("Created", Some(day(&head.created_at))),
        ("Launched", head.launched_at.as_ref().map(day)),
        ("Ended", head.ended_at.as_ref().map(day)),
        ("Cost", Some(format!("${}", dollars(head.cost_microusd)))),
    ];
    let facts = facts.into_iter();
    let facts = facts.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let mut markdown = String::new();
    let form = Form::Printed(MOST_PRINTED_OF_ALL);
    body(&mut markdown, (mission, cards, artifacts), form);
    Document {
        title: head.title.clone(),
        facts: facts.collect(),
        markdown,
    }
}

fn body(
    text: &mut String,
    (mission, cards, artifacts): (&MissionDetail, &[PhaseSummary], &[ArtifactRow]),
    mut form: Form,
) {
    let head = &mission.mission;
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
            card_of(text, card, &form);
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
        let left = artifacts
            .iter()
            .filter(|artifact| artifact.phase_id == Some(phase.id));
        let (present, before): (Vec<_>, Vec<_>) =
            left.partition(|artifact| artifact.attempt == phase.attempt);
        for artifact in present {
            artifact_of(text, artifact, None, &mut form);
        }
        for artifact in before {
            artifact_of(text, artifact, Some(artifact.attempt), &mut form);
        }
    }
}

fn card_of(text: &mut String, summary: &PhaseSummary, form: &Form) {
    let card = &summary.card;
    let _ = writeln!(text, "{}\n", card.narrative);
    if let Some(model) = &summary.narrative_model {
        let _ = writeln!(text, "This narrative was written by the model {model}.\n");
    }
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
    if matches!(form, Form::Printed(_)) {
        text.push_str("| figure | value |\n|---|---:|\n");
    }
    for (name, count) in figures {
        let count = count.map_or_else(|| "not measured".to_owned(), |count| count.to_string());
        let _ = match form {
            Form::Whole => writeln!(text, "- {name}: {count}"),
            Form::Printed(_) => writeln!(text, "| {} | {count} |", cell(&name)),
        };
    }
    text.push('\n');
    if !card.tooling.is_empty() {
        text.push_str("| used | calls | failed |\n|---|---:|---:|\n");
        for used in &card.tooling {
            let name = cell(&used.name);
            let _ = writeln!(text, "| {name} | {} | {} |", used.calls, used.failed);
        }
        text.push('\n');
    }
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

/// `attempt` is that of an artifact of an earlier attempt.
fn artifact_of(text: &mut String, artifact: &ArtifactRow, attempt: Option<i32>, form: &mut Form) {
    let attempt = attempt.map_or_else(String::new, |attempt| format!(" (attempt {attempt})"));
    let _ = writeln!(text, "### {}{attempt}\n", artifact.title);
    let Some(content) = &artifact.content else {
        let why = artifact.error.as_deref().unwrap_or("It is not ready.");
        let _ = writeln!(text, "{why}\n");
        return;
    };
    let kind = ArtifactKind::from_stored(&artifact.kind);
    let mut content = content.as_str();
    if let Form::Printed(left) = form {
        let bytes = content.len();
        if matches!(kind, ArtifactKind::Benchmark | ArtifactKind::Security) {
            let _ = writeln!(
                text,
                "This artifact is data for programs ({bytes} bytes of JSON). The page of the mission shows it.\n"
            );
            return;
        }
        content = &content[..content.floor_char_boundary(MOST_PRINTED.min(*left))];
        *left -= content.len();
        if content.len() < bytes {
            let _ = writeln!(
                text,
                "*These are the first {} of {bytes} bytes. The artifact has all of them.*\n",
                content.len()
            );
        }
    }
    match kind {
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

    fn artifact(kind: &str, content: &str) -> ArtifactRow {
        let at = chrono::DateTime::UNIX_EPOCH;
        ArtifactRow {
            id: uuid::Uuid::nil().into(),
            workspace_id: uuid::Uuid::nil().into(),
            mission_id: uuid::Uuid::nil().into(),
            phase_id: None,
            attempt: 1,
            kind: kind.to_owned(),
            title: "A title".to_owned(),
            status: "ready".to_owned(),
            path: None,
            error: None,
            content: Some(content.to_owned()),
            run_id: None,
            created_at: at,
            updated_at: at,
        }
    }

    #[test]
    fn printed_report_has_no_data_for_programs_and_a_part_of_a_long_text() {
        let mut form = Form::Printed(10);
        let mut text = String::new();
        artifact_of(&mut text, &artifact("security", "{}"), None, &mut form);
        assert!(text.contains("(2 bytes of JSON)"), "{text}");
        let mut text = String::new();
        artifact_of(&mut text, &artifact("markdown", "äääääää"), None, &mut form);
        assert!(text.contains("\näääää\n"), "{text}");
        assert!(text.contains("first 10 of 14 bytes"), "{text}");
        let mut text = String::new();
        artifact_of(&mut text, &artifact("diff", "+x"), Some(1), &mut form);
        assert!(text.starts_with("### A title (attempt 1)\n"), "{text}");
        assert!(text.contains("first 0 of 2 bytes"), "{text}");
        let mut text = String::new();
        artifact_of(&mut text, &artifact("diff", "+x"), None, &mut Form::Whole);
        assert!(text.contains("```diff\n+x\n```"), "{text}");
    }

    #[test]
    fn cost_and_cells_are_plain() {
        assert_eq!(dollars(12_345_678), "12.34");
        assert_eq!(cell("a | b\nc"), "a \\| b c");
    }
}
