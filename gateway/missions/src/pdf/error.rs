//! Why there is no PDF. People read these sentences at the artifact.

use std::path::PathBuf;

/// Errors of the program that typesets.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The document is larger than the program takes.
    #[error(
        "The document has {} MiB, and a PDF is made of at most 8 MiB. Its Markdown file has all of it.", .bytes >> 20
    )]
    TooLarge { bytes: usize },
    /// There is no such program.
    #[error(
        "The program that makes PDF files is not at {}. Build it with `deploy/pdf.sh` or set `pdf_renderer`, and ask for the PDF again.", .0.display()
    )]
    Missing(PathBuf),
    /// The program cannot be started, or the pipe to it broke.
    #[error(
        "The program that makes PDF files cannot be used: {0}. Correct that, and ask for the PDF again."
    )]
    Io(#[source] std::io::Error),
    /// The program refused the document.
    #[error("{0}")]
    Refused(String),
    /// The program needed too long.
    #[error(
        "The document was not ready after {0} seconds, so the gateway stopped the program. Its Markdown file has all of it."
    )]
    TooSlow(u64),
    /// The program wrote too much.
    #[error(
        "The PDF has more than {0} MiB, so the gateway stopped the program. Its Markdown file has all of it."
    )]
    TooMuch(usize),
    /// The program ended in another way.
    #[error(
        "The program that makes PDF files broke off ({0}). The Markdown file has the whole document."
    )]
    Broke(String),
    /// The program wrote something else.
    #[error("The program at {} answered with something that is not a PDF. Build it again with `deploy/pdf.sh`, and ask for the PDF again.", .0.display())]
    NotPdf(PathBuf),
}
