//! Databases with the whole schema, made once for each test program. A test copies one. That is faster than all
//! migrations, and every test that starts a gateway needs it. All tests of a program fill it with the same rows.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use roost_platform::db::{Access, Db};
use roost_platform::events::Hub;
use sea_orm::ConnectionTrait;
use tempfile::TempDir;

use crate::server_of;

/// Programs of one server that make a template at the same time wait here for each other. Any number works.
const ADVISORY_LOCK: i64 = 0x0074_656d_706c;

/// Puts a copy at `file`, and makes its folder. An existing file stays as it is. `fill` adds rows to the schema.
pub async fn copy_sqlite(file: &Path, fill: impl AsyncFn(&Db)) {
    if file.exists() {
        return;
    }
    let template = sqlite(fill).await;
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::copy(template, file).unwrap();
}

/// The file is beside the test program. It is made anew when the program is newer.
async fn sqlite(fill: impl AsyncFn(&Db)) -> PathBuf {
    let (program, built) = program();
    let template = program.with_extension("template.db");
    let made = std::fs::metadata(&template).and_then(|file| file.modified());
    if made.is_ok_and(|made| made > built) {
        return template;
    }
    let folder = TempDir::new_in(program.parent().unwrap()).unwrap();
    let new = folder.path().join("roost.db");
    migrated(&format!("sqlite:{}", new.display()), fill).await;
    // Tests of several processes may do this at once. Each of their files is whole.
    std::fs::rename(new, &template).unwrap();
    template
}

/// The name of a database on this server that `CREATE DATABASE … TEMPLATE` can copy. `fill` adds rows to the schema.
pub async fn postgres(server: &str, fill: impl AsyncFn(&Db)) -> String {
    let mut key = DefaultHasher::new();
    program().hash(&mut key);
    let name = format!("roost_template_{:016x}", key.finish());
    let there = format!("SELECT 1 FROM pg_database WHERE datname = '{name}'");
    let admin = server_of(server).await;
    let found = async || admin.query_one_raw(statement(&there)).await.unwrap();
    if found().await.is_none() {
        let run = async |sql: &str| admin.execute_unprepared(sql).await.unwrap();
        run(&format!("SELECT pg_advisory_lock({ADVISORY_LOCK})")).await;
        if found().await.is_none() {
            let new = format!("{name}_new");
            run(&format!("DROP DATABASE IF EXISTS {new}")).await;
            run(&format!("CREATE DATABASE {new}")).await;
            let mut url = url::Url::parse(server).unwrap();
            url.set_path(&new);
            migrated(url.as_str(), fill).await;
            run(&format!("ALTER DATABASE {new} RENAME TO {name}")).await;
        }
    }
    // The lock ends with the connection.
    admin.close().await.unwrap();
    name
}

fn statement(sql: &str) -> sea_orm::Statement {
    sea_orm::Statement::from_string(sea_orm::DbBackend::Postgres, sql)
}

/// The test program, and when it was built.
fn program() -> (PathBuf, SystemTime) {
    let program = std::env::current_exe().unwrap();
    let built = std::fs::metadata(&program).unwrap().modified().unwrap();
    (program, built)
}

/// A gateway creates the database.
async fn migrated(url: &str, fill: impl AsyncFn(&Db)) {
    let db = Db::open(url, Access::Serve, Hub::default()).await.unwrap();
    fill(&db).await;
    db.close().await;
}
