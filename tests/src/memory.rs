//! Searches the memory of a process for bytes: every page that it could have written.

use std::io::{Read, Seek, SeekFrom};

/// Bytes that are shown before and after the beginning of a needle.
const AROUND: usize = 160;
const READS: &str = "a process of this test can be read";

/// How often each needle occurs in the memory of a process.
///
/// # Panics
/// When it cannot be read, or when suspiciously little could be read.
pub fn in_memory(process: u32, needles: &[&[u8]]) -> Vec<usize> {
    let mut counts = vec![0; needles.len()];
    visit(process, |_, bytes| {
        for (count, needle) in counts.iter_mut().zip(needles) {
            *count += memchr::memmem::find_iter(bytes, needle).count();
        }
    });
    counts
}

/// Where a needle stands in the memory of a process: the address, and the bytes around it as text. For people who look
/// for the buffer that holds it.
///
/// # Panics
/// As [`in_memory`].
pub fn around_in_memory(process: u32, needle: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    visit(process, |begin, bytes| {
        for at in memchr::memmem::find_iter(bytes, needle) {
            let around = &bytes[at.saturating_sub(AROUND)..bytes.len().min(at + AROUND)];
            let text = String::from_utf8_lossy(around);
            found.push(format!("{:#x}: {:?}", begin + at as u64, text));
        }
    });
    found
}

/// Calls `see` with each range of a process's memory and the address at which it begins.
fn visit(process: u32, mut see: impl FnMut(u64, &[u8])) {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).expect(READS);
    let mut memory = std::fs::File::open(format!("/proc/{process}/mem")).expect(READS);
    let mut read = 0_usize;
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
        see(begin, &bytes);
    }
    assert!(read > 1 << 16, "the memory was read: {read} bytes");
}
