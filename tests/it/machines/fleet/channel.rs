//! What machines may do on the channel, and what closes it.

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{Envelope, ToGateway, ToNode};
use roost_protocol::hello::RefusedReason;
use roost_protocol::ids::{ConnectionEpoch, InstallId};
use roost_protocol::inventory::Inventory;
use roost_protocol::limits::MAX_FRAME_BYTES;
use roost_protocol::version::{Version, VersionRange};
use roost_protocol::vitals::Heartbeat;
use roost_tests::machine::Connection;
use roost_tests::{Machine, Person, eventually};
use tokio_tungstenite::tungstenite::Message;

use super::gateway;

#[tokio::test]
async fn cloned_machine_is_refused_while_the_first_answers_and_the_owner_sees_it() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let first = Machine::joined(&gateway, owner).await;
    let clone = Machine {
        boot: "another boot".into(),
        ..first.clone()
    };
    let mut connection = first.connect().await;
    let mut copy = clone.dial().await.expect("the same token");
    let answering = connection.receive_until(|message| match message {
        ToNode::Control(Control::Ping { .. }) => Some(()),
        _ => None,
    });
    let (refused, ()) = tokio::join!(copy.greet(clone.hello(Inventory::default())), answering);
    let refused = refused.expect_err("the copy is refused");
    assert_eq!(refused.reason, RefusedReason::Cloned);
    copy.closed().await;
    let node = owner.get(&first.path("")).expect(200).await;
    assert_eq!(node.body["problems"][0]["code"], "cloned", "{}", node.text);
    assert_eq!(node.str("/connection"), "connected");
    gateway.stop().await;
}

#[tokio::test]
async fn a_machine_that_was_started_anew_replaces_a_connection_that_does_not_answer() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut silent = machine.connect().await;
    let again = Machine {
        boot: "after the power cut".into(),
        ..machine.clone()
    };
    let (_, welcome) = again.connect_holding(Inventory::default()).await;
    silent.closed().await;
    assert!(welcome.epoch > ConnectionEpoch(0));
    gateway.stop().await;
}

#[tokio::test]
async fn a_connection_of_an_older_epoch_is_closed_and_nothing_it_says_counts() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let (mut old, before) = machine.connect_holding(Inventory::default()).await;
    let (_new, after) = machine.connect_holding(Inventory::default()).await;
    assert!(after.epoch > before.epoch);
    old.send(ToGateway::Reply(ControlReply::Paused { on: true }))
        .await;
    old.closed().await;
    let node = owner.get(&machine.path("")).expect(200).await;
    assert_eq!(
        node.body["paused"], false,
        "the old connection paused nothing"
    );
    assert_eq!(node.str("/connection"), "connected");
    gateway.stop().await;
}

#[tokio::test]
async fn hellos_that_cannot_be_are_refused_with_their_reason() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let far = Version { major: 9, minor: 0 };
    let mut newer = machine.hello(Inventory::default());
    newer.versions = VersionRange {
        lowest: far,
        highest: far,
    };
    let mut foreign = machine.hello(Inventory::default());
    foreign.install_id = InstallId(uuid::Uuid::now_v7());
    for (hello, reason) in [
        (newer, RefusedReason::Version),
        (foreign, RefusedReason::WrongInstall),
    ] {
        let mut connection = machine.dial().await.expect("the token is known");
        let refused = connection.greet(hello).await.expect_err("refused");
        assert_eq!(refused.reason, reason);
        connection.closed().await;
    }
    let mut connection = machine.dial().await.expect("the token is known");
    connection
        .send(ToGateway::Heartbeat(Heartbeat::default()))
        .await;
    let Some(ToNode::Refused(refused)) = connection.receive().await else {
        panic!("a heartbeat was taken for a hello");
    };
    assert_eq!(refused.reason, RefusedReason::BadHello);
    gateway.stop().await;
}

/// Each of these closes the connection that did it, and the machine may come back.
#[tokio::test]
async fn frames_that_cannot_be_close_the_connection_and_nothing_else() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let beat = || ToGateway::Heartbeat(Heartbeat::default());
    for fault in [
        "oversize",
        "noise",
        "text",
        "skipped",
        "foreign epoch",
        "hello twice",
        "trailing",
    ] {
        let (mut connection, welcome) = machine.connect_holding(Inventory::default()).await;
        let envelope = |epoch, seq| Envelope {
            epoch,
            seq,
            message: beat(),
        };
        match fault {
            "oversize" => {
                connection
                    .raw(Message::Binary(vec![0xc0; MAX_FRAME_BYTES + 1].into()))
                    .await;
            }
            "noise" => {
                connection
                    .raw(Message::Binary(vec![0xc1, 0xff, 0x00].into()))
                    .await;
            }
            "text" => connection.raw(Message::Text("{}".into())).await,
            "skipped" => connection.send_in(envelope(welcome.epoch, 7)).await,
            "foreign epoch" => connection.send_in(envelope(ConnectionEpoch(1), 1)).await,
            "hello twice" => {
                let hello = ToGateway::Hello(machine.hello(Inventory::default()));
                connection.send(hello).await;
            }
            _ => {
                let mut bytes =
                    roost_protocol::frame::encode(&envelope(welcome.epoch, 1)).expect("a frame");
                bytes.push(0);
                connection.raw(Message::Binary(bytes.into())).await;
            }
        }
        connection.closed().await;
        eventually(fault, async || {
            let node = owner.get(&machine.path("")).expect(200).await;
            (node.str("/connection") == "disconnected").then_some(())
        })
        .await;
    }
    let mut connection = machine.connect().await;
    still_heard(owner, &machine, &mut connection).await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_message_of_a_newer_version_and_a_frame_that_comes_twice_do_no_harm() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let mut connection = machine.connect().await;
    connection.send(ToGateway::Unknown).await;
    let envelope = connection
        .outgoing
        .wrap(ToGateway::Heartbeat(Heartbeat::default()));
    connection.send_in(envelope.clone()).await;
    connection.send_in(envelope).await;
    still_heard(owner, &machine, &mut connection).await;
    let node = owner.get(&machine.path("")).expect(200).await;
    assert_eq!(node.str("/connection"), "connected");
    gateway.stop().await;
}

/// A change of draining reaches the machine, so the gateway still holds, and writes to, this connection.
async fn still_heard(owner: &Person, machine: &Machine, connection: &mut Connection) {
    owner.post(&machine.path("/drain")).expect(200).await;
    connection
        .receive_until(|message| {
            matches!(message, ToNode::Control(Control::Drain { on: true, .. })).then_some(())
        })
        .await;
}
