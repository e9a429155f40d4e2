//! Lines of criterion, of `cargo bench` without criterion, of `go test -bench`, and lines `name: value unit`.
use super::criterion::Names;
use crate::benchmarks::sample::Collector;
use crate::benchmarks::unit::Unit;
use crate::plain;

/// A longer line is not a result.
const LONGEST_LINE: usize = 64 * 1024;

/// First words of lines of compilers and tools that have the form `name: value unit` and measure nothing.
const NOT_NAMES: [&str; 9] = [
    "warning",
    "error",
    "note",
    "help",
    "info",
    "debug",
    "trace",
    "hint",
    "test result",
];
/// Words that count things of a tool's work.
const NOT_UNITS: [&str; 12] = [
    "passed", "failed", "ignored", "skipped", "warnings", "warning", "errors", "error", "tests",
    "files", "crates", "packages",
];

/// Reads the lines of one text in order.
pub(super) struct Lines<'a> {
    named: &'a Names,
    /// A line that may be the name of criterion's next line: long names stand on a line of their own.
    before: Option<String>,
    too_long: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(named: &'a Names) -> Self {
        Self {
            named,
            before: None,
            too_long: 0,
        }
    }

    pub(super) fn read(&mut self, line: &str, all: &mut Collector) {
        // A carriage return begins the line again, as for progress.
        for line in line
            .split(['\n', '\r'])
            .filter(|part| !part.trim().is_empty())
        {
            if line.len() > LONGEST_LINE {
                self.too_long += 1;
                self.before = None;
                continue;
            }
            let line = plain::without_escapes(line);
            if self.criterion(&line, all) {
                self.before = None;
                continue;
            }
            let _ = go(&line, all) || libtest(&line, all) || named(&line, all);
            self.before = (!line.starts_with(char::is_whitespace)).then(|| line.into_owned());
        }
    }

    pub(super) fn finish(self, all: &mut Collector) {
        if self.too_long > 0 {
            all.note(format!("{} lines over 64 kB were left out", self.too_long));
        }
    }

    /// `name   time:   [1.0 ms 1.1 ms 1.2 ms]`: the lower bound, the estimate and the upper bound of the time.
    fn criterion(&self, line: &str, all: &mut Collector) -> bool {
        let Some((name, rest)) = line.split_once("time:") else {
            return false;
        };
        let bounds = rest
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        let Some((bounds, _)) = bounds else {
            return false;
        };
        let words: Vec<&str> = bounds.split_whitespace().collect();
        // A line of changes has percents: `[-1.0% +0.1% +1.2%]`.
        let [_, _, estimate, unit, _, _] = words[..] else {
            return true;
        };
        let name = match (name.trim(), &self.before) {
            ("", Some(before)) => before.trim(),
            ("", None) => return true,
            (name, _) => name,
        };
        if let Some(unit) = Unit::parse(unit).filter(|_| !self.named.has(name)) {
            all.add(name, &unit, number(estimate));
        }
        true
    }
}

/// `BenchmarkParse-8   1000   231 ns/op   16 B/op   1 allocs/op`
fn go(line: &str, all: &mut Collector) -> bool {
    let mut words = line.split_whitespace();
    let Some(name) = words.next().filter(|name| name.starts_with("Benchmark")) else {
        return false;
    };
    if words
        .next()
        .is_none_or(|count| count.parse::<u64>().is_err())
    {
        return false;
    }
    let mut found = false;
    while let (Some(value), Some(unit)) = (words.next(), words.next()) {
        let Some(unit) = Unit::parse(unit) else {
            break;
        };
        all.add(name, &unit, number(value));
        found = true;
    }
    found
}

/// `test parse ... bench:       1,234 ns/iter (+/- 56) = 12 MB/s`
fn libtest(line: &str, all: &mut Collector) -> bool {
    let Some((name, rest)) = line
        .strip_prefix("test ")
        .and_then(|line| line.split_once(" ... bench:"))
    else {
        return false;
    };
    let mut words = rest.split_whitespace();
    if let (Some(value), Some(unit)) = (words.next(), words.next().and_then(Unit::parse)) {
        all.add(name, &unit, number(value));
    }
    true
}

/// `name: value unit`, and nothing after the unit.
fn named(line: &str, all: &mut Collector) -> bool {
    let Some((name, rest)) = line.trim().rsplit_once(':') else {
        return false;
    };
    let (name, rest) = (name.trim(), rest.trim());
    let folded = name.to_ascii_lowercase();
    if name.is_empty() || NOT_NAMES.iter().any(|word| folded.starts_with(word)) {
        return false;
    }
    let (value, unit) = match rest.split_once(char::is_whitespace) {
        Some(parts) => parts,
        None => rest.split_at(length_of_number(rest)),
    };
    if !is_number(value) || NOT_UNITS.contains(&unit.trim()) {
        return false;
    }
    let Some(unit) = Unit::parse(unit) else {
        return false;
    };
    all.add(name, &unit, number(value));
    true
}

/// How many bytes at the begin of `12.5ms` are the number.
fn length_of_number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let exponent = matches!(byte, b'e' | b'E')
            && end > 0
            && match bytes.get(end + 1) {
                Some(b'+' | b'-') => bytes.get(end + 2).is_some_and(u8::is_ascii_digit),
                next => next.is_some_and(u8::is_ascii_digit),
            };
        if !(byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'+' | b'-') || exponent) {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a text is a number, infinity and NaN included.
fn is_number(text: &str) -> bool {
    let begins = text
        .trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit());
    let word = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    (begins && number(text).is_some()) || matches!(word.as_str(), "nan" | "inf" | "infinity")
}

/// A number, with or without commas between thousands.
fn number(text: &str) -> Option<f64> {
    if !text.contains(',') {
        return text.parse().ok();
    }
    let whole = text.split(['.', 'e']).next().unwrap_or(text);
    let mut groups = whole.trim_start_matches(['+', '-']).split(',');
    let first = groups
        .next()
        .is_some_and(|group| (1..=3).contains(&group.len()));
    let grouped = first && groups.all(|group| group.len() == 3);
    grouped
        .then(|| text.replace(',', "").parse().ok())
        .flatten()
}
