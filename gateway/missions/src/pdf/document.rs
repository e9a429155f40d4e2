//! What the program is given, and what it answers. Pure code.

use serde::{Deserialize, Serialize};

use super::PdfError;

/// Most bytes of a request. The program refuses more.
pub const MOST_REQUEST: usize = 8 << 20;

/// A document to typeset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Document {
    pub title: String,
    /// Names and values for the head of the document.
    pub facts: Vec<(String, String)>,
    pub markdown: String,
}

impl Document {
    /// The request for it.
    ///
    /// # Errors
    /// [`PdfError::TooLarge`].
    pub(super) fn request(&self) -> Result<Vec<u8>, PdfError> {
        let request = serde_json::to_vec(self).expect("texts encode");
        match request.len() {
            ..=MOST_REQUEST => Ok(request),
            bytes => Err(PdfError::TooLarge { bytes }),
        }
    }
}

/// What the program says when it has made a document.
#[derive(Debug, Deserialize)]
pub(super) struct Made {
    pub pages: u32,
}

/// What the program says when it has not.
#[derive(Debug, Deserialize)]
pub(super) struct Refused {
    pub detail: String,
}

/// The last line of what a program wrote to its standard error, as this value.
pub(super) fn last_line<T: for<'a> Deserialize<'a>>(error: &[u8]) -> Option<T> {
    let text = String::from_utf8_lossy(error);
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    serde_json::from_str(line).ok()
}

/// Whether the bytes begin and end as a PDF does.
pub(super) fn is_pdf(bytes: &[u8]) -> bool {
    let end = bytes.len().saturating_sub(32);
    bytes.starts_with(b"%PDF-") && bytes[end..].windows(5).any(|part| part == b"%%EOF")
}
