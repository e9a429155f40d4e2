//! Starts and stops a gateway inside the test's process.

use std::path::Path;
use std::sync::Once;

use roost_gateway::app::{self, Surroundings, retained};
use roost_gateway::config::{self, Overrides};
use roost_platform::clock::{SharedClock, SystemClock};
use roost_platform::db::Db;
use roost_platform::ids::{SharedIds, UuidV7};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::{Change, ChangeContext};
use roost_test_database::template;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::{Client, Person, ScratchPostgres, bin_dir, catalogue, leftovers, people};

/// The database of a gateway.
#[derive(Debug, Clone)]
pub enum Store {
    /// `roost.db` in its data directory.
    Sqlite,
    /// A URL.
    Postgres(String),
}

/// The parts from which a test begins a change.
struct Below(Db, SharedClock, SharedIds);

impl ChangeContext for Below {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.0, &self.1, &self.2)
    }
}

/// A running gateway.
pub struct Gateway {
    app: app::Gateway,
    folder: TempDir,
    owner: OnceCell<Person>,
}

impl Gateway {
    /// A gateway on SQLite with the default configuration.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// A gateway on SQLite with some keys set, as with `--set`.
    pub async fn start_with(set: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::start_in(folder, &Store::Sqlite, set, Surroundings::default())
            .await
            .expect("the gateway starts")
    }

    /// A gateway on each database: SQLite, and PostgreSQL if `ROOST_TEST_POSTGRES_URL` names a server.
    pub async fn start_on_each() -> Vec<(Self, Option<ScratchPostgres>)> {
        let mut all = vec![(Self::start().await, None)];
        if let Some(scratch) = ScratchPostgres::new().await {
            all.push((Self::start_on(&scratch).await, Some(scratch)));
        }
        all
    }

    /// One more gateway on a PostgreSQL database.
    pub async fn start_on(scratch: &ScratchPostgres) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::Postgres(scratch.url().to_owned());
        Self::start_in(folder, &store, &[], Surroundings::default())
            .await
            .expect("the gateway starts")
    }

    /// A gateway with these keys set, on an existing PostgreSQL database or on its own SQLite file.
    pub async fn start_like(set: &[(&str, String)], scratch: Option<&ScratchPostgres>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = scratch.map_or(Store::Sqlite, |scratch| {
            Store::Postgres(scratch.url().to_owned())
        });
        let set: Vec<(&str, &str)> = set.iter().map(|(key, value)| (*key, &**value)).collect();
        Self::start_in(folder, &store, &set, Surroundings::default())
            .await
            .expect("the gateway starts")
    }

    /// A gateway with all parameters, for tests of the start itself.
    ///
    /// # Errors
    /// See the gateway's own start.
    pub async fn start_in(
        folder: TempDir,
        store: &Store,
        set: &[(&str, &str)],
        around: Surroundings,
    ) -> Result<Self, app::StartupError> {
        prepare_process();
        let config = configuration(folder.path(), store, set);
        if let Store::Sqlite = store {
            template::copy_sqlite(&folder.path().join("roost.db"), catalogue::load).await;
        }
        let app = app::Gateway::start(config, around).await?;
        Ok(Self {
            app,
            folder,
            owner: OnceCell::new(),
        })
    }

    /// The gateway itself, for tests below the API.
    pub fn app(&self) -> &app::Gateway {
        &self.app
    }

    /// Begins a change in the owner's workspace, with the owner's authority, for tests below the API.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn change(&self, owner: &Person) -> Change {
        let clock = SystemClock::shared();
        let ids = UuidV7::shared(clock.clone());
        let context = Below(self.app().db().clone(), clock, ids);
        let scope = WorkspaceScope::of_row(owner.workspace.parse().expect("an id"));
        let user = owner.id.parse().expect("an id");
        let change = Change::begin(&context, scope, user).await;
        change.expect("a change begins")
    }

    /// `http://127.0.0.1:<port>`
    pub fn url(&self) -> String {
        format!("http://{}", self.app.public_address())
    }

    /// A client of the operators' listener, with its token.
    pub fn operators(&self) -> Client {
        let file = self.data_dir().join("operator-token");
        let token = std::fs::read_to_string(file).expect("the gateway made one");
        self.operators_listener().with_token(token.trim())
    }

    /// A client of the operators' listener without a token.
    pub fn operators_listener(&self) -> Client {
        Client::new(&format!("http://{}", self.app.operator_address()))
    }

    /// A client without credentials.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.url())
    }

    /// The data directory.
    pub fn data_dir(&self) -> &Path {
        self.folder.path()
    }

    /// The first Owner, signed in with the one-time login of the first start.
    pub async fn owner(&self) -> &Person {
        self.owner
            .get_or_init(|| async {
                let file = self.data_dir().join("first-login");
                let token = std::fs::read_to_string(file).expect("a first login");
                people::sign_in(self, serde_json::json!({ "one_time": token.trim() })).await
            })
            .await
    }

    /// A new person in the Owner's workspace with this role (`viewer`, `member`, `admin`, `owner`).
    pub async fn person(&self, role: &str) -> Person {
        let workspace = self.owner().await.workspace.clone();
        people::join(self, &workspace, role).await
    }

    /// A new person who owns a separate workspace.
    pub async fn stranger(&self) -> Person {
        people::stranger(self).await
    }

    /// Stops it in order, and removes its containers and its folder.
    pub async fn stop(self) {
        let folder = self.stop_and_keep().await;
        leftovers::remove_containers(&folder.path().join("local-engine"));
    }

    /// Stops it in order and returns the data directory, for a second start.
    pub async fn stop_and_keep(self) -> TempDir {
        let report = self.app.shutdown().await;
        assert!(
            report.killed.is_empty() && report.abandoned.is_empty(),
            "everything stops within its grace period: {report:?}"
        );
        let unknown = retained::folders_without_an_entry(self.folder.path());
        assert_eq!(
            unknown.expect("the data folder is read"),
            [""; 0],
            "say in gateway/src/app/retained.rs how long they are kept"
        );
        self.folder
    }
}

/// The configuration of a gateway in a test: free ports, its own folder, nothing from the environment.
pub fn configuration(folder: &Path, store: &Store, set: &[(&str, &str)]) -> config::Config {
    let file = folder.join("roost.toml");
    if !file.exists() {
        std::fs::write(&file, "").expect("a configuration file");
    }
    let mut all: Vec<(String, String)> = [
        ("listen", "127.0.0.1:0"),
        ("operator_listen", "127.0.0.1:0"),
        ("data_dir", &folder.display().to_string()),
        // A test that needs a broker starts the real program, which is not beside the test's own.
        ("broker.start", "off"),
        // The real program; `deploy/pdf.sh` builds it.
        (
            "pdf_renderer",
            &bin_dir().join("roost-pdf").display().to_string(),
        ),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .into();
    if let Store::Postgres(url) = store {
        all.push(("database.url".to_owned(), url.clone()));
    }
    all.extend(
        set.iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
    );
    let overrides = Overrides {
        file: Some(file),
        set: all,
        without_environment: true,
    };
    config::load(&overrides)
        .expect("the test's configuration is valid")
        .0
}

/// Once per process: sets the crypto provider, and logging if `ROOST_TEST_LOG` is set.
pub(crate) fn prepare_process() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error means that a provider is already set.
        drop(rustls::crypto::ring::default_provider().install_default());
        if let Ok(filter) = std::env::var("ROOST_TEST_LOG") {
            tracing_subscriber::fmt()
                .with_env_filter(filter)
                .with_test_writer()
                .init();
        }
    });
}
