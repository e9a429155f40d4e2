//! What operators read and send, on the wire.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::RootKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domains::live::Beat;
use crate::http::json::{Check, Mistakes};
use crate::ids::WorkspaceId;
use crate::promises::Finding;
use crate::supervision::killpoints::{Arm, ArmError};
use crate::supervision::{ActorSnapshot, PastEnd, TreeSnapshot};

/// The events of `/api/ops/tree/stream`: a field for each type, with what its `data:` line holds.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes; each field is sent by itself")]
pub struct TreeEvents {
    tree: TreeSnapshot,
    delta: TreeDelta,
    promises: Promises,
    beat: Beat,
}

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

/// Kill points, as they stand.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChaosNow {
    /// Whether the configuration allows to arm any of them.
    pub allowed: bool,
    pub points: Vec<ChaosPoint>,
}

/// A named place at which an actor can be killed.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChaosPoint {
    pub name: String,
    /// What has happened there, and what has not.
    pub place: String,
    /// How often it was passed; nobody counts where arming is not allowed.
    pub passes: u64,
}

/// An order to kill.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChaosOrder {
    /// The name of a point.
    pub point: String,
    /// `panic`, `abort` or `delay:<ms>`, each with `@<passes before it strikes>`.
    pub action: String,
    /// How often it strikes; once without this.
    pub times: Option<u32>,
    /// Only actors whose path begins with this.
    pub within: Option<String>,
}

/// The most times that one order strikes.
const MOST_TIMES: u32 = 1_000;

impl ChaosOrder {
    /// As the tree takes it.
    ///
    /// # Errors
    /// When there is no such point, or the action is none.
    pub fn arm(&self) -> Result<Arm, ArmError> {
        let order: Arm = format!("{}={}", self.point, self.action).parse()?;
        Ok(Arm {
            times: self.times.unwrap_or(1),
            within: self.within.clone(),
            ..order
        })
    }
}

impl Check for ChaosOrder {
    fn check(&self, mistakes: &mut Mistakes) {
        match self.arm() {
            Err(error @ ArmError::Unknown(_)) => mistakes.add("/point", error.to_string()),
            Err(error) => mistakes.add("/action", error.to_string()),
            Ok(arm) if !(1..=MOST_TIMES).contains(&arm.times) => {
                mistakes.add("/times", format!("must be 1 to {MOST_TIMES}"));
            }
            Ok(_) => {}
        }
    }
}

/// Where the secret broker's root key is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrokerRoot {
    File,
    /// A systemd credential.
    Credential,
    /// The transit engine of a Vault or OpenBao.
    Transit,
}

impl From<RootKind> for BrokerRoot {
    fn from(kind: RootKind) -> Self {
        match kind {
            RootKind::File => Self::File,
            RootKind::Credential => Self::Credential,
            RootKind::Transit => Self::Transit,
        }
    }
}

/// How the secret broker is; numbers are there when it answers.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct BrokerNow {
    pub reachable: bool,
    /// Why it does not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Connections that only a person can renew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_reauth: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<BrokerRoot>,
    /// A fingerprint, or the transit key's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_key: Option<String>,
    /// Records under an older root key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_rekey: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwards: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwards_failed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_entries: Option<u64>,
    /// What somebody should do something about.
    pub warnings: Vec<String>,
}

/// Who vouches for people.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignInMode {
    /// Accounts of this deployment alone.
    #[default]
    Local,
    /// An identity service whose tokens name organisations, beside them.
    Hosted,
    /// An OpenID provider, beside them.
    Oidc,
}

/// How people sign in, and who is let in; of an issuer only where there is one.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct SignInNow {
    pub mode: SignInMode,
    pub issuer: Option<String>,
    /// Absent: a token for any audience is taken.
    pub audience: Option<String>,
    /// Absent: nobody signs in with a browser, only bearers come.
    pub client_id: Option<String>,
    pub role_claim: Option<String>,
    pub organisation_claim: Option<String>,
    /// Values of that claim that make an Owner.
    pub organisation_admin: Vec<String>,
    /// Whose verified addresses are let in as Members.
    pub admit_domains: Vec<String>,
    /// Everybody who is new gets a workspace of their own.
    pub per_signup_workspace: bool,
    /// The workspace that claims and domains are about; absent: the deployment's first.
    pub workspace: Option<WorkspaceId>,
    /// Until the issuer is asked again.
    pub session_seconds: Option<u64>,
}
