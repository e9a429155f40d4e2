//! Stdin: every byte once, however often a chunk is sent.
use proptest::prelude::*;
use roost_protocol::limits::MAX_STDIN_WAITING_BYTES;
use roost_protocol::machine::stdin::{Chunk, Source, StdinTaken, Taker};

proptest! {
    #[test]
    fn bytes_are_taken_once_and_in_order(chunks in proptest::collection::vec((0u64..50, 0usize..20, any::<bool>()), 0..60)) {
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
    fn all_that_came_in_arrives_over_any_number_of_connections(
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
                // Arrived, and the confirmation was lost with the connection.
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
fn a_source_holds_no_more_than_its_bound() {
    let mut source = Source::default();
    source.push(u64::MAX, false);
    assert_eq!(source.end(), MAX_STDIN_WAITING_BYTES);
    assert_eq!(source.room(), 0);
}

#[test]
fn the_end_alone_is_sent_once_a_connection() {
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
fn a_restored_source_goes_on_where_the_node_is() {
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
