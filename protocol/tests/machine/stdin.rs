//! Stdin: every byte once, however often a chunk is sent.
use proptest::prelude::*;
use roost_protocol::limits::MAX_STDIN_WAITING_BYTES;
use roost_protocol::machine::stdin::{Chunk, Feed, Offered, Source, StdinTaken, Taker};

proptest! {
    #[test]
    fn bytes_are_accepted_once_and_in_order(chunks in proptest::collection::vec((0u64..50, 0usize..20, any::<bool>()), 0..60)) {
        let mut taker = Taker::default();
        let (mut at, mut closed) = (0u64, false);
        for (offset, len, eof) in chunks {
            match taker.take(offset, len, eof) {
                StdinTaken::Take { skip, eof } => {
                    prop_assert!(!closed, "taken after the end");
                    prop_assert!(skip <= len);
                    prop_assert_eq!(offset + skip as u64, at);
                    at = offset + len as u64;
                    closed = eof;
                }
                StdinTaken::Ahead => prop_assert!(offset > at),
                StdinTaken::Nothing => prop_assert!(closed || offset + len as u64 <= at),
            }
            prop_assert_eq!((taker.taken(), taker.closed()), (at, closed));
        }
    }

    #[test]
    fn hostile_offsets_never_overflow(offset in any::<u64>(), len in any::<usize>(), eof in any::<bool>(), taken in any::<u64>()) {
        let mut taker = Taker::at(taken, false);
        taker.take(offset, len, eof);
        prop_assert!(taker.taken() >= taken);
    }

    #[test]
    fn stdin_arrives_whole_however_slowly_the_command_reads(
        sizes in proptest::collection::vec(0usize..700_000, 1..4),
        reads in proptest::collection::vec((0usize..300_000, 0u8..12), 0..200),
    ) {
        let all: Vec<u8> = (0..sizes.iter().sum()).map(|n: usize| (n % 251) as u8).collect();
        let mut feed = Feed::default();
        // The guest: the bytes that it holds for a command that has read `read` bytes.
        let (mut held, mut read, mut closed) = (Vec::<u8>::new(), 0usize, false);
        let (mut offered, mut ends) = (0usize, sizes.iter());
        let mut post = ends.next().copied().unwrap_or(0);
        let calm = std::iter::repeat_n((200_000usize, 9u8), 60);
        for (reads, fate) in reads.into_iter().chain(calm) {
            let eof = post == all.len();
            // A client sometimes repeats its request from the start.
            let from = if fate == 1 { offered / 2 } else { offered };
            match feed.offer(from as u64, &all[from..post], eof) {
                Offered::Take { skip, take } => offered = offered.max(from + skip + take),
                Offered::Refused { .. } => prop_assert!(false, "nothing is missing before it"),
            }
            while let Some((chunk, bytes)) = feed.take_next() {
                if fate == 2 { continue; }
                let at = usize::try_from(chunk.offset).unwrap();
                let new = bytes.get((held.len() - at).min(bytes.len())..).unwrap_or_default();
                held.extend_from_slice(new);
                closed |= chunk.eof;
                prop_assert!(held.len() - read <= 256 * 1024, "more than the guest's window");
            }
            if fate == 2 {
                // The connection broke: bytes on the way are lost.
                feed.resume();
            }
            read = held.len().min(read + reads);
            feed.confirm(read as u64);
            if feed.source().confirmed() == post as u64 && let Some(more) = ends.next() {
                post += more;
            }
        }
        prop_assert_eq!(post, all.len());
        prop_assert!(held == all && read == all.len() && closed);
        prop_assert!(feed.source().is_over());
    }

    #[test]
    fn hostile_offers_and_confirmations_never_overflow(
        taken in any::<u64>(),
        calls in proptest::collection::vec((any::<u64>(), 0usize..40_000, any::<bool>(), any::<u64>()), 0..20),
    ) {
        let mut feed = Feed::restore(taken);
        for (offset, len, eof, confirmed) in calls {
            feed.offer(offset, &vec![0; len], eof);
            while let Some((chunk, bytes)) = feed.take_next() {
                prop_assert_eq!(chunk.len, bytes.len());
            }
            feed.confirm(confirmed);
            prop_assert!(feed.source().confirmed() >= taken);
        }
    }

    #[test]
    fn stdin_arrives_whole_over_any_number_of_connections(
        pushes in proptest::collection::vec(0u64..90_000, 1..8),
        losses in proptest::collection::vec(0u8..4, 0..60),
    ) {
        let mut source = Source::default();
        let mut taker = Taker::default();
        let total: u64 = pushes.iter().sum();
        let mut pushes = pushes.into_iter().peekable();
        let mut losses = losses.into_iter();
        for _ in 0..400 {
            if let Some(len) = pushes.next_if(|len| *len <= source.room()) {
                source.push(len, pushes.peek().is_none());
            }
            let Some(chunk) = source.next() else { source.confirm(taker.taken()); continue };
            source.sent(chunk);
            match losses.next() {
                // Lost with the connection.
                Some(0) => { source.resume(); continue }
                // Arrived, but the confirmation was lost with the connection.
                Some(1) => { taker.take(chunk.offset, chunk.len, chunk.eof); source.resume(); }
                _ => {
                    taker.take(chunk.offset, chunk.len, chunk.eof);
                    source.confirm(taker.taken());
                }
            }
        }
        prop_assert_eq!(taker.taken(), total);
        prop_assert!(taker.closed());
    }
}

#[test]
fn source_buffers_at_most_its_bound() {
    let mut source = Source::default();
    source.push(u64::MAX, false);
    assert_eq!(source.end(), MAX_STDIN_WAITING_BYTES);
    assert_eq!(source.room(), 0);
}

#[test]
fn holes_and_bytes_after_the_end_are_refused_with_the_expected_offset() {
    let mut feed = Feed::default();
    let refused = |expected| Offered::Refused { expected };
    assert_eq!(feed.offer(3, b"x", false), refused(0));
    assert_eq!(feed.offer(u64::MAX, b"xy", true), refused(0));
    let taken = |skip, take| Offered::Take { skip, take };
    assert_eq!(feed.offer(0, b"abc", false), taken(0, 3));
    assert_eq!(feed.offer(1, b"bcde", true), taken(2, 2));
    assert_eq!(feed.offer(5, b"f", false), refused(5));
    assert_eq!(feed.offer(0, b"abcde", true), taken(5, 0), "said again");
    let chunk = Chunk {
        offset: 0,
        len: 5,
        eof: true,
    };
    assert_eq!(feed.take_next(), Some((chunk, b"abcde".to_vec())));
    assert_eq!(feed.take_next(), None);
    feed.confirm(4);
    assert!(!feed.source().is_over());
    feed.confirm(5);
    assert!(feed.source().is_over());
}

#[test]
fn end_without_bytes_is_sent_once_per_connection() {
    let mut source = Source::default();
    source.push(0, true);
    let chunk = Chunk {
        offset: 0,
        len: 0,
        eof: true,
    };
    assert_eq!(source.next(), Some(chunk));
    source.sent(chunk);
    assert_eq!(source.next(), None);
    source.resume();
    assert_eq!(source.next(), Some(chunk));
}

#[test]
fn restored_source_continues_at_the_nodes_offset() {
    let mut source = Source::restore(70);
    source.push(5, true);
    assert_eq!(
        source.next(),
        Some(Chunk {
            offset: 70,
            len: 5,
            eof: true
        })
    );
}
