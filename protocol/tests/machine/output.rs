//! Output: every byte in order and once, or a mark; never beyond the credit (P3).
use std::collections::VecDeque;

use proptest::prelude::*;
use roost_protocol::limits::{INITIAL_CREDIT_BYTES, MAX_CHUNK_BYTES, MAX_STREAMED_BYTES};
use roost_protocol::machine::output::{Grant, Next, OutputFault, Receiver, Sender, Taken};
use roost_protocol::output::{Piece, StreamName};

/// The receiver's frame after its reader has consumed output up to this offset.
fn consumed(receiver: &mut Receiver, up_to: u64) -> Option<Grant> {
    receiver.consume(up_to);
    receiver.due()
}

/// The receiver's frame when output is needed.
fn wanted(receiver: &mut Receiver) -> Option<Grant> {
    receiver.want();
    receiver.due()
}

fn data(offset: u64, len: u64) -> Piece {
    Piece::Data {
        stream: StreamName::Stdout,
        offset,
        data: vec![0; usize::try_from(len).expect("small")],
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Write(u64),
    Send,
    Deliver,
    Consume(u64),
    Reconnect,
    /// A reader wants to begin at this share of the received output.
    Rewind(u64),
    Trim(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0u64..200_000).prop_map(Event::Write),
        Just(Event::Send),
        Just(Event::Send),
        Just(Event::Deliver),
        Just(Event::Deliver),
        (0u64..200_000).prop_map(Event::Consume),
        Just(Event::Reconnect),
        (0u64..100).prop_map(Event::Rewind),
        (0u64..100_000).prop_map(Event::Trim),
    ]
}

proptest! {
    #[test]
    fn every_byte_arrives_once_in_order_or_as_a_gap(events in proptest::collection::vec(event(), 0..120), trims in any::<bool>()) {
        let window = 300_000;
        let mut sender = Sender::new(MAX_STREAMED_BYTES);
        let mut receiver = Receiver::new(window);
        let mut wire = VecDeque::new();
        let mut back = Vec::new();
        let (mut written, mut at, mut trimmed, mut consumed) = (0u64, 0u64, 0u64, 0u64);
        let peace = [Event::Send, Event::Deliver, Event::Consume(u64::MAX)].into_iter().cycle().take(900);
        for event in events.into_iter().chain([Event::Reconnect]).chain(peace) {
            match event {
                Event::Write(len) => { sender.write(len); written += len; }
                Event::Send => if let Some(next) = sender.next() {
                    let piece = match next {
                        Next::Data { offset, most } => { sender.sent(offset + most); data(offset, most) }
                        Next::Gap { from, to } => { sender.sent(to); Piece::Gap { from, to } }
                    };
                    wire.push_back(piece);
                },
                Event::Deliver => if let Some(piece) = wire.pop_front() {
                    match receiver.take(&piece).expect("an honest sender") {
                        Taken::Duplicate | Taken::Stray => {}
                        Taken::Data { skip, len } => {
                            prop_assert_eq!(piece.start() + skip, at);
                            at += len;
                        }
                        Taken::Gap { from, to } => {
                            prop_assert_eq!(from, at);
                            prop_assert!(to <= trimmed, "a mark over bytes that are there");
                            at = to;
                        }
                        Taken::Hole => prop_assert!(false, "an honest sender skips nothing"),
                    }
                    // A gap takes no room, so this is a number of bytes only without gaps.
                    prop_assert!(trims || receiver.waiting() <= window);
                },
                Event::Consume(len) => {
                    consumed = at.min(consumed.saturating_add(len)).max(consumed);
                    receiver.consume(consumed);
                    back.extend(receiver.due());
                }
                Event::Reconnect => {
                    sender.detach();
                    wire.clear();
                    back.clear();
                    receiver.disconnected();
                    receiver.want();
                    back.extend(receiver.due());
                }
                // The requested output is on the way, and so is what was sent before.
                Event::Rewind(share) => {
                    at = at * share / 100;
                    consumed = at;
                    receiver.rewind(at);
                    back.extend(receiver.due());
                }
                Event::Trim(len) if trims => { trimmed = (trimmed + len).min(sender.end()); sender.trim(trimmed); }
                Event::Trim(_) => {}
            }
            for grant in back.drain(..) {
                match grant {
                    Grant::Credit { up_to } => sender.credit(up_to),
                    Grant::Replay { from } => sender.replay(from),
                }
            }
        }
        prop_assert_eq!(at, sender.end());
        prop_assert_eq!(sender.end() + sender.dropped(), written);
        prop_assert!(sender.drained());
    }

    #[test]
    fn hostile_sender_cannot_exceed_credit_or_wrap_offsets(
        pieces in proptest::collection::vec((any::<bool>(), any::<u64>(), 0u64..MAX_STREAMED_BYTES * 2, 0u64..40_000), 0..40),
        wild in any::<bool>(),
    ) {
        let mut receiver = Receiver::new(0);
        for (gap, far, near, len) in pieces {
            let offset = if wild { far } else { near };
            let piece = if gap { Piece::Gap { from: offset, to: near } } else { data(offset, len) };
            let before = receiver.next();
            let result = receiver.take(&piece);
            prop_assert!(receiver.next() >= before && receiver.next() <= MAX_STREAMED_BYTES);
            if result.is_err() {
                prop_assert_eq!(receiver.next(), before);
            }
            if !gap {
                prop_assert!(receiver.next() == before || receiver.next() <= INITIAL_CREDIT_BYTES.max(before));
            }
        }
    }
}

#[test]
fn slow_reader_stops_only_its_own_sender() {
    let mut sender = Sender::new(MAX_STREAMED_BYTES);
    sender.write(10 * INITIAL_CREDIT_BYTES);
    let mut sent = 0;
    while let Some(Next::Data { offset, most }) = sender.next() {
        assert!(most <= MAX_CHUNK_BYTES as u64);
        sender.sent(offset + most);
        sent = offset + most;
    }
    assert_eq!(sent, INITIAL_CREDIT_BYTES);
    sender.credit(INITIAL_CREDIT_BYTES + 1);
    sender.credit(5);
    assert_eq!(
        sender.next(),
        Some(Next::Data {
            offset: INITIAL_CREDIT_BYTES,
            most: 1
        })
    );
}

#[test]
fn output_over_the_cap_is_counted_and_dropped() {
    let mut sender = Sender::new(10);
    assert_eq!(sender.write(7), 7);
    assert_eq!(sender.write(7), 3);
    assert_eq!(sender.write(7), 0);
    assert_eq!((sender.end(), sender.dropped()), (10, 11));
}

#[test]
fn after_a_restart_sending_waits_for_a_replay_and_lost_bytes_are_a_gap() {
    let mut sender = Sender::restore(MAX_STREAMED_BYTES, 5, 20, 0);
    sender.ended_at(30);
    assert_eq!(sender.next(), None);
    sender.replay(0);
    assert_eq!(sender.next(), Some(Next::Gap { from: 0, to: 5 }));
    sender.sent(5);
    assert_eq!(
        sender.next(),
        Some(Next::Data {
            offset: 5,
            most: 15
        })
    );
    sender.sent(20);
    assert_eq!(sender.next(), Some(Next::Gap { from: 20, to: 30 }));
    sender.sent(30);
    assert!(sender.drained());
}

#[test]
fn first_hole_requests_a_replay_and_second_is_a_fault() {
    let mut receiver = Receiver::new(0);
    let first = Taken::Data { skip: 0, len: 4 };
    assert_eq!(receiver.take(&data(0, 4)), Ok(first));
    assert_eq!(receiver.take(&data(10, 4)), Ok(Taken::Hole));
    assert_eq!(receiver.take(&data(14, 4)), Ok(Taken::Stray));
    assert_eq!(consumed(&mut receiver, 4), Some(Grant::Replay { from: 4 }));
    assert_eq!(receiver.take(&data(18, 4)), Ok(Taken::Stray), "on the way");
    let missing = Taken::Data { skip: 0, len: 6 };
    assert_eq!(receiver.take(&data(4, 6)), Ok(missing));
    assert_eq!(receiver.next(), 10);
    // Another hole is another fault; the same hole requested once is not.
    assert_eq!(receiver.take(&data(12, 4)), Ok(Taken::Hole));
    assert_eq!(
        consumed(&mut receiver, 10),
        Some(Grant::Replay { from: 10 })
    );
    assert_eq!(receiver.take(&data(12, 4)), Ok(Taken::Stray));
    assert_eq!(
        receiver.take(&data(10, 1)),
        Ok(Taken::Data { skip: 0, len: 1 })
    );
    assert_eq!(receiver.take(&data(12, 4)), Ok(Taken::Hole));
    assert_eq!(receiver.next(), 11);
}

#[test]
fn pieces_of_two_replays_that_mix_are_not_a_hole_of_the_sender() {
    let mut receiver = Receiver::new(0);
    let (first, rest) = (data(0, 10), data(11, 9));
    // Readers rewind three times while the sender's answers are on the way: to 0, to 11 and to 0 again.
    receiver.rewind(0);
    assert_eq!(receiver.due(), Some(Grant::Replay { from: 0 }));
    assert_eq!(
        receiver.take(&data(0, 20)),
        Ok(Taken::Data { skip: 0, len: 20 })
    );
    receiver.rewind(11);
    assert_eq!(receiver.due(), Some(Grant::Replay { from: 11 }));
    receiver.rewind(0);
    assert_eq!(receiver.due(), Some(Grant::Replay { from: 0 }));
    assert_eq!(
        receiver.take(&first),
        Ok(Taken::Data { skip: 0, len: 10 }),
        "of the first replay"
    );
    assert_eq!(receiver.take(&rest), Ok(Taken::Stray), "of the second");
    assert_eq!(
        consumed(&mut receiver, 10),
        Some(Grant::Replay { from: 10 })
    );
    assert_eq!(receiver.take(&first), Ok(Taken::Duplicate), "of the third");
    assert_eq!(
        receiver.take(&data(10, 10)),
        Ok(Taken::Data { skip: 0, len: 10 })
    );
    // A new connection mixes nothing.
    receiver.disconnected();
    receiver.consume(20);
    assert_eq!(wanted(&mut receiver), Some(Grant::Replay { from: 20 }));
    assert_eq!(
        receiver.take(&data(20, 1)),
        Ok(Taken::Data { skip: 0, len: 1 })
    );
    assert_eq!(receiver.take(&data(30, 1)), Ok(Taken::Hole));
}

#[test]
fn end_known_before_its_output_requests_the_output() {
    let mut receiver = Receiver::restore(0, 0);
    receiver.ended(10);
    assert!(!receiver.is_complete() && !receiver.is_asked());
    assert_eq!(receiver.take(&data(0, 4)), Ok(Taken::Stray), "unasked");
    assert_eq!(wanted(&mut receiver), Some(Grant::Replay { from: 0 }));
    assert_eq!(
        receiver.take(&data(0, 10)),
        Ok(Taken::Data { skip: 0, len: 10 })
    );
    assert!(receiver.is_complete());
    assert_eq!(wanted(&mut receiver), None, "nothing is missing");
    assert_eq!(consumed(&mut receiver, 10), None, "nothing comes");
    receiver.rewind(7);
    assert_eq!(receiver.due(), Some(Grant::Replay { from: 7 }));
    assert!(!receiver.is_complete());
}

#[test]
fn output_beyond_the_reported_end_is_refused() {
    let mut receiver = Receiver::new(0);
    receiver.ended(6);
    assert_eq!(
        receiver.take(&data(0, 10)),
        Ok(Taken::Data { skip: 0, len: 6 })
    );
    assert_eq!(receiver.take(&data(6, 10)), Ok(Taken::Duplicate));
    assert_eq!(
        receiver.take(&Piece::Gap { from: 0, to: 20 }),
        Ok(Taken::Duplicate)
    );
    assert_eq!(receiver.next(), 6);
}

#[test]
fn faults_have_names() {
    let mut receiver = Receiver::new(0);
    let large = data(0, MAX_CHUNK_BYTES as u64 + 1);
    assert!(matches!(
        receiver.take(&large),
        Err(OutputFault::ChunkTooLarge(_))
    ));
    assert!(matches!(
        receiver.take(&data(INITIAL_CREDIT_BYTES, 1)),
        Err(OutputFault::OverCredit { .. })
    ));
    assert!(matches!(
        receiver.take(&data(u64::MAX, 1)),
        Err(OutputFault::BeyondCap(_))
    ));
    assert!(matches!(
        receiver.take(&Piece::Gap { from: 9, to: 3 }),
        Err(OutputFault::Backwards { .. })
    ));
    assert_eq!(receiver.next(), 0);
}

#[test]
fn reader_without_room_delays_the_replay() {
    let mut receiver = Receiver::new(INITIAL_CREDIT_BYTES);
    receiver.take(&data(0, 1000)).expect("in credit");
    receiver.disconnected();
    assert_eq!(wanted(&mut receiver), None);
    assert_eq!(consumed(&mut receiver, 999), None);
    assert_eq!(
        consumed(&mut receiver, 1000),
        Some(Grant::Replay { from: 1000 })
    );
}
