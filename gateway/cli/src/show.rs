//! Text for people: tables, sizes, ages. Whatever a gateway said goes through [`clean`]: what a terminal would act on is
//! made visible, never emitted.

use std::io::IsTerminal;

use serde_json::Value;

use crate::api::Moment;
use crate::api::types::SandboxImage;
use crate::gateway_clock;

/// A text as one line that a terminal may show.
pub fn clean(text: &str) -> String {
    roost_protocol::text::visible(text, 4096)
}

/// Text for people; a dash for an unknown value.
pub trait Shown {
    fn shown(&self) -> String;
}

impl Shown for str {
    fn shown(&self) -> String {
        clean(self)
    }
}

impl Shown for String {
    fn shown(&self) -> String {
        clean(self)
    }
}

/// To the second, in UTC; fractions are for machines.
impl Shown for Moment {
    fn shown(&self) -> String {
        match self.parsed() {
            Some(moment) => moment.to_utc().format("%Y-%m-%d %H:%M:%S UTC").to_string(),
            None => clean(self.as_str()),
        }
    }
}

/// A time for a list: how long ago it was or how long it is until then. A dash when there is none.
pub fn relative(at: Option<&Moment>) -> String {
    match at.map(|at| (at, at.parsed())) {
        None => "-".to_owned(),
        Some((at, None)) => clean(at.as_str()),
        Some((_, Some(moment))) => distance(moment.to_utc(), gateway_clock::now()),
    }
}

/// `4 min ago`, `in 2 h`; the day when it is over thirty days away.
fn distance(at: chrono::DateTime<chrono::Utc>, now: chrono::DateTime<chrono::Utc>) -> String {
    let seconds = (now - at).num_seconds();
    let far = seconds.unsigned_abs();
    let count = match far {
        // Two clocks differ by so much.
        0..=4 => return "now".to_owned(),
        5..=59 => format!("{far} s"),
        60..=3_599 => format!("{} min", far / 60),
        3_600..=86_399 => format!("{} h", far / 3_600),
        86_400..=2_591_999 => format!("{} d", far / 86_400),
        _ => return at.format("%Y-%m-%d").to_string(),
    };
    match seconds > 0 {
        true => format!("{count} ago"),
        false => format!("in {count}"),
    }
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| "-".to_owned(), T::shown)
    }
}

impl<T: Shown + ?Sized> Shown for &T {
    fn shown(&self) -> String {
        (*self).shown()
    }
}

macro_rules! shown_as_written {
    ($($number:ty),*) => {
        $(impl Shown for $number {
            fn shown(&self) -> String {
                self.to_string()
            }
        })*
    };
}

shown_as_written!(i32, i64, u32, u64, f64);

/// Prints JSON: exactly what came, in a spelling that a terminal may show.
pub fn json(value: &Value) {
    println!("{}", json_text(value));
}

fn json_text(value: &Value) -> String {
    roost_protocol::text::json_for_terminals(
        &serde_json::to_string_pretty(value).unwrap_or_default(),
    )
}

/// The same on one line, for streams.
pub fn json_line(value: &Value) {
    println!(
        "{}",
        roost_protocol::text::json_for_terminals(&value.to_string())
    );
}

/// Prints rows in columns that are as wide as they must be.
pub fn table(heads: &[&str], rows: &[Vec<String>]) {
    print!("{}", columns(heads, rows));
}

/// Rows in columns, each line with its end.
pub fn columns(heads: &[&str], rows: &[Vec<String>]) -> String {
    let width = |at: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(at))
            .map(|cell| cell.chars().count());
        cells.chain([heads[at].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (cell, width) in cells.zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(
                ' ',
                width.saturating_sub(cell.chars().count()) + 2,
            ));
        }
        format!("{}\n", line.trim_end())
    };
    let mut text = line(&mut heads.iter().copied());
    for row in rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    text
}

/// The image of new sandboxes, and who chose it.
pub fn image(image: &SandboxImage) -> String {
    let kind = match &image.kind {
        Some(kind) => clean(kind),
        None => "default".to_owned(),
    };
    format!("{kind} ({})", image.from.shown())
}

/// Bytes in the largest unit that keeps a digit before the point.
pub fn bytes(count: Option<u64>) -> String {
    let Some(count) = count else {
        return "-".to_owned();
    };
    let mut size = count as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if size < 1024.0 {
            return if unit == "B" {
                format!("{size:.0} B")
            } else {
                format!("{size:.1} {unit}")
            };
        }
        size /= 1024.0;
    }
    format!("{size:.1} TiB")
}

/// Says on a terminal what is waited for; scripts see nothing.
pub fn progress(text: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\u{1b}[K{}", clean(text));
    }
}

/// Clears what [`progress`] said.
pub fn progress_over() {
    if std::io::stderr().is_terminal() {
        eprint!("\r\u{1b}[K");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            vec!["a".to_owned(), "running".to_owned()],
            vec!["longer".to_owned(), "-".to_owned()],
        ];
        assert_eq!(
            columns(&["NAME", "STATE"], &rows),
            "NAME    STATE\na       running\nlonger  -\n"
        );
    }

    #[test]
    fn moments_are_said_to_the_second() {
        let moment = |json: Value| serde_json::from_value::<Option<Moment>>(json).unwrap();
        let at = moment(json!("2026-11-21T05:09:40.909762061Z"));
        assert_eq!(at.shown(), "2026-11-21 05:09:40 UTC");
        assert_eq!(moment(Value::Null).shown(), "-");
    }

    #[test]
    fn times_of_lists_are_distances_from_now() {
        let now = chrono::DateTime::parse_from_rfc3339("2026-11-28T12:00:00Z").unwrap();
        let from = |seconds: i64| {
            distance(
                now.to_utc() - chrono::TimeDelta::seconds(seconds),
                now.to_utc(),
            )
        };
        let shown: Vec<String> = [3, -4, 59, 60, 3_599, 7_200, 90_000, -300, 2_592_000]
            .into_iter()
            .map(from)
            .collect();
        assert_eq!(
            shown,
            [
                "now",
                "now",
                "59 s ago",
                "1 min ago",
                "59 min ago",
                "2 h ago",
                "1 d ago",
                "in 5 min",
                "2026-10-29"
            ]
        );
        let unread: Moment = serde_json::from_value(json!("soon\u{1b}")).unwrap();
        assert_eq!(relative(Some(&unread)), "soon\\x1b");
        assert_eq!(relative(None), "-");
    }

    #[test]
    fn a_hostile_name_is_shown_in_a_table_and_exact_in_json() {
        let node = json!({ "name": "x\u{1b}]0;owned\u{7}\u{202e}gpj.exe\nfake  online" });
        let row = vec![node["name"].as_str().unwrap().shown()];
        let table = columns(&["NAME"], &[row]);
        assert_eq!(
            table,
            "NAME\nx\\x1b]0;owned\\x07\\u{202e}gpj.exe\\nfake  online\n"
        );
        let text = json_text(&node);
        assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}'));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), node);
    }

    #[test]
    fn unknown_value_is_a_dash_and_never_zero() {
        assert_eq!(None::<String>.shown(), "-");
        assert_eq!(bytes(None), "-");
        assert_eq!(bytes(Some(1536)), "1.5 KiB");
    }
}
