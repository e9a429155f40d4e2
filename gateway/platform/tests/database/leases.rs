//! Leases: one owner at a time, and an epoch that fences the former owner.

use std::time::Duration;

use roost_platform::db::lease::Lease;
use roost_test_database::Scratch;

const LONG: Duration = Duration::from_secs(600);

#[tokio::test]
async fn a_lease_has_one_owner_until_it_is_released_or_expires() {
    for scratch in Scratch::all().await {
        let (one, two) = (&scratch.db, &scratch.again().await);
        let held = Lease::acquire(one, "saga", "a", LONG)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(Lease::acquire(two, "saga", "b", LONG).await.unwrap(), None);
        assert!(
            Lease::acquire(two, "other", "b", LONG)
                .await
                .unwrap()
                .is_some()
        );
        let renewed = Lease::acquire(one, "saga", "a", LONG)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(renewed.epoch(), held.epoch());
        held.release(one).await.unwrap();
        let taken = Lease::acquire(two, "saga", "b", LONG)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(taken.epoch(), held.epoch() + 1);
        two.close().await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn the_work_of_a_former_owner_is_discarded() {
    for scratch in Scratch::all().await {
        let (one, two) = (&scratch.db, &scratch.again().await);
        // It expires at once: the database's clock has passed it at the next statement.
        let former = Lease::acquire(one, "saga", "a", Duration::ZERO)
            .await
            .unwrap()
            .unwrap();
        let next = loop {
            if let Some(next) = Lease::acquire(two, "saga", "b", LONG).await.unwrap() {
                break next;
            }
        };
        let tx = one.write().await.unwrap();
        assert!(!former.guard(&tx).await.unwrap());
        drop(tx);
        let tx = two.write().await.unwrap();
        assert!(next.guard(&tx).await.unwrap());
        tx.commit().await.unwrap();
        two.close().await;
        scratch.remove().await;
    }
}
