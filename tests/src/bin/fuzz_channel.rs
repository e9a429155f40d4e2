//! A hostile machine that sends mutated frames for some minutes over a real channel of a real gateway, built with
//! overflow checks. Nothing may panic, another machine must stay connected, and the gateway must stay ready.
//!
//!     fuzz_channel [seconds] [seed]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use roost_machines::fleet::operations::{OutputItem, Target};
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::{AgentId, OperationId, SandboxId, WorkspaceId};
use roost_protocol::inventory::Inventory;
use roost_protocol::operation::{Exec, OnBehalf, Operation, OperationRequest};
use roost_tests::fuzz::Mutator;
use roost_tests::machine::{Connection, Received};
use roost_tests::{Gateway, Machine, Person};
use tokio_tungstenite::tungstenite::Message;

/// Frames per connection, so that frames that break it early do not hide later ones.
const A_CONNECTION: usize = 200;
/// With fewer frames the gateway was hardly tested.
const LEAST: usize = 1_000;

static PANICS: AtomicUsize = AtomicUsize::new(0);

#[tokio::main]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let seconds: u64 = words.next().map_or(Ok(180), |word| word.parse())?;
    let seed: u64 = words
        .next()
        .map_or_else(|| Ok(rand::random()), |word| word.parse())?;
    ensure!(
        cfg!(debug_assertions),
        "build it without optimisation: otherwise sums wrap around in silence"
    );
    println!("{seconds} s with the seed {seed}");
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        usual(info);
    }));

    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let honest = Machine::joined(&gateway, owner).await;
    let honest = tokio::spawn(stays(honest.connect().await));
    let hostile = Machine::joined(&gateway, owner).await;
    let mut mutator = Mutator::new(seed);
    let until = Instant::now() + Duration::from_secs(seconds);
    let (mut frames, mut connections) = (0, 0);
    while Instant::now() < until {
        connections += 1;
        let Ok(mut connection) = hostile.dial().await else {
            // After many faults the gateway refuses it for a while.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(welcome) = connection.greet(hostile.hello(Inventory::default())).await else {
            continue;
        };
        let operation = begin(&gateway, owner, &hostile).await;
        let mut last = Vec::new();
        for seq in 1..=A_CONNECTION as u64 {
            last = mutator.frame(welcome.epoch.0, seq, operation);
            connection.raw(Message::Binary(last.clone().into())).await;
            frames += 1;
            if received_close(&mut connection).await {
                break;
            }
        }
        let panics = PANICS.load(Ordering::SeqCst);
        ensure!(
            panics == 0,
            "the gateway panicked; the last frame was {}",
            hex::encode(&last)
        );
        gateway.anonymous().get("/readyz").expect(200).await;
        ensure!(!honest.is_finished(), "another machine was cut off");
    }
    println!(
        "{frames} frames on {connections} connections: nothing panicked, and the other machine is connected"
    );
    ensure!(frames >= LEAST, "only {frames} frames were sent");
    gateway.stop().await;
    ensure!(
        PANICS.load(Ordering::SeqCst) == 0,
        "the gateway panicked at its end"
    );
    Ok(())
}

/// An honest machine without work. It ends when the gateway closes its connection.
async fn stays(mut connection: Connection) {
    loop {
        match connection.next_message().await {
            Received::Closed => return,
            Received::Frame(message) => {
                if let ToNode::Control(Control::Ping { nonce }) = *message {
                    let pong = ControlReply::Pong { nonce };
                    connection.send(ToGateway::Reply(pong)).await;
                }
            }
            Received::Pong => {}
        }
    }
}

/// Whether the gateway has closed the connection. Data that comes is discarded.
async fn received_close(connection: &mut Connection) -> bool {
    loop {
        let next = tokio::time::timeout(Duration::from_millis(1), connection.next_message()).await;
        match next {
            Err(_) => return false,
            Ok(Received::Closed) => return true,
            Ok(_) => {}
        }
    }
}

/// A command on this machine with a client that reads its output.
async fn begin(gateway: &Gateway, owner: &Person, machine: &Machine) -> uuid::Uuid {
    let id = uuid::Uuid::now_v7();
    let request = OperationRequest {
        id: OperationId(id),
        on_behalf: Some(OnBehalf {
            workspace: owner.workspace.parse::<WorkspaceId>().expect("an id"),
            agent: AgentId(uuid::Uuid::now_v7()),
        }),
        purpose: None,
        operation: Operation::SbExec(Exec {
            sandbox: SandboxId(uuid::Uuid::now_v7()),
            argv: vec!["yes".into()],
            cwd: None,
            env: Default::default(),
            stdin: true,
            tty: None,
            deadline_s: 60,
        }),
    };
    let target = Target::Node(machine.node_id.parse().expect("an id"));
    let operations = gateway.app().operations().clone();
    if let Ok(taken) = operations.submit(target, request).await {
        tokio::spawn(async move {
            let Ok(mut output) = operations.subscribe(taken.id, 0).await else {
                return;
            };
            while let Some(heard) = output.next().await {
                if matches!(heard, OutputItem::Ended(_)) {
                    break;
                }
            }
        });
    }
    id
}
