//! Output by offset (P3): in order, from the ring, from the machine again, and with its gaps marked; credit by the pace
//! of those who read.

use roost_gateway::operations::{Heard, OperationRef, OutputStream, Part, Target};
use roost_protocol::control::Control;
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::{AgentId, OperationId, SandboxId, WorkspaceId};
use roost_protocol::limits::MAX_CHUNK_BYTES;
use roost_protocol::operation::{Exec, OnBehalf, Operation, OperationRequest};
use roost_protocol::output::{OutputChunk, Piece, StreamName};
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_tests::machine::{Connection, ended};
use roost_tests::{Gateway, Machine};

use super::gateway;

async fn exec(gateway: &Gateway, machine: &Machine) -> OperationRef {
    let workspace = &gateway.owner().await.workspace;
    let request = OperationRequest {
        id: OperationId(uuid::Uuid::now_v7()),
        on_behalf: Some(OnBehalf {
            workspace: workspace.parse::<WorkspaceId>().expect("an id"),
            agent: AgentId(uuid::Uuid::now_v7()),
        }),
        operation: Operation::SbExec(Exec {
            sandbox: SandboxId(uuid::Uuid::now_v7()),
            argv: vec!["yes".into()],
            cwd: None,
            env: Default::default(),
            stdin: false,
            tty: None,
            deadline_s: 60,
        }),
    };
    let target = Target::Node(machine.node_id.parse().expect("an id"));
    gateway
        .app()
        .operations()
        .submit(target, request)
        .await
        .expect("it is taken")
}

/// Byte `n` of the output; lets a reader check that nothing moved.
fn byte(n: u64) -> u8 {
    (n % 251) as u8
}

/// A played command's output: sends what credit allows, from where it is asked.
struct Source {
    operation: OperationId,
    next: u64,
    end: u64,
    kept_from: u64,
    credit: u64,
}

impl Source {
    fn obey(&mut self, message: &ToNode) {
        match message {
            ToNode::Control(Control::Credit { operation, up_to })
                if *operation == self.operation =>
            {
                self.credit = self.credit.max(*up_to);
            }
            ToNode::Control(Control::Replay { operation, from })
                if *operation == self.operation =>
            {
                self.next = *from;
                self.credit = from + roost_protocol::limits::INITIAL_CREDIT_BYTES;
            }
            _ => {}
        }
    }

    async fn send(&mut self, connection: &mut Connection) {
        while self.next < self.end.min(self.credit) {
            let piece = if self.next < self.kept_from {
                Piece::Gap {
                    from: self.next,
                    to: self.kept_from,
                }
            } else {
                let to = (self.next + MAX_CHUNK_BYTES as u64)
                    .min(self.end)
                    .min(self.credit);
                Piece::Data {
                    stream: StreamName::Stdout,
                    offset: self.next,
                    data: (self.next..to).map(byte).collect(),
                }
            };
            self.next = piece.end();
            let operation = self.operation;
            connection
                .say(ToGateway::Output(OutputChunk { operation, piece }))
                .await;
        }
    }

    /// Plays until everything was sent once.
    async fn play(&mut self, connection: &mut Connection) {
        self.send(connection).await;
        while self.next < self.end {
            let heard = connection.hear_until(|message| Some(message.clone())).await;
            self.obey(&heard);
            self.send(connection).await;
        }
    }
}

fn source(operation: OperationRef, end: u64) -> Source {
    Source {
        operation: OperationId(operation.id.0),
        next: 0,
        end,
        kept_from: 0,
        credit: roost_protocol::limits::INITIAL_CREDIT_BYTES,
    }
}

/// Reads to the end and checks every byte; answers the gaps.
async fn read_all(mut stream: OutputStream, from: u64) -> Vec<(u64, u64)> {
    let (mut at, mut gaps) = (from, Vec::new());
    loop {
        match stream.next().await.expect("an end comes before nothing") {
            Heard::Part(Part::Data { offset, data, .. }) => {
                assert_eq!(offset, at, "in order, once");
                assert!(
                    data.iter().zip(offset..).all(|(b, n)| *b == byte(n)),
                    "bytes moved"
                );
                at += data.len() as u64;
            }
            Heard::Part(Part::Gap { from, to }) => {
                assert_eq!(from, at, "in order, once");
                gaps.push((from, to));
                at = to;
            }
            Heard::Ended(end) => {
                assert_eq!(at, end.output_end, "the end comes after all output");
                return gaps;
            }
        }
    }
}

async fn exited(connection: &mut Connection, source: &Source) {
    let mut end = ended(Terminal::Done, Outcome::Exited { code: 0 });
    end.output_end = source.end;
    connection
        .report(source.operation, Report::Ended(end))
        .await;
}

const MIB: u64 = 1024 * 1024;

#[tokio::test]
async fn four_mebibytes_come_whole_to_two_readers_while_a_third_sleeps() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let taken = exec(&gateway, &machine).await;
    connection.operation().await;
    let operations = gateway.app().operations().clone();
    let subscribe = async || {
        operations
            .subscribe(taken.id, 0)
            .await
            .expect("it is known")
    };
    let (one, two) = (subscribe().await, subscribe().await);
    let mut source = source(taken, 4 * MIB);
    let playing = async {
        connection.report(source.operation, Report::Accepted).await;
        source.play(&mut connection).await;
        exited(&mut connection, &source).await;
    };
    let (gaps, also, ()) = tokio::join!(read_all(one, 0), read_all(two, 0), playing);
    assert_eq!((gaps, also), (vec![], vec![]));
    gateway.stop().await;
}

#[tokio::test]
async fn output_that_left_the_ring_is_asked_for_again_and_what_the_machine_lost_is_a_marked_gap() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let taken = exec(&gateway, &machine).await;
    connection.operation().await;
    let mut source = source(taken, 3 * MIB);
    connection.report(source.operation, Report::Accepted).await;
    // Nobody reads: it is sent all the same, and the ring keeps the last of it.
    source.play(&mut connection).await;
    exited(&mut connection, &source).await;
    connection.acknowledged(source.operation).await;
    let operations = gateway.app().operations().clone();
    let from_ring = operations
        .subscribe(taken.id, 3 * MIB - 10)
        .await
        .expect("it is known");
    assert_eq!(read_all(from_ring, 3 * MIB - 10).await, vec![]);
    // The machine has kept the last mebibyte and a half.
    source.kept_from = MIB + MIB / 2;
    let stream = operations
        .subscribe(taken.id, MIB)
        .await
        .expect("it is known");
    let replay = async {
        let heard = connection
            .hear_until(|message| match message {
                ToNode::Control(Control::Replay { .. }) => Some(message.clone()),
                _ => None,
            })
            .await;
        source.obey(&heard);
        source.play(&mut connection).await;
    };
    let (gaps, ()) = tokio::join!(read_all(stream, MIB), replay);
    assert_eq!(gaps, vec![(MIB, MIB + MIB / 2)]);
    gateway.stop().await;
}

#[tokio::test]
async fn output_goes_on_where_it_stood_after_the_connection_broke() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let taken = exec(&gateway, &machine).await;
    connection.operation().await;
    let stream = gateway
        .app()
        .operations()
        .subscribe(taken.id, 0)
        .await
        .expect("it is known");
    let mut source = source(taken, 2 * MIB);
    let playing = async {
        connection.report(source.operation, Report::Accepted).await;
        source.send(&mut connection).await;
        connection.vanish();
        let entry = roost_protocol::inventory::LedgerEntry {
            operation: source.operation,
            output_end: source.next,
            ended: None,
        };
        let inventory = roost_protocol::inventory::Inventory {
            operations: vec![entry],
            ..Default::default()
        };
        let (mut connection, _) = machine.connect_holding(inventory).await;
        // A machine sends nothing on a new connection before it was told where to go on.
        (source.next, source.credit) = (2 * MIB, 0);
        let heard = connection
            .hear_until(|message| {
                matches!(message, ToNode::Control(Control::Replay { .. })).then(|| message.clone())
            })
            .await;
        source.obey(&heard);
        source.play(&mut connection).await;
        exited(&mut connection, &source).await;
        connection
    };
    let (gaps, _connection) = tokio::join!(read_all(stream, 0), playing);
    assert_eq!(gaps, vec![]);
    gateway.stop().await;
}

#[tokio::test]
async fn the_rest_of_an_ended_operation_is_a_gap_when_its_machine_is_away() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let taken = exec(&gateway, &machine).await;
    connection.operation().await;
    let mut source = source(taken, 2 * MIB);
    source.play(&mut connection).await;
    exited(&mut connection, &source).await;
    connection.acknowledged(source.operation).await;
    connection.vanish();
    roost_tests::eventually("it is away", async || {
        let node = owner.get(&machine.path("")).expect(200).await;
        (node.str("/connection") == "disconnected").then_some(())
    })
    .await;
    let stream = gateway
        .app()
        .operations()
        .subscribe(taken.id, 0)
        .await
        .expect("it is known");
    let gaps = read_all(stream, 0).await;
    assert_eq!(gaps.first().map(|gap| gap.0), Some(0), "{gaps:?}");
    gateway.stop().await;
}

#[tokio::test]
async fn output_numbers_that_nobody_can_reach_cut_the_machine_off() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    let taken = exec(&gateway, &machine).await;
    connection.operation().await;
    let operation = OperationId(taken.id.0);
    let piece = Piece::Gap {
        from: 0,
        to: u64::MAX,
    };
    connection
        .say(ToGateway::Output(OutputChunk { operation, piece }))
        .await;
    connection.closed().await;
    gateway.stop().await;
}
