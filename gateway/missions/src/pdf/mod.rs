//! The program that typesets PDF: `roost-pdf`, a process of its own for each document.
//!
//! Invariants: the process gets an empty environment and one document on its standard input. It has at most a minute, and its
//! output is limited. A document that breaks it ends this process only. Which documents it makes is decided in `missions/pdfs.rs`.

mod document;
mod error;
mod program;
#[cfg(test)]
mod tests;

pub use document::{Document, MOST_REQUEST};
pub use error::PdfError;
pub use program::{Pdf, Program};
