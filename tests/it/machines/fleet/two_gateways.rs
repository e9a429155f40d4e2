//! Two gateways on one PostgreSQL: one of them holds a machine's socket, and only its reports count. Runs where
//! `ROOST_TEST_POSTGRES_URL` names a server.

use roost_machines::fleet::operations::OutputItem;
use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::report::{Outcome, Report, Terminal};
use roost_protocol::verify::VerifyReport;
use roost_tests::machine::ended;
use roost_tests::{Gateway, Machine, ScratchPostgres, eventually};

use super::fake_command::{exec, listing, read_all, source};

fn verified() -> roost_protocol::report::Ended {
    let report = VerifyReport {
        ok: true,
        checks: Vec::new(),
        probe: Vec::new(),
        duration_ms: 1,
    };
    ended(Terminal::Done, Outcome::Verified { report })
}

#[tokio::test]
async fn a_machine_is_reached_through_the_gateway_that_holds_it_and_moves_with_its_operations() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let (one, two) = (
        Gateway::start_on(&scratch).await,
        Gateway::start_on(&scratch).await,
    );
    let owner = one.owner().await;
    let there = two.anonymous().with_token(&owner.token);
    let machine = Machine::joined(&one, owner).await;
    let mut first = machine.connect().await;
    let held = eventually("the other gateway knows the machine", async || {
        let answer = there.post(&machine.path("/exec-test")).send().await;
        (answer.status == 503).then_some(answer)
    })
    .await;
    assert_eq!(held.str("/code"), "node-held-elsewhere");
    assert_eq!(held.header("retry-after"), "1");
    assert_eq!(
        there
            .get(&machine.path(""))
            .expect(200)
            .await
            .str("/connection"),
        "connected"
    );

    let waiting = tokio::spawn(owner.post(&machine.path("/exec-test")).send());
    let request = first.operation().await;
    first.report(request.id, Report::Accepted).await;
    // The machine moves to the other gateway and ends its operation there.
    let moved = Machine {
        channel: format!("{}/api/nodes/agent", two.url().replace("http", "ws")),
        ..machine.clone()
    };
    let running = LedgerEntry {
        operation: request.id,
        output_end: 0,
        ended: None,
    };
    let inventory = Inventory {
        operations: vec![running],
        ..Inventory::default()
    };
    let (mut second, _) = moved.connect_holding(inventory).await;
    // What the old connection says now does not count, whatever it says (P6).
    let lie = ended(Terminal::Failed, Outcome::Unknown);
    first.report(request.id, Report::Ended(lie)).await;
    first.closed().await;
    second.report(request.id, Report::Ended(verified())).await;
    second.acknowledged(request.id).await;
    let answer = waiting.await.expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text);
    let log = owner.get(&machine.path("/operations")).expect(200).await;
    assert_eq!(log.str("/items/0/state"), "done");
    one.stop().await;
    two.stop().await;
    scratch.remove().await;
}

#[tokio::test]
async fn output_is_read_through_the_machines_gateway_and_no_other_reports_it_lost() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let (one, two) = (
        Gateway::start_on(&scratch).await,
        Gateway::start_on(&scratch).await,
    );
    let owner = one.owner().await;
    let machine = Machine::joined(&one, owner).await;
    let mut first = machine.connect().await;
    let taken = exec(&one, &machine).await;
    let request = first.operation().await;
    first.report(request.id, Report::Accepted).await;
    let mut source = source(taken, 1000);
    source.send(&mut first).await;
    let mut begun = one
        .app()
        .operations()
        .subscribe(taken.id, 0)
        .await
        .expect("it is here");
    let Some(OutputItem::Part(part)) = begun.next().await else {
        panic!("its output comes");
    };
    assert_eq!(part.end(), 1000);
    // There is more, and the command ends. The machine tells that to the other gateway.
    source.end = 3000;
    let refused = two.app().operations().subscribe(taken.id, 0).await;
    assert!(refused.is_err(), "the other one is refused: {refused:?}");
    let moved = Machine {
        channel: format!("{}/api/nodes/agent", two.url().replace("http", "ws")),
        ..machine.clone()
    };
    let (mut second, _) = moved.connect_holding(listing(&source)).await;
    // The reader of the first is sent away without an end, and without a gap.
    let told = begun.next().await;
    assert!(told.is_none(), "{told:?}");
    let refused = one.app().operations().subscribe(taken.id, 1000).await;
    assert!(refused.is_err(), "the first one is refused: {refused:?}");
    let reader = two
        .app()
        .operations()
        .subscribe(taken.id, 1000)
        .await
        .expect("it is there");
    let serving = async {
        let heard = second
            .receive_until(|message| {
                matches!(message, ToNode::Control(Control::Replay { .. })).then(|| message.clone())
            })
            .await;
        source.obey(&heard);
        source.send(&mut second).await;
    };
    let (gaps, ()) = tokio::join!(read_all(reader, 1000), serving);
    assert_eq!(gaps, vec![]);
    one.stop().await;
    two.stop().await;
    scratch.remove().await;
}
