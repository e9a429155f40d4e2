//! A fake command on a fake machine. It sends output within the credit and from the requested offset; readers check
//! every byte.

use roost_machines::fleet::operations::{OperationRef, OutputItem, OutputStream, Part, Target};
use roost_protocol::control::Control;
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::{AgentId, OperationId, SandboxId, WorkspaceId};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::limits::MAX_CHUNK_BYTES;
use roost_protocol::operation::{Exec, OnBehalf, Operation, OperationRequest};
use roost_protocol::output::{OutputChunk, Piece, StreamName};
use roost_protocol::report::{Ended, Outcome, Report, Terminal};
use roost_tests::machine::{Connection, ended};
use roost_tests::{Gateway, Machine};

pub(super) async fn exec(gateway: &Gateway, machine: &Machine) -> OperationRef {
    let workspace = &gateway.owner().await.workspace;
    let request = OperationRequest {
        purpose: None,
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
pub(super) fn byte(n: u64) -> u8 {
    (n % 251) as u8
}

/// A played command's output: sends what credit allows, from where it is asked.
pub(super) struct Source {
    pub(super) operation: OperationId,
    pub(super) next: u64,
    pub(super) end: u64,
    pub(super) kept_from: u64,
    pub(super) credit: u64,
}

impl Source {
    pub(super) fn obey(&mut self, message: &ToNode) {
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

    pub(super) async fn send(&mut self, connection: &mut Connection) {
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
                .send(ToGateway::Output(OutputChunk { operation, piece }))
                .await;
        }
    }

    /// Plays until everything was sent once.
    pub(super) async fn play(&mut self, connection: &mut Connection) {
        self.send(connection).await;
        while self.next < self.end {
            let heard = connection
                .receive_until(|message| Some(message.clone()))
                .await;
            self.obey(&heard);
            self.send(connection).await;
        }
    }
}

pub(super) fn source(operation: OperationRef, end: u64) -> Source {
    Source {
        operation: OperationId(operation.id.0),
        next: 0,
        end,
        kept_from: 0,
        credit: roost_protocol::limits::INITIAL_CREDIT_BYTES,
    }
}

/// Reads to the end and checks every byte; answers the gaps.
pub(super) async fn read_all(mut stream: OutputStream, from: u64) -> Vec<(u64, u64)> {
    let (mut at, mut gaps) = (from, Vec::new());
    loop {
        match stream.next().await.expect("an end comes before nothing") {
            OutputItem::Part(Part::Data { offset, data, .. }) => {
                assert_eq!(offset, at, "in order, once");
                assert!(
                    data.iter().zip(offset..).all(|(b, n)| *b == byte(n)),
                    "bytes moved"
                );
                at += data.len() as u64;
            }
            OutputItem::Part(Part::Gap { from, to }) => {
                assert_eq!(from, at, "in order, once");
                gaps.push((from, to));
                at = to;
            }
            OutputItem::Ended(end) => {
                assert_eq!(at, end.output_end, "the end comes after all output");
                return gaps;
            }
        }
    }
}

pub(super) async fn exited(connection: &mut Connection, source: &Source) {
    let end = end_of(source);
    connection
        .report(source.operation, Report::Ended(end))
        .await;
}

/// How it ended.
pub(super) fn end_of(source: &Source) -> Ended {
    Ended {
        output_end: source.end,
        ..ended(Terminal::Done, Outcome::Exited { code: 0 })
    }
}

/// What a machine lists whose ledger has this command, with its end.
pub(super) fn listing(source: &Source) -> Inventory {
    let entry = LedgerEntry {
        operation: source.operation,
        output_end: source.end,
        ended: Some(end_of(source)),
    };
    Inventory {
        operations: vec![entry],
        ..Inventory::default()
    }
}
