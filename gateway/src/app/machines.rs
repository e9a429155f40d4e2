//! Wiring of the machines wing: the fleet with its operations, the engine on this host, the sandboxes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;

use super::links::{Owners, StepsOfMachines};
use super::{Shared, StartupError};
use crate::config::Config;
use roost_machines::fleet::local::{self, LocalBounds, LocalExecutor, LocalImages, LocalSettings};
use roost_machines::fleet::operations::OperationsHandle;
use roost_machines::fleet::{self, FleetContext, FleetParts, FleetSettings};
use roost_machines::images::{self, Archives, Catalogue, ImagesContext};
use roost_machines::sandboxes::{
    self, ChunkPlace, ChunkStore, Exchange, LocalChunks, SandboxesHandle,
};
use roost_platform::db::DbError;
use roost_platform::supervision::{AnyChild, SupervisorSpec};
use roost_secret_broker::outbound::{Dial, client};

/// How many facts of the local engine may wait for their listener.
const LOCAL_FACTS: usize = 1024;

/// The folder of chunks below the data folder.
const CHUNKS: &str = "chunks";
/// The time limit of a connection to the bucket.
const CONNECT: Duration = Duration::from_secs(5);

/// The parts of the tree, and what the routes need.
pub(super) struct Machines {
    pub(super) branch: AnyChild,
    pub(super) sandboxes_branch: SupervisorSpec,
    pub(super) sandboxes: SandboxesHandle,
    /// Stops the engine on this host, where it is on.
    pub(super) local_executor: Option<LocalExecutor>,
    pub(super) state: FleetContext,
    pub(super) operations: OperationsHandle,
    /// The name of this process as the holder of machines.
    pub(super) replica: String,
    pub(super) images: ImagesContext,
    pub(super) chunks: ChunkStore,
}

/// The store of chunks that the configuration names. Only the operator chooses the bucket's address, so any may be dialled.
pub(crate) fn chunk_store(config: &Config) -> Result<ChunkStore, StartupError> {
    let ChunkPlace::Bucket(bucket) = &config.snapshots else {
        return Ok(ChunkStore::in_folder(&config.data_dir.join(CHUNKS))?);
    };
    let http = client(&Dial {
        policy: None,
        ca_file: config.outbound.ca_file.clone(),
        connect: CONNECT,
        lookup: None,
    });
    let http = http.map_err(StartupError::Outbound)?;
    Ok(ChunkStore::in_bucket(bucket.clone(), http)?)
}

/// Creates the parts.
pub(super) async fn machines(shared: &Shared<'_>) -> Result<Machines, StartupError> {
    let config = shared.config;
    let released = fleet::release_dead_holders(shared.db).await;
    released.map_err(DbError::statement(
        "cannot release the connections of a former run",
    ))?;
    let replica = shared.ids.next().to_string();
    let catalogue = Catalogue::new(&config.sandboxes.image, &config.sandboxes.images);
    let parts = FleetParts {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        events: shared.events.clone(),
        replica: replica.clone(),
        settings: FleetSettings {
            public_url: config.public_url.clone(),
            dist_dir: config.dist_dir.clone(),
            heartbeat_s: u32::try_from(config.heartbeat.as_secs()).unwrap_or(u32::MAX),
            image: config.sandboxes.image.clone(),
            images: catalogue.wanted(),
        },
        waiting_work: Arc::new(StepsOfMachines(shared.wakes.clone())),
    };
    let (branch, fleet) = fleet::branch(parts, shared.hub.clone());
    let operations = fleet.operations().clone();
    let (local_facts, _) = broadcast::channel(LOCAL_FACTS);
    let (bounds, held_here) = (LocalBounds::default(), LocalImages::default());
    let images = ImagesContext {
        db: shared.db.clone(),
        catalogue: catalogue.clone(),
        archives: Archives::new(
            &config.data_dir,
            config.sandboxes.engine.clone(),
            held_here.clone(),
        ),
    };
    let chunks = chunk_store(config)?;
    let exchange = Exchange::new(shared.db.clone(), shared.clock.clone(), chunks.clone());
    let settings = LocalSettings {
        state_dir: local::state_dir(&config.data_dir),
        engine: config.sandboxes.engine.clone(),
        image: config.sandboxes.image.clone(),
        policy: config.sandboxes.policy.clone(),
        bounds: bounds.clone(),
        wanted_images: catalogue.wanted(),
        images: held_here.clone(),
        snapshots: Arc::new(LocalChunks(exchange.clone())),
        facts: local_facts.clone(),
    };
    let engine = || local::child(operations.clone(), shared.ids.clone(), settings);
    let (local_engine, local_executor) = config.sandboxes.local.then(engine).unzip();
    let (transitions, jobs) = sandboxes::transitions();
    let handle = SandboxesHandle::new(sandboxes::Parts {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        plans: Arc::new(config.plans.clone()),
        operations: operations.clone(),
        jobs,
        settings: sandboxes::Settings {
            images: catalogue,
            replica: replica.clone(),
            commands: config.limits.commands,
            local: bounds,
            held: held_here.clone(),
        },
        owners: Arc::new(Owners {
            db: shared.db.clone(),
        }),
        exchange,
    });
    let sandboxes_branch =
        sandboxes::branch(&handle, transitions, local_engine, &fleet, &local_facts);
    let recorder = images::recorder(images.clone(), held_here, shared.clock.clone());
    let packer = images.archives.packer();
    let sandboxes_branch = sandboxes_branch.child(recorder).child(packer);
    Ok(Machines {
        branch,
        sandboxes_branch,
        sandboxes: handle,
        local_executor,
        state: FleetContext {
            fleet,
            hub: shared.hub.clone(),
            live: shared.live.clone(),
            public_address: shared.public_address.clone(),
            behind_tls: config.is_behind_tls(),
        },
        operations,
        replica,
        images,
        chunks,
    })
}
