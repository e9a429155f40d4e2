//! A PostgreSQL database for one test, if `ROOST_TEST_POSTGRES_URL` names a server. With `CI=true` there must be one.

use roost_test_database::template;
use sea_orm::{ConnectionTrait, Database};

use crate::catalogue;

/// A database for one test; [`remove`](Self::remove) drops it.
#[derive(Debug)]
pub struct ScratchPostgres {
    server: String,
    name: String,
    url: String,
}

impl ScratchPostgres {
    /// It has the whole schema and the built-in catalogue. `None` when no server is named.
    ///
    /// # Panics
    /// When the server does not answer, and when none is named although every test must run.
    pub async fn new() -> Option<Self> {
        let server = server()?;
        let template = template::postgres(&server, catalogue::load).await;
        Some(Self::made(server, &template).await)
    }

    /// As [`new`](Self::new), without a schema and the catalogue.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub async fn empty() -> Option<Self> {
        Some(Self::made(server()?, "template1").await)
    }

    /// A copy of its present state, even while others are connected.
    pub async fn copy(&self) -> Self {
        let leave = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
            self.name
        );
        run(&self.server, &leave).await;
        Self::made(self.server.clone(), &self.name).await
    }

    async fn made(server: String, from: &str) -> Self {
        let name = format!("roost_it_{}", hex::encode(rand::random::<[u8; 8]>()));
        run(&server, &format!("CREATE DATABASE {name} TEMPLATE {from}")).await;
        let mut url = url::Url::parse(&server).expect("ROOST_TEST_POSTGRES_URL is a URL");
        url.set_path(&name);
        Self {
            url: url.to_string(),
            server,
            name,
        }
    }

    /// The value for `database.url`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Drops the database, even while others are connected.
    pub async fn remove(self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        run(&self.server, &sql).await;
    }
}

/// The server that `ROOST_TEST_POSTGRES_URL` names.
fn server() -> Option<String> {
    let server = std::env::var("ROOST_TEST_POSTGRES_URL").ok();
    // On a developer's machine half of the tests are better than none. In CI they are not enough.
    let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(
        server.is_some() || !required,
        "CI=true, so PostgreSQL must be tested: set ROOST_TEST_POSTGRES_URL to a server that may make databases \
         (postgres://user@host:port/postgres); deploy/test.sh starts one and sets it"
    );
    server
}

async fn run(server: &str, sql: &str) {
    let admin = Database::connect(server)
        .await
        .expect("ROOST_TEST_POSTGRES_URL names a server that answers");
    admin.execute_unprepared(sql).await.expect(sql);
    admin.close().await.expect("closes");
}
