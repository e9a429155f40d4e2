//! Entities and migrations agree.

use std::collections::BTreeMap;

use sea_orm::{
    ConnectionTrait, EntityTrait, Iterable, PrimaryKeyToColumn, Statement, sea_query::ColumnType,
};

use super::Scratch;
use crate::platform::db::{Backend, Db};

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
        /// Compares the columns, and runs a select with each entity's own types.
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
    crate::tenancy::auth::entity::user,
    crate::tenancy::auth::entity::session,
    crate::tenancy::auth::entity::one_time_login,
    crate::tenancy::auth::entity::known_device,
    crate::tenancy::auth::entity::operator_grant,
    crate::tenancy::auth::hosted::entity::home,
    crate::tenancy::auth::hosted::entity::sign_in,
    crate::tenancy::auth::hosted::entity::login_code,
    crate::tenancy::workspaces::entity::workspace,
    crate::tenancy::workspaces::entity::member,
    crate::tenancy::workspaces::entity::quota_usage,
    crate::tenancy::workspaces::invitations::entity,
    crate::tenancy::audit::entity::entry,
    crate::tenancy::audit::entity::chain,
    crate::tenancy::audit::entity::waiting,
    crate::tenancy::audit::entity::head,
    crate::agents::claws::entity::claw,
    crate::agents::claws::brain::entity::brain,
    crate::agents::claws::avatar::entity::avatar,
    crate::platform::sagas::saga,
    crate::platform::events::event_entity,
    crate::platform::events::head_entity,
    crate::web::idempotency::entity,
    crate::machines::fleet::operations::entity,
    crate::platform::broker::outbox::entity,
    crate::connections::apps::entity::state,
    crate::connections::apps::entity::connection,
    crate::connections::doors::entity,
    crate::machines::fleet::entity::node,
    crate::machines::fleet::entity::health,
    crate::machines::fleet::entity::tool,
    crate::machines::fleet::history::entity,
    crate::machines::sandboxes::entity::container,
    crate::machines::sandboxes::entity::placement,
    crate::connections::mesh::entity::network,
    crate::execution::models::entity::model,
    crate::execution::models::entity::settings,
    crate::connections::repos::entity::connection,
    crate::connections::repos::entity::repo,
    crate::connections::repos::entity::mirror,
    crate::execution::tools::tokens::entity,
    crate::execution::runs::entity::run,
    crate::execution::runs::entity::step,
    crate::execution::runs::entity::call,
    crate::organisation::teams::entity::team,
    crate::organisation::teams::entity::member,
    crate::organisation::teams::entity::runtime_agent,
    crate::organisation::skills::entity::skill,
    crate::organisation::skills::entity::version,
    crate::organisation::skills::entity::role_skill,
    crate::organisation::skills::entity::choice,
    crate::organisation::templates::entity::template,
    crate::organisation::templates::entity::role,
    crate::organisation::templates::entity::version,
    crate::organisation::templates::entity::link,
);

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
