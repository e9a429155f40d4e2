//! Spools: stored output is read back by offset, through disk and daemon failures.
use super::*;
use proptest::prelude::*;
use roost_protocol::output::StreamName;

fn data(stream: StreamName, offset: u64, bytes: &[u8]) -> Piece {
    Piece::Data {
        stream,
        offset,
        data: bytes.to_vec(),
    }
}

/// Reads everything from `from`: bytes where they exist, `None` for each byte in a gap.
fn all(spool: &Spool, from: u64) -> Vec<Option<(StreamName, u8)>> {
    let mut out = Vec::new();
    let mut at = from;
    while let Some(piece) = spool.read(at, 1000).expect("a read") {
        assert_eq!(piece.start(), at, "pieces follow each other");
        assert!(piece.end() > at, "a piece is never empty");
        at = piece.end();
        match piece {
            Piece::Data { stream, data, .. } => {
                out.extend(data.into_iter().map(|byte| Some((stream, byte))));
            }

            Piece::Gap { from, to } => out.extend((from..to).map(|_| None)),
        }
    }
    out
}

proptest! {
    #[test]
    fn pieces_are_read_from_any_offset_even_after_a_restart(
        pieces in prop::collection::vec((any::<bool>(), 1usize..3000), 1..60),
        torn in 0u64..40,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.out");
        let mut spool = Spool::new(path.clone());
        let mut wanted = Vec::new();
        for (n, (stderr, length)) in pieces.iter().enumerate() {
            let stream = if *stderr { StreamName::Stderr } else { StreamName::Stdout };
            let bytes = vec![n as u8; *length];
            spool.append(&data(stream, wanted.len() as u64, &bytes));
            // A repeated piece changes nothing.
            spool.append(&data(stream, wanted.len() as u64, &bytes));
            wanted.extend(bytes.iter().map(|byte| Some((stream, *byte))));
        }
        prop_assert_eq!(spool.end(), wanted.len() as u64);
        for from in [0, wanted.len() / 3, wanted.len() - 1] {
            prop_assert_eq!(&all(&spool, from as u64)[..], &wanted[from..]);
        }
        let again = Spool::open(path.clone()).expect("a whole spool opens");
        prop_assert_eq!(all(&again, 0), wanted.clone());
        // A torn write loses only the last record; the rest is a prefix.
        let file = OpenOptions::new().write(true).open(&path).expect("the file");
        let cut = file.metadata().expect("a length").len().saturating_sub(torn);
        file.set_len(cut).expect("cut");
        let mut torn = Spool::open(path).expect("a torn spool opens");
        let left = all(&torn, 0);
        prop_assert_eq!(&left[..], &wanted[..left.len()]);
        // A piece that the guest sends again continues the spool.
        torn.append(&data(StreamName::Stdout, torn.end(), b"more"));
        prop_assert_eq!(all(&torn, 0).len(), left.len() + 4);
    }
}

#[test]
fn missing_bytes_become_a_gap_and_repeated_bytes_are_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(folder.path().join("a.out"));
    spool.append(&data(StreamName::Stdout, 0, b"ab"));
    spool.append(&data(StreamName::Stdout, 5, b"fg"));
    spool.append(&data(StreamName::Stdout, 4, b"xxxh"));
    spool.append(&Piece::Gap { from: 3, to: 10 });
    let text: String = all(&spool, 0)
        .iter()
        .map(|byte| byte.map_or('.', |(_, byte)| byte as char))
        .collect();
    assert_eq!(text, "ab...fgh..");
}

#[test]
fn endless_output_is_kept_up_to_the_cap() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(folder.path().join("a.out"));
    let bytes = vec![b'x'; 1024 * 1024];
    for n in 0..20 {
        spool.append(&data(StreamName::Stdout, n * bytes.len() as u64, &bytes));
    }
    assert_eq!(spool.end(), MAX_STREAMED_BYTES);
    assert!(spool.size() < MAX_STREAMED_BYTES + MAX_STREAMED_BYTES / 100);
}

#[test]
fn trimmed_spool_has_its_tail_and_a_gap() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.out");
    let mut spool = Spool::new(path.clone());
    for n in 0..200u64 {
        spool.append(&data(StreamName::Stdout, n * 1000, &[n as u8; 1000]));
    }
    spool.trim(50_000).expect("trim");
    for spool in [&spool, &Spool::open(path).expect("opens")] {
        assert_eq!(spool.end(), 200_000);
        let bytes = all(spool, 0);
        assert!(bytes[..150_000].iter().all(Option::is_none));
        assert_eq!(bytes[150_000], Some((StreamName::Stdout, 150)));
        assert!(bytes[150_000..].iter().all(Option::is_some));
        assert!(spool.size() < 60_000);
    }
}

#[test]
fn empty_output_makes_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.out");
    let spool = Spool::new(path.clone());
    assert_eq!(spool.read(0, 10).expect("a read"), None);
    assert!(!path.exists());
}
