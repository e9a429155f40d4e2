//! Output of commands that ended, while the gateway and the machine are away. The clock stands still until a test moves
//! it, so no test waits for a minute to pass.

use std::sync::Arc;
use std::time::Duration;

use roost_gateway::app::Surroundings;
use roost_machines::fleet::operations::{OperationRef, OutputItem, OutputStream, Part};
use roost_platform::clock::{Clock, SystemClock, TestClock};
use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::OperationId;
use roost_protocol::report::Report;
use roost_tests::machine::Connection;
use roost_tests::{Gateway, Machine, ScratchPostgres, Store, eventually};
use tempfile::TempDir;

use super::fake_command::{Source, exec, exited, listing, read_all, source};

const MIB: u64 = 1024 * 1024;

/// A gateway on a store of its own that is started again on its data.
struct Lives {
    gateway: Gateway,
    clock: TestClock,
    store: Store,
    scratch: Option<ScratchPostgres>,
    /// The address that the machine was told, of the first life.
    url: String,
}

/// Machines beat so rarely that a minute may pass in which a test's machine says nothing.
const SET: [(&str, &str); 2] = [("sandboxes.local", "off"), ("heartbeat.seconds", "60")];

async fn life(folder: TempDir, store: &Store, clock: &TestClock) -> Gateway {
    let around = Surroundings {
        clock: Arc::new(clock.clone()),
        ..Surroundings::default()
    };
    let started = Gateway::start_in(folder, store, &SET, around).await;
    started.expect("the gateway starts")
}

async fn each() -> Vec<Lives> {
    let mut all = Vec::new();
    for scratch in [None, ScratchPostgres::new().await] {
        let store = scratch.as_ref().map_or(Store::Sqlite, |scratch| {
            Store::Postgres(scratch.url().to_owned())
        });
        if scratch.is_none() && !all.is_empty() {
            break;
        }
        let clock = TestClock::at(SystemClock.now());
        let folder = tempfile::tempdir().expect("a folder");
        let gateway = life(folder, &store, &clock).await;
        let url = gateway.url();
        all.push(Lives {
            gateway,
            clock,
            store,
            scratch,
            url,
        });
    }
    all
}

impl Lives {
    async fn machine(&self) -> Machine {
        let owner = self.gateway.owner().await;
        Machine::joined(&self.gateway, owner).await
    }

    /// The gateway is away, and another life of it begins. The machine finds it.
    async fn again(self, machine: &mut Machine) -> Self {
        let folder = self.gateway.stop_and_keep().await;
        let gateway = life(folder, &self.store, &self.clock).await;
        let address = |url: &str| url.replace("http", "ws");
        machine.channel = machine
            .channel
            .replace(&address(&self.url), &address(&gateway.url()));
        let url = gateway.url();
        Self {
            gateway,
            url,
            ..self
        }
    }

    async fn read(&self, taken: OperationRef, from: u64) -> OutputStream {
        let operations = self.gateway.app().operations();
        // The machine's actor is started a moment after the gateway.
        eventually("the operation is known", async || {
            operations.subscribe(taken.id, from).await.ok()
        })
        .await
    }

    async fn end(self) {
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }
}

/// Serves what the gateway asks of an ended command until `readers` are done.
async fn serve<T>(
    connection: &mut Connection,
    source: &mut Source,
    readers: impl Future<Output = T>,
) -> T {
    tokio::pin!(readers);
    loop {
        tokio::select! {
            done = &mut readers => return done,
            heard = connection.receive() => {
                source.obey(&heard.expect("the connection stays"));
                source.send(connection).await;
            }
        }
    }
}

/// Begins a command of which the gateway got `seen` bytes before it went away.
async fn begun(lives: &Lives, machine: &Machine, seen: u64, end: u64) -> (OperationRef, Source) {
    let mut connection = machine.connect().await;
    let taken = exec(&lives.gateway, machine).await;
    connection.operation().await;
    let mut source = source(taken, seen);
    connection.report(source.operation, Report::Accepted).await;
    let mut reader = lives.read(taken, 0).await;
    let reading = async {
        let mut at = 0;
        while at < seen {
            match reader.next().await.expect("it goes on") {
                OutputItem::Part(part) => at = part.end(),
                OutputItem::Ended(_) => panic!("it runs"),
            }
        }
    };
    tokio::join!(reading, source.play(&mut connection));
    connection.vanish();
    source.end = end;
    // A machine sends nothing on a new connection before it was told where to go on.
    (source.next, source.credit) = (end, 0);
    (taken, source)
}

#[tokio::test]
async fn readers_get_everything_when_the_command_ended_while_the_gateway_was_away() {
    for lives in each().await {
        let mut machine = lives.machine().await;
        let (taken, mut source) = begun(&lives, &machine, 1490, 3890).await;
        let lives = lives.again(&mut machine).await;
        let resumes = lives.read(taken, 1490).await;
        let begins = lives.read(taken, 0).await;
        let (mut connection, _) = machine.connect_holding(listing(&source)).await;
        let readers = async { tokio::join!(read_all(resumes, 1490), read_all(begins, 0)) };
        let gaps = serve(&mut connection, &mut source, readers).await;
        assert_eq!(gaps, (vec![], vec![]));
        // One that comes when all was read, and another for the rest.
        for from in [0, 3000] {
            let late = lives.read(taken, from).await;
            let gaps = serve(&mut connection, &mut source, read_all(late, from)).await;
            assert_eq!(gaps, vec![], "from {from}");
        }
        lives.end().await;
    }
}

#[tokio::test]
async fn first_reader_after_the_end_gets_everything_without_an_earlier_reader() {
    for lives in each().await {
        let mut machine = lives.machine().await;
        let (taken, mut source) = begun(&lives, &machine, 10, 2 * MIB + 5).await;
        let lives = lives.again(&mut machine).await;
        let (mut connection, _) = machine.connect_holding(listing(&source)).await;
        let waits = lives.gateway.app().operations().wait(taken.id);
        serve(&mut connection, &mut source, waits)
            .await
            .expect("it ended");
        let late = lives.read(taken, 0).await;
        let gaps = serve(&mut connection, &mut source, read_all(late, 0)).await;
        assert_eq!(gaps, vec![]);
        lives.end().await;
    }
}

/// Waits for the acknowledgement of an end.
async fn acknowledges(connection: &mut Connection, operation: OperationId) {
    connection
        .receive_until(|message| match message {
            ToNode::Control(Control::Ack { operation: acked }) => {
                (*acked == operation).then_some(())
            }
            _ => None,
        })
        .await;
}

#[tokio::test]
async fn large_output_is_kept_by_the_machine_until_readers_of_an_earlier_life_had_a_minute() {
    for lives in each().await {
        let mut machine = lives.machine().await;
        let (taken, mut source) = begun(&lives, &machine, 10, 3 * MIB).await;
        let lives = lives.again(&mut machine).await;
        let (mut connection, _) = machine.connect_holding(listing(&source)).await;
        // Two readers, one after the other: the first must not cost the second what the machine keeps.
        for _ in 0..2 {
            let reader = lives.read(taken, 0).await;
            let reading = read_all(reader, 0);
            tokio::pin!(reading);
            let gaps = loop {
                tokio::select! {
                    gaps = &mut reading => break gaps,
                    heard = connection.receive() => {
                        let heard = heard.expect("the connection stays");
                        let acked = matches!(heard, ToNode::Control(Control::Ack { .. }));
                        assert!(!acked, "acknowledged before its readers were back");
                        source.obey(&heard);
                        source.send(&mut connection).await;
                    }
                }
            };
            assert_eq!(gaps, vec![]);
        }
        lives.clock.advance(Duration::from_secs(61));
        acknowledges(&mut connection, source.operation).await;
        lives.end().await;
    }
}

#[tokio::test]
async fn an_end_that_was_stored_before_is_acknowledged_late_as_well() {
    for lives in each().await {
        let mut machine = lives.machine().await;
        let mut connection = machine.connect().await;
        let taken = exec(&lives.gateway, &machine).await;
        connection.operation().await;
        let mut source = source(taken, 3 * MIB);
        // A reader that takes nothing holds the acknowledgement back.
        let reader = lives.read(taken, 0).await;
        connection.report(source.operation, Report::Accepted).await;
        source.send(&mut connection).await;
        exited(&mut connection, &source).await;
        let operations = lives.gateway.app().operations();
        operations.wait(taken.id).await.expect("it ended");
        connection.vanish();
        drop(reader);
        let lives = lives.again(&mut machine).await;
        (source.next, source.credit) = (source.end, 0);
        let (mut connection, _) = machine.connect_holding(listing(&source)).await;
        let reader = lives.read(taken, 5).await;
        let gaps = serve(&mut connection, &mut source, read_all(reader, 5)).await;
        assert_eq!(gaps, vec![]);
        lives.clock.advance(Duration::from_secs(61));
        acknowledges(&mut connection, source.operation).await;
        lives.end().await;
    }
}

#[tokio::test]
async fn the_rest_of_an_ended_operation_is_a_gap_when_its_machine_does_not_come_back() {
    for lives in each().await {
        let mut machine = lives.machine().await;
        let (taken, mut source) = begun(&lives, &machine, 2 * MIB, 2 * MIB).await;
        let (mut connection, _) = machine.connect_holding(listing(&source)).await;
        acknowledges(&mut connection, source.operation).await;
        connection.vanish();
        let lives = lives.again(&mut machine).await;
        let mut reader = lives.read(taken, 7).await;
        // It waits for the machine, as long as the clock stands still.
        let waits = tokio::time::timeout(Duration::from_millis(300), reader.next());
        assert!(waits.await.is_err(), "the machine may come back");
        lives.clock.advance(Duration::from_secs(91));
        let gap = reader.next().await.expect("it is told");
        let all = Part::Gap {
            from: 7,
            to: 2 * MIB,
        };
        assert_eq!(gap, OutputItem::Part(all));
        assert!(matches!(reader.next().await, Some(OutputItem::Ended(_))));
        // The next one is told at once, and when the machine is back all of it is there after all.
        let next = lives.read(taken, 0).await;
        assert_eq!(read_all(next, 0).await, vec![(0, 2 * MIB)]);
        let mut connection = machine.connect().await;
        let last = lives.read(taken, 0).await;
        let gaps = serve(&mut connection, &mut source, read_all(last, 0)).await;
        assert_eq!(gaps, vec![]);
        lives.end().await;
    }
}

#[tokio::test]
async fn what_the_machine_has_forgotten_is_a_gap_at_once() {
    for lives in each().await {
        let mut machine = lives.machine().await;
        let (taken, source) = begun(&lives, &machine, 100, 100).await;
        let (mut connection, _) = machine.connect_holding(listing(&source)).await;
        acknowledges(&mut connection, source.operation).await;
        connection.vanish();
        let lives = lives.again(&mut machine).await;
        let mut connection = machine.connect().await;
        let reader = lives.read(taken, 20).await;
        let forgotten = async {
            connection
                .receive_until(|message| match message {
                    ToNode::Control(Control::Replay { .. }) => Some(()),
                    _ => None,
                })
                .await;
            let never = Report::NeverSeen;
            connection.report(source.operation, never).await;
        };
        let (gaps, ()) = tokio::join!(read_all(reader, 20), forgotten);
        assert_eq!(gaps, vec![(20, 100)]);
        lives.end().await;
    }
}

#[tokio::test]
async fn bytes_that_a_machine_lost_after_a_read_are_a_gap_for_the_next_reader() {
    for lives in each().await {
        let mut machine = lives.machine().await;
        // 181 bytes were read; the machine lost power and knows of 174.
        let (taken, mut source) = begun(&lives, &machine, 181, 174).await;
        let (connection, _) = machine.connect_holding(listing(&source)).await;
        let operations = lives.gateway.app().operations();
        let ended = operations.wait(taken.id).await.expect("it ended");
        assert_eq!(ended.output_end, 181, "a reader has seen them");
        connection.vanish();
        let lives = lives.again(&mut machine).await;
        let mut connection_again = machine.connect().await;
        let reader = lives.read(taken, 0).await;
        let reading = read_all(reader, 0);
        tokio::pin!(reading);
        let gaps = loop {
            tokio::select! {
                gaps = &mut reading => break gaps,
                heard = connection_again.receive() => {
                    let heard = heard.expect("the connection stays");
                    source.obey(&heard);
                    source.send(&mut connection_again).await;
                    // Behind each replay a machine says again where the output ends that it has.
                    if matches!(heard, ToNode::Control(Control::Replay { .. })) {
                        exited(&mut connection_again, &source).await;
                    }
                }
            }
        };
        assert_eq!(gaps, vec![(174, 181)]);
        lives.end().await;
    }
}
