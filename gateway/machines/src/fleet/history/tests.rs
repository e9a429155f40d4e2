//! Averages in a real database. On SQLite, and on PostgreSQL where `ROOST_TEST_POSTGRES_URL` names a server.

use chrono::{DateTime, Utc};

use super::dto::{FleetHistory, FleetMetric};
use super::model::{Grid, KEEP_MINUTES, METRICS, Metric, Minute, Span, Values};
use super::{entity, store};
use crate::fleet::store as nodes;
use roost_platform::clock::{Clock, SystemClock};
use roost_platform::db::Db;
use roost_platform::ids::{NodeId, SharedIds, UuidV7, WorkspaceId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces::{self, WorkspaceRow};
use roost_test_database::Scratch;

fn ids() -> SharedIds {
    UuidV7::shared(SystemClock::shared())
}

async fn workspace(db: &Db) -> WorkspaceId {
    let (id, now): (WorkspaceId, DateTime<Utc>) = (fresh(&ids()), SystemClock.now());
    let tx = db.write().await.unwrap();
    let row = WorkspaceRow::new(id, "w".to_owned(), "free".to_owned(), now);
    workspaces::insert(&tx, row).await.unwrap();
    tx.commit().await.unwrap();
    id
}

async fn node(db: &Db, workspace: WorkspaceId) -> NodeId {
    let (id, now): (NodeId, DateTime<Utc>) = (fresh(&ids()), SystemClock.now());
    let tx = db.write().await.unwrap();
    nodes::insert(&tx, id, workspace, None, id.to_string(), now, now)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    id
}

fn minute(minute: i64, samples: i32, set: &[(Metric, f64)]) -> Minute {
    let mut values: Values = [None; METRICS];
    for (metric, value) in set {
        let at = Metric::ALL.iter().position(|one| one == metric).unwrap();
        values[at] = Some(*value);
    }
    Minute {
        minute,
        samples,
        values,
    }
}

async fn write(db: &Db, minutes: &[(NodeId, Minute)]) {
    let tx = db.write().await.unwrap();
    store::write(&tx, minutes).await.unwrap();
    tx.commit().await.unwrap();
}

const GRID: Grid = Grid {
    from: 1_000,
    step: 1,
    count: 60,
};

#[tokio::test]
async fn two_parts_of_a_minute_become_one_average_and_absent_stays_absent() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let (here, gone) = (node(db, workspace(db).await).await, fresh::<NodeId>(&ids()));
        let part = |samples, set: &[(Metric, f64)]| (here, minute(1_001, samples, set));
        let lost = (gone, minute(1_001, 1, &[(Metric::CpuPct, 1.0)]));
        write(
            db,
            &[
                part(3, &[(Metric::CpuPct, 10.0), (Metric::Load1, 2.0)]),
                lost,
            ],
        )
        .await;
        write(
            db,
            &[part(1, &[(Metric::CpuPct, 50.0), (Metric::GpuPct, 7.0)])],
        )
        .await;
        let stored = store::of_node(db.read(), here, GRID).await.unwrap();
        let expected = [
            (Metric::CpuPct, 20.0),
            (Metric::Load1, 2.0),
            (Metric::GpuPct, 7.0),
        ];
        assert_eq!(stored, [minute(1_001, 4, &expected)]);
        assert!(
            store::of_node(db.read(), gone, GRID)
                .await
                .unwrap()
                .is_empty()
        );
        scratch.remove().await;
    }
}

/// The order of the columns in `entity` is the order of `Metric::ALL`.
#[tokio::test]
async fn each_figure_comes_back_as_itself() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let node = node(db, workspace(db).await).await;
        let set: Vec<(Metric, f64)> = Metric::ALL
            .iter()
            .enumerate()
            .map(|(at, metric)| (*metric, at as f64 + 0.5))
            .collect();
        let written = minute(1_002, 1, &set);
        write(db, &[(node, written.clone())]).await;
        assert_eq!(
            store::of_node(db.read(), node, GRID).await.unwrap(),
            [written]
        );
        scratch.remove().await;
    }
}

#[tokio::test]
async fn one_figure_of_all_machines_is_averaged_by_the_database_and_only_for_the_own_workspace() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let (ours, theirs) = (workspace(db).await, workspace(db).await);
        let (a, b, c) = (
            node(db, ours).await,
            node(db, ours).await,
            node(db, theirs).await,
        );
        let memory = |used| {
            [
                (Metric::MemoryUsedBytes, used),
                (Metric::MemoryTotalBytes, 200.0),
            ]
        };
        write(
            db,
            &[
                (a, minute(1_000, 1, &memory(20.0))),
                (a, minute(1_001, 3, &memory(100.0))),
                (a, minute(1_006, 1, &memory(0.0))),
                (b, minute(1_000, 1, &[(Metric::MemoryUsedBytes, 5.0)])),
                (c, minute(1_000, 1, &memory(200.0))),
            ],
        )
        .await;
        let grid = Grid {
            from: 1_000,
            step: 2,
            count: 5,
        };
        let scope = WorkspaceScope::of_row(ours);
        let metric = FleetMetric::Memory;
        let points = store::of_fleet(db.read(), db.backend(), scope, metric.expression(), grid);
        let history = FleetHistory::of(metric, points.await.unwrap(), grid);
        assert_eq!(
            history.nodes.len(),
            1,
            "b has no total, c is another workspace's"
        );
        assert_eq!(history.nodes[0].id, a);
        assert_eq!(
            history.nodes[0].values,
            [Some(40.0), None, None, Some(0.0), None]
        );
        scratch.remove().await;
    }
}

#[tokio::test]
async fn what_is_older_than_a_day_is_forgotten_and_nothing_else() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let node = node(db, workspace(db).await).await;
        let now = 1_000_000;
        let set = [(Metric::CpuPct, 1.0)];
        let at = |age: i64| (node, minute(now - age, 1, &set));
        write(
            db,
            &[
                at(0),
                at(KEEP_MINUTES),
                at(KEEP_MINUTES + 1),
                at(3 * KEEP_MINUTES),
            ],
        )
        .await;
        let tx = db.write().await.unwrap();
        assert_eq!(store::forget_before(&tx, now).await.unwrap(), 2);
        tx.commit().await.unwrap();
        let grid = Grid::ending(now + 1, Span::Day, 1);
        assert_eq!(
            store::of_node(db.read(), node, grid).await.unwrap().len(),
            1
        );
        scratch.remove().await;
    }
}

/// The minute of ten thousand machines is written in statements that both back ends accept.
#[tokio::test]
async fn a_minute_of_many_machines_fits() {
    for scratch in Scratch::all().await {
        use sea_orm::{EntityTrait, PaginatorTrait};
        let db = &scratch.db;
        let workspace = workspace(db).await;
        let mut minutes = Vec::new();
        for n in 0..450 {
            minutes.push((
                node(db, workspace).await,
                minute(n, 1, &[(Metric::CpuPct, 1.0)]),
            ));
        }
        write(db, &minutes).await;
        let count = entity::Entity::find().count(db.read()).await.unwrap();
        assert_eq!(count, 450);
        scratch.remove().await;
    }
}
