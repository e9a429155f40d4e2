//! `roost-broker serve`: from arguments to a broker that listens, and back down.

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
use crate::egress::{AddressPolicy, EgressSettings, Outlet};
use crate::git::{self, MirrorLimits, Mirrors};
use crate::oauth::OAuth;
use crate::root::{KeySource, Keyring, Root, Transit, TransitSettings};
use crate::server::{Broker, Counters, Limits, Listener, Peers, SocketAccess};
use crate::store::{FolderLock, Store, StoreError};
use crate::{process, users};

/// How long a broker that is being stopped is waited for: the gateway was killed and starts again.
const PREDECESSOR: Duration = Duration::from_secs(10);
/// How long exchanges under way may go on when the broker stops.
const GRACE: Duration = Duration::from_secs(10);
/// How often sign-ins that nobody came back from are looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// Runs until it is told to stop.
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
    let outlet = Outlet::new(settings)?;
    let mut warnings = process::warnings(&users);
    warnings.extend(git::missing().await);
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
    let mirrors = Mirrors::new(args.data_dir.join("mirrors"), outlet.clone(), limits);
    mirrors
        .sweep(&store.names())
        .await
        .context("the folder of mirrors cannot be read")?;
    let broker = Broker {
        mirrors,
        oauth: OAuth::new(store.clone(), outlet.clone()),
        outlet,
        audit: audit.clone(),
        audit_folder,
        peers: Arc::new(Peers::new(&users, &administrators)),
        limits: Limits::default(),
        counters: Arc::new(Counters::default()),
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

/// Says whether a broker would start with these options, beside one that runs or before there is one.
pub async fn check(args: Serve) -> anyhow::Result<()> {
    let empty = Store::is_empty(&args.data_dir)
        .with_context(|| format!("{} cannot be read", args.data_dir.display()))?;
    if empty {
        // Nor is the first start's root key made here.
        println!("nothing is kept yet");
        return Ok(());
    }
    let settings = EgressSettings {
        ca_file: args.ca_file.clone(),
        ..EgressSettings::default()
    };
    let root = root(&args, &settings).await?;
    let (records, damaged) =
        Store::look(&args.data_dir, &root).context("the store cannot be opened")?;
    anyhow::ensure!(damaged.is_empty(), "{}", damaged.join("; "));
    println!("{records} records under the root key {}", root.active());
    Ok(())
}

/// Waits a little for a predecessor that is being stopped.
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
        let transit = Transit::open(transit, Outlet::to_vault(settings)?).await;
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

/// A rekey that was cut off is ended; then old sign-ins are swept and the audit log reaches the disk, for ever.
async fn keep_house(store: Store, audit: Audit, to_rekey: bool) {
    if (to_rekey || store.root().has_older())
        && let Err(error) = store.continue_rekey().await
    {
        tracing::error!(error = %crate::egress::chain(&error), "a rekey that was cut off cannot be ended");
    }
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut swept = tokio::time::Instant::now();
    loop {
        second.tick().await;
        audit.sync_soon();
        if swept.elapsed() >= SWEEP {
            swept = tokio::time::Instant::now();
            if let Err(error) = store.sweep_sign_ins().await {
                tracing::warn!(error = %crate::egress::chain(&error), "old sign-ins cannot be swept");
            }
        }
    }
}

fn stop_on_signals(stop: &CancellationToken, until_input_ends: bool) -> anyhow::Result<()> {
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let told = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        told.cancel();
    });
    if until_input_ends {
        let input = std::io::stdin().as_fd().try_clone_to_owned()?;
        let mut input = pipe::Receiver::from_owned_fd(input).context(
            "--until-input-ends is for a program that starts the broker with a pipe as its input",
        )?;
        let told = stop.clone();
        tokio::spawn(async move {
            let mut byte = [0_u8; 64];
            while input.read(&mut byte).await.is_ok_and(|count| count > 0) {}
            told.cancel();
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
