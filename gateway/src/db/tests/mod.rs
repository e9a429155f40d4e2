//! The database layer on SQLite, and on PostgreSQL where `ROOST_TEST_POSTGRES_URL` names a server: each test runs on both,
//! on a database of its own.

mod backups;
mod leases;
mod schema;
mod transactions;

use sea_orm::ConnectionTrait;

use super::{Access, Backend, Db};
use crate::events::Hub;

/// A database that is gone when the test is over.
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
        let db = Db::open(&url, Access::Beside, Hub::default())
            .await
            .unwrap();
        Self { db, url, folder }
    }

    /// A fresh PostgreSQL database, where there is a server; with `CI=true` there must be one.
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

    /// All back ends there are here.
    pub(crate) async fn all() -> Vec<Self> {
        let mut all = vec![Self::sqlite().await];
        all.extend(Self::postgres().await);
        all
    }

    /// A second gateway's view of the same database.
    pub(crate) async fn again(&self) -> Db {
        Db::open(&self.url, Access::Beside, Hub::default())
            .await
            .unwrap()
    }

    /// Drops the database of a server; files go by themselves.
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
