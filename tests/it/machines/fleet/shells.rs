//! A person's shell has no deadline. A daemon that does not know such a command gets the longest deadline, and other commands
//! keep theirs.

use roost_protocol::inventory::Inventory;
use roost_protocol::limits::{MAX_DEADLINE_S, NO_DEADLINE_S};
use roost_protocol::operation::Operation;
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_tests::Machine;
use roost_tests::machine::{Connection, ended};
use serde_json::json;

use super::gateway;

/// The deadline of the next command, which ends at once.
async fn next_deadline(connection: &mut Connection) -> u64 {
    let request = connection.operation().await;
    let Operation::SbExec(exec) = &request.operation else {
        panic!("another operation was requested: {request:?}");
    };
    let end = ended(Terminal::Done, Outcome::Exited { code: 0 });
    connection.report(request.id, Report::Accepted).await;
    connection.report(request.id, Report::Ended(end)).await;
    exec.deadline_s
}

#[tokio::test]
async fn shell_has_no_deadline_unless_its_daemon_is_older_and_other_commands_keep_theirs() {
    let gateway = gateway().await;
    let owner = gateway.owner().await;
    for endless in [true, false] {
        let machine = Machine::joined(&gateway, owner).await;
        let mut connection = machine.dial().await.expect("the token is known");
        let mut hello = machine.hello(Inventory::default());
        hello.capabilities.endless = endless;
        connection.greet(hello).await.expect("a welcome");
        let name = json!({ "name": roost_tests::unique("agent") });
        let made = owner.post("/api/claws").json(&name).expect(201).await;
        let sandbox = format!("/api/claws/{}/sandbox", made.str("/id"));
        let here = json!({ "node_id": machine.node_id });
        tokio::join!(owner.post(&sandbox).json(&here).expect(201), async {
            let request = connection.operation().await;
            connection.made(&request).await;
        });
        // The gateway's own probe of a new sandbox.
        next_deadline(&mut connection).await;

        let exec = format!("{sandbox}/exec");
        let shell = json!({ "argv": ["bash"], "tty": true });
        owner.post(&exec).json(&shell).expect(202).await;
        let wanted = if endless {
            NO_DEADLINE_S
        } else {
            MAX_DEADLINE_S
        };
        assert_eq!(next_deadline(&mut connection).await, wanted, "{endless}");
        for (body, deadline) in [
            (json!({ "argv": ["true"] }), 600),
            (
                json!({ "argv": ["bash"], "tty": true, "deadline_s": 60 }),
                60,
            ),
        ] {
            owner.post(&exec).json(&body).expect(202).await;
            assert_eq!(next_deadline(&mut connection).await, deadline, "{body}");
        }
        let commands = owner.get(&format!("{sandbox}/commands")).expect(200).await;
        let all = commands.body["items"].as_array().into_iter().flatten();
        let mut shells = all.filter(|one| one["is_shell"] == true);
        let shell = shells.next().expect("the shell");
        assert_eq!(shell["ends_unread_after_s"], 24 * 60 * 60, "{shell}");
        assert!(
            shells.next().is_none(),
            "a command with a deadline is no shell"
        );
    }
    gateway.stop().await;
}
