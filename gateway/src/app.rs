//! The one place that wires everything: from a configuration to a running gateway, and back down.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum_server::tls_rustls::RustlsConfig;
use secrecy::ExposeSecret;

use crate::clock::{SharedClock, SystemClock};
use crate::config::Config;
use crate::db::{Access, Db, DbError};
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, AuthLayer, Passwords, Throttle, commands};
use crate::domains::claws::purge::{DestroySandbox, SagaDriver};
use crate::domains::claws::routes::ClawsState;
use crate::domains::workspaces::routes::WorkspacesState;
use crate::events::Hub;
use crate::http::idempotency::IdempotencyLayer;
use crate::http::observe::Observer;
use crate::http::origin::OwnOrigin;
use crate::http::router::{self, Layers, States};
use crate::http::serve::Listener;
use crate::ids::{SharedIds, UuidV7};
use crate::supervision::{
    KillPoints, Nudge, ShutdownReport, StartError, Tree, TreeEnd, TreeOptions,
};
use crate::tree::{self, Parts};

/// What tests may replace.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub clock: SharedClock,
    pub kill_points: Option<KillPoints>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            clock: SystemClock::shared(),
            kill_points: None,
        }
    }
}

/// Why a gateway did not start. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartupError {
    #[error("cannot listen on {address}: {source}; choose another address with `{key}`")]
    Listen {
        key: &'static str,
        address: SocketAddr,
        source: std::io::Error,
    },
    #[error("cannot use the certificate and key of `tls.cert` and `tls.key`")]
    Tls(#[source] std::io::Error),
    #[error("cannot make or write {path}")]
    DataDir {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    Db(#[from] DbError),
    #[error("cannot prepare sign-in")]
    Auth(#[from] AuthError),
    #[error("a part of the gateway did not start")]
    Tree(#[from] StartError),
}

/// A running gateway.
pub struct Gateway {
    tree: Tree,
    db: Db,
    public: SocketAddr,
    operator: SocketAddr,
    /// A one-time login that waits in the file `first-login`, for whoever starts this on a terminal.
    first_login: Option<FirstLogin>,
}

/// Where the first person signs in.
pub struct FirstLogin {
    pub email: String,
    pub token: crate::domains::auth::Token,
    pub file: PathBuf,
}

/// How long a whole shutdown may take.
const SHUTDOWN: Duration = Duration::from_secs(30);

impl Gateway {
    /// Binds the sockets, opens and migrates the database, starts the tree.
    ///
    /// # Errors
    /// See [`StartupError`].
    pub async fn start(config: Config, around: Surroundings) -> Result<Self, StartupError> {
        std::fs::create_dir_all(&config.data_dir).map_err(|source| StartupError::DataDir {
            path: config.data_dir.clone(),
            source,
        })?;
        let public = bind("listen", config.listen)?;
        let operator = bind("operator_listen", config.operator_listen)?;
        let (public_address, operator_address) = (local(&public), local(&operator));
        let tls = tls(&config).await?;

        let clock = around.clock.clone();
        let ids: SharedIds = UuidV7::shared(clock.clone());
        let kill_points = around.kill_points.unwrap_or_else(|| {
            if config.chaos_allow {
                KillPoints::allowed()
            } else {
                KillPoints::forbidden()
            }
        });
        let hub = Hub::default();
        let db = Db::open(
            config.database_url.expose_secret(),
            Access::Serve,
            hub.clone(),
        )
        .await?;
        let first_login = first_login(&config, &db, &clock, &ids).await?;

        let saga_nudge = Nudge::default();
        let states = states(&config, &db, &clock, &ids, &saga_nudge)?;
        let layers = layers(&config, &db, &clock, &ids);
        let listener = |socket, router, tls| Listener {
            socket: Arc::new(socket),
            router,
            tls,
            header_timeout: config.limits.header_timeout,
        };
        let parts = Parts {
            sagas: SagaDriver {
                db: db.clone(),
                clock: clock.clone(),
                kill_points: kill_points.clone(),
                destroy_sandbox: destroy_sandbox(),
                owner: ids.next().to_string(),
            },
            saga_nudge,
            public: listener(public, router::public(states, &layers), tls),
            operator: listener(operator, router::operator(&layers), None),
        };
        let options = TreeOptions {
            clock,
            kill_points,
            ..TreeOptions::default()
        };
        let tree = Tree::start(options, tree::root(parts)).await?;
        tracing::info!(public = %public_address, operator = %operator_address, build = crate::BUILD_ID, "ready");
        Ok(Self {
            tree,
            db,
            public: public_address,
            operator: operator_address,
            first_login,
        })
    }

    /// Where pages and the API are.
    pub fn public_address(&self) -> SocketAddr {
        self.public
    }

    /// Where metrics and operator routes are.
    pub fn operator_address(&self) -> SocketAddr {
        self.operator
    }

    /// The database, for tests that look behind the API.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The tree, for tests that kill parts of it.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The one-time login of the first start; taken once.
    pub fn take_first_login(&mut self) -> Option<FirstLogin> {
        self.first_login.take()
    }

    /// Resolves when the tree gives up (or was shut down).
    pub async fn ended(&self) -> TreeEnd {
        self.tree.ended().await
    }

    /// Drains and stops everything in reverse order, then closes the database.
    pub async fn shutdown(&self) -> ShutdownReport {
        let report = self.tree.shutdown(SHUTDOWN).await;
        self.db.close().await;
        report
    }
}

fn states(
    config: &Config,
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
    saga_nudge: &Nudge,
) -> Result<States, AuthError> {
    let plans = Arc::new(config.plans.clone());
    Ok(States {
        auth: AuthState {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            passwords: Passwords::new()?,
            throttle: Throttle::default(),
            absolute: config.sessions.absolute,
            secure_cookies: config.is_behind_tls(),
        },
        workspaces: WorkspacesState {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            plans: plans.clone(),
        },
        audit: db.clone(),
        claws: ClawsState {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            plans,
            sagas: saga_nudge.clone(),
        },
    })
}

fn layers(config: &Config, db: &Db, clock: &SharedClock, ids: &SharedIds) -> Layers {
    let own_origin = config
        .public_url
        .as_ref()
        .map(|url| url.origin().ascii_serialization());
    Layers {
        observer: Observer {
            ids: ids.clone(),
            clock: clock.clone(),
        },
        auth: AuthLayer {
            db: db.clone(),
            clock: clock.clone(),
            own_origin: OwnOrigin(own_origin),
            operators: config.operators.clone().into(),
            idle: config.sessions.idle,
        },
        idempotency: IdempotencyLayer {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            body_limit: config.limits.body,
        },
        body_limit: config.limits.body,
    }
}

/// Until the `sandboxes` domain is wired in here, no agent can have a sandbox.
fn destroy_sandbox() -> DestroySandbox {
    Arc::new(|_, _| Box::pin(async { Ok(()) }))
}

fn bind(key: &'static str, address: SocketAddr) -> Result<TcpListener, StartupError> {
    TcpListener::bind(address).map_err(|source| StartupError::Listen {
        key,
        address,
        source,
    })
}

fn local(listener: &TcpListener) -> SocketAddr {
    listener
        .local_addr()
        .expect("a listener that was bound has an address")
}

async fn tls(config: &Config) -> Result<Option<RustlsConfig>, StartupError> {
    match &config.tls {
        None => Ok(None),
        Some(tls) => RustlsConfig::from_pem_file(&tls.cert, &tls.key)
            .await
            .map(Some)
            .map_err(StartupError::Tls),
    }
}

/// Makes the first Owner where there is none, and leaves the one-time login in a file that only this user reads. It is
/// never logged.
async fn first_login(
    config: &Config,
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<Option<FirstLogin>, StartupError> {
    let minutes = config.sessions.one_time_minutes;
    let file = config.data_dir.join("first-login");
    let Some(first) = commands::first_owner(db, clock, ids, minutes).await? else {
        // Somebody has a password: what is left of the file is of no use any more.
        if file.exists() {
            std::fs::remove_file(&file)
                .map_err(|source| StartupError::DataDir { path: file, source })?;
        }
        return Ok(None);
    };
    write_private(&file, first.token.reveal()).map_err(|source| StartupError::DataDir {
        path: file.clone(),
        source,
    })?;
    tracing::info!(file = %file.display(), minutes, "a one-time login for the Owner waits in this file");
    Ok(Some(FirstLogin {
        email: first.email,
        token: first.token,
        file,
    }))
}

fn write_private(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let fresh = path.with_extension("new");
    // The mode counts only for a file that is made: never write a secret into one that was there.
    match std::fs::remove_file(&fresh) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = std::fs::OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&fresh)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)
}
