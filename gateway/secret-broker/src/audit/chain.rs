//! The chain: each line is a hash and a text, and the text holds the hash of the previous line.
//!
//! ```text
//! <sha-256 of the text> {"seq":7,"time_ms":…,"prev":"<sha-256 of line 6>","entry":{…}}
//! ```

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Entry;

/// The last position of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    pub seq: u64,
    pub sha256: String,
}

impl End {
    /// The state before the first line.
    pub(super) fn origin() -> Self {
        Self {
            seq: 0,
            sha256: "0".repeat(64),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    time_ms: i64,
    prev: &'a str,
    entry: &'a Entry,
}

#[derive(Deserialize)]
struct Head {
    seq: u64,
    prev: String,
}

/// Appends an entry's line to `out` and updates the end.
pub(super) fn append(end: &mut End, time_ms: i64, entry: &Entry, out: &mut Vec<u8>) {
    let line = Line {
        seq: end.seq + 1,
        time_ms,
        prev: &end.sha256,
        entry,
    };
    let text = serde_json::to_string(&line).expect("an entry is plain text and numbers");
    let sha256 = hex::encode(Sha256::digest(text.as_bytes()));
    out.extend_from_slice(sha256.as_bytes());
    out.push(b' ');
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
    *end = End {
        seq: end.seq + 1,
        sha256,
    };
}

/// Parses one line by itself.
pub(super) fn read(line: &str) -> Result<(End, String), &'static str> {
    let (sha256, text) = line.split_once(' ').ok_or("it is not a line of the log")?;
    if hex::encode(Sha256::digest(text.as_bytes())) != sha256 {
        return Err("its text was changed");
    }
    let head: Head = serde_json::from_str(text).map_err(|_| "it is not a line of the log")?;
    let end = End {
        seq: head.seq,
        sha256: sha256.to_owned(),
    };
    Ok((end, head.prev))
}

/// Checks that a line follows the previous one.
pub(super) fn follows(before: &End, end: &End, prev: &str) -> Result<(), &'static str> {
    if end.seq != before.seq + 1 {
        return Err("lines before it were removed or moved");
    }
    if prev != before.sha256 {
        return Err("the line before it was rewritten");
    }
    Ok(())
}
