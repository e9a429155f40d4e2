//! The statements of a migration, each as a boxed future. The futures of the database are deep types. Without the boxes, the
//! compiler examined all of them again in each migration, which was most of the time that this crate took to compile.

use std::pin::Pin;

use sea_orm_migration::prelude::*;

/// A statement that is being executed.
pub(crate) type Executed<'a> = Pin<Box<dyn Future<Output = Result<(), DbErr>> + Send + 'a>>;

/// What migrations do with the schema.
pub(crate) trait Statements {
    fn create(&self, table: TableCreateStatement) -> Executed<'_>;
    fn alter(&self, table: TableAlterStatement) -> Executed<'_>;
    fn index(&self, index: IndexCreateStatement) -> Executed<'_>;
    /// Executes SQL as it is. It may have several statements.
    fn run_sql<'a>(&'a self, sql: &'a str) -> Executed<'a>;
}

impl Statements for SchemaManager<'_> {
    fn create(&self, table: TableCreateStatement) -> Executed<'_> {
        Box::pin(self.create_table(table))
    }

    fn alter(&self, table: TableAlterStatement) -> Executed<'_> {
        Box::pin(self.alter_table(table))
    }

    fn index(&self, index: IndexCreateStatement) -> Executed<'_> {
        Box::pin(self.create_index(index))
    }

    fn run_sql<'a>(&'a self, sql: &'a str) -> Executed<'a> {
        Box::pin(async move {
            self.get_connection().execute_unprepared(sql).await?;
            Ok(())
        })
    }
}
