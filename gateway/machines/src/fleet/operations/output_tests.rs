//! Readers of output get everything before the end, wherever it is and whenever they come.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use roost_protocol::limits::MAX_STREAMED_BYTES;
use roost_protocol::machine::output::{Next, Sender};
use roost_protocol::output::StreamName;

use super::super::ring::RING_BYTES;
use super::*;

fn data(from: u64, to: u64) -> Piece {
    Piece::Data {
        stream: StreamName::Stdout,
        offset: from,
        data: (from..to).map(|n| (n % 251) as u8).collect(),
    }
}

/// A reader of the test. It checks each part.
struct Person {
    reader: u64,
    at: u64,
    gaps: Vec<(u64, u64)>,
    over: bool,
}

impl Person {
    fn begin(output: &mut Output, at: u64, now: Instant) -> Self {
        Self {
            reader: output.enter(at, now),
            at,
            gaps: Vec::new(),
            over: false,
        }
    }

    /// Takes everything that is there. Returns whether a request to the machine is due.
    fn read(&mut self, output: &mut Output, now: Instant) -> bool {
        let mut nudge = false;
        while !self.over {
            let (found, due) = output.read(self.reader, self.at, now);
            nudge |= due;
            match found {
                Found::Part(part) => {
                    assert_eq!(part.start(), self.at, "in order, once");
                    match &part {
                        Part::Data { data, offset, .. } => {
                            let moved = data.iter().zip(*offset..);
                            assert!({ moved }.all(|(byte, n)| *byte == (n % 251) as u8));
                        }
                        Part::Gap { from, to } => self.gaps.push((*from, *to)),
                    }
                    self.at = part.end();
                }
                Found::End => self.over = true,
                Found::Nothing => break,
                Found::Elsewhere => panic!("there is one gateway"),
            }
        }
        nudge
    }
}

#[test]
fn a_reader_who_comes_after_an_end_that_was_told_first_has_the_output_asked_for() {
    let now = Instant::now();
    // As after a restart of the gateway: the machine's list has the operation as over.
    let mut output = Output::inherited(0);
    output.detached(now);
    output.attached();
    output.ended(10, now);
    assert_eq!(output.due(now), None, "nobody reads");
    let mut person = Person::begin(&mut output, 0, now);
    assert!(
        person.read(&mut output, now),
        "the dispatcher is told to look"
    );
    assert_eq!(output.due(now), Some(Grant::Replay { from: 0 }));
    output.take(data(0, 10)).expect("honest");
    person.read(&mut output, now);
    assert!(person.over && person.gaps.is_empty());
}

#[test]
fn a_reader_who_waits_when_the_end_is_told_gets_the_output_and_no_gap() {
    let now = Instant::now();
    let mut output = Output::inherited(0);
    output.detached(now);
    let mut person = Person::begin(&mut output, 1490, now);
    person.read(&mut output, now);
    // In the order in which a connection comes up.
    output.attached();
    output.ended(3890, now);
    person.read(&mut output, now);
    assert_eq!(
        (person.at, person.over),
        (1490, false),
        "the rest is on its way"
    );
    let from = match output.due(now) {
        Some(Grant::Replay { from }) => from,
        other => panic!("{other:?}"),
    };
    output.take(data(from, 3890)).expect("honest");
    person.read(&mut output, now);
    assert!(person.over && person.gaps.is_empty());
}

#[test]
fn a_machine_that_is_away_is_waited_for_and_then_its_output_is_a_gap() {
    let now = Instant::now();
    let mut output = Output::inherited(0);
    output.ended(10, now);
    output.detached(now);
    let mut person = Person::begin(&mut output, 4, now);
    person.read(&mut output, now);
    let before = now + RETURNS_WITHIN - Duration::from_millis(1);
    person.read(&mut output, before);
    assert_eq!((person.at, person.over), (4, false));
    person.read(&mut output, now + RETURNS_WITHIN);
    assert_eq!((person.gaps, person.over), (vec![(4, 10)], true));
}

#[test]
fn what_the_ring_has_is_read_although_the_machine_is_gone() {
    let now = Instant::now();
    let mut output = Output::of_new();
    let mut at = 0;
    while at < 2 * RING_BYTES {
        output.due(now);
        output.take(data(at, at + 32_768)).expect("in credit");
        at += 32_768;
    }
    output.ended(at, now);
    output.gone();
    let mut person = Person::begin(&mut output, 0, now);
    person.read(&mut output, now);
    assert!(person.over);
    assert_eq!(person.gaps, [(0, RING_BYTES)]);
}

#[test]
fn bytes_that_the_machine_lost_after_they_were_seen_are_a_gap_for_who_reads_again() {
    let now = Instant::now();
    let mut output = Output::inherited(0);
    output.attached();
    output.ended(181, now);
    let mut person = Person::begin(&mut output, 100, now);
    person.read(&mut output, now);
    assert_eq!(output.due(now), Some(Grant::Replay { from: 100 }));
    output.take(data(100, 174)).expect("honest");
    person.read(&mut output, now);
    assert!(!person.over, "the machine may have more");
    output.held_to(174);
    person.read(&mut output, now);
    assert_eq!((person.gaps, person.over), (vec![(174, 181)], true));
}

#[test]
fn a_machine_keeps_large_output_of_an_earlier_life_until_its_readers_had_time_to_come_back() {
    let now = Instant::now();
    let large = KEPT_OUTPUT_BYTES + 1;
    let mut output = Output::inherited(0);
    output.ended(large, now);
    assert_eq!(output.stored_to(now), 0);
    assert_eq!(output.stored_to(now + LINGER), u64::MAX);
    // Small output is kept whole anyway, and a new operation has no earlier readers: both are released at once.
    let mut small = Output::inherited(0);
    small.ended(large - 1, now);
    assert_eq!(small.stored_to(now), u64::MAX);
    let mut new = Output::of_new();
    new.ended(large, now);
    assert_eq!(new.stored_to(now), u64::MAX);
}

#[test]
fn a_machine_that_repeats_much_with_little_news_does_not_fill_the_memory() {
    let bytes = cut(vec![7; 32_768], 32_767, 1);
    assert_eq!(bytes.len(), 1);
    assert!(bytes.try_into_mut().expect("its own").capacity() < 1024);
}

/// An event between a machine and its readers.
#[derive(Debug, Clone)]
enum Event {
    Write(u64),
    /// The command ends; the gateway may learn it before it has the output.
    End,
    /// A frame to the gateway arrives.
    Up,
    /// A frame to the machine arrives.
    Down,
    /// The connection breaks.
    Break,
    /// The connection is there (again).
    Connect,
    /// A reader comes, at this share of the written output.
    Come(u64),
    /// A reader reads.
    Read(usize),
    /// The gateway restarts: its readers and its ring are gone.
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => (0u64..400_000).prop_map(Event::Write),
        1 => Just(Event::End),
        8 => Just(Event::Up),
        5 => Just(Event::Down),
        1 => Just(Event::Break),
        2 => Just(Event::Connect),
        2 => (0u64..=100).prop_map(Event::Come),
        5 => (0usize..8).prop_map(Event::Read),
        1 => Just(Event::Restart),
    ]
}

/// A correct machine at the other end, with its frames on the way.
struct Wire {
    sender: Sender,
    up: std::collections::VecDeque<Piece>,
    down: std::collections::VecDeque<Grant>,
    connected: bool,
}

impl Wire {
    fn pump(&mut self) {
        while let Some(next) = self.sender.next().filter(|_| self.up.len() < 8) {
            let piece = match next {
                Next::Data { offset, most } => data(offset, offset + most),
                Next::Gap { from, to } => Piece::Gap { from, to },
            };
            self.sender.sent(piece.end());
            self.up.push_back(piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Connections break, gateways restart, and ends overtake output. Still each reader gets every byte once, in order
    /// and without a gap, because the machine has all of them; then it gets the end.
    #[test]
    fn every_reader_gets_every_byte_and_the_end(events in prop::collection::vec(event(), 0..160)) {
        let now = Instant::now();
        let mut wire = Wire {
            sender: Sender::new(MAX_STREAMED_BYTES),
            up: Default::default(),
            down: Default::default(),
            connected: true,
        };
        let mut output = Output::of_new();
        let mut people: Vec<Person> = Vec::new();
        let mut ended = false;
        let peace = [Event::End, Event::Connect].into_iter().chain(
            (0..4000).flat_map(|n| [Event::Read(n % 8), Event::Up, Event::Down]),
        );
        for event in events.into_iter().chain(peace) {
            match event {
                Event::Write(len) if !ended => { wire.sender.write(len); }
                Event::Write(_) => {}
                Event::End => {
                    ended = true;
                    if wire.connected { output.ended(wire.sender.end(), now); }
                }
                Event::Up => if let Some(piece) = wire.up.pop_front() {
                    output.take(piece).expect("honest");
                },
                Event::Down => match wire.down.pop_front() {
                    Some(Grant::Credit { up_to }) => wire.sender.credit(up_to),
                    Some(Grant::Replay { from }) => wire.sender.replay(from),
                    None => {}
                },
                Event::Break => {
                    wire.connected = false;
                    wire.sender.detach();
                    wire.up.clear();
                    wire.down.clear();
                    output.detached(now);
                }
                Event::Connect if !wire.connected => {
                    wire.connected = true;
                    output.attached();
                    if ended { output.ended(wire.sender.end(), now); }
                }
                Event::Connect => {}
                Event::Come(share) if people.len() < 8 => {
                    let at = wire.sender.end() * share / 100;
                    people.push(Person::begin(&mut output, at, now));
                }
                Event::Come(_) => {}
                Event::Read(who) => if let Some(person) = people.get_mut(who) {
                    person.read(&mut output, now);
                },
                Event::Restart => {
                    wire.connected = false;
                    wire.sender.detach();
                    wire.up.clear();
                    wire.down.clear();
                    people.clear();
                    output = Output::inherited(0);
                    output.detached(now);
                }
            }
            while wire.connected && let Some(grant) = output.due(now) {
                wire.down.push_back(grant);
            }
            wire.pump();
        }
        for person in &people {
            prop_assert!(person.over, "a reader waits at {} of {}", person.at, wire.sender.end());
            prop_assert_eq!(&person.gaps, &[]);
        }
    }
}
