//! The test harness: a real gateway in this process on free loopback ports with its own data directory, a client whose
//! requests state the expected status, and people in every role.
//!
//! ```no_run
//! # async fn example() {
//! use roost_tests::Gateway;
//! let gateway = Gateway::start().await;
//! let owner = gateway.owner().await;
//! owner.get("/api/claws").expect(200).await;
//! gateway.stop().await;
//! # }
//! ```

mod breaking_proxy;
pub mod broker;
mod browser;
mod catalogue;
mod client;
pub mod code_host;
mod collector;
mod daemon;
mod db_inspector;
pub mod described;
mod disk;
mod engine;
mod fake_node;
mod follower;
pub mod fuzz;
mod gateway;
pub mod git_host;
pub mod hosted;
mod issuer;
mod latch;
mod leftovers;
mod load_balancer;
pub mod machine;
mod memory;
pub mod model_server;
pub mod modes;
pub mod network;
pub mod package_host;
mod people;
mod postgres;
mod postgres_server;
mod process;
pub mod provider;
pub mod raw_socket;
pub mod report;
pub mod s3_server;
pub mod schema;
mod secret_encodings;
pub mod smtp_server;
pub mod specification;
mod stream;
pub mod tls_proxy;

pub use breaking_proxy::{BreakingProxy, Side};
pub use browser::{Browser, Page};
pub use client::{Answer, Client, Request};
pub use collector::Collector;
pub use daemon::Daemon;
pub use db_inspector::DbInspector;
pub use disk::SmallDisk;
pub use engine::PrivateEngine;
pub use fake_node::{FakeNode, NodeHistory};
pub use follower::Follower;
pub use gateway::{Gateway, Store, configuration};
pub use issuer::Issuer;
pub use latch::Latch;
pub use load_balancer::LoadBalancer;
pub use machine::Machine;
pub use memory::{around_in_memory, in_memory};
pub use people::Person;
pub use postgres::ScratchPostgres;
pub use postgres_server::PostgresServer;
pub use process::{Process, bin_dir, free_port};
pub use secret_encodings::encodings_of;
pub use stream::{Event, Stream};

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A name that is unique in this process: names of agents are unique in a workspace.
pub fn unique(name: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    format!("{name} {}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Polls a condition until it holds; fails the test when it does not within two minutes.
///
/// # Panics
/// When the time is up.
pub async fn eventually<T, F>(what: &str, mut probe: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let deadline = tokio::time::Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(
            tokio::time::Instant::now() < deadline,
            "within two minutes this did not happen: {what}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
