//! What operators read and send, on the wire.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::promises::Finding;
use crate::supervision::{ActorSnapshot, PastEnd};

/// What changed in the tree since the event before.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct TreeDelta {
    /// When it was looked at.
    pub at: DateTime<Utc>,
    /// As in the snapshot.
    pub living: u64,
    /// As in the snapshot.
    pub forced_kills: u64,
    /// Actors that are new or differ, parents before their children.
    pub changed: Vec<ActorChange>,
    /// Ids of actors that left the tree, and everything below them.
    pub gone: Vec<String>,
}

/// One actor that is new or differs.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ActorChange {
    /// The id of its supervisor; absent on the root.
    pub parent: Option<String>,
    /// The actor. Its children are left out here: each that changed has an entry of its own.
    pub actor: ActorSnapshot,
}

/// Why an actor is as it is.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Explanation {
    /// The actor, without its children.
    pub actor: ActorSnapshot,
    /// What actors of its kind do.
    pub does: String,
    /// Why it was restarted, in sentences; or that it was not.
    pub why: Vec<String>,
    /// Its latest ends, oldest first.
    pub past: Vec<PastEnd>,
    /// What it holds right now, and where the truth about that lies.
    pub holds: Vec<String>,
    /// What its restarts lost, and why that is nothing.
    pub lost: Vec<String>,
    /// Why an operator cannot restart it; absent when that is possible.
    pub not_restartable: Option<String>,
}

/// What this service promises, and how that stands.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Promises {
    /// When this gateway started to count.
    pub since: Option<DateTime<Utc>>,
    /// The whole list, in order.
    pub promises: Vec<PromiseNow>,
}

/// One promise.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PromiseNow {
    /// `P1` and so on.
    pub id: String,
    /// What is promised.
    pub text: String,
    /// Whether this version promises it; what is not promised yet is not watched either.
    pub promised: bool,
    /// How often it was broken.
    pub broken: u64,
    /// How often something that would have broken it was stopped.
    pub defended: u64,
    /// The places in the code that count.
    pub watches: Vec<WatchNow>,
}

/// One place that watches over a promise.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct WatchNow {
    /// Its name in the metric `roost_promise_watch_total`.
    pub name: String,
    /// What it means that it counts.
    pub says: String,
    pub finding: Finding,
    pub count: u64,
}
