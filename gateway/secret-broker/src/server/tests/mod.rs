//! The socket against unknown, invalid, slow and disconnecting peers; and the verbs through it.

mod forwards;
mod hostile;
mod people;
mod remote;
mod sign_ins;
mod verbs;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use roost_secret_broker::client::{Client, ClientError};
use roost_secret_broker::wire::{
    Allow, Answer, Fault, Inject, RecordName, Request, Secret, Store as StoreVerb,
};
use rustix::process::geteuid;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::clock::Clock;
use crate::egress::{AddressPolicy, EgressSettings};
use crate::oauth::ClientSecrets;
use crate::root::{KeySource, Keyring, Root};
use crate::store::FolderLock;

/// A broker on a socket in its own folder.
pub(super) struct Bench {
    pub folder: tempfile::TempDir,
    pub client: Client,
    pub broker: Broker,
    pub now: Arc<AtomicI64>,
    stop: CancellationToken,
    serving: Option<tokio::task::JoinHandle<()>>,
}

/// What a test may change.
pub(super) struct Setting {
    pub limits: Limits,
    pub egress: EgressSettings,
    pub users: Vec<u32>,
    pub administrators: Vec<u32>,
    pub client_secrets: ClientSecrets,
}

impl Default for Setting {
    fn default() -> Self {
        let own = geteuid().as_raw();
        Self {
            limits: Limits::default(),
            egress: EgressSettings {
                // The remotes of these tests run on this machine.
                policy: AddressPolicy::new(vec!["127.0.0.1".parse().unwrap()]),
                ..EgressSettings::default()
            },
            users: vec![own],
            administrators: vec![own],
            client_secrets: ClientSecrets::default(),
        }
    }
}

impl Bench {
    pub async fn new() -> Self {
        Self::with(Setting::default()).await
    }

    pub async fn with(setting: Setting) -> Self {
        // Only the first call installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let lock = FolderLock::take(&data).unwrap();
        let keyring = Keyring::open(KeySource::File(data.join("root-key")), true).unwrap();
        let now = Arc::new(AtomicI64::new(1_000_000));
        let clock = {
            let now = now.clone();
            Clock::of(move || now.load(Ordering::SeqCst))
        };
        let store = Store::open(data.clone(), lock, Root::Keyring(keyring), clock.clone())
            .await
            .unwrap();
        let http_client = HttpClient::new(setting.egress).unwrap();
        let audit_folder = data.join("audit");
        let limits = crate::git::MirrorLimits::default();
        let broker = Broker {
            mirrors: Mirrors::new(data.join("mirrors"), http_client.clone(), limits),
            oauth: OAuth::new(store.clone(), http_client.clone(), setting.client_secrets),
            audit: Audit::open(&audit_folder, clock).unwrap(),
            audit_folder,
            http_client,
            peers: Arc::new(Peers::new(&setting.users, &setting.administrators)),
            limits: setting.limits,
            counters: Arc::default(),
            cleaning: Cleaning::default(),
            started_ms: 0,
            warnings: Arc::default(),
            store,
        };
        let socket = data.join("run/broker.sock");
        let listener = Listener::bind(&socket, SocketAccess::Owner).unwrap();
        let stop = CancellationToken::new();
        let serving = listener.serve(broker.clone(), stop.clone(), Duration::from_secs(10));
        Self {
            folder,
            client: Client::new(&socket, "test"),
            broker,
            now,
            stop,
            serving: Some(tokio::spawn(serving)),
        }
    }

    pub fn socket(&self) -> PathBuf {
        self.client.socket().to_owned()
    }

    pub fn pass_ms(&self, ms: i64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }

    pub async fn ask(&self, request: Request) -> Result<Answer, Fault> {
        match self.client.call(&request).await {
            Ok(answer) => Ok(answer),
            Err(ClientError::Refused(fault)) => Err(fault),
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Stores a bearer token that is allowed for everything at a remote.
    pub async fn keep(&self, connection: &str, secret: &str, remote: SocketAddr) {
        let stored = self
            .ask(Request::Store(bearer(connection, secret, remote)))
            .await;
        assert!(matches!(stored, Ok(Answer::Stored(_))), "{stored:?}");
    }

    pub async fn stop(&mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            serving.await.unwrap();
        }
    }

    /// The whole audit log.
    pub async fn audited(&self) -> String {
        self.broker.audit.sync().await;
        std::fs::read_to_string(self.broker.audit_folder.join("000001.log")).unwrap()
    }
}

pub(super) fn name(connection: &str) -> RecordName {
    RecordName::new("w1", connection).unwrap()
}

pub(super) fn everything_at(remote: SocketAddr) -> Vec<Allow> {
    vec![Allow {
        origin: format!("http://{remote}"),
        methods: ["GET", "POST", "HEAD"].map(str::to_owned).into(),
        path_prefix: "/".into(),
    }]
}

pub(super) fn bearer(connection: &str, secret: &str, remote: SocketAddr) -> StoreVerb {
    StoreVerb {
        name: name(connection),
        secret: Secret::from(secret),
        inject: Inject::Bearer,
        allow: everything_at(remote),
    }
}
