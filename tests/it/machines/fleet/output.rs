//! Output by offset (P3): in order, from the ring, replayed by the machine, with gaps marked; credit follows the
//! readers' pace.

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::report::Report;
use roost_tests::Machine;

use super::fake_command::{exec, exited, read_all, source};
use super::gateway;

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
            .receive_until(|message| match message {
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
            .receive_until(|message| {
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
