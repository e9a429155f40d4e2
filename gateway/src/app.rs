//! The one place that wires everything: starts a gateway from its configuration, and stops it.

mod catalogue;
mod contexts;
mod ends;
mod hosts;
mod identity;
mod links;
mod machines;
pub mod notices;
mod private;
pub mod retained;
pub mod retention;
mod sagas;
mod shared;
mod sockets;
mod toolbox;
mod work;

pub(crate) use machines::chunk_store;
pub use private::write_private;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use private::make_data_dir;
use secrecy::ExposeSecret;
use shared::Shared;
use sockets::{bind, local, tls};
use tokio_util::sync::CancellationToken;

use crate::app::retention::Sweeper;
use crate::config::Config;
use crate::edge::server::operator_gate::OperatorGate;
use crate::edge::server::router;
use crate::edge::server::serve::Listener;
use crate::tree::{self, Parts};
use roost_connections::apps::AppCaller;
use roost_connections::doors::ApprovalExecutor;
use roost_connections::repos;
use roost_execution::runs::{RunWakes, RunsHandle, StepExecutor};
use roost_execution::tools::Toolbox;
use roost_machines::fleet::local::LocalExecutor;
use roost_machines::fleet::operations::OperationsHandle;
use roost_machines::sandboxes::ChunkStoreError;
use roost_missions::narratives::{self, NarrativesContext};
use roost_missions::{missions, routines};
use roost_platform::broker::BrokerHandle;
use roost_platform::broker::outbox::CredentialSweeper;
use roost_platform::clock::{SharedClock, SystemClock};
use roost_platform::db::{Access, Db, DbError};
use roost_platform::events::{EventLog, Hub};
use roost_platform::ids::{SharedIds, UuidV7};
use roost_platform::outbound::Outbound;
use roost_platform::sagas::SagaDriver;
use roost_platform::supervision::killpoints::ArmError;
use roost_platform::supervision::{
    KillPoints, Nudge, ShutdownReport, StartError, Tree, TreeEnd, TreeOptions,
};
use roost_tenancy::audit::ChainWriter;
use roost_tenancy::auth::{AuthError, OpenStreams, RefusedSignIns};
use roost_tenancy::streams::LiveHandle;

/// What tests may replace.
#[derive(Clone)]
pub struct Surroundings {
    pub clock: SharedClock,
    pub kill_points: Option<KillPoints>,
    /// Replaces the step executor, in load programs that measure only the runs.
    pub step_executor: Option<Arc<dyn StepExecutor>>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            clock: SystemClock::shared(),
            kill_points: None,
            step_executor: None,
        }
    }
}

/// Why a gateway did not start. Each message states what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartupError {
    #[error(
        "the token of the operators' listener cannot be read from {path} (`operator_token_file`)"
    )]
    OperatorToken {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("cannot listen on {address}; choose another address with `{key}`")]
    Listen {
        key: &'static str,
        address: SocketAddr,
        source: std::io::Error,
    },
    #[error("cannot use the certificate and key of `tls.cert` and `tls.key`")]
    Tls(#[source] std::io::Error),
    #[error("cannot create or write {path}")]
    DataDir {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    Db(#[from] DbError),
    #[error("cannot use the authorities of `outbound.ca_file`")]
    Outbound(#[source] anyhow::Error),
    #[error("cannot prepare sign-in")]
    Auth(#[from] AuthError),
    #[error("cannot use the script of `runs.script`")]
    Script(#[from] roost_execution::providers::scripted::ScriptError),
    #[error("cannot arm a kill point")]
    Chaos(#[from] ArmError),
    #[error("cannot use the store of chunks (`snapshots.store`)")]
    Chunks(#[from] ChunkStoreError),
    #[error("a part of the gateway did not start")]
    Tree(#[from] StartError),
}

/// A running gateway.
pub struct Gateway {
    tree: Tree,
    sweeper: Sweeper,
    db: Db,
    operations: OperationsHandle,
    events: EventLog,
    broker: BrokerHandle,
    toolbox: Toolbox,
    runs: RunsHandle,
    draining: CancellationToken,
    local_executor: Option<LocalExecutor>,
    public: SocketAddr,
    operator: SocketAddr,
    /// The one-time login that is also in the file `first-login`, to show on the terminal.
    first_login: Option<FirstLogin>,
}

/// The gate of the operators' listener. Its token stays the same over restarts, so that metrics scrapers keep working.
fn operator_gate(config: &Config) -> Result<OperatorGate, StartupError> {
    let file = config.operator_token_file();
    let failed = |source| StartupError::OperatorToken {
        path: file.clone(),
        source,
    };
    let token = match std::fs::read_to_string(&file) {
        Ok(token) if token.trim().len() >= LEAST_OPERATOR_TOKEN => token,
        Ok(_) => {
            return Err(failed(std::io::Error::other(
                "it has fewer than 16 characters",
            )));
        }
        Err(error)
            if error.kind() == std::io::ErrorKind::NotFound
                && config.operator_token_file.is_none() =>
        {
            let token = roost_tenancy::auth::Token::fresh("rop_")?;
            write_private(&file, token.reveal()).map_err(failed)?;
            token.reveal().to_owned()
        }
        Err(error) => return Err(failed(error)),
    };
    Ok(OperatorGate::new(&token, &file, &config.operator_hosts))
}

/// The fewest characters of the token of the operators' listener. A generated token has more.
const LEAST_OPERATOR_TOKEN: usize = 16;

/// The sign-in of the first person.
pub struct FirstLogin {
    pub email: String,
    pub token: roost_tenancy::auth::Token,
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
        make_data_dir(&config.data_dir).map_err(|source| StartupError::DataDir {
            path: config.data_dir.clone(),
            source,
        })?;
        let public = bind("listen", config.listen)?;
        let operator = bind("operator_listen", config.operator_listen)?;
        let (public_address, operator_address) = (local(&public), local(&operator));
        let tls = tls(&config).await?;
        let gate = operator_gate(&config)?;

        let clock = around.clock.clone();
        let ids: SharedIds = UuidV7::shared(clock.clone());
        let kill_points = match around.kill_points {
            Some(given) => given,
            None => KillPoints::configured(config.chaos_allow, &config.chaos_arm)?,
        };
        let hub = Hub::default();
        let db = Db::open(
            config.database_url.expose_secret(),
            Access::Serve,
            hub.clone(),
        )
        .await?;
        catalogue::load(&db, &clock).await?;
        let first_login = identity::first_login(&config, &db, &clock, &ids).await?;

        let saga_nudge = Nudge::default();
        let wakes = RunWakes::default();
        let (credential_nudge, door_nudge) = (Nudge::default(), Nudge::default());
        let broker = BrokerHandle::new(config.broker_socket());
        let outbound = Outbound::new(&config.outbound).map_err(StartupError::Outbound)?;
        let apps = AppCaller {
            db: db.clone(),
            broker: broker.clone(),
            apis: Arc::new(config.oauth.apis.clone()),
        };
        let open_streams = OpenStreams::default();
        let (branches, handles) = tree::branches();
        let events = EventLog::new(
            db.clone(),
            hub.clone(),
            clock.clone(),
            ids.clone(),
            handles.events.clone(),
        );
        let draining = CancellationToken::new();
        let live = LiveHandle::new(
            config.limits.streams,
            open_streams.clone(),
            ids.clone(),
            handles.live.clone(),
            draining.clone(),
        );
        let shared = Shared {
            config: &config,
            db: &db,
            clock: &clock,
            ids: &ids,
            draining: draining.clone(),
            view: Arc::default(),
            handles,
            hub: hub.clone(),
            events: events.clone(),
            saga_nudge: saga_nudge.clone(),
            credential_nudge: credential_nudge.clone(),
            mail_nudge: Nudge::default(),
            door_nudge: door_nudge.clone(),
            mirror_nudge: Nudge::default(),
            broker: broker.clone(),
            apps: apps.clone(),
            outbound,
            public_address: shared::public_address(&config, &db)?,
            kill_points: kill_points.clone(),
            open_streams: open_streams.clone(),
            live,
            wakes: wakes.clone(),
        };
        let machines = machines::machines(&shared).await?;
        let operations = machines.operations.clone();
        let fleet = machines.state.fleet.clone();
        let hosted = identity::hosted(&shared);
        let work = work::work(
            &shared,
            machines.sandboxes.clone(),
            machines.replica.clone(),
            around.step_executor.clone(),
        )?;
        let toolbox = work.agents.tools.clone();
        let checkouts = work.agents.checkouts.clone();
        let runs = work.runs.clone();
        let contexts = contexts::contexts(
            &shared,
            machines.state,
            (machines.sandboxes.clone(), machines.images, machines.chunks),
            &work,
            hosted.clone(),
        )?;
        let operator_context = contexts.operator.clone();
        let layers = contexts::layers(&shared, hosted);
        let (public_connections, operator_connections) = sockets::connections(&config);
        let listener = |socket, router, tls, connections| Listener {
            socket: Arc::new(socket),
            router,
            tls,
            header_timeout: config.limits.header_timeout,
            stalled: config.limits.stalled,
            connections,
        };
        let view = shared.view.clone();
        let asking_runs = Arc::new(links::StepsOfDoors(wakes));
        let sweeper = Sweeper {
            db: db.clone(),
            clock: clock.clone(),
            events: config.events,
            outputs: config.runs.outputs,
            fleet: fleet.clone(),
            supplies: config.data_dir.join(private::SUPPLIES),
            credentials: credential_nudge.clone(),
            owner: ids.next().to_string(),
        };
        let parts = Parts {
            db: db.clone(),
            hub,
            branches,
            sweeper: sweeper.clone(),
            sagas: SagaDriver {
                db: db.clone(),
                clock: clock.clone(),
                kill_points: kill_points.clone(),
                handlers: sagas::handlers(
                    &ids,
                    sweeper.supplies.clone(),
                    fleet,
                    machines.sandboxes.clone(),
                    runs.clone(),
                    asking_runs.clone(),
                ),
                owner: ids.next().to_string(),
            },
            saga_nudge,
            audit_chain: ChainWriter {
                db: db.clone(),
                kill_points: kill_points.clone(),
                owner: ids.next().to_string(),
            },
            open_streams,
            live: shared.live.clone(),
            clock: clock.clone(),
            broker: config.embedded_broker(),
            credentials: CredentialSweeper {
                db: db.clone(),
                clock: clock.clone(),
                broker: broker.clone(),
            },
            credential_nudge,
            refused_sign_ins: RefusedSignIns {
                db: db.clone(),
                ids: ids.clone(),
            },
            mail: notices::sender(&shared),
            mail_nudge: shared.mail_nudge.clone(),
            notices: notices::of(&shared),
            doors: ApprovalExecutor {
                db: db.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
                apps,
                checkouts,
                kill_points: kill_points.clone(),
                runs: asking_runs.clone(),
            },
            door_nudge,
            fleet: machines.branch,
            sandboxes: machines.sandboxes_branch,
            repos: repos::branch(&contexts.repos),
            committer: runs.lane(),
            runs: work.branch,
            missions: missions::branch(&contexts.missions, work.live_missions)
                .child(routines::child(&contexts.routines))
                .child(narratives::child(&NarrativesContext {
                    missions: contexts.missions.clone(),
                    models: contexts.levelups.models.clone(),
                })),
            public: listener(
                public,
                router::public(contexts, &layers),
                tls,
                public_connections,
            ),
            operator: listener(
                operator,
                router::operators(operator_context, &layers, gate),
                None,
                operator_connections,
            ),
        };
        let options = TreeOptions {
            clock,
            kill_points,
            ..TreeOptions::default()
        };
        let tree = Tree::start(options, tree::root(parts)).await?;
        // No other line sets it, so this cannot fail.
        let _ = view.set(tree.view());
        tracing::info!(public = %public_address, operator = %operator_address, build = roost_platform::BUILD_ID, "ready");
        Ok(Self {
            tree,
            sweeper,
            operations,
            db,
            events,
            broker,
            toolbox,
            runs,
            draining,
            local_executor: machines.local_executor,
            public: public_address,
            operator: operator_address,
            first_login,
        })
    }

    /// The address of pages and the API.
    pub fn public_address(&self) -> SocketAddr {
        self.public
    }

    /// The address of metrics and operator routes.
    pub fn operator_address(&self) -> SocketAddr {
        self.operator
    }

    /// The database, for tests that check rows directly.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The handle for ephemeral events.
    pub fn events(&self) -> &EventLog {
        &self.events
    }

    /// The secret broker.
    pub fn broker(&self) -> &BrokerHandle {
        &self.broker
    }

    /// The sweeper of the retention, for tests that do not wait for its next round.
    pub fn sweeper(&self) -> &Sweeper {
        &self.sweeper
    }

    /// The operations of this gateway, for tests that check them directly.
    pub fn operations(&self) -> &OperationsHandle {
        &self.operations
    }

    /// The tools of agents, for tests that call them as a run does.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// The runs, for load programs that queue them without a request for each.
    pub fn runs(&self) -> &RunsHandle {
        &self.runs
    }

    /// The tree, for tests that kill parts of it.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The one-time login of the first start. The first call takes it.
    pub fn take_first_login(&mut self) -> Option<FirstLogin> {
        self.first_login.take()
    }

    /// Resolves when the tree gives up (or was shut down).
    pub async fn ended(&self) -> TreeEnd {
        self.tree.ended().await
    }

    /// Drains and stops everything in reverse order, then closes the database.
    pub async fn shutdown(&self) -> ShutdownReport {
        self.draining.cancel();
        let report = self.tree.shutdown(SHUTDOWN).await;
        if let Some(executor) = &self.local_executor {
            executor.shutdown().await;
        }
        self.db.close().await;
        report
    }
}
