//! The directives in agents' answers: `ASSIGN <node>: task`, `SCORE <node>: 0.00 to 1.00`, `ABSTAIN: why`.
//!
//! A directive begins at the very start of its line, outside of code fences, in plain ASCII up to its colon. So a
//! quotation (`> ASSIGN …`), a list, bold text, an example in a fence or a look-alike letter is not a directive. A
//! fence that is never closed extends to the end, as in Markdown. A line that only resembles a directive is ignored
//! and reported, never guessed.

use std::collections::BTreeMap;

use super::check::is_id;

/// The maximum size of one node's tasks, in bytes. Longer tasks are cut and marked.
const MAX_TASK: usize = 8 * 1024;
/// The maximum number of ignored lines that are reported.
const MAX_IGNORED: usize = 10;
/// The maximum number of bytes of a line or reason that are repeated.
const MAX_REPEATED: usize = 160;

/// A parsed plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Assignments {
    /// The tasks of each node. Several tasks of one node are joined.
    pub(super) given: BTreeMap<String, String>,
    /// Lines that resemble a directive, each with the reason why it is ignored.
    pub(super) ignored: Vec<String>,
}

/// Parses a plan. `may` decides which nodes can get work.
pub(super) fn assignments(text: &str, may: impl Fn(&str) -> bool) -> Assignments {
    let mut read = Assignments::default();
    for line in open_lines(text) {
        let Some((node, task)) = named(line, "ASSIGN ") else {
            continue;
        };
        if !is_id(node) || !may(node) {
            ignore(
                &mut read.ignored,
                line,
                "you have no colleague with that name",
            );
        } else if task.is_empty() {
            ignore(&mut read.ignored, line, "it has no task");
        } else {
            let tasks = read.given.entry(node.to_owned()).or_default();
            join(tasks, task);
        }
    }
    read
}

/// Parses scores, in millionths so that comparisons are exact everywhere. The last valid score of a node counts. A
/// node without a valid score is missing from the map and counts as 0. An empty map means that no score was valid.
pub(super) fn scores(text: &str, may: impl Fn(&str) -> bool) -> BTreeMap<String, u32> {
    let mut scores = BTreeMap::new();
    for line in open_lines(text) {
        let Some((node, value)) = named(line, "SCORE ") else {
            continue;
        };
        // The text after the number is a reason for people.
        let number = value.split([' ', '\t']).next().unwrap_or("");
        if let Some(score) = millionths(number)
            && may(node)
        {
            scores.insert(node.to_owned(), score);
        }
    }
    scores
}

/// The reason of an expert's abstention, if its first non-blank line declares one.
pub(super) fn abstention(text: &str) -> Option<String> {
    let first = text
        .split('\n')
        .map(|line| line.trim_end_matches(BLANK))
        .find(|line| !line.is_empty())?;
    let why = first.strip_prefix("ABSTAIN:")?.trim_matches(BLANK);
    let why = if why.is_empty() {
        "no reason given"
    } else {
        why
    };
    Some(plain(cut(why, MAX_REPEATED)))
}

/// The blanks at a line's end. Blanks of other scripts do not count: they would make look-alikes equal.
const BLANK: [char; 3] = [' ', '\t', '\r'];

/// The lines outside of fences.
pub(super) fn open_lines(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter_map(|(line, is_open)| is_open.then_some(line))
}

/// Each line without the blanks at its end, and whether it is outside of fences. A fence's own lines are not outside.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence: Option<(u8, usize)> = None;
    text.split('\n').map(move |line| {
        let line = line.trim_end_matches(BLANK);
        let mark = fence_mark(line);
        let is_open = match (fence, mark) {
            (None, None) => true,
            (None, Some(opened)) => {
                // More backticks in the line: it is inline code, not a fence.
                let rest = line.trim_start_matches(' ');
                let is_inline = opened.0 == b'`' && rest[opened.1..].contains('`');
                if !is_inline {
                    fence = Some(opened);
                }
                is_inline
            }
            (Some(open), Some(close)) => {
                let bare = line.trim_start_matches(' ').len() == close.1;
                if close.0 == open.0 && close.1 >= open.1 && bare {
                    fence = None;
                }
                false
            }
            (Some(_), None) => false,
        };
        (line, is_open)
    })
}

/// The character and the length of a fence at the line's start, after at most three blanks.
fn fence_mark(line: &str) -> Option<(u8, usize)> {
    let bytes = line.as_bytes();
    let indent = bytes.iter().take(4).take_while(|&&b| b == b' ').count();
    let sign = *bytes.get(indent)?;
    if indent > 3 || !matches!(sign, b'`' | b'~') {
        return None;
    }
    let length = bytes[indent..].iter().take_while(|&&b| b == sign).count();
    (length >= 3).then_some((sign, length))
}

/// `WORD name: rest` as (name, rest).
fn named<'a>(line: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let (name, rest) = line.strip_prefix(word)?.split_once(':')?;
    Some((name.trim_matches(BLANK), rest.trim_matches(BLANK)))
}

/// `0`, `1`, `0.85`, `.5`, with up to six decimal places. No sign, no exponent, no look-alike digits.
fn millionths(text: &str) -> Option<u32> {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let fits = whole.len() <= 1 && places.len() <= 6 && whole.len() + places.len() > 0;
    if !fits || !digits(whole) || !digits(places) {
        return None;
    }
    let whole: u32 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let places: u32 = format!("{places:0<6}").parse().ok()?;
    let score = whole * 1_000_000 + places;
    (score <= 1_000_000).then_some(score)
}

fn ignore(ignored: &mut Vec<String>, line: &str, why: &str) {
    if ignored.len() < MAX_IGNORED {
        ignored.push(format!("{} ({why})", plain(cut(line, MAX_REPEATED))));
    }
}

fn join(tasks: &mut String, task: &str) {
    const CUT: &str = " […]";
    if tasks.ends_with(CUT) {
        return;
    }
    if !tasks.is_empty() {
        tasks.push('\n');
    }
    let room = MAX_TASK.saturating_sub(tasks.len());
    tasks.push_str(&plain(cut(task, room)));
    if task.len() > room {
        tasks.push_str(CUT);
    }
}

/// The first bytes of a text, whole characters only.
pub(super) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The text without control characters: it becomes part of a node's task.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if super::check::is_hidden(c) && c != '\t' {
                ' '
            } else {
                c
            }
        })
        .collect()
}
