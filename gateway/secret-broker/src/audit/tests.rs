//! The audit chain: what was changed, removed or cut off shows.

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
        audit.note(entry(&format!("c{number}"))).await.unwrap();
    }
    audit
}

fn log(folder: &Path) -> PathBuf {
    folder.join("000001.log")
}

#[tokio::test]
async fn a_log_goes_on_over_restarts_and_is_whole() {
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
async fn every_change_of_the_past_shows() {
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
async fn a_line_cut_off_by_a_kill_is_cut_away_and_a_forged_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(written(folder.path(), 3).await);
    let whole = std::fs::read(log(folder.path())).unwrap();
    for cut in 1..60 {
        std::fs::write(log(folder.path()), &whole[..whole.len() - cut]).unwrap();
        let audit = Audit::open(folder.path(), Clock::of(|| 5)).unwrap();
        assert_eq!(audit.entries(), 2, "cut by {cut}");
        audit.note(entry("next")).await.unwrap();
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
