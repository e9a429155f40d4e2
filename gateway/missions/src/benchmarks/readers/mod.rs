//! From what a benchmark command printed and wrote to samples. The format is told by the content, and one output may hold
//! several formats.
mod criterion;
mod json;
mod text;

use super::sample::{Collector, ReadError, Reading};
use crate::plain;

/// How much of the output, and of each file, is read.
pub const MOST_BYTES: usize = 32 * 1024 * 1024;
/// How many pieces of JSON inside the output may be broken before the rest of it is read as text only.
const MOST_BROKEN: usize = 64;

/// A file that the command wrote, with its path in the repository.
#[derive(Clone, Copy, Debug)]
pub struct NamedFile<'a> {
    pub path: &'a str,
    pub bytes: &'a [u8],
}

/// Reads the samples of one run of the command from its output and from the files it wrote.
///
/// A file of criterion (`target/criterion/**/new/sample.json`) holds each value, so it goes before the estimate that
/// criterion prints for the same name.
pub fn read(output: &[u8], files: &[NamedFile<'_>]) -> Result<Reading, ReadError> {
    let mut all = Collector::default();
    let mut folders = criterion::Folders::default();
    for file in files {
        let path = plain::one_line(file.path, 200);
        if file.bytes.len() > MOST_BYTES {
            all.note(format!("{path} has over 32 MB and was not read"));
            continue;
        }
        let content = String::from_utf8_lossy(file.bytes);
        if content.trim_start().starts_with('{') {
            match json::parse(&content) {
                Ok((document, _)) => {
                    if !folders.keep(file.path, &document) {
                        document.add_to(&mut all);
                    }
                }
                Err(error) => all.note(format!("{path} was not read: {error}")),
            }
        } else {
            read_text(&content, &criterion::Names::default(), &mut all);
        }
    }
    let named = folders.add_to(&mut all);
    read_text(&bounded(output, &mut all), &named, &mut all);
    all.finish()
}

/// The first part of the output, up to a line end.
fn bounded<'a>(output: &'a [u8], all: &mut Collector) -> std::borrow::Cow<'a, str> {
    let Some(part) = output
        .get(..MOST_BYTES)
        .filter(|_| output.len() > MOST_BYTES)
    else {
        return String::from_utf8_lossy(output);
    };
    all.note(format!(
        "the output has {} MB; only its first 32 MB were read",
        output.len() / (1024 * 1024)
    ));
    let end = memchr::memrchr(b'\n', part).map_or(part.len(), |at| at + 1);
    String::from_utf8_lossy(&part[..end])
}

/// Reads pieces of JSON that begin at a line's begin, and everything between them as lines.
fn read_text(content: &str, named: &criterion::Names, all: &mut Collector) {
    let mut lines = text::Lines::new(named);
    let mut broken = 0;
    let mut at = 0;
    while at < content.len() {
        let rest = &content[at..];
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        let begin = line.len() - line.trim_start().len();
        if line[begin..].starts_with('{') && broken < MOST_BROKEN {
            match json::parse(&rest[begin..]) {
                Ok((document, length)) => {
                    document.add_to(all);
                    at += begin + length;
                    continue;
                }
                Err(error) => {
                    broken += 1;
                    all.note(format!(
                        "a piece of JSON in the output was not read: {error}"
                    ));
                }
            }
        }
        lines.read(line, all);
        at += line.len();
    }
    lines.finish(all);
}

#[cfg(test)]
mod tests;
