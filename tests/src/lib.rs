//! The harness: a real gateway in this process on free loopback ports with a data directory of its own, a client whose
//! requests say which status they expect, and people in every role.
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

mod book;
pub mod broker;
mod browser;
mod client;
pub mod code_host;
mod collector;
mod daemon;
mod disk;
mod engine;
mod follower;
mod forms;
pub mod front;
mod gate;
mod gateway;
pub mod git_host;
pub mod hosted;
mod issuer;
pub mod machine;
mod memory;
pub mod model_server;
pub mod network;
mod people;
mod player;
mod postgres;
mod postgres_server;
mod process;
pub mod provider;
pub mod raw;
pub mod schema;
mod stream;
mod switch;

pub use book::Book;
pub use browser::{Browser, Page};
pub use client::{Answer, Client, Request};
pub use collector::Collector;
pub use daemon::Daemon;
pub use disk::SmallDisk;
pub use engine::PrivateEngine;
pub use follower::Follower;
pub use forms::forms_of;
pub use gate::Gate;
pub use gateway::{Gateway, Store, configuration};
pub use issuer::Issuer;
pub use machine::Machine;
pub use memory::in_memory;
pub use people::Person;
pub use player::{Played, Player};
pub use postgres::ScratchPostgres;
pub use postgres_server::PostgresServer;
pub use process::{Process, bin_dir, free_port};
pub use stream::{Event, Stream};
pub use switch::Switch;

use std::time::Duration;

/// Polls a condition until it holds; fails the test when it does not within ten seconds.
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
