//! The wishes in a real database: who gets one, who may confirm it, and when it ends. On SQLite, and on PostgreSQL where
//! `ROOST_TEST_POSTGRES_URL` names a server.

use std::collections::HashMap;

use roost_test_database::Scratch;

use super::store;
use crate::sandboxes::SandboxOwner;
use crate::sandboxes::engine::LOCAL;
use crate::sandboxes::test_rows::{id, workspace};
use roost_platform::clock::{Clock, SystemClock};
use roost_platform::ids::{ClawId, NodeId, SandboxOwnerId};

async fn wished(scratch: &Scratch, machine: &str) -> Vec<(SandboxOwnerId, Vec<String>)> {
    let wishes = store::of_machine(scratch.db.read(), machine).await.unwrap();
    wishes
        .iter()
        .map(|wish| (wish.owner_id, wish.archives()))
        .collect()
}

#[tokio::test]
async fn wish_stays_until_its_own_machine_confirms_it() {
    for scratch in Scratch::all().await {
        let home = workspace(&scratch.db).await;
        let owner: SandboxOwner = id::<ClawId>().into();
        let (one, other) = (id::<NodeId>().to_string(), id::<NodeId>().to_string());
        let machines: HashMap<String, Vec<String>> = HashMap::from([
            (one.clone(), vec!["0f".repeat(32)]),
            (other.clone(), Vec::new()),
            (LOCAL.to_owned(), Vec::new()),
        ]);
        let now = SystemClock.now();
        // A saga may repeat its step.
        for _ in 0..2 {
            let tx = scratch.db.write().await.unwrap();
            store::ask(&tx, home, owner, machines.clone(), now)
                .await
                .unwrap();
            tx.commit().await.unwrap();
        }
        let mut known = store::machines(scratch.db.read()).await.unwrap();
        known.sort();
        let mut all: Vec<String> = machines.into_keys().collect();
        all.sort();
        assert_eq!(known, all);
        let tx = scratch.db.write().await.unwrap();
        store::done(&tx, &other, owner.id()).await.unwrap();
        store::done(&tx, &one, id()).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(wished(&scratch, &other).await, []);
        assert_eq!(
            wished(&scratch, &one).await,
            [(owner.id(), vec!["0f".repeat(32)])]
        );
        // The machines of a deleted workspace are removed; this host is not.
        let tx = scratch.db.write().await.unwrap();
        store::remove_all(&tx, home).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(wished(&scratch, &one).await, []);
        assert_eq!(wished(&scratch, LOCAL).await, [(owner.id(), Vec::new())]);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn more_wishes_than_one_round_holds_are_sent_in_turn() {
    for scratch in Scratch::all().await {
        let home = workspace(&scratch.db).await;
        let machine = id::<NodeId>().to_string();
        let tx = scratch.db.write().await.unwrap();
        for _ in 0..=store::AT_ONCE {
            let machines = HashMap::from([(machine.clone(), Vec::new())]);
            let owner: SandboxOwner = id::<ClawId>().into();
            let at = SystemClock.now();
            store::ask(&tx, home, owner, machines, at).await.unwrap();
        }
        tx.commit().await.unwrap();
        let first = wished(&scratch, &machine).await;
        assert_eq!(first.len() as u64, store::AT_ONCE);
        let owners: Vec<SandboxOwnerId> = first.iter().map(|(owner, _)| *owner).collect();
        let tx = scratch.db.write().await.unwrap();
        store::told(&tx, &machine, &owners, SystemClock.now())
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let second = wished(&scratch, &machine).await;
        let is_new = |(owner, _): &(SandboxOwnerId, Vec<String>)| !owners.contains(owner);
        assert_eq!(second.iter().filter(|wish| is_new(wish)).count(), 1);
        scratch.remove().await;
    }
}
