//! Verifies the whole chain.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use roost_secret_broker::wire::AuditReport;

use super::chain::{self, End};

/// Most faults in one report.
const TOLD: usize = 20;

/// The log's files in order.
pub(super) fn files(folder: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let number = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .and_then(|stem| stem.parse().ok());
        if let (Some(number), Some("log")) =
            (number, path.extension().and_then(|ending| ending.to_str()))
        {
            all.push((number, path));
        }
    }
    all.sort();
    Ok(all)
}

/// Checks every line against the previous one. A line that is being written at this moment is not a fault.
///
/// # Errors
/// The file system's error.
pub fn verify(folder: &Path) -> io::Result<AuditReport> {
    let files = files(folder)?;
    let (mut before, mut entries, mut faults) = (End::origin(), 0, Vec::new());
    let last = files.len();
    for (index, (_, path)) in files.iter().enumerate() {
        let mut reader = BufReader::new(File::open(path)?);
        let (mut line, mut number) = (Vec::new(), 0);
        while reader.read_until(b'\n', &mut line)? > 0 {
            number += 1;
            let whole = line.pop_if(|byte| *byte == b'\n').is_some();
            if !whole && index + 1 == last {
                break;
            }
            entries += 1;
            let text = String::from_utf8_lossy(&line);
            let found = chain::read(&text).and_then(|(end, prev)| {
                let fits = chain::follows(&before, &end, &prev);
                // One break is one fault: continue with the chain after it.
                before = end;
                fits
            });
            if let Err(problem) = found
                && faults.len() < TOLD
            {
                faults.push(format!("{}:{number}: {problem}", path.display()));
            }
            line.clear();
        }
    }
    Ok(AuditReport {
        entries,
        files: u32::try_from(last).unwrap_or(u32::MAX),
        faults,
        end: format!("{}:{}", before.seq, before.sha256),
    })
}
