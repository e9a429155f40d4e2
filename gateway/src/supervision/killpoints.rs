//! Kill points: named places where a test may kill an actor, abort the process or make it wait. They are compiled
//! in always, so that what is tested is what ships, and cost one relaxed atomic load while nothing is armed.
//!
//! Every name stands in [`KILL_POINTS`]: `kill_point!` looks its name up while compiling, so an unknown name does
//! not compile; a test greps the sources for the opposite, a row that no line uses; and the fault test walks the
//! table, so a point without a case fails. Armed points live in one [`KillPoints`] a tree, never in a global, so
//! that tests in one process do not meet.

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
    /// What has happened when the point is reached, and what has not.
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

/// The position of `name`, for `const` use by `kill_point!`: a name that is not in the table does not compile.
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

/// The position of a name that is only known at run time.
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
/// context or a [`KillPoints`]. Awaits inside, so it may only stand in async code.
#[macro_export]
macro_rules! kill_point {
    ($at:expr, $name:literal) => {
        $at.reach(const { $crate::supervision::killpoints::id($name) })
            .await
    };
}

/// What happens at an armed point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillAction {
    /// Panics: the actor dies here, its supervisor acts.
    Panic,
    /// Aborts the process: nothing after this line runs, no destructor, no flush.
    Abort,
    /// Waits, to let something else overtake.
    Delay(Duration),
}

/// An order to arm one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// Where.
    pub point: KillPointId,
    /// What.
    pub action: KillAction,
    /// How many times the point is passed unharmed first.
    pub after: u32,
    /// How many times it then strikes.
    pub times: u32,
    /// Only actors whose path begins with this.
    pub within: Option<String>,
}

impl Arm {
    /// Strikes once, at the first passing, wherever it is.
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
        "kill points may only be armed with `chaos.allow = true`; never set that where data matters"
    )]
    Forbidden,
    /// No such row.
    #[error("there is no kill point {0:?}; the names stand in supervision/killpoint_table.rs")]
    Unknown(String),
    /// The text is not of the form that is expected.
    #[error("{0:?} is not of the form `name=panic|abort|delay:<ms>[@<passes before it strikes>]`")]
    Malformed(String),
}

impl FromStr for Arm {
    type Err = ArmError;

    /// `fleet.node.after_ledger_ack=abort@3`: strikes at the fourth passing.
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
    /// As it is read; `within` and `times` are for tests in the process and have no text.
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

/// The points of one tree: what is armed, and what was passed. Cheap to clone.
#[derive(Debug, Clone)]
pub struct KillPoints {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    allowed: bool,
    /// Anything armed or recorded at all: the only thing that the fast path reads.
    listening: AtomicBool,
    armed: Mutex<HashMap<KillPointId, Vec<Arm>>>,
    passes: Vec<AtomicU64>,
}

impl KillPoints {
    /// Points that nobody can arm: what the program has unless the configuration says `chaos.allow`.
    pub fn forbidden() -> Self {
        Self::new(false)
    }

    /// Points that may be armed, and that count who passes: tests, and `chaos.allow`.
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

    /// What a configuration allows and arms.
    ///
    /// # Errors
    /// When something is armed that may not be; reading the configuration refuses that already.
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

    /// Takes every order back; passes stay counted.
    pub fn disarm_all(&self) {
        self.armed().clear();
    }

    /// How often a point was passed since the start (zero where arming is forbidden: nobody counts there).
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
            "an armed kill point strikes"
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
