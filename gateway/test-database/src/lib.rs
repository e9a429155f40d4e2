//! A database of its own for each test, on each back end. Only tests depend on this crate.
#![expect(
    clippy::unwrap_used,
    reason = "only tests use this crate, and a test ends at the first failure"
)]

use roost_platform::db::{Access, Backend, Db};
use roost_platform::events::Hub;
use sea_orm::{ConnectOptions, ConnectionTrait, DatabaseConnection};

pub mod template;

/// A database that is removed after the test.
pub struct Scratch {
    pub db: Db,
    pub url: String,
    pub folder: tempfile::TempDir,
}

impl Scratch {
    /// A fresh SQLite file.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("roost.db");
        template::copy_sqlite(&file, nothing).await;
        let url = format!("sqlite:{}", file.display());
        let db = Db::open(&url, Access::Beside, Hub::default())
            .await
            .unwrap();
        Self { db, url, folder }
    }

    /// A fresh PostgreSQL database if there is a server. With `CI=true` a server is required.
    pub async fn postgres() -> Option<Self> {
        let server = std::env::var("ROOST_TEST_POSTGRES_URL").ok();
        let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(
            server.is_some() || !required,
            "CI=true, so PostgreSQL must be tested: set ROOST_TEST_POSTGRES_URL to a server that may make databases \
             (postgres://user@host:port/postgres); deploy/test.sh starts one and sets it"
        );
        let server = server?;
        let name = format!("roost_test_{}", hex::encode(rand::random::<[u8; 8]>()));
        let template = template::postgres(&server, nothing).await;
        let admin = server_of(&server).await;
        admin
            .execute_unprepared(&format!("CREATE DATABASE {name} TEMPLATE {template}"))
            .await
            .unwrap();
        admin.close().await.unwrap();
        let mut url = url::Url::parse(&server).unwrap();
        url.set_path(&name);
        let url = url.to_string();
        let db = Db::open(&url, Access::Serve, Hub::default()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        Some(Self { db, url, folder })
    }

    /// All available back ends.
    pub async fn all() -> Vec<Self> {
        let mut all = vec![Self::sqlite().await];
        all.extend(Self::postgres().await);
        all
    }

    /// A second gateway's connection to the same database.
    pub async fn again(&self) -> Db {
        Db::open(&self.url, Access::Beside, Hub::default())
            .await
            .unwrap()
    }

    /// Drops the database of a server. Files are removed automatically.
    pub async fn remove(self) {
        self.db.close().await;
        if self.db.backend() == Backend::Postgres {
            let mut server = url::Url::parse(&self.url).unwrap();
            let name = server.path().trim_start_matches('/').to_owned();
            server.set_path("postgres");
            let admin = server_of(server.as_str()).await;
            admin
                .execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)"))
                .await
                .unwrap();
            admin.close().await.unwrap();
        }
    }
}

/// A test of one part makes its own rows.
async fn nothing(_: &Db) {}

/// One connection to the server itself, which makes and drops databases.
async fn server_of(url: &str) -> DatabaseConnection {
    let mut options = ConnectOptions::new(url.to_owned());
    options
        .max_connections(1)
        .sqlx_logging_level(log::LevelFilter::Debug);
    #[expect(
        clippy::disallowed_methods,
        reason = "a connection to the server, not to a database of the gateway"
    )]
    sea_orm::Database::connect(options).await.unwrap()
}
