//! Kill points: named places where a test can kill an actor, abort the process or make it wait. They are always
//! compiled in, so the tested code is the shipped code. They cost one relaxed atomic load while none is armed.
//!
//! Every name has a row in [`KILL_POINTS`]. `kill_point!` finds its row at compile time, so an unknown name does not
//! compile. A test searches the sources for a row that no code uses. The fault test walks the table, so a point without
//! a case fails. Each tree has its own [`KillPoints`] with the armed points, not a global one. So tests in one process
//! do not affect each other.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use super::killpoint_table::KILL_POINTS;

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KillPoint {
    /// `<domain>.<actor or use case>.<place>`.
    pub name: &'static str,
    /// What has happened at the point, and what has not.
    pub place: &'static str,
}

/// A position in [`KILL_POINTS`]; made only by [`id`] and [`find`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KillPointId(usize);

impl KillPointId {
    /// The row of this point.
    pub fn point(self) -> &'static KillPoint {
        &KILL_POINTS[self.0]
    }
}

/// The position of `name`, for `const` use by `kill_point!`. A name without a row does not compile.
pub const fn id(name: &str) -> KillPointId {
    let mut index = 0;
    while index < KILL_POINTS.len() {
        if same(KILL_POINTS[index].name, name) {
            return KillPointId(index);
        }
        index += 1;
    }
    panic!("this kill point has no row in supervision/killpoint_table.rs: add one")
}

/// The position of a name that is known only at run time.
pub fn find(name: &str) -> Option<KillPointId> {
    KILL_POINTS
        .iter()
        .position(|point| point.name == name)
        .map(KillPointId)
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Marks a kill point: `kill_point!(cx, "fleet.node.after_ledger_ack")`, where `cx` is an actor's context, a job's
/// context or a [`KillPoints`]. It awaits, so it works only in async code.
#[macro_export]
macro_rules! kill_point {
    ($at:expr, $name:literal) => {
        $at.reach(const { $crate::supervision::killpoints::id($name) })
            .await
    };
}

/// The action of an armed point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillAction {
    /// Panics: the actor ends here, and its supervisor reacts.
    Panic,
    /// Aborts the process. No later line, destructor or flush runs.
    Abort,
    /// Waits, so that other work can overtake.
    Delay(Duration),
}

/// An order to arm one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// The point.
    pub point: KillPointId,
    /// The action.
    pub action: KillAction,
    /// How many passes have no effect first.
    pub after: u32,
    /// How many passes then trigger the action.
    pub times: u32,
    /// Only actors whose path starts with this.
    pub within: Option<String>,
}

impl Arm {
    /// Triggers once, at the first pass, in any actor.
    pub fn once(point: KillPointId, action: KillAction) -> Self {
        Self {
            point,
            action,
            after: 0,
            times: 1,
            within: None,
        }
    }
}

/// Why a point was not armed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArmError {
    /// The configuration does not allow it.
    #[error(
        "kill points may only be armed with `chaos.allow = true`; never set it on a gateway with valuable data"
    )]
    Forbidden,
    /// The name has no row.
    #[error("unknown kill point {0:?}; supervision/killpoint_table.rs lists the names")]
    Unknown(String),
    /// The text has another form than expected.
    #[error("{0:?} is not of the form `name=panic|abort|delay:<ms>[@<passes before it strikes>]`")]
    Malformed(String),
}

impl FromStr for Arm {
    type Err = ArmError;

    /// `fleet.node.after_ledger_ack=abort@3` triggers at the fourth pass.
    fn from_str(text: &str) -> Result<Self, ArmError> {
        let malformed = || ArmError::Malformed(text.to_owned());
        let (name, order) = text.trim().split_once('=').ok_or_else(malformed)?;
        let (action, after) = match order.split_once('@') {
            Some((action, after)) => (action, after.parse().map_err(|_| malformed())?),
            None => (order, 0),
        };
        let action = match action.split_once(':') {
            None if action == "panic" => KillAction::Panic,
            None if action == "abort" => KillAction::Abort,
            Some(("delay", ms)) => {
                KillAction::Delay(Duration::from_millis(ms.parse().map_err(|_| malformed())?))
            }
            _ => return Err(malformed()),
        };
        let point = find(name).ok_or_else(|| ArmError::Unknown(name.to_owned()))?;
        Ok(Self {
            after,
            ..Self::once(point, action)
        })
    }
}

impl fmt::Display for Arm {
    /// The form that `FromStr` reads. `within` and `times` are for tests in the same process and have no text form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=", self.point.point().name)?;
        match self.action {
            KillAction::Panic => f.write_str("panic")?,
            KillAction::Abort => f.write_str("abort")?,
            KillAction::Delay(wait) => write!(f, "delay:{}", wait.as_millis())?,
        }
        match self.after {
            0 => Ok(()),
            after => write!(f, "@{after}"),
        }
    }
}

/// The points of one tree: the armed ones, and the counts of passes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct KillPoints {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    allowed: bool,
    /// Whether any point can be armed or counted. The fast path reads only this.
    listening: AtomicBool,
    armed: Mutex<HashMap<KillPointId, Vec<Arm>>>,
    passes: Vec<AtomicU64>,
}

impl KillPoints {
    /// Points that cannot be armed. The program uses these unless the configuration sets `chaos.allow`.
    pub fn forbidden() -> Self {
        Self::new(false)
    }

    /// Points that can be armed and that count passes: for tests and `chaos.allow`.
    pub fn allowed() -> Self {
        Self::new(true)
    }

    fn new(allowed: bool) -> Self {
        let passes = KILL_POINTS.iter().map(|_| AtomicU64::new(0)).collect();
        let listening = AtomicBool::new(allowed);
        Self {
            inner: Arc::new(Inner {
                allowed,
                listening,
                armed: Mutex::default(),
                passes,
            }),
        }
    }

    /// Points as the configuration allows and arms them.
    ///
    /// # Errors
    /// When the configuration arms a point without `chaos.allow`. Reading the configuration already refuses that.
    pub fn configured(allowed: bool, arms: &[Arm]) -> Result<Self, ArmError> {
        let points = Self::new(allowed);
        arms.iter()
            .try_for_each(|order| points.arm(order.clone()))?;
        Ok(points)
    }

    /// Whether points may be armed at all.
    pub fn is_allowed(&self) -> bool {
        self.inner.allowed
    }

    /// Arms a point.
    pub fn arm(&self, order: Arm) -> Result<(), ArmError> {
        if !self.inner.allowed {
            return Err(ArmError::Forbidden);
        }
        self.armed().entry(order.point).or_default().push(order);
        Ok(())
    }

    /// Disarms all points. The counts of passes stay.
    pub fn disarm_all(&self) {
        self.armed().clear();
    }

    /// The number of passes since the start (zero where arming is forbidden, because passes are not counted there).
    pub fn passes(&self, point: KillPointId) -> u64 {
        self.inner.passes[point.0].load(Ordering::Relaxed)
    }

    /// Passes a point outside an actor. Use `kill_point!`.
    pub async fn reach(&self, point: KillPointId) {
        self.reach_at(point, "").await;
    }

    /// Passes a point inside the actor at `path`.
    pub(super) async fn reach_at(&self, point: KillPointId, path: &str) {
        if self.inner.listening.load(Ordering::Relaxed) {
            self.strike(point, path).await;
        }
    }

    async fn strike(&self, point: KillPointId, path: &str) {
        self.inner.passes[point.0].fetch_add(1, Ordering::Relaxed);
        let Some(action) = self.due(point, path) else {
            return;
        };
        let name = point.point().name;
        tracing::warn!(
            kill_point = name,
            path,
            ?action,
            "an armed kill point fires"
        );
        match action {
            KillAction::Panic => panic!("kill point {name}"),
            KillAction::Abort => std::process::abort(),
            KillAction::Delay(wait) => tokio::time::sleep(wait).await,
        }
    }

    fn due(&self, point: KillPointId, path: &str) -> Option<KillAction> {
        let mut armed = self.armed();
        let orders = armed.get_mut(&point)?;
        let index = orders.iter().position(|order| {
            order
                .within
                .as_deref()
                .is_none_or(|prefix| path.starts_with(prefix))
        })?;
        let order = &mut orders[index];
        if order.after > 0 {
            order.after -= 1;
            return None;
        }
        order.times = order.times.saturating_sub(1);
        let action = order.action;
        if order.times == 0 {
            orders.remove(index);
        }
        Some(action)
    }

    fn armed(&self) -> std::sync::MutexGuard<'_, HashMap<KillPointId, Vec<Arm>>> {
        self.inner
            .armed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
