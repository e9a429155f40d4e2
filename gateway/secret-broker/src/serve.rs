//! `roost-broker serve`: builds a broker from its arguments, runs it and shuts it down.

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rustix::process::geteuid;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::args::Serve;
use crate::audit::Audit;
use crate::clock::Clock;
use crate::egress::{AddressPolicy, EgressSettings, HttpClient};
use crate::git::{self, MirrorLimits, Mirrors};
use crate::oauth::{ClientSecrets, OAuth};
use crate::root::{KeySource, Keyring, Root, Transit, TransitSettings};
use crate::server::{Broker, Cleaning, Counters, Limits, Listener, Peers, SocketAccess};
use crate::store::{FolderLock, Store, StoreError};
use crate::{disk, process, users};

/// How long to wait for a broker that is stopping: the gateway was killed and starts again.
const PREDECESSOR: Duration = Duration::from_secs(10);
/// How long running exchanges may continue when the broker stops.
const GRACE: Duration = Duration::from_secs(10);
/// How often abandoned sign-ins are removed.
const SWEEP: Duration = Duration::from_secs(60);

/// Runs until it receives a stop signal.
pub async fn run(args: Serve) -> anyhow::Result<()> {
    let stop = CancellationToken::new();
    stop_on_signals(&stop, args.until_input_ends)?;
    let users = numbers(&args.allow, &[geteuid().as_raw()])?;
    let administrators = numbers(&args.admin, &[geteuid().as_raw(), 0])?;
    let settings = EgressSettings {
        policy: AddressPolicy::new(args.allow_private.clone()),
        ca_file: args.ca_file.clone(),
        ..EgressSettings::default()
    };
    let lock = take(&args.data_dir, &stop).await?;
    let mended = disk::mend(&args.data_dir, args.group_socket).with_context(|| {
        format!(
            "cannot remove other users' rights from {}",
            args.data_dir.display()
        )
    })?;
    if mended > 0 {
        tracing::warn!(mended, folder = %args.data_dir.display(), "other users of this machine could read these files or folders; now only this user can");
    }
    let root = root(&args, &settings).await?;
    let clock = Clock::system();
    let store = Store::open(args.data_dir.clone(), lock, root, clock.clone())
        .await
        .context("the store cannot be opened")?;
    for damaged in store.damaged() {
        tracing::error!("{damaged}");
    }
    let audit_folder = args.data_dir.join("audit");
    let audit =
        Audit::open(&audit_folder, clock.clone()).context("the audit log cannot be opened")?;
    let http_client = HttpClient::new(settings)?;
    let mut warnings = process::warnings(&users);
    warnings.extend(git::missing().await);
    let client_secrets = ClientSecrets::new(&args.client_secret);
    warnings.extend(client_secrets.problems().await);
    for warning in &warnings {
        tracing::warn!("{warning}");
    }
    let access = if args.group_socket {
        SocketAccess::Group
    } else {
        SocketAccess::Owner
    };
    let socket = args
        .socket
        .unwrap_or_else(|| args.data_dir.join("run/broker.sock"));
    let limits = MirrorLimits {
        most: args.mirror_mib.saturating_mul(1 << 20),
        ..MirrorLimits::default()
    };
    let mirrors = Mirrors::new(args.data_dir.join("mirrors"), http_client.clone(), limits);
    mirrors
        .sweep(&store.names())
        .await
        .context("the folder of mirrors cannot be read")?;
    let broker = Broker {
        mirrors,
        oauth: OAuth::new(store.clone(), http_client.clone(), client_secrets),
        http_client,
        audit: audit.clone(),
        audit_folder,
        peers: Arc::new(Peers::new(&users, &administrators)),
        limits: Limits::default(),
        counters: Arc::new(Counters::default()),
        cleaning: Cleaning::default(),
        started_ms: clock.now_ms(),
        warnings: Arc::new(warnings),
        store: store.clone(),
    };
    let listener = Listener::bind(&socket, access)?;
    let (records, _, to_rekey) = store.counts();
    tracing::info!(socket = %socket.display(), records, root_key = %store.root().active(), "ready");
    let housekeeping = tokio::spawn(keep_house(store, audit.clone(), to_rekey > 0));
    listener.serve(broker, stop, GRACE).await;
    housekeeping.abort();
    audit.sync().await;
    tracing::info!("stopped");
    Ok(())
}

/// Checks whether a broker would start with these options. A broker may be running, or none may have started yet.
pub async fn check(args: Serve) -> anyhow::Result<()> {
    let problems = ClientSecrets::new(&args.client_secret).problems().await;
    anyhow::ensure!(problems.is_empty(), "{}", problems.join("; "));
    let empty = Store::is_empty(&args.data_dir)
        .with_context(|| format!("{} cannot be read", args.data_dir.display()))?;
    if empty {
        // The check also does not make the first start's root key.
        println!("no records yet");
        return Ok(());
    }
    let settings = EgressSettings {
        ca_file: args.ca_file.clone(),
        ..EgressSettings::default()
    };
    let root = root(&args, &settings).await?;
    let (records, damaged) =
        Store::inspect(&args.data_dir, &root).context("the store cannot be opened")?;
    anyhow::ensure!(damaged.is_empty(), "{}", damaged.join("; "));
    println!("{records} records under the root key {}", root.active());
    Ok(())
}

/// Waits briefly for an earlier broker that is stopping.
async fn take(folder: &std::path::Path, stop: &CancellationToken) -> anyhow::Result<FolderLock> {
    let until = tokio::time::Instant::now() + PREDECESSOR;
    loop {
        match FolderLock::take(folder) {
            Err(StoreError::InUse(_))
                if tokio::time::Instant::now() < until && !stop.is_cancelled() =>
            {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            taken => return taken.context("the data folder cannot be used"),
        }
    }
}

async fn root(args: &Serve, settings: &EgressSettings) -> anyhow::Result<Root> {
    let empty = Store::is_empty(&args.data_dir)
        .with_context(|| format!("{} cannot be read", args.data_dir.display()))?;
    if let (Some(address), Some(token_file)) = (&args.vault, &args.vault_token_file) {
        let transit = TransitSettings {
            address: address.clone(),
            mount: args.vault_mount.trim_matches('/').to_owned(),
            key: args.vault_key.clone(),
            token_file: token_file.clone(),
        };
        let transit = Transit::open(transit, HttpClient::to_vault(settings)?).await;
        return Ok(Root::Transit(
            transit.context("the root key cannot be used")?,
        ));
    }
    let credential = std::env::var_os("CREDENTIALS_DIRECTORY")
        .map(|folder| PathBuf::from(folder).join("roost-broker-key"))
        .filter(|path| path.exists());
    let source = match (&args.root_key_file, credential) {
        (Some(file), _) => KeySource::File(file.clone()),
        (None, Some(credential)) => KeySource::Credential(credential),
        (None, None) => KeySource::File(args.data_dir.join("root-key")),
    };
    let keyring = Keyring::open(source, empty).context("the root key cannot be used")?;
    Ok(Root::Keyring(keyring))
}

/// Finishes an interrupted rekey; then removes old sign-ins and syncs the audit log, for ever.
async fn keep_house(store: Store, audit: Audit, to_rekey: bool) {
    if (to_rekey || store.root().has_older())
        && let Err(error) = store.continue_rekey().await
    {
        tracing::error!(error = %crate::egress::chain(&error), "an interrupted rekey cannot be finished");
    }
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut swept = tokio::time::Instant::now();
    loop {
        second.tick().await;
        audit.sync_soon();
        if swept.elapsed() >= SWEEP {
            swept = tokio::time::Instant::now();
            if let Err(error) = store.sweep_sign_ins().await {
                tracing::warn!(error = %crate::egress::chain(&error), "cannot remove old sign-ins");
            }
        }
    }
}

fn stop_on_signals(stop: &CancellationToken, until_input_ends: bool) -> anyhow::Result<()> {
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stopping.cancel();
    });
    if until_input_ends {
        let input = std::io::stdin().as_fd().try_clone_to_owned()?;
        let mut input = pipe::Receiver::from_owned_fd(input)
            .context("--until-input-ends needs a pipe as standard input")?;
        let stopping = stop.clone();
        tokio::spawn(async move {
            let mut byte = [0_u8; 64];
            while input.read(&mut byte).await.is_ok_and(|count| count > 0) {}
            stopping.cancel();
        });
    }
    Ok(())
}

fn numbers(given: &[String], default: &[u32]) -> anyhow::Result<Vec<u32>> {
    if given.is_empty() {
        return Ok(default.to_vec());
    }
    given.iter().map(|user| users::number(user)).collect()
}
