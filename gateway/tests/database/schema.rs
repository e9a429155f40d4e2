//! Entities and migrations agree.

use roost_platform::db::{Backend, differences};
use roost_test_database::Scratch;
use sea_orm::{ConnectionTrait, Statement};

/// Tables without an entity here, each with its reason. A table in neither list fails the test.
const WITHOUT_ENTITY: &[(&str, &str)] = &[
    ("seaql_migrations", "the list of migrations, sea-orm's own"),
    (
        "leases",
        "three conditional statements in db/lease.rs, no rows as objects",
    ),
];

#[tokio::test]
async fn entities_have_the_columns_that_the_migrations_made() {
    for scratch in Scratch::all().await {
        let mut compared = Vec::new();
        for table in roost_gateway::tables() {
            let differences = table.differences(scratch.db.read()).await.unwrap();
            assert_eq!(differences, Vec::<String>::new());
            compared.push(table.name().to_owned());
        }
        let sql = match scratch.db.backend() {
            Backend::Sqlite => {
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            }
            Backend::Postgres => {
                "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()"
            }
        };
        let statement = Statement::from_string(scratch.db.backend().into(), sql);
        for row in scratch.db.read().query_all_raw(statement).await.unwrap() {
            let table: String = row.try_get("", "name").unwrap();
            let known =
                compared.contains(&table) || WITHOUT_ENTITY.iter().any(|(name, _)| *name == table);
            assert!(known, "the table {table} has no entity in this test");
        }
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_table_that_was_changed_by_hand_is_named() {
    for scratch in Scratch::all().await {
        let tx = scratch.db.write().await.unwrap();
        for change in [
            "ALTER TABLE nodes RENAME COLUMN hostname TO host",
            "DROP TABLE node_tools",
        ] {
            tx.execute_unprepared(change).await.unwrap();
        }
        tx.commit().await.unwrap();
        let found = differences(&scratch.url, &roost_gateway::tables())
            .await
            .unwrap();
        assert_eq!(
            found,
            [
                "the column nodes.hostname is missing",
                "the column nodes.host is unknown to this version",
                "the table node_tools is missing",
            ]
        );
        scratch.remove().await;
    }
}

#[tokio::test]
async fn migrating_a_migrated_database_changes_nothing_and_two_at_once_do_not_meet() {
    for scratch in Scratch::all().await {
        let (a, b) = tokio::join!(scratch.again(), scratch.again());
        a.close().await;
        b.close().await;
        scratch.remove().await;
    }
}
