//! A gateway that is a process of its own, so that a test can kill it.

use roost_tests::broker::BrokerProcess;
use roost_tests::{Process, Store};
use tempfile::TempDir;

/// How `abort` ends a process.
pub(super) const SIGABRT: i32 = 6;

/// What has to live as long as the process.
pub(super) struct Beside {
    /// All files of the gateway.
    pub folder: TempDir,
    _broker: (BrokerProcess, TempDir),
}

/// A gateway beside a broker. It may call servers of this host.
pub(super) async fn beside_broker(store: &Store, set: &[(&str, &str)]) -> (Process, Beside) {
    let [folder, kept] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let broker = BrokerProcess::start(kept.path()).await;
    let socket = broker.client.socket().display().to_string();
    let mut all = vec![
        ("broker.socket", socket.as_str()),
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
    ];
    all.extend(set);
    let process = Process::start_with(folder.path(), store, &all).await;
    let beside = Beside {
        folder,
        _broker: (broker, kept),
    };
    (process, beside)
}
