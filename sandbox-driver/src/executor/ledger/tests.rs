//! The ledger: torn tails, damage, order, and what survives a compaction.
use super::file::LedgerFile;
use super::*;
use crate::executor::config::ExecutorClock;
use proptest::prelude::*;
use roost_protocol::ids::{InstanceId, OperationId};
use roost_protocol::operation::{Exec, Operation, OperationRequest};
use roost_protocol::report::{Ended, Outcome, Terminal};
use uuid::Uuid;

fn id(n: u8) -> OperationId {
    OperationId(Uuid::from_u128(u128::from(n) + 1))
}

fn request(n: u8) -> OperationRequest {
    OperationRequest {
        purpose: None,
        id: id(n),
        on_behalf: None,
        operation: Operation::SbExec(Exec {
            sandbox: Uuid::from_u128(9).into(),
            argv: vec!["x".repeat(usize::from(n))],
            cwd: None,
            env: Default::default(),
            stdin: false,
            tty: None,
            deadline_s: 1,
        }),
    }
}

fn ended(code: i32) -> Ended {
    Ended {
        state: Terminal::Done,
        outcome: Outcome::Exited { code },
        output_end: 0,
        output_dropped: 0,
        duration_ms: 1,
    }
}

fn any_record() -> impl Strategy<Value = Record> {
    (0u8..12, 0u8..5, 0i64..1000).prop_map(|(n, kind, at_s)| match kind {
        0 => Record::Accepted {
            request: request(n),
            at_s,
        },
        1 => Record::Starting {
            operation: id(n),
            guest: InstanceId(Uuid::from_u128(u128::from(n))),
        },
        2 => Record::Ended {
            operation: id(n),
            ended: ended(i32::from(n)),
            at_s,
            agent: None,
        },
        3 => Record::Acked {
            operation: id(n),
            at_s,
        },
        _ => Record::Forgotten {
            operation: id(n),
            at_s,
        },
    })
}

fn replayed(records: &[Record]) -> LedgerIndex {
    let mut index = LedgerIndex::default();
    for record in records {
        index.apply(record.clone());
    }
    index
}

proptest! {
    #[test]
    fn torn_tail_loses_only_the_torn_record(records in prop::collection::vec(any_record(), 1..20), cut in 0usize..2000) {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for record in &records {
            bytes.extend(record::encode(record).expect("encodes"));
            ends.push(bytes.len());
        }
        let cut = cut.min(bytes.len());
        let whole = ends.iter().filter(|end| **end <= cut).count();
        let scan = record::scan(&bytes[..cut]);
        prop_assert_eq!(&scan.records[..], &records[..whole]);
        prop_assert_eq!(scan.damaged, 0);
    }

    #[test]
    fn flipped_byte_loses_only_its_record(records in prop::collection::vec(any_record(), 1..12), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let encoded: Vec<_> = records.iter().map(|record| record::encode(record).expect("encodes")).collect();
        let mut bytes = encoded.concat();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let mut end = 0;
        let hit = encoded.iter().position(|record| { end += record.len(); at < end }).expect("inside");
        let mut left = records.clone();
        left.remove(hit);
        prop_assert_eq!(record::scan(&bytes).records, left);
    }

    #[test]
    fn hostile_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        record::scan(&bytes);
    }

    #[test]
    fn an_operation_has_one_end_and_a_compaction_changes_nothing(records in prop::collection::vec(any_record(), 0..60)) {
        let mut index = LedgerIndex::default();
        let mut first_end = std::collections::BTreeMap::new();
        for record in &records {
            index.apply(record.clone());
            for (operation, entry) in index.entries() {
                if let Some((ended, _)) = &entry.ended {
                    let first = first_end.entry(operation).or_insert_with(|| ended.clone());
                    prop_assert_eq!(&*first, ended);
                }
            }
        }
        let compacted = replayed(&index.records());
        let view = |index: &LedgerIndex| index.entries().map(|(id, entry)| (id, entry.ended.clone(), entry.acked, entry.request.clone(), entry.guest.filter(|_| entry.ended.is_none()))).collect::<Vec<_>>();
        prop_assert_eq!(view(&compacted), view(&index));
    }
}

#[test]
fn records_survive_a_reopen_and_a_partial_one_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let (mut file, records) = LedgerFile::open(&path).expect("opens");
    assert!(records.is_empty());
    let first = Record::Accepted {
        request: request(1),
        at_s: 5,
    };
    file.reserve().expect("reserves");
    file.append(&record::encode(&first).expect("encodes"))
        .expect("appends");
    file.append(b"RoL1half").expect("appends");
    drop(file);
    let (mut file, records) = LedgerFile::open(&path).expect("opens");
    assert_eq!(records, std::slice::from_ref(&first));
    let second = Record::Acked {
        operation: id(1),
        at_s: 6,
    };
    file.append(&record::encode(&second).expect("encodes"))
        .expect("appends");
    drop(file);
    assert_eq!(LedgerFile::open(&path).expect("opens").1, [first, second]);
}

#[test]
fn preallocated_room_is_not_damage_and_is_reused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let (mut file, _) = LedgerFile::open(&path).expect("opens");
    let one = |n| Record::Acked {
        operation: id(n),
        at_s: 5,
    };
    file.reserve().expect("reserves");
    file.append(&record::encode(&one(1)).expect("encodes"))
        .expect("appends");
    drop(file);
    let length = std::fs::metadata(&path).expect("there").len();
    assert!(length > 512 * 1024, "room was written ahead");
    let (mut file, records) = LedgerFile::open(&path).expect("opens");
    assert_eq!(records, [one(1)]);
    assert!(
        file.size() < 1000,
        "appending goes on behind the last record"
    );
    file.reserve().expect("reserves");
    file.append(&record::encode(&one(2)).expect("encodes"))
        .expect("appends");
    drop(file);
    assert_eq!(std::fs::metadata(&path).expect("there").len(), length);
    let (_, records) = LedgerFile::open(&path).expect("opens");
    assert_eq!(records, [one(1), one(2)]);
    assert!(!path.with_extension("damaged").exists());
}

#[test]
fn a_ledger_in_the_middle_of_a_compaction_opens_with_the_old_or_the_new_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let (mut file, _) = LedgerFile::open(&path).expect("opens");
    let kept = Record::Accepted {
        request: request(1),
        at_s: 5,
    };
    file.append(&record::encode(&kept).expect("encodes"))
        .expect("appends");
    // A crash before the rename: a partial new file is left beside the old one.
    std::fs::write(path.with_extension("new"), b"RoL1").expect("writes");
    drop(file);
    let (mut file, records) = LedgerFile::open(&path).expect("opens");
    assert_eq!(records, [kept]);
    assert!(!path.with_extension("new").exists());
    let other = Record::Ended {
        agent: None,
        operation: id(2),
        ended: ended(0),
        at_s: 7,
    };
    file.replace(std::slice::from_ref(&other))
        .expect("replaces");
    let after = Record::Acked {
        operation: id(2),
        at_s: 8,
    };
    file.append(&record::encode(&after).expect("encodes"))
        .expect("appends");
    drop(file);
    assert_eq!(LedgerFile::open(&path).expect("opens").1, [other, after]);
}

#[tokio::test]
async fn an_accepted_operation_is_on_disk_when_accept_returns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger");
    let ledger = Ledger::open(&path, ExecutorClock::system()).expect("opens");
    for n in 0..20 {
        ledger.accept(request(n)).await.expect("accepted");
        let bytes = std::fs::read(&path).expect("reads");
        assert_eq!(record::scan(&bytes).records.len(), usize::from(n) + 1);
    }
    ledger.end(id(3), ended(0)).await.expect("ended");
    assert!(
        ledger
            .index()
            .get(id(3))
            .is_some_and(|entry| entry.ended.is_some())
    );
    drop(ledger);
    let again = Ledger::open(&path, ExecutorClock::system()).expect("opens");
    assert_eq!(
        again
            .index()
            .entries()
            .filter(|(_, entry)| entry.ended.is_none())
            .count(),
        19
    );
}

/// The child process of the test below: compacts the ledger that the environment names.
#[test]
fn child_that_compacts() {
    let Some(path) = std::env::var_os("ROOST_TEST_LEDGER") else {
        return;
    };
    let (mut file, records) = LedgerFile::open(path.as_ref()).expect("opens");
    file.replace(&records).expect("replaces");
}

#[test]
fn crash_during_a_compaction_loses_nothing() {
    use crate::executor::chaos::KillPoint;
    for point in [KillPoint::CompactWritten, KillPoint::CompactRenamed] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledger");
        let (mut file, _) = LedgerFile::open(&path).expect("opens");
        let kept = Record::Accepted {
            request: request(1),
            at_s: 5,
        };
        file.append(&record::encode(&kept).expect("encodes"))
            .expect("appends");
        drop(file);
        let program = std::env::current_exe().expect("this test");
        let status = std::process::Command::new(program)
            .args(["--exact", "executor::ledger::tests::child_that_compacts"])
            .env("ROOST_TEST_LEDGER", &path)
            .env("ROOST_CHAOS", "allow")
            .env("ROOST_KILL_POINT", point.name())
            .output()
            .expect("runs");
        assert!(!status.status.success(), "{point:?} was not passed");
        assert_eq!(LedgerFile::open(&path).expect("opens").1, [kept]);
    }
}
