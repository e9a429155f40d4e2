//! Entities and migrations say the same.

use std::collections::BTreeMap;

use sea_orm::{
    ConnectionTrait, EntityTrait, Iterable, PrimaryKeyToColumn, Statement, sea_query::ColumnType,
};

use super::Scratch;
use crate::db::{Backend, Db};

/// Column name → (may be null, is part of the primary key).
type Columns = BTreeMap<String, (bool, bool)>;

fn of_entity<E: EntityTrait>() -> (String, Columns) {
    use sea_orm::{ColumnTrait, Iden};
    let keys: Vec<String> = E::PrimaryKey::iter()
        .map(|key| key.into_column().to_string())
        .collect();
    let columns = E::Column::iter()
        .map(|column| {
            let name = column.to_string();
            let definition = column.def();
            assert!(
                !matches!(definition.get_column_type(), ColumnType::Custom(_)),
                "{name} has a type that only one back end knows"
            );
            let is_key = keys.contains(&name);
            (name, (definition.is_null(), is_key))
        })
        .collect();
    (E::default().as_str().to_owned(), columns)
}

async fn of_database(db: &Db, table: &str) -> Columns {
    let sql = match db.backend() {
        Backend::Sqlite => format!(
            "SELECT name, CAST(\"notnull\" = 0 AND pk = 0 AS INTEGER) AS nullable, CAST(pk > 0 AS INTEGER) AS is_key \
             FROM pragma_table_info('{table}')"
        ),
        Backend::Postgres => format!(
            "SELECT c.column_name::text AS name, (c.is_nullable = 'YES')::int AS nullable, (EXISTS (\
               SELECT 1 FROM information_schema.key_column_usage k JOIN information_schema.table_constraints t \
               ON t.constraint_name = k.constraint_name AND t.table_name = k.table_name \
               WHERE t.constraint_type = 'PRIMARY KEY' AND k.table_name = c.table_name AND k.column_name = c.column_name\
             ))::int AS is_key FROM information_schema.columns c \
             WHERE c.table_name = '{table}' AND c.table_schema = current_schema()"
        ),
    };
    db.read()
        .query_all_raw(Statement::from_string(db.backend().into(), sql))
        .await
        .unwrap()
        .iter()
        .map(|row| {
            let flag = |name: &str| row.try_get::<i32>("", name).unwrap() == 1;
            let name: String = row.try_get("", "name").unwrap();
            (name, (flag("nullable"), flag("is_key")))
        })
        .collect()
}

macro_rules! entities {
    ($($entity:path),+ $(,)?) => {
        /// Compares, and selects nothing with each entity's own types.
        async fn compare(db: &Db) -> Vec<String> {
            let mut compared = Vec::new();
            $({
                use $entity as module;
                let (table, expected) = of_entity::<module::Entity>();
                assert_eq!(expected, of_database(db, &table).await, "{table}");
                module::Entity::find().one(db.read()).await.unwrap();
                compared.push(table);
            })+
            compared
        }
    };
}

entities!(
    crate::domains::auth::entity::user,
    crate::domains::auth::entity::session,
    crate::domains::auth::entity::one_time_login,
    crate::domains::auth::entity::operator_grant,
    crate::domains::auth::hosted::entity::home,
    crate::domains::auth::hosted::entity::sign_in,
    crate::domains::auth::hosted::entity::login_code,
    crate::domains::workspaces::entity::workspace,
    crate::domains::workspaces::entity::member,
    crate::domains::workspaces::entity::quota_usage,
    crate::domains::workspaces::invitations::entity,
    crate::domains::audit::entity::entry,
    crate::domains::audit::entity::chain,
    crate::domains::audit::entity::waiting,
    crate::domains::audit::entity::head,
    crate::domains::claws::entity::claw,
    crate::domains::claws::brain::entity::brain,
    crate::domains::claws::avatar::entity::avatar,
    crate::sagas::saga,
    crate::events::event_entity,
    crate::events::head_entity,
    crate::http::idempotency::entity,
    crate::operations::entity,
    crate::broker::outbox::entity,
    crate::domains::apps::entity::state,
    crate::domains::apps::entity::connection,
    crate::domains::doors::entity,
    crate::domains::fleet::entity::node,
    crate::domains::fleet::entity::health,
    crate::domains::fleet::entity::tool,
    crate::domains::fleet::history::entity,
    crate::domains::sandboxes::entity::container,
    crate::domains::sandboxes::entity::placement,
    crate::domains::mesh::entity::network,
    crate::domains::repos::entity::connection,
    crate::domains::repos::entity::repo,
    crate::domains::repos::entity::mirror,
    crate::domains::tools::tokens::entity,
    crate::domains::runs::entity::run,
    crate::domains::runs::entity::step,
    crate::domains::runs::entity::call,
    crate::domains::teams::entity::team,
    crate::domains::teams::entity::member,
    crate::domains::teams::entity::runtime_agent,
    crate::domains::skills::entity::skill,
    crate::domains::skills::entity::version,
    crate::domains::skills::entity::role_skill,
    crate::domains::skills::entity::choice,
    crate::domains::templates::entity::template,
    crate::domains::templates::entity::role,
    crate::domains::templates::entity::version,
    crate::domains::templates::entity::link,
);

/// Tables without an entity here, each with its reason; a table in neither list fails the test.
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
        let compared = compare(&scratch.db).await;
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
async fn migrating_a_migrated_database_changes_nothing_and_two_at_once_do_not_meet() {
    for scratch in Scratch::all().await {
        let (a, b) = tokio::join!(scratch.again(), scratch.again());
        a.close().await;
        b.close().await;
        scratch.remove().await;
    }
}
