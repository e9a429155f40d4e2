//! `roost-pdf`: typesets one Markdown document as PDF.
//!
//! It reads one request (JSON) from its standard input, and writes the PDF to its standard output. With the PDF, the standard
//! error has one line of JSON that says the number of pages. Without it, that line says why, and the exit code is not 0.
//!
//! The texts come from agents, so they are hostile: the program limits its own memory and processor time first, serves no
//! file, and passes each text to typst as a string.

mod limits;
mod markdown;
mod markup;
mod request;
mod world;

use std::io::Write;
use std::process::ExitCode;

use request::{Fault, Refusal, Request};
use typst_layout::PagedDocument;
use typst_pdf::PdfOptions;

/// The stack of each thread: typst follows the nesting of a document with its own calls.
const STACK: usize = 64 << 20;
/// Threads that typeset parts of a document.
const THREADS: usize = 2;
/// A longer text gets no tags, which screen readers use: they take more than half of the file.
const MOST_TAGGED: usize = 1 << 20;
/// Most characters without a glyph that the document lists.
const MOST_MISSING: usize = 40;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        say(&Refusal::new(Fault::Internal, panic.to_string()));
    }));
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => {
            say(&refusal);
            ExitCode::from(refusal.error.code())
        }
    }
}

fn say(line: &impl serde::Serialize) {
    let line = serde_json::to_string(line).unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn run() -> Result<(), Refusal> {
    let internal = |error: &dyn std::error::Error| Refusal::new(Fault::Internal, error.to_string());
    limits::set().map_err(|error| internal(&error))?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .stack_size(STACK)
        .build_global()
        .map_err(|error| internal(&error))?;
    let request = request::read(std::io::stdin().lock())?;
    let work = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || typeset(&request))
        .map_err(|error| internal(&error))?;
    let (pdf, pages) = work
        .join()
        .map_err(|_| Refusal::new(Fault::Internal, "The typesetting broke off."))??;
    let mut output = std::io::stdout().lock();
    let written = output.write_all(&pdf).and_then(|()| output.flush());
    written.map_err(|error| internal(&error))?;
    say(&serde_json::json!({ "pages": pages }));
    Ok(())
}

/// The PDF and the number of its pages.
fn typeset(request: &Request) -> Result<(Vec<u8>, usize), Refusal> {
    let world = world::Document::new(source(request));
    let document = typst::compile::<PagedDocument>(&world)
        .output
        .map_err(|errors| refused(&errors))?;
    let options = PdfOptions {
        tagged: request.markdown.len() <= MOST_TAGGED,
        ..PdfOptions::default()
    };
    let pdf = typst_pdf::pdf(&document, &options).map_err(|errors| refused(&errors))?;
    Ok((pdf, document.pages().len()))
}

fn refused(errors: &[typst::diag::SourceDiagnostic]) -> Refusal {
    let first = errors.first().map(|error| error.message.as_str());
    let why = first.unwrap_or("typst gave no reason");
    Refusal::new(
        Fault::Typesetting,
        format!("The document cannot be typeset: {why}."),
    )
}

/// The document as typst reads it.
fn source(request: &Request) -> String {
    let body = markdown::translate(&request.markdown);
    let mut source = markup::Markup::default();
    source.code("#import \"/style.typ\": *\n#show: look.with(");
    source.string(&request.title);
    source.code(")\n#head(");
    source.string(&request.title);
    source.code(", (");
    for (name, value) in &request.facts {
        source.code("(");
        source.string(name);
        source.code(", ");
        source.string(value);
        source.code("), ");
    }
    source.code("))\n");
    if body.headings > 3 {
        source.code("#contents()\n");
    }
    source.code(&body.markup);
    let missing = missing(request);
    if !missing.is_empty() {
        source.code("\n\n#note(");
        source.string(&format!(
            "The fonts of this document have no glyph for: {}.",
            missing.join(", ")
        ));
        source.code(");");
    }
    source.done()
}

/// The characters that no font has, as code points: they are shown as boxes.
fn missing(request: &Request) -> Vec<String> {
    let facts = request.facts.iter().flat_map(|(name, value)| [name, value]);
    let texts = [&request.title, &request.markdown].into_iter().chain(facts);
    let mut found = std::collections::BTreeSet::new();
    let mut seen = std::collections::HashSet::new();
    for c in texts.flat_map(|text| text.chars()) {
        if c.is_ascii() || !seen.insert(c) {
            continue;
        }
        if markup::is_shown(c) && !world::has_glyph(c) {
            found.insert(c);
        }
    }
    let more = found.len().saturating_sub(MOST_MISSING);
    let mut names: Vec<String> = found
        .into_iter()
        .take(MOST_MISSING)
        .map(|c| format!("U+{:04X}", u32::from(c)))
        .collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names
}
