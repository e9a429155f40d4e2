//! The program as the gateway runs it. What it makes is read with poppler's programs (Debian: poppler-utils).

mod hostile;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// Runs the program with these bytes on its standard input.
fn run(input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_roost-pdf"))
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input");
    std::thread::scope(|scope| {
        // A program that refuses a request does not read all of it.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("the program ends")
    })
}

/// A PDF of this Markdown, with its number of pages.
struct Pdf {
    file: tempfile::NamedTempFile,
    pages: u64,
}

fn typeset(markdown: &str) -> Pdf {
    let facts = json!([["Status", "completed"], ["Ended", "2026-11-28 06:28 UTC"]]);
    made(&json!({ "title": "Make the parser faster", "facts": facts, "markdown": markdown }))
}

fn made(request: &Value) -> Pdf {
    let output = run(request.to_string().as_bytes());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {said}", output.status);
    let said: Value = serde_json::from_str(&said).expect("one line of JSON");
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(&output.stdout).expect("written");
    let pages = said["pages"].as_u64().expect("its pages");
    Pdf { file, pages }
}

/// The error and the exit code of a request that is refused.
fn refused(input: &[u8]) -> (Value, i32) {
    let output = run(input);
    assert!(output.stdout.is_empty(), "no part of a PDF is written");
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim_end();
    assert_eq!(said.lines().count(), 1, "{said}");
    let said = serde_json::from_str(said).expect("one line of JSON");
    (said, output.status.code().expect("an exit code"))
}

impl Pdf {
    fn read(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program)
            .args(arguments)
            .arg(self.file.path())
            .args((program == "pdftotext").then_some("-"))
            .output()
            .unwrap_or_else(|error| panic!("{program} (poppler-utils) is needed: {error}"));
        assert!(output.status.success(), "{program}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn text(&self) -> String {
        self.read("pdftotext", &["-layout"])
    }

    /// The text with each gap as one space.
    fn words(&self) -> String {
        let text = self.text();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn document_has_its_head_its_text_and_its_form() {
    let markdown = "## Goal\n\nTwice as **fast**, `src/lib.rs` and *all* ~~old~~ tests.\n\n\
        ## Phase 1: research (completed)\n\n- one\n- two\n  1. first\n  2. second\n- [x] done\n\n\
        > Quoted words.\n\n```rust\nfn main() {\n    println!(\"hi\");\n}\n```\n\n\
        ## Findings\n\n| rule | severity | count |\n|---|---|---:|\n| secret | critical | 3 |\n| unwrap | low | 12 |\n\n\
        ## Next\n\nSee [the page](https://example.org/a?b=c#d) and [a file](../x.md).\n\n---\n\nThe end.";
    let pdf = typeset(markdown);
    let words = pdf.words();
    for part in [
        "Make the parser faster",
        "Status completed",
        "Ended 2026-11-28 06:28 UTC",
        "Contents",
        "Twice as fast, src/lib.rs and all old tests.",
        "• one",
        "1. first",
        "[x] done",
        "Quoted words.",
        "println!(\"hi\");",
        "rule severity count",
        "secret critical 3",
        "See the page and a file (../x.md).",
        "The end.",
        "Page 1 of",
    ] {
        assert!(words.contains(part), "{part} in {words}");
    }
    // Code keeps its lines and its indentation.
    assert!(pdf.text().contains("    println!"), "{}", pdf.text());
    let info = pdf.read("pdfinfo", &[]);
    assert!(info.contains("Make the parser faster"), "{info}");
    assert!(
        info.contains(&format!("Pages:           {}", pdf.pages)),
        "{info}"
    );
    let links = pdf.read("pdfinfo", &["-url"]);
    assert!(links.contains("https://example.org/a?b=c#d"), "{links}");
    assert!(!links.contains("x.md"), "{links}");
    // The outline: the headings are in the structure of the file.
    let tree = pdf.read("pdfinfo", &["-struct-text"]);
    assert!(tree.contains("H2"), "{tree}");
    let raw = std::fs::read(pdf.file.path()).expect("the file");
    let has_outline = raw.windows(9).any(|part| part == b"/Outlines");
    assert!(has_outline, "the file has an outline");
}

#[test]
fn fonts_are_in_the_file() {
    let pdf = typeset("Text and `code`.");
    let fonts = pdf.read("pdffonts", &[]);
    for line in fonts.lines().skip(2) {
        assert!(line.contains("yes yes yes"), "{line}");
    }
    assert!(fonts.contains("LibertinusSerif"), "{fonts}");
    assert!(fonts.contains("DejaVuSansMono"), "{fonts}");
}

#[test]
fn same_request_makes_the_same_file() {
    let read = |pdf: Pdf| std::fs::read(pdf.file.path()).expect("the file");
    let text = "# One\n\ntext\n\n| a |\n|---|\n| b |";
    assert_eq!(read(typeset(text)), read(typeset(text)));
}

#[test]
fn empty_document_is_a_page() {
    let pdf = made(&json!({ "title": "", "markdown": "" }));
    assert_eq!(pdf.pages, 1);
}

#[test]
fn document_of_many_pages_has_all_of_them() {
    let mut text = String::new();
    for section in 1..=60 {
        text.push_str(&format!("## Section {section}\n\n"));
        for part in 1..=6 {
            text.push_str(&format!(
                "Part {part} of {section}. {}\n\n",
                "Some words follow here. ".repeat(30)
            ));
        }
    }
    let pdf = typeset(&text);
    assert!(pdf.pages > 30, "{}", pdf.pages);
    let words = pdf.words();
    assert!(words.contains(&format!("Page {0} of {0}", pdf.pages)));
    assert!(words.contains("Part 6 of 60."));
}
