//! The JSON that operators read and send.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::RootKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_platform::ids::WorkspaceId;
use roost_platform::promises::Finding;
use roost_platform::supervision::killpoints::{Arm, ArmError};
use roost_platform::supervision::{ActorSnapshot, PastEnd, TreeSnapshot};
use roost_tenancy::streams::Beat;
use roost_web::json::{Check, Mistakes};

/// The events of `/api/ops/tree/stream`: a field for each type, with the content of its `data:` line.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes; each field is sent by itself")]
pub struct TreeEvents {
    tree: TreeSnapshot,
    delta: TreeDelta,
    promises: Promises,
    beat: Beat,
}

/// The changes in the tree since the previous event.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct TreeDelta {
    /// When the gateway read the tree.
    pub at: DateTime<Utc>,
    /// As in the snapshot.
    pub living: u64,
    /// As in the snapshot.
    pub forced_kills: u64,
    /// Actors that are new or changed, parents before their children.
    pub changed: Vec<ActorChange>,
    /// Ids of actors that left the tree. Everything below them left it too.
    pub gone: Vec<String>,
}

/// One actor that is new or changed.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ActorChange {
    /// The id of its supervisor; absent on the root.
    pub parent: Option<String>,
    /// The actor, without its children: each changed child has an entry of its own.
    pub actor: ActorSnapshot,
}

/// The explanation of an actor's state.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Explanation {
    /// The actor, without its children.
    pub actor: ActorSnapshot,
    /// What actors of its kind do.
    pub does: String,
    /// Why it was restarted, in sentences, or that it was not restarted.
    pub why: Vec<String>,
    /// Its latest ends, oldest first.
    pub past: Vec<PastEnd>,
    /// What it holds in memory now, and where the authoritative data is.
    pub holds: Vec<String>,
    /// What its restarts lost, and why that does no harm.
    pub lost: Vec<String>,
    /// Why an operator cannot restart it; absent when they can.
    pub not_restartable: Option<String>,
}

/// The promises of this service, and their counters.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Promises {
    /// When this gateway began to count.
    pub since: Option<DateTime<Utc>>,
    /// The whole list, in order.
    pub promises: Vec<PromiseNow>,
}

/// One promise.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PromiseNow {
    /// `P1` and so on.
    pub id: String,
    /// The guarantee.
    pub text: String,
    /// Whether this version gives the promise. The gateway watches only given promises.
    pub promised: bool,
    /// How often it was broken.
    pub broken: u64,
    /// How often the gateway prevented a break.
    pub defended: u64,
    /// The places in the code that count.
    pub watches: Vec<WatchNow>,
}

/// One place that watches a promise.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct WatchNow {
    /// Its name in the metric `roost_promise_watch_total`.
    pub name: String,
    /// The meaning of its count.
    pub says: String,
    pub finding: Finding,
    pub count: u64,
}

/// The present state of the kill points.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChaosNow {
    /// Whether the configuration allows operators to arm them.
    pub allowed: bool,
    pub points: Vec<ChaosPoint>,
}

/// A named place at which an actor can be killed.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChaosPoint {
    pub name: String,
    /// What has happened at this place, and what has not.
    pub place: String,
    /// How often actors passed it. Counted only where arming is allowed.
    pub passes: u64,
}

/// An order to kill.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChaosOrder {
    /// The name of a kill point.
    pub point: String,
    /// `panic`, `abort` or `delay:<ms>`, each with `@<passes before it strikes>`.
    pub action: String,
    /// How often it strikes; once if absent.
    pub times: Option<u32>,
    /// Only actors whose path begins with this text.
    pub within: Option<String>,
}

/// The most times that one order may strike.
const MOST_TIMES: u32 = 1_000;

impl ChaosOrder {
    /// The order in the tree's form.
    ///
    /// # Errors
    /// When the kill point does not exist, or the action is not valid.
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

/// The place of the secret broker's root key.
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

/// The state of the secret broker. The numbers are present when it answers.
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
    /// Connections that a person must renew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_reauth: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<BrokerRoot>,
    /// A fingerprint, or the transit key's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_key: Option<String>,
    /// Records that are encrypted with an older root key.
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
    /// Problems that an operator should fix.
    pub warnings: Vec<String>,
}

/// How people are identified.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignInMode {
    /// Only accounts of this deployment.
    #[default]
    Local,
    /// Local accounts, and an identity service whose tokens name organisations.
    Hosted,
    /// Local accounts, and an OpenID provider.
    Oidc,
}

/// How people sign in, and which people are let in. The issuer's fields are present only with an issuer.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct SignInNow {
    pub mode: SignInMode,
    pub issuer: Option<String>,
    /// Absent: a token for any audience is accepted.
    pub audience: Option<String>,
    /// Absent: browser sign-in is off, and only bearer tokens are accepted.
    pub client_id: Option<String>,
    pub role_claim: Option<String>,
    pub organisation_claim: Option<String>,
    /// The values of the organisation claim that make an Owner.
    pub organisation_admin: Vec<String>,
    /// Domains whose people are let in as Members, if their address is verified.
    pub admit_domains: Vec<String>,
    /// Every new person gets a workspace of their own.
    pub per_signup_workspace: bool,
    /// The workspace to which claims and domains apply; absent: the deployment's first one.
    pub workspace: Option<WorkspaceId>,
    /// The longest time that a browser stays signed in by the issuer, in seconds.
    pub session_seconds: Option<u64>,
}
