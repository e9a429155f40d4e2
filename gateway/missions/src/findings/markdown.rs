//! The page of a security phase, for artifacts and reports: a table by severity, and each finding with its place.
use std::collections::HashSet;

use super::finding::Severity;
use super::merge::{Merged, metrics, new_since};
use super::suppress::Triage;
use crate::plain;

/// More rows belong in the JSON, not on a page.
const MOST_ROWS: usize = 200;

/// The findings as Markdown. With a base, what is new since then stands apart. `notes` are those of the reports.
pub fn markdown(triage: &Triage, base: Option<&[Merged]>, notes: &[String]) -> String {
    let all = metrics(&triage.open);
    let mut out = match all.total() {
        0 => "No findings.\n".to_owned(),
        1 => "1 finding.\n".to_owned(),
        count => format!("{count} findings.\n"),
    };
    let new = base.map(|base| new_since(base, &triage.open));
    let new_counts = new.as_ref().map(|new| metrics(new.iter().copied()));
    if all.total() > 0 {
        out.push_str(match new_counts {
            Some(_) => "\n| Severity | Findings | New |\n|---|--:|--:|\n",
            None => "\n| Severity | Findings |\n|---|--:|\n",
        });
        for severity in Severity::ALL {
            let count = new_counts.map(|new| format!(" {} |", new.of(severity)));
            out.push_str(&format!(
                "| {} | {} |{}\n",
                severity.as_str(),
                all.of(severity),
                count.unwrap_or_default()
            ));
        }
    }
    match new {
        Some(new) => {
            let prints: HashSet<&str> = new
                .iter()
                .map(|new| new.finding.fingerprint.as_str())
                .collect();
            let known: Vec<&Merged> = triage
                .open
                .iter()
                .filter(|merged| !prints.contains(merged.finding.fingerprint.as_str()))
                .collect();
            table(&mut out, "New since the base commit", &new);
            table(&mut out, "In the base commit already", &known);
        }
        None => table(
            &mut out,
            "Findings",
            &triage.open.iter().collect::<Vec<_>>(),
        ),
    }
    if !triage.suppressed.is_empty() {
        out.push_str("\n## Suppressed\n\n| Rule | Place | Reason |\n|---|---|---|\n");
        for suppressed in triage.suppressed.iter().take(MOST_ROWS) {
            out.push_str(&format!(
                "| {} | {} | {} |\n",
                plain::cell(&suppressed.finding.finding.rule, 100),
                place(&suppressed.finding),
                plain::cell(&suppressed.reason, 300),
            ));
        }
        left_out(&mut out, triage.suppressed.len());
    }
    let notes: Vec<&String> = triage.notes.iter().chain(notes).collect();
    if !notes.is_empty() {
        out.push_str("\n## Notes\n\n");
        for note in notes.iter().take(MOST_ROWS) {
            out.push_str(&format!("- {}\n", plain::cell(note, 400)));
        }
        left_out(&mut out, notes.len());
    }
    out
}

fn table(out: &mut String, title: &str, findings: &[&Merged]) {
    if findings.is_empty() {
        return;
    }
    out.push_str(&format!(
        "\n## {title}\n\n| Severity | Place | Finding | Rule | Tools |\n|---|---|---|---|---|\n"
    ));
    for merged in findings.iter().take(MOST_ROWS) {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            merged.finding.severity.as_str(),
            place(merged),
            plain::cell(&merged.finding.message, 300),
            plain::cell(&merged.rules.join(", "), 100),
            plain::cell(&merged.tools.join(", "), 100),
        ));
    }
    left_out(out, findings.len());
}

fn left_out(out: &mut String, count: usize) {
    if count > MOST_ROWS {
        out.push_str(&format!(
            "\nThe table leaves out {} rows.\n",
            count - MOST_ROWS
        ));
    }
}

/// The file with its line, else the package.
fn place(merged: &Merged) -> String {
    let finding = &merged.finding;
    let text = match (&finding.file, finding.line, &finding.subject) {
        (Some(file), Some(line), _) => format!("{file}:{line}"),
        (_, None, Some(subject)) => subject.clone(),
        (Some(file), None, None) => file.clone(),
        (None, _, subject) => subject.clone().unwrap_or_else(|| "–".to_owned()),
    };
    plain::cell(&text, 200)
}
