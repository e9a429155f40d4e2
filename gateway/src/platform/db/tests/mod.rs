//! The database layer on SQLite, and on PostgreSQL if `ROOST_TEST_POSTGRES_URL` names a server. Each test runs on both,
//! on a database of its own.

mod backups;
mod beside;
mod leases;
mod schema;
mod transactions;

use sea_orm::ConnectionTrait;

use super::{Access, Backend, Db};
use crate::platform::events::Hub;

/// A database that is removed after the test.
pub(crate) struct Scratch {
    pub(crate) db: Db,
    pub(crate) url: String,
    pub(crate) folder: tempfile::TempDir,
}

impl Scratch {
    /// A fresh SQLite file.
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("roost.db").display());
        // A gateway creates the database. The test then opens it.
        let made = Db::open(&url, Access::Serve, Hub::default()).await.unwrap();
        made.close().await;
        drop(made);
        let db = Db::open(&url, Access::Beside, Hub::default())
            .await
            .unwrap();
        Self { db, url, folder }
    }

    /// A fresh PostgreSQL database if there is a server. With `CI=true` a server is required.
    pub(crate) async fn postgres() -> Option<Self> {
        let server = std::env::var("ROOST_TEST_POSTGRES_URL").ok();
        let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(
            server.is_some() || !required,
            "CI=true, so PostgreSQL must be tested: set ROOST_TEST_POSTGRES_URL to a server that may make databases \
             (postgres://user@host:port/postgres); deploy/test.sh starts one and sets it"
        );
        let server = server?;
        let name = format!("roost_test_{}", hex::encode(rand::random::<[u8; 8]>()));
        let admin = super::connect::open_plain_postgres(&server).await.unwrap();
        admin
            .execute_unprepared(&format!("CREATE DATABASE {name}"))
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
    pub(crate) async fn all() -> Vec<Self> {
        let mut all = vec![Self::sqlite().await];
        all.extend(Self::postgres().await);
        all
    }

    /// A second gateway's connection to the same database.
    pub(crate) async fn again(&self) -> Db {
        Db::open(&self.url, Access::Beside, Hub::default())
            .await
            .unwrap()
    }

    /// Drops the database of a server. Files are removed automatically.
    pub(crate) async fn remove(self) {
        self.db.close().await;
        if self.db.backend() == Backend::Postgres {
            let mut server = url::Url::parse(&self.url).unwrap();
            let name = server.path().trim_start_matches('/').to_owned();
            server.set_path("postgres");
            let admin = super::connect::open_plain_postgres(server.as_str())
                .await
                .unwrap();
            admin
                .execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)"))
                .await
                .unwrap();
            admin.close().await.unwrap();
        }
    }
}
