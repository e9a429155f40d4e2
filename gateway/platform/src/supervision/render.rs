//! The tree for people and tools: aligned text with one line per actor, Graphviz, JSON. All come from the same
//! snapshot.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use super::roster::ActorState;
use super::snapshot::{ActorSnapshot, TreeSnapshot};

impl TreeSnapshot {
    /// A line for each actor, aligned, with ages against [`TreeSnapshot::at`]. Ends with a line break.
    pub fn to_text(&self) -> String {
        let mut rows = Vec::new();
        rows_of(&self.root, "", "", self.at, &mut rows);
        let widths = [0, 1, 2, 3].map(|column| {
            rows.iter()
                .map(|row| row.cells[column].chars().count())
                .max()
                .unwrap_or(0)
        });
        let mut text = String::new();
        for row in &rows {
            for (cell, width) in row.cells.iter().zip(widths) {
                let _ = write!(text, "{cell:<width$}  ");
            }
            text.push_str(&row.rest);
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "{} living, {} killed after their grace",
            self.living, self.forced_kills
        );
        text
    }

    /// A Graphviz digraph.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from(
            "digraph roost {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=10];\n",
        );
        dot_of(&self.root, self.at, &mut dot);
        dot.push_str("}\n");
        dot
    }

    /// The wire form, indented.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self)
            .expect("a snapshot holds only strings, numbers and times")
    }
}

struct Row {
    /// Name with its branch lines, kind, state, age.
    cells: [String; 4],
    rest: String,
}

fn rows_of(actor: &ActorSnapshot, lead: &str, below: &str, at: DateTime<Utc>, rows: &mut Vec<Row>) {
    let age = match (actor.state, actor.restart_in_ms) {
        (ActorState::BackingOff, Some(ms)) => format!("again in {}", human_ms(ms)),
        (ActorState::Running, _) => actor.started_at.map_or_else(String::new, |since| {
            format!("up {}", human_ms(ms_between(since, at)))
        }),
        _ => String::new(),
    };
    let cells = [
        format!("{lead}{}", printable(&actor.name)),
        actor.kind.slug().to_owned(),
        actor.state.slug().to_owned(),
        age,
    ];
    rows.push(Row {
        cells,
        rest: details(actor, at),
    });
    for (index, child) in actor.children.iter().enumerate() {
        let last = index + 1 == actor.children.len();
        let (fork, pass) = if last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        rows_of(
            child,
            &format!("{below}{fork}"),
            &format!("{below}{pass}"),
            at,
            rows,
        );
    }
}

fn details(actor: &ActorSnapshot, at: DateTime<Utc>) -> String {
    let mut parts = Vec::new();
    if let Some(serves) = &actor.serves {
        parts.push(printable(serves));
    }
    if actor.handled > 0 {
        parts.push(format!("{} handled", actor.handled));
    }
    if let Some(mailbox) = actor.mailbox.filter(|mailbox| mailbox.len > 0) {
        let oldest = mailbox
            .oldest_ms
            .map_or_else(String::new, |ms| format!(", oldest {}", human_ms(ms)));
        parts.push(format!("{} waiting{oldest}", mailbox.len));
    }
    if let Some(lag) = actor.lag.filter(|lag| lag.events + lag.bytes > 0) {
        parts.push(format!(
            "{} events behind, {} bytes wait",
            lag.events, lag.bytes
        ));
    }
    if actor.lost > 0 {
        parts.push(format!("{} lost", actor.lost));
    }
    if actor.restarts > 0 {
        parts.push(format!("{} restarts", actor.restarts));
    }
    if let Some(failure) = &actor.last_failure {
        let text: String = printable(&failure.text).chars().take(160).collect();
        parts.push(format!(
            "failed {} ago: {text}",
            human_ms(ms_between(failure.at, at))
        ));
    }
    parts.join(" · ")
}

fn dot_of(actor: &ActorSnapshot, at: DateTime<Utc>, dot: &mut String) {
    let colour = match actor.state {
        ActorState::Running => "#d7f0dd",
        ActorState::Starting | ActorState::BackingOff | ActorState::Stopping => "#fbeec2",
        ActorState::Stopped => "#e6e6e6",
        ActorState::Failed => "#f6cfcf",
    };
    let mut label = format!(
        "{}\\n{} · {}",
        quoted(&actor.name),
        actor.kind.slug(),
        actor.state.slug()
    );
    let details = details(actor, at);
    if !details.is_empty() {
        let _ = write!(label, "\\n{}", quoted(&details));
    }
    let id = quoted(&actor.id);
    let _ = writeln!(
        dot,
        "  \"{id}\" [label=\"{label}\", fillcolor=\"{colour}\"];"
    );
    for child in &actor.children {
        let _ = writeln!(dot, "  \"{id}\" -> \"{}\";", quoted(&child.id));
        dot_of(child, at, dot);
    }
}

/// Text for a DOT string, without quotes, backslashes or line breaks of its own.
fn quoted(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Removes characters that move a cursor or break a line. Names and failure texts may contain a stranger's input.
fn printable(text: &str) -> String {
    roost_protocol::text::visible(text, 4096)
}

fn ms_between(from: DateTime<Utc>, to: DateTime<Utc>) -> u64 {
    u64::try_from((to - from).num_milliseconds()).unwrap_or(0)
}

/// The two largest units: `3d 4h`, `12m 3s`, `450ms`.
fn human_ms(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms}ms"),
        1..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_show_their_two_largest_units() {
        let cases = [
            (0, "0ms"),
            (999, "999ms"),
            (1_000, "1s"),
            (61_000, "1m 1s"),
            (7_260_000, "2h 1m"),
            (273_600_000, "3d 4h"),
        ];
        for (ms, expected) in cases {
            assert_eq!(human_ms(ms), expected, "{ms}");
        }
    }

    #[test]
    fn text_from_strangers_cannot_break_out_of_a_label_or_move_the_cursor() {
        assert_eq!(quoted("a\"b\\c\nd\u{1b}[2J"), "a\\\"b\\\\c\\\\nd\\\\x1b[2J");
    }
}
