//! A backup: the sealed records and a digest. It holds no key, so nobody can read it without the root key.
//!
//! ```text
//! "ROOSTBK1" · (length · sealed record)… · 0 · SHA-256 of all before
//! ```

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{Kept, Store, StoreError};

const MAGIC: &[u8; 8] = b"ROOSTBK1";
const DIGEST: usize = 32;

/// A backup to send: the records of one instant.
pub struct Snapshot {
    records: std::vec::IntoIter<Arc<Kept>>,
    count: u64,
    hash: Sha256,
    stage: Stage,
}

enum Stage {
    Begin,
    Records,
    Over,
}

impl Store {
    /// Takes a snapshot of the records.
    pub fn snapshot(&self) -> Snapshot {
        let records: Vec<_> = self.records().values().cloned().collect();
        Snapshot {
            count: records.len() as u64,
            records: records.into_iter(),
            hash: Sha256::new(),
            stage: Stage::Begin,
        }
    }
}

impl Snapshot {
    /// Number of records.
    pub fn records(&self) -> u64 {
        self.count
    }
}

impl Iterator for Snapshot {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let piece = match self.stage {
            Stage::Begin => {
                self.stage = Stage::Records;
                MAGIC.to_vec()
            }
            Stage::Records => match self.records.next() {
                Some(kept) => {
                    let length = u32::try_from(kept.bytes.len()).expect("a record is short");
                    [&length.to_be_bytes(), kept.bytes.as_slice()].concat()
                }
                None => {
                    self.stage = Stage::Over;
                    let end = 0_u32.to_be_bytes();
                    self.hash.update(end);
                    return Some([end.as_slice(), &self.hash.clone().finalize()].concat());
                }
            },
            Stage::Over => return None,
        };
        self.hash.update(&piece);
        Some(piece)
    }
}

/// Parses the sealed records of a backup.
pub(super) fn read(backup: &[u8]) -> Result<Vec<&[u8]>, StoreError> {
    let (all, digest) = backup
        .split_last_chunk::<DIGEST>()
        .ok_or(StoreError::Backup("it is too short"))?;
    let mut rest = all
        .strip_prefix(MAGIC)
        .ok_or(StoreError::Backup("it has another magic number"))?;
    if Sha256::digest(all).as_slice() != digest {
        return Err(StoreError::Backup("it is cut off or was changed"));
    }
    let cut = || StoreError::Backup("its lengths are wrong");
    let mut records = Vec::new();
    loop {
        let (length, after) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let length = u32::from_be_bytes(*length) as usize;
        if length == 0 {
            return if after.is_empty() {
                Ok(records)
            } else {
                Err(cut())
            };
        }
        let (record, after) = after.split_at_checked(length).ok_or_else(cut)?;
        records.push(record);
        rest = after;
    }
}
