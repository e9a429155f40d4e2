//! The scan for secrets in all files of a commit, as the broker gives them: a tar archive. It runs in the gateway and not in
//! the sandbox, so no secret comes into a journal.
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

use crate::findings::{MOST_FILE, MOST_FINDINGS, Report, scan_secrets};

/// The most files that are looked at.
const MOST_FILES: usize = 100_000;

/// What the scan of a commit saw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    pub report: Report,
    pub files: usize,
}

/// Scans an archive.
///
/// # Errors
/// When the archive cannot be read.
pub fn scan_archive(archive: impl Read) -> io::Result<Scanned> {
    let mut scanned = Scanned::default();
    let mut bytes = Vec::new();
    for entry in tar::Archive::new(archive).entries()? {
        let entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        if scanned.files >= MOST_FILES || scanned.report.findings.len() >= MOST_FINDINGS {
            let note = format!(
                "Only the first {} files were scanned for secrets",
                scanned.files
            );
            scanned.report.notes.push(note);
            break;
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        bytes.clear();
        // One byte more than is scanned, so that the scan knows of the rest.
        entry.take(MOST_FILE as u64 + 1).read_to_end(&mut bytes)?;
        let report = scan_secrets(&path, &bytes);
        scanned.files += 1;
        scanned.report.findings.extend(report.findings);
        scanned.report.notes.extend(report.notes);
    }
    Ok(scanned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append_data(&mut header, path, *content).unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn a_secret_in_a_file_is_found_with_its_place() {
        let planted = b"fn main() {}\nlet key = \"AKIA4Z7QXJ2WMK6PLTRV\";\n";
        let bytes = archive(&[("README.md", b"hello"), ("src/main.rs", planted)]);
        let scanned = scan_archive(&bytes[..]).unwrap();
        assert_eq!(scanned.files, 2);
        let finding = &scanned.report.findings[0];
        assert_eq!(finding.file.as_deref(), Some("src/main.rs"));
        assert_eq!(finding.line, Some(2));
        let json = serde_json::to_string(&scanned).unwrap();
        assert!(!json.contains("AKIA4Z7QXJ2WMK6PLTRV"), "{json}");
    }

    #[test]
    fn a_broken_archive_is_an_error() {
        let bytes = archive(&[("a", &[1; 4096])]);
        assert!(scan_archive(&bytes[..700]).is_err());
        assert_eq!(scan_archive(&[][..]).unwrap(), Scanned::default());
    }
}
