//! Searches the memory of a process for bytes: every page that it could have written.

use std::io::{Read, Seek, SeekFrom};

const READS: &str = "a process of this test can be read";

/// How often each needle occurs in the memory of a process.
///
/// # Panics
/// When it cannot be read, or when suspiciously little could be read.
pub fn in_memory(process: u32, needles: &[&[u8]]) -> Vec<usize> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).expect(READS);
    let mut memory = std::fs::File::open(format!("/proc/{process}/mem")).expect(READS);
    let (mut counts, mut read) = (vec![0; needles.len()], 0_usize);
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (range, rights) = (fields.next().expect(READS), fields.next().expect(READS));
        // A mapped file that nobody may write to is the program itself.
        let program = !rights.contains('w') && fields.nth(2) != Some("0");
        if !rights.starts_with('r') || program || line.ends_with("[vvar]") {
            continue;
        }
        let (begin, end) = range.split_once('-').expect(READS);
        let begin = u64::from_str_radix(begin, 16).expect(READS);
        let length = u64::from_str_radix(end, 16).expect(READS) - begin;
        let mut bytes = vec![0; usize::try_from(length).expect(READS)];
        memory.seek(SeekFrom::Start(begin)).expect(READS);
        // Some kernel pages are listed but cannot be read.
        let Ok(()) = memory.read_exact(&mut bytes) else {
            continue;
        };
        read += bytes.len();
        for (count, needle) in counts.iter_mut().zip(needles) {
            *count += memchr::memmem::find_iter(&bytes, needle).count();
        }
    }
    assert!(read > 1 << 16, "the memory was read: {read} bytes");
    counts
}
