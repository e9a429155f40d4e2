//! Heartbeats in a real database. On SQLite, and on PostgreSQL where `ROOST_TEST_POSTGRES_URL` names a server.

use chrono::{DateTime, TimeDelta, Utc};
use roost_protocol::hello::{HeldImage, ImageState, WantedImage};
use roost_protocol::vitals::Heartbeat;
use sea_orm::{ConnectionTrait, EntityTrait, Statement, Value};

use super::entity::{health, node};
use super::sample::Sample;
use super::store;
use super::store_beats::{Beat, write};
use super::store_connection::{Claims, Wanted};
use crate::fleet::operations::Fence;
use roost_platform::clock::{Clock, SystemClock};
use roost_platform::db::Db;
use roost_platform::ids::{NodeId, UuidV7, WorkspaceId, fresh};
use roost_tenancy::workspaces::{self, WorkspaceRow};
use roost_test_database::Scratch;

/// A machine whose connection of epoch 7 this gateway holds.
async fn connected(db: &Db, workspace: WorkspaceId) -> Fence {
    let (id, now): (NodeId, DateTime<Utc>) = (
        fresh(&UuidV7::shared(SystemClock::shared())),
        SystemClock.now(),
    );
    let tx = db.write().await.unwrap();
    store::insert(&tx, id, workspace, None, id.to_string(), now, now)
        .await
        .unwrap();
    let sql = "UPDATE nodes SET conn_epoch = 7, held_by = 'here', local_ip = '192.0.2.1', mesh_ip = '192.0.2.2', \
               image_reference = 'before', image_id = 'id before' WHERE id = $1";
    let values: Vec<Value> = vec![id.into()];
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
    tx.execute_raw(statement).await.unwrap();
    tx.commit().await.unwrap();
    Fence {
        node: id,
        epoch: 7,
        held_by: "here".to_owned(),
    }
}

async fn workspace(db: &Db) -> WorkspaceId {
    let row = WorkspaceRow::new(
        fresh(&UuidV7::shared(SystemClock::shared())),
        "w".to_owned(),
        "free".to_owned(),
        SystemClock.now(),
    );
    let id = row.id;
    let tx = db.write().await.unwrap();
    workspaces::insert(&tx, row).await.unwrap();
    tx.commit().await.unwrap();
    id
}

fn beat<'a>(fence: &'a Fence, heartbeat: &'a Heartbeat, at: DateTime<Utc>) -> Beat<'a> {
    Beat {
        fence,
        hold_ms: 30_000,
        at,
        heartbeat,
        claims: Claims::in_heartbeat(
            heartbeat,
            &Wanted {
                image: "wanted".to_owned(),
                catalogue: vec![WantedImage {
                    reference: "wanted".to_owned(),
                    digest: None,
                }],
            },
        ),
        sample: Sample::of(heartbeat, at),
    }
}

fn held(reference: &str) -> HeldImage {
    HeldImage {
        reference: reference.to_owned(),
        state: ImageState::WrongDigest,
        id: Some("sha256:aa".to_owned()),
        bytes: Some(7),
        unfit: None,
        fetch: None,
    }
}

async fn node(db: &Db, id: NodeId) -> node::Model {
    store::by_id(db.read(), id).await.unwrap().unwrap()
}

#[tokio::test]
async fn each_machine_gets_its_own_heartbeat_and_an_absent_field_changes_nothing() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let home = workspace(db).await;
        let (one, two) = (connected(db, home).await, connected(db, home).await);
        // A fraction of a second that PostgreSQL stores exactly.
        let at = DateTime::from_timestamp_micros(1_700_000_000_123_456).unwrap();
        let full = Heartbeat {
            cpu_pct: Some(12.5),
            local_ip: Some("198.51.100.7".to_owned()),
            paused: true,
            sandboxes: Some(3),
            image_reference: Some("now".to_owned()),
            images: Some(vec![held("wanted"), held("of nobody's catalogue")]),
            ..Heartbeat::default()
        };
        let bare = Heartbeat {
            cpu_pct: Some(99.0),
            ..Heartbeat::default()
        };
        let tx = db.write().await.unwrap();
        let written = write(&tx, &[beat(&one, &full, at), beat(&two, &bare, at)])
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let (first, second) = (node(db, one.node).await, node(db, two.node).await);
        assert_eq!(written.len(), 2);
        let images = serde_json::json!([
            { "reference": "wanted", "state": "wrong-digest", "id": "sha256:aa", "bytes": 7 }
        ]);
        assert_eq!(
            (first.images.as_ref(), second.images.as_ref()),
            (Some(&images), None)
        );
        assert_eq!(written[&one.node], first.version);
        assert_eq!(
            (first.local_ip.as_deref(), first.mesh_ip.as_deref()),
            (Some("198.51.100.7"), None)
        );
        assert_eq!(
            (first.paused, first.sandboxes, first.last_seen_at),
            (true, 3, Some(at))
        );
        assert_eq!(
            (first.image_reference.as_deref(), first.image_id.as_deref()),
            (Some("now"), None)
        );
        assert_eq!(
            (second.local_ip.as_deref(), second.image_id.as_deref()),
            (Some("192.0.2.1"), Some("id before"))
        );
        assert_eq!((second.paused, second.sandboxes), (false, 0));
        let now_ms = store::now_ms(db.read(), db.backend()).await.unwrap();
        assert!((1..=30_000).contains(&(first.held_ms - now_ms)));
        let latest = health::Entity::find_by_id(two.node).one(db.read()).await;
        let latest = latest.unwrap().unwrap();
        assert_eq!((latest.at, latest.cpu_pct), (at, Some(99.0)));
        assert_eq!((second.gpu_pct, second.temp_max), (None, None));
        scratch.remove().await;
    }
}

#[tokio::test]
async fn heartbeat_of_an_older_connection_or_another_gateway_writes_nothing() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let home = workspace(db).await;
        let (one, two) = (connected(db, home).await, connected(db, home).await);
        let older = Fence {
            epoch: 6,
            ..one.clone()
        };
        let elsewhere = Fence {
            held_by: "elsewhere".to_owned(),
            ..two.clone()
        };
        let (heartbeat, at) = (Heartbeat::default(), SystemClock.now());
        let before = [node(db, one.node).await, node(db, two.node).await];
        for at in [at, at + TimeDelta::seconds(1)] {
            let tx = db.write().await.unwrap();
            let beats = [
                beat(&older, &heartbeat, at),
                beat(&elsewhere, &heartbeat, at),
            ];
            assert!(write(&tx, &beats).await.unwrap().is_empty());
            tx.commit().await.unwrap();
        }
        assert_eq!([node(db, one.node).await, node(db, two.node).await], before);
        let health = health::Entity::find().one(db.read()).await.unwrap();
        assert_eq!(health, None);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn every_number_of_a_heartbeat_is_read_back_and_one_that_is_not_reported_any_more_is_unknown()
{
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let home = workspace(db).await;
        let one = connected(db, home).await;
        let at = DateTime::from_timestamp_micros(1_700_000_000_000_000).unwrap();
        let full = Heartbeat {
            at_s: at.timestamp() - 90,
            cpu_pct: Some(12.3),
            cores: Some(8),
            memory_used_bytes: Some(1 << 40),
            memory_total_bytes: Some(1 << 41),
            swap_used_bytes: Some(0),
            swap_total_bytes: Some(7),
            disk_used_bytes: Some(11),
            disk_total_bytes: Some(12),
            load1: Some(0.1),
            load5: Some(0.2),
            load15: Some(0.3),
            psi: Some(roost_protocol::vitals::Psi {
                cpu_some10: Some(1.5),
                io_full10: Some(0.1),
                ..Default::default()
            }),
            containers: Some(4),
            gpu_pct: Some(33.3),
            temp_max_c: Some(61.5),
            ..Heartbeat::default()
        };
        let bare = Heartbeat {
            at_s: at.timestamp(),
            ..Heartbeat::default()
        };
        for heartbeat in [&full, &bare] {
            let tx = db.write().await.unwrap();
            write(&tx, &[beat(&one, heartbeat, at)]).await.unwrap();
            tx.commit().await.unwrap();
            let nodes = vec![node(db, one.node).await];
            let rows = store::with_health(db.read(), db.backend(), nodes).await;
            let row = rows.unwrap().pop().unwrap();
            let read = Sample::stored(row.health.unwrap(), &row.node);
            assert_eq!(read, Sample::of(heartbeat, at));
        }
        scratch.remove().await;
    }
}
