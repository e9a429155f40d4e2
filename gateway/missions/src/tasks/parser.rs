//! Reads the markers of a text. A marker is a line that is exactly one of eight words, a colon and the id of a task
//! (`TASK: INT-07`). It begins at the first column and is outside of code fences. One space after the colon is allowed.
//! Pure code.

use super::model::Marker;
use roost_execution::topology::{is_task_id, lines};

/// The maximum length of a title, in characters.
pub const MOST_TITLE: usize = 200;
/// The maximum length of a body, in characters.
pub const MOST_BODY: usize = 20_000;
/// The maximum number of markers that are read from one text: those of more than a megabyte, which no step says.
pub const MOST_MARKS: usize = 100_000;

/// A marker of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub marker: Marker,
    /// `INT-` and two to five digits.
    pub external_id: String,
    /// The line of the text, from 1.
    pub line: usize,
    /// The first line after the marker of a new task. Empty when there is no text before the next marker.
    pub title: String,
    /// The rest of the text up to the next marker.
    pub body: String,
}

/// The markers of a text, in its order. Only a `TASK` has a title and a body.
pub fn marks(text: &str) -> Vec<Mark> {
    let mut found: Vec<Mark> = Vec::new();
    for (number, (line, is_open)) in lines(text).enumerate() {
        let marker = is_open.then(|| parsed(line)).flatten();
        if let Some((marker, id)) = marker {
            if found.len() == MOST_MARKS {
                break;
            }
            found.push(Mark {
                marker,
                external_id: id.to_owned(),
                line: number + 1,
                title: String::new(),
                body: String::new(),
            });
        } else if let Some(task) = found.last_mut().filter(|mark| mark.marker == Marker::Task) {
            describe(task, line);
        }
    }
    for task in &mut found {
        task.body.truncate(task.body.trim_end().len());
    }
    found
}

/// A line that is a marker and nothing else.
fn parsed(line: &str) -> Option<(Marker, &str)> {
    let (word, id) = line.split_once(':')?;
    let id = id.strip_prefix(' ').unwrap_or(id);
    let marker = Marker::parse(word)?;
    is_task_id(id).then_some((marker, id))
}

/// Adds a line to the description of a task.
fn describe(task: &mut Mark, line: &str) {
    if task.title.is_empty() {
        let words = line.trim();
        let rest = add(&mut task.title, words, MOST_TITLE);
        // What the title has no room for is not lost.
        add(&mut task.body, rest, MOST_BODY);
        return;
    }
    if task.body.is_empty() {
        if !line.trim().is_empty() {
            add(&mut task.body, line, MOST_BODY);
        }
        return;
    }
    if add(&mut task.body, "\n", MOST_BODY).is_empty() {
        add(&mut task.body, line, MOST_BODY);
    }
}

/// Appends as much of a text as there is room for, and returns the rest.
fn add<'a>(to: &mut String, text: &'a str, most: usize) -> &'a str {
    let room = most.saturating_sub(to.chars().count());
    let end = text
        .char_indices()
        .nth(room)
        .map_or(text.len(), |(place, _)| place);
    to.push_str(&text[..end]);
    &text[end..]
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
