//! A table as its entity describes it. The doctor and a test compare it with the table that the migrations made.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use sea_orm::sea_query::ColumnType;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, Iden,
    Iterable, PrimaryKeyToColumn, Statement,
};

use super::{DbError, read_only};

/// What both sides say about a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    nullable: bool,
    key: bool,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.key, self.nullable) {
            (true, _) => "part of the primary key",
            (false, true) => "nullable",
            (false, false) => "not nullable",
        })
    }
}

type Columns = BTreeMap<String, Shape>;
type Select = for<'a> fn(
    &'a DatabaseConnection,
) -> Pin<Box<dyn Future<Output = Result<(), DbErr>> + Send + 'a>>;

/// A table of the gateway. Each wing publishes its own with `tables()`.
pub struct Table {
    name: String,
    columns: Columns,
    /// Columns of a type that only one back end knows.
    unportable: Vec<String>,
    select: Select,
}

impl Table {
    /// The table of an entity.
    pub fn of<E: EntityTrait>() -> Self {
        let keys: Vec<String> = E::PrimaryKey::iter()
            .map(|key| key.into_column().to_string())
            .collect();
        let mut columns = Columns::new();
        let mut unportable = Vec::new();
        for column in E::Column::iter() {
            let name = column.to_string();
            let definition = column.def();
            if matches!(definition.get_column_type(), ColumnType::Custom(_)) {
                unportable.push(name.clone());
            }
            let shape = Shape {
                nullable: definition.is_null(),
                key: keys.contains(&name),
            };
            columns.insert(name, shape);
        }
        Self {
            name: E::default().as_str().to_owned(),
            columns,
            unportable,
            select: |db| {
                Box::pin(async move {
                    E::find().one(db).await?;
                    Ok(())
                })
            },
        }
    }

    /// Its name in the database.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Each difference between the entity and the database, as a sentence. It also reads one row with the entity's
    /// types.
    ///
    /// # Errors
    /// When the database fails, or when a row does not fit the entity's types.
    pub async fn differences(&self, db: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
        let table = &self.name;
        let found = columns_of(db, table).await?;
        if found.is_empty() {
            return Ok(vec![format!("the table {table} is missing")]);
        }
        let mut differences: Vec<String> = self
            .unportable
            .iter()
            .map(|name| format!("{table}.{name} has a type that only one back end knows"))
            .collect();
        for (name, shape) in &self.columns {
            match found.get(name) {
                None => differences.push(format!("the column {table}.{name} is missing")),
                Some(other) if other != shape => differences.push(format!(
                    "the column {table}.{name} is {other}, and this version expects it to be {shape}"
                )),
                Some(_) => {}
            }
        }
        let unknown = found
            .keys()
            .filter(|name| !self.columns.contains_key(*name));
        differences.extend(
            unknown.map(|name| format!("the column {table}.{name} is unknown to this version")),
        );
        if differences.is_empty() {
            (self.select)(db).await?;
        }
        Ok(differences)
    }
}

/// The differences of all `tables` in the database at `url`. It opens a connection that cannot write.
///
/// # Errors
/// When the database cannot be opened or read, or when a row does not fit its entity.
pub async fn differences(url: &str, tables: &[Table]) -> Result<Vec<String>, DbError> {
    let db = read_only(url).await?;
    let found = differences_in(&db, tables).await;
    let closed = db.close().await;
    let found = found.map_err(DbError::sql("cannot read the tables"))?;
    closed.map_err(DbError::sql("cannot close the database"))?;
    Ok(found)
}

async fn differences_in(db: &DatabaseConnection, tables: &[Table]) -> Result<Vec<String>, DbErr> {
    let mut all = Vec::new();
    for table in tables {
        all.extend(table.differences(db).await?);
    }
    Ok(all)
}

async fn columns_of(db: &DatabaseConnection, table: &str) -> Result<Columns, DbErr> {
    let backend = db.get_database_backend();
    let sql = match backend {
        DbBackend::Sqlite => format!(
            "SELECT name, CAST(\"notnull\" = 0 AND pk = 0 AS INTEGER) AS nullable, CAST(pk > 0 AS INTEGER) AS is_key \
             FROM pragma_table_info('{table}')"
        ),
        _ => format!(
            "SELECT c.column_name::text AS name, (c.is_nullable = 'YES')::int AS nullable, (EXISTS (\
               SELECT 1 FROM information_schema.key_column_usage k JOIN information_schema.table_constraints t \
               ON t.constraint_name = k.constraint_name AND t.table_name = k.table_name \
               WHERE t.constraint_type = 'PRIMARY KEY' AND k.table_name = c.table_name AND k.column_name = c.column_name\
             ))::int AS is_key FROM information_schema.columns c \
             WHERE c.table_name = '{table}' AND c.table_schema = current_schema()"
        ),
    };
    let rows = db
        .query_all_raw(Statement::from_string(backend, sql))
        .await?;
    rows.iter()
        .map(|row| {
            let shape = Shape {
                nullable: row.try_get::<i32>("", "nullable")? == 1,
                key: row.try_get::<i32>("", "is_key")? == 1,
            };
            Ok((row.try_get("", "name")?, shape))
        })
        .collect()
}
