//! What machines report about snapshots, and what new sandboxes restore.

use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;
use roost_protocol::inventory::Inventory;
use roost_protocol::report::ArchiveFacts;
use roost_protocol::snapshot::Stored;
use roost_tests::{Gateway, eventually};
use serde_json::Value;

use super::{LATER_S, Played, claw, digest, digests, quiet, rows, shown, snapshot};

#[tokio::test(flavor = "multi_thread")]
async fn reported_snapshot_is_shown_and_the_next_sandbox_begins_with_it() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut played = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let sandbox = format!("{claw}/sandbox");
        let (asked, made) = played.provision(owner, &sandbox).await;
        assert_eq!(asked.restore, None);
        assert_eq!(made.body["snapshot"], Value::Null);
        let (first, second) = (digest("0a"), digest("0b"));
        played.stored(snapshot(&asked.spec, &first, LATER_S)).await;
        played
            .stored(snapshot(&asked.spec, &second, LATER_S + 1))
            .await;
        eventually("both are listed", async || {
            (digests(owner, &claw).await.len() == 2).then_some(())
        })
        .await;
        assert_eq!(digests(owner, &claw).await, [second.clone(), first.clone()]);
        let latest = &shown(owner, &claw).await["snapshot"];
        assert_eq!(latest["digest"], second);
        assert_eq!(latest["files"], 3);
        assert_eq!(latest["uploaded"], false);
        assert_eq!(latest["taken_at"], "2023-11-14T22:13:21Z");
        assert_eq!(latest["left_out"][0], "node_modules: can be made again");
        // Page by page.
        let page = owner
            .get(&format!("{claw}/snapshots?limit=1"))
            .expect(200)
            .await;
        let cursor = page.str("/next_cursor").to_owned();
        let rest = owner.get(&format!("{claw}/snapshots?limit=1&cursor={cursor}"));
        assert_eq!(rest.expect(200).await.body["items"][0]["digest"], first);
        let archive = ArchiveFacts {
            digest: second.clone(),
            bytes: 4096,
        };
        played.destroy(owner, &sandbox, Some(archive)).await;
        let (asked, made) = played.provision(owner, &sandbox).await;
        assert_eq!(asked.restore, Some(second.clone()));
        assert_eq!(made.body["restored_from"]["digest"], second);
        assert_eq!(
            made.body["restored_from"]["taken_at"],
            "2023-11-14T22:13:21Z"
        );
        // The workspace returns to older files: the same digest is the newest again.
        played
            .stored(snapshot(&asked.spec, &first, LATER_S + 9))
            .await;
        eventually("it is the newest again", async || {
            (digests(owner, &claw).await == [first.clone(), second.clone()]).then_some(())
        })
        .await;
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn inventory_repeats_a_snapshot_whose_report_was_lost() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut played = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let (asked, _) = played.provision(owner, &format!("{claw}/sandbox")).await;
        played.connection.vanish();
        let inventory = Inventory {
            stored: vec![snapshot(&asked.spec, &digest("0c"), LATER_S)],
            // The snapshots are on the disk, whatever the engine does.
            engine_silent: true,
            ..Inventory::default()
        };
        let (_connection, _) = played.machine.connect_holding(inventory).await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await == [digest("0c")]).then_some(())
        })
        .await;
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_of_another_tenant_or_machine_is_not_recorded() {
    for (gateway, _scratch) in quiet().await {
        let (owner, stranger) = (gateway.owner().await, gateway.stranger().await);
        let mut played = Played::new(&gateway, owner).await;
        let mut second = Played::new(&gateway, owner).await;
        let mut foreign = Played::new(&gateway, &stranger).await;
        let (ours, theirs) = (claw(owner).await, claw(&stranger).await);
        let beside = claw(owner).await;
        let (mine, _) = played.provision(owner, &format!("{ours}/sandbox")).await;
        let (other, _) = foreign
            .provision(&stranger, &format!("{theirs}/sandbox"))
            .await;
        let (neighbour, _) = second.provision(owner, &format!("{beside}/sandbox")).await;
        let (ours_spec, theirs_spec) = (&mine.spec, &other.spec);
        // A machine of another tenant names our sandbox, under our workspace and under its own.
        foreign
            .stored(snapshot(ours_spec, &digest("e1"), LATER_S))
            .await;
        foreign
            .stored(Stored {
                workspace: theirs_spec.workspace,
                ..snapshot(ours_spec, &digest("e2"), LATER_S)
            })
            .await;
        // It names our agent with its own sandbox.
        foreign
            .stored(Stored {
                agent: ours_spec.agent,
                ..snapshot(theirs_spec, &digest("e3"), LATER_S)
            })
            .await;
        // A machine of our workspace that never had the sandbox, and a digest that is no address.
        second
            .stored(snapshot(ours_spec, &digest("e4"), LATER_S))
            .await;
        played
            .stored(snapshot(ours_spec, "../../etc/passwd", LATER_S))
            .await;
        // The facts of a machine arrive in order, so an honest report shows that the earlier ones were seen.
        played
            .stored(snapshot(ours_spec, &digest("0d"), LATER_S))
            .await;
        foreign
            .stored(snapshot(theirs_spec, &digest("0e"), LATER_S))
            .await;
        second
            .stored(snapshot(&neighbour.spec, &digest("0f"), LATER_S))
            .await;
        eventually("the honest reports are recorded", async || {
            (rows(&gateway).await >= 3).then_some(())
        })
        .await;
        assert_eq!(rows(&gateway).await, 3);
        assert_eq!(digests(owner, &ours).await, [digest("0d")]);
        assert_eq!(digests(&stranger, &theirs).await, [digest("0e")]);
        owner
            .get(&format!("{theirs}/snapshots"))
            .refused(404, "not-found")
            .await;
        gateway.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_that_could_not_be_taken_is_explained_until_the_next_one() {
    let off = [("sandboxes.local", "off")];
    let gateway = Gateway::start_with(&off).await;
    let owner = gateway.owner().await;
    let mut played = Played::new(&gateway, owner).await;
    let claw = claw(owner).await;
    let (asked, _) = played.provision(owner, &format!("{claw}/sandbox")).await;
    let text = "the disk is full; free some space";
    let none = ControlReply::NotStored {
        sandbox: asked.spec.sandbox,
        detail: text.into(),
    };
    played.connection.send(ToGateway::Reply(none)).await;
    eventually("the page says why", async || {
        (shown(owner, &claw).await["snapshot_problem"] == text).then_some(())
    })
    .await;
    played
        .stored(snapshot(&asked.spec, &digest("0f"), LATER_S))
        .await;
    eventually("the problem is over", async || {
        let sandbox = shown(owner, &claw).await;
        (sandbox["snapshot_problem"] == Value::Null
            && sandbox["snapshot"]["digest"] == digest("0f"))
        .then_some(())
    })
    .await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn newer_snapshot_that_is_out_of_reach_is_named() {
    let off = [("sandboxes.local", "off")];
    let gateway = Gateway::start_with(&off).await;
    let owner = gateway.owner().await;
    let mut first = Played::new(&gateway, owner).await;
    let mut second = Played::new(&gateway, owner).await;
    let claw = claw(owner).await;
    let sandbox = format!("{claw}/sandbox");
    let (asked, _) = first.provision(owner, &sandbox).await;
    first
        .stored(snapshot(&asked.spec, &digest("1a"), LATER_S))
        .await;
    eventually("it is recorded", async || {
        (digests(owner, &claw).await.len() == 1).then_some(())
    })
    .await;
    first.destroy(owner, &sandbox, None).await;
    let (asked, made) = second.provision(owner, &sandbox).await;
    assert_eq!(asked.restore, None);
    let detail = made.str("/detail");
    assert!(
        detail.starts_with("The newest files are on played (2023-11-14 22:13 UTC)")
            && detail.ends_with("it began empty."),
        "{detail}"
    );
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn purged_agent_has_no_snapshots_and_cannot_get_new_ones() {
    for (gateway, _scratch) in quiet().await {
        let owner = gateway.owner().await;
        let mut played = Played::new(&gateway, owner).await;
        let claw = claw(owner).await;
        let sandbox = format!("{claw}/sandbox");
        let (asked, _) = played.provision(owner, &sandbox).await;
        played
            .stored(snapshot(&asked.spec, &digest("2a"), LATER_S))
            .await;
        eventually("it is recorded", async || {
            (digests(owner, &claw).await.len() == 1).then_some(())
        })
        .await;
        played.destroy(owner, &sandbox, None).await;
        owner
            .delete(&format!("{claw}?purge=true"))
            .expect(202)
            .await;
        eventually("the agent is purged", async || {
            let gone = owner.get(&claw).send().await.status == 404;
            gone.then_some(())
        })
        .await;
        // A late report of the machine, then one that shows that the late one was handled.
        played
            .stored(snapshot(&asked.spec, &digest("2b"), LATER_S + 1))
            .await;
        let other = self::claw(owner).await;
        let (asked, _) = played.provision(owner, &format!("{other}/sandbox")).await;
        played
            .stored(snapshot(&asked.spec, &digest("2c"), LATER_S))
            .await;
        eventually("the facts after it are recorded", async || {
            (digests(owner, &other).await.len() == 1).then_some(())
        })
        .await;
        assert_eq!(rows(&gateway).await, 1);
        gateway.stop().await;
    }
}
