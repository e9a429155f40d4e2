//! Runs the program for one document.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use super::document::{Made, Refused, is_pdf, last_line};
use super::{Document, PdfError};

/// How long a document may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Most bytes of a PDF.
const MOST_PDF: usize = 32 << 20;
/// Most bytes of what the program says beside it.
const MOST_SAID: usize = 64 << 10;

/// Where the program is, and its limits.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    patience: Duration,
    most: usize,
}

/// A PDF.
#[derive(Debug)]
pub struct Pdf {
    pub bytes: Vec<u8>,
    pub pages: u32,
}

impl Program {
    /// The program at this path. `None` means the program beside this one.
    pub fn new(path: Option<PathBuf>) -> Self {
        Self {
            path: path.unwrap_or_else(beside_this_program),
            patience: PATIENCE,
            most: MOST_PDF,
        }
    }

    /// Other limits, for tests.
    #[cfg(test)]
    pub(super) fn within(self, patience: Duration, most: usize) -> Self {
        Self {
            patience,
            most,
            ..self
        }
    }

    /// The program's path, if no file is there.
    pub fn missing(&self) -> Option<&Path> {
        (!self.path.is_file()).then_some(self.path.as_path())
    }

    /// Typesets a document. The process ends with this future, also when the future is dropped.
    ///
    /// # Errors
    /// Why there is no PDF.
    pub async fn typeset(&self, document: &Document) -> Result<Pdf, PdfError> {
        let request = document.request()?;
        let mut child = self.start()?;
        let worked = tokio::time::timeout(self.patience, self.talk(&mut child, &request)).await;
        let Ok(worked) = worked else {
            stop(&mut child).await;
            return Err(PdfError::TooSlow(self.patience.as_secs()));
        };
        let (pdf, said, status) = match worked {
            Ok(answer) => answer,
            Err(error) => {
                stop(&mut child).await;
                return Err(error);
            }
        };
        if !status.success() {
            return Err(match last_line::<Refused>(&said) {
                Some(refused) => PdfError::Refused(refused.detail),
                None => PdfError::Broke(how(status, &said)),
            });
        }
        match last_line::<Made>(&said) {
            Some(made) if is_pdf(&pdf) => Ok(Pdf {
                bytes: pdf,
                pages: made.pages,
            }),
            _ => Err(PdfError::NotPdf(self.path.clone())),
        }
    }

    /// The process has no environment, no file of this one, and the root folder as its own.
    fn start(&self) -> Result<Child, PdfError> {
        Command::new(&self.path)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => PdfError::Missing(self.path.clone()),
                _ => PdfError::Io(error),
            })
    }

    /// Writes the request, and reads both outputs and the exit code.
    async fn talk(
        &self,
        child: &mut Child,
        request: &[u8],
    ) -> Result<(Vec<u8>, Vec<u8>, ExitStatus), PdfError> {
        let input = child.stdin.take();
        let (output, error) = (child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut input) = input {
                // A program that refuses a document does not read all of it.
                let _ = input.write_all(request).await;
                let _ = input.shutdown().await;
            }
            Ok(())
        };
        let ((), pdf, said) = tokio::try_join!(
            write,
            read(output, self.most, true),
            read(error, MOST_SAID, false)
        )?;
        let status = child.wait().await.map_err(PdfError::Io)?;
        Ok((pdf, said, status))
    }
}

/// Reads all of an output. More than this is an error, or is dropped.
async fn read(
    from: Option<impl AsyncRead + Unpin>,
    most: usize,
    is_error: bool,
) -> Result<Vec<u8>, PdfError> {
    let (mut all, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    let Some(mut from) = from else {
        return Ok(all);
    };
    loop {
        let length = from.read(&mut piece).await.map_err(PdfError::Io)?;
        let room = most - all.len();
        match length {
            0 => return Ok(all),
            length if length <= room => all.extend_from_slice(&piece[..length]),
            _ if is_error => return Err(PdfError::TooMuch(most >> 20)),
            _ => all.extend_from_slice(&piece[..room]),
        }
    }
}

/// Kills the process and takes its end.
async fn stop(child: &mut Child) {
    if let Err(error) = child.kill().await {
        tracing::warn!(%error, "a process that typesets a PDF cannot be killed");
    }
}

/// How the process ended, with what it said last.
fn how(status: ExitStatus, said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    if said.contains("memory allocation of") {
        return "it needed more memory than it may have".to_owned();
    }
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.map(|line| line.chars().take(200).collect::<String>());
    match last {
        Some(last) => format!("{status}: {last}"),
        None => status.to_string(),
    }
}

/// The program `roost-pdf` in the folder of this program.
fn beside_this_program() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(|folder| folder.join("roost-pdf")))
        .unwrap_or_else(|| PathBuf::from("roost-pdf"))
}
