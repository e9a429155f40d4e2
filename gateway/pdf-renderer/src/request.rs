//! What the program is asked for, and how it refuses. The request is one JSON object on the standard input.

use std::io::Read;

use serde::{Deserialize, Serialize};

/// Most bytes of a request.
pub const MOST_INPUT: u64 = 8 << 20;
/// Most characters of a title, of a name and of a value.
const MOST_WORDS: usize = 2_000;
/// Most facts below the title.
const MOST_FACTS: usize = 40;

/// A document to typeset.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub title: String,
    /// Names and values for the head of the document, such as its status.
    #[serde(default)]
    pub facts: Vec<(String, String)>,
    /// The text, as Markdown.
    pub markdown: String,
}

/// Why there is no document. It is one line of JSON on the standard error, and the exit code.
#[derive(Debug, Serialize)]
pub struct Refusal {
    pub error: Fault,
    /// For people.
    pub detail: String,
}

/// The kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The request is larger than [`MOST_INPUT`].
    TooLarge,
    /// The request does not have the expected form.
    BadRequest,
    /// The document cannot be typeset.
    Typesetting,
    /// The machine refused something, or this program has an error.
    Internal,
}

impl Fault {
    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Internal => 1,
            Self::TooLarge => 2,
            Self::BadRequest => 3,
            Self::Typesetting => 4,
        }
    }
}

impl Refusal {
    /// A refusal.
    pub fn new(error: Fault, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { error, detail }
    }
}

/// Reads a request.
///
/// # Errors
/// When it is too large, or does not have the expected form.
pub fn read(input: impl Read) -> Result<Request, Refusal> {
    let mut text = Vec::new();
    let read = input.take(MOST_INPUT + 1).read_to_end(&mut text);
    read.map_err(|error| {
        Refusal::new(
            Fault::Internal,
            format!("The request cannot be read: {error}."),
        )
    })?;
    if text.len() as u64 > MOST_INPUT {
        let most = MOST_INPUT >> 20;
        let why = format!("The document is too large: a request has at most {most} MiB.");
        return Err(Refusal::new(Fault::TooLarge, why));
    }
    let mut request: Request = serde_json::from_slice(&text).map_err(|error| {
        let why = format!("The request does not have the expected form: {error}.");
        Refusal::new(Fault::BadRequest, why)
    })?;
    shorten(&mut request.title);
    request.facts.truncate(MOST_FACTS);
    for (name, value) in &mut request.facts {
        shorten(name);
        shorten(value);
    }
    Ok(request)
}

fn shorten(words: &mut String) {
    if let Some((end, _)) = words.char_indices().nth(MOST_WORDS) {
        words.truncate(end);
        words.push('…');
    }
}
