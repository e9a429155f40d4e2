//! Addresses: they outlive incarnations, and a missing answer always has a typed reason.

use super::*;

#[tokio::test]
async fn an_address_made_before_the_start_stays_good_across_restarts() {
    let (child, address) = Script::new("a", &Diary::default()).spec().with_address();
    assert_eq!(
        ping(&address).await,
        Err(NoAnswer::Restarting {
            path: "a".to_owned()
        }),
        "it is not up yet"
    );
    let tree = start(root().child(child)).await;
    for round in 1..=20 {
        until_incarnation(&address, round).await;
        address.cast(Order::Panic("again")).unwrap();
    }
    until_incarnation(&address, 21).await;
    end(tree).await;
}

#[tokio::test]
async fn every_way_not_to_answer_has_its_name() {
    let tree = start(root()).await;
    let (path, within) = ("roost/a".to_owned(), Duration::from_millis(5));
    let spec = Script::new("a", &Diary::default()).spec().mailbox_bound(2);
    let address = tree
        .root()
        .start_child(spec.restart(Restart::Transient))
        .await
        .unwrap();
    assert_eq!(
        address.call(PATIENCE, Order::Ignore).await,
        Err(NoAnswer::Died { path: path.clone() })
    );
    until("its mailbox is empty", || {
        find(&tree, "roost/a")
            .mailbox
            .is_some_and(|mailbox| mailbox.len == 0)
    })
    .await;
    address.cast(Order::Hang).unwrap();
    assert_eq!(
        address.call(within, Order::Ping).await,
        Err(NoAnswer::Timeout {
            path: path.clone(),
            within
        })
    );
    assert_eq!(
        address.cast(Order::Leave),
        Err(NoAnswer::Full {
            path: path.clone(),
            bound: 2
        })
    );
    let waiting = {
        let address = address.clone();
        tokio::spawn(async move { ping(&address).await })
    };
    assert_eq!(
        waiting.await.unwrap(),
        Err(NoAnswer::Full {
            path: path.clone(),
            bound: 2
        }),
        "calls are bounded too"
    );
    address.entry().incarnation().unwrap().cell.kill();
    until_incarnation(&address, 2).await;
    address.cast(Order::Leave).unwrap();
    until("it left", || tree.root().is_empty()).await;
    assert_eq!(ping(&address).await, Err(NoAnswer::NoSuchActor { path }));
    end(tree).await;
}

#[tokio::test]
async fn caller_gets_an_error_at_once_when_its_actor_dies() {
    let tree = start(root()).await;
    let address = tree
        .root()
        .start_child(Script::new("a", &Diary::default()).spec())
        .await
        .unwrap();
    address.cast(Order::Hang).unwrap();
    let caller = {
        let address = address.clone();
        tokio::spawn(async move { ping(&address).await })
    };
    until("the call waits", || {
        find(&tree, "roost/a")
            .mailbox
            .is_some_and(|mailbox| mailbox.len == 2)
    })
    .await;
    address.entry().incarnation().unwrap().cell.kill();
    assert_eq!(
        caller.await.unwrap(),
        Err(NoAnswer::Died {
            path: "roost/a".to_owned()
        })
    );
    end(tree).await;
}

#[tokio::test]
async fn a_child_is_found_by_name_only_as_what_it_is() {
    let tree = start(root()).await;
    tree.root()
        .start_child(Script::new("a", &Diary::default()).spec())
        .await
        .unwrap();
    assert!(tree.root().find::<Order>("a").is_some());
    assert!(
        tree.root().find::<u8>("a").is_none(),
        "it does not take bytes"
    );
    assert!(tree.root().find::<Order>("b").is_none());
    end(tree).await;
}
