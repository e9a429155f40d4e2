//! Files that a command prints after its output, so that one stream holds both.
//!
//! ```text
//! what the command printed
//! --- roost file target/criterion/sum/new/sample.json
//! {"iters":[1.0],"times":[12.0]}
//! --- roost end
//! ```
use crate::benchmarks::NamedFile;

const BEGIN: &str = "--- roost file ";
const END: &str = "--- roost end";

/// The output without the files, and the files.
pub(super) struct Parts<'a> {
    pub output: String,
    pub files: Vec<NamedFile<'a>>,
}

/// Takes the files out of an output. A file without its end is a part of the output: it may be cut.
pub(super) fn parts(text: &str) -> Parts<'_> {
    let (mut output, mut files) = (String::new(), Vec::new());
    let mut rest = text;
    while !rest.is_empty() {
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        let after = &rest[line.len()..];
        let named = line.trim_end().strip_prefix(BEGIN);
        if let Some(path) = named
            && let Some((content, length)) = until_end(after)
        {
            files.push(NamedFile {
                path,
                bytes: content.as_bytes(),
            });
            rest = &after[length..];
            continue;
        }
        output.push_str(line);
        rest = after;
    }
    Parts { output, files }
}

/// The text before the end mark, and the length with the mark.
fn until_end(text: &str) -> Option<(&str, usize)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == END {
            return Some((&text[..at], at + line.len()));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_taken_out_and_a_cut_file_stays() {
        let text =
            "sum: 1 ns\n--- roost file a/b.json\n{}\n--- roost end\nlast\n--- roost file c\ncut";
        let parts = parts(text);
        assert_eq!(parts.output, "sum: 1 ns\nlast\n--- roost file c\ncut");
        assert_eq!(parts.files.len(), 1);
        assert_eq!(
            (parts.files[0].path, parts.files[0].bytes),
            ("a/b.json", &b"{}\n"[..])
        );
    }
}
