//! The audit chain detects changed, removed and truncated lines.

use std::path::{Path, PathBuf};

use super::*;
use crate::clock::Clock;

fn entry(connection: &str) -> Entry {
    Entry {
        verb: "forward",
        tenant: "w1".into(),
        connection: connection.into(),
        outcome: "begun",
        ..Entry::default()
    }
}

async fn written(folder: &Path, count: usize) -> Audit {
    let audit = Audit::open(folder, Clock::of(|| 5)).unwrap();
    for number in 0..count {
        audit.record(entry(&format!("c{number}"))).await.unwrap();
    }
    audit
}

fn log(folder: &Path) -> PathBuf {
    folder.join("000001.log")
}

#[tokio::test]
async fn log_continues_after_restarts_and_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    for round in 1..=3 {
        let audit = written(folder.path(), 4).await;
        assert_eq!(audit.entries(), round * 4);
    }
    let report = verify(folder.path()).unwrap();
    assert_eq!((report.entries, report.faults.len()), (12, 0), "{report:?}");
    assert!(report.end.starts_with("12:"));
}

#[tokio::test]
async fn every_change_to_old_lines_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    drop(written(folder.path(), 6).await);
    let whole = std::fs::read_to_string(log(folder.path())).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let changes: [(&str, Vec<String>); 4] = [
        (
            "changed",
            lines
                .iter()
                .map(|line| line.replace("\"c2\"", "\"cX\""))
                .collect(),
        ),
        (
            "removed",
            [&lines[..2], &lines[3..]]
                .concat()
                .iter()
                .map(ToString::to_string)
                .collect(),
        ),
        (
            "moved",
            [lines[0], lines[2], lines[1], lines[3]]
                .iter()
                .map(ToString::to_string)
                .collect(),
        ),
        (
            "without its beginning",
            lines[1..].iter().map(ToString::to_string).collect(),
        ),
    ];
    for (name, lines) in changes {
        std::fs::write(log(folder.path()), lines.join("\n") + "\n").unwrap();
        assert!(!verify(folder.path()).unwrap().faults.is_empty(), "{name}");
    }
    std::fs::write(log(folder.path()), &whole).unwrap();
    assert!(verify(folder.path()).unwrap().faults.is_empty());
}

#[tokio::test]
async fn truncated_last_line_is_removed_and_forged_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(written(folder.path(), 3).await);
    let whole = std::fs::read(log(folder.path())).unwrap();
    for cut in 1..60 {
        std::fs::write(log(folder.path()), &whole[..whole.len() - cut]).unwrap();
        let audit = Audit::open(folder.path(), Clock::of(|| 5)).unwrap();
        assert_eq!(audit.entries(), 2, "cut by {cut}");
        audit.record(entry("next")).await.unwrap();
        assert_eq!(
            verify(folder.path()).unwrap().faults.len(),
            0,
            "cut by {cut}"
        );
    }
    let mut forged = whole.clone();
    let place = forged.len() - 4;
    forged[place] ^= 1;
    std::fs::write(log(folder.path()), forged).unwrap();
    let refused = Audit::open(folder.path(), Clock::of(|| 5)).err().unwrap();
    assert!(matches!(refused, AuditError::Broken { .. }), "{refused}");
}
