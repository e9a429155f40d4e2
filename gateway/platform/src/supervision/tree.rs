//! One running tree: its root supervisor, the shared context of its actors, its end. A process may have several trees
//! (tests run in parallel); nothing here is global.
//!
//! Position: the root. It has no parent: when the root gives up, [`Tree::ended`] resolves and the program must exit
//! with an error. Dropping a tree that still lives is a bug: the tree is killed, and with [`Leaks::Panic`] (tests) the
//! drop panics.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::failure::StartError;
use super::handle::SupervisorHandle;
use super::killpoints::KillPoints;
use super::roster::ActorState;
use super::supervisor::{SupervisorSpec, start_child};
use super::view::TreeView;
use crate::clock::{Clock, SharedClock, SystemClock};

/// The source of the random part of back-off.
#[derive(Debug, Clone, Copy)]
pub enum Jitter {
    /// The thread's random numbers.
    Random,
    /// Always this value (0..=1), for tests.
    Fixed(f64),
}

/// What happens when a tree with living actors is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaks {
    /// Logs an error.
    Log,
    /// Panics. Tests use this.
    Panic,
}

/// The options of a tree.
#[derive(Debug, Clone)]
pub struct TreeOptions {
    /// The clock of all its actors.
    pub clock: SharedClock,
    /// Its kill points; [`KillPoints::forbidden`] unless the configuration sets `chaos.allow`.
    pub kill_points: KillPoints,
    /// The random part of back-off.
    pub jitter: Jitter,
    /// What happens when it is dropped alive.
    pub leaks: Leaks,
}

impl Default for TreeOptions {
    /// The program's options: the system's clock, no kill points, random jitter, leaks logged.
    fn default() -> Self {
        Self {
            clock: SystemClock::shared(),
            kill_points: KillPoints::forbidden(),
            jitter: Jitter::Random,
            leaks: Leaks::Log,
        }
    }
}

/// How a tree ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEnd {
    /// It was shut down.
    ShutDown,
    /// The root gave up, was killed or panicked.
    Failed {
        /// The whole chain of causes.
        why: String,
    },
}

/// The result of a shutdown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShutdownReport {
    /// Actors that were killed because they did not stop within their grace, in order (the first hundred).
    pub killed: Vec<String>,
    /// Actors that did not end even when killed, because they block their thread.
    pub abandoned: Vec<String>,
}

/// The context that all actors of a tree share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TreeContext {
    inner: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: TreeOptions,
    living: AtomicI64,
    forced_kills: AtomicU64,
    report: Mutex<ShutdownReport>,
    last_words: Mutex<Option<String>>,
}

impl TreeContext {
    fn new(options: TreeOptions) -> Self {
        let (living, forced_kills) = (AtomicI64::new(0), AtomicU64::new(0));
        Self {
            inner: Arc::new(Shared {
                options,
                living,
                forced_kills,
                report: Mutex::default(),
                last_words: Mutex::default(),
            }),
        }
    }

    /// The clock of the tree.
    pub fn clock(&self) -> &dyn Clock {
        self.inner.options.clock.as_ref()
    }

    /// The clock of the tree, as a shared reference.
    pub fn shared_clock(&self) -> SharedClock {
        Arc::clone(&self.inner.options.clock)
    }

    /// The kill points of the tree.
    pub fn kill_points(&self) -> &KillPoints {
        &self.inner.options.kill_points
    }

    /// Actors, supervisors and jobs whose state exists now.
    pub fn living(&self) -> i64 {
        self.inner.living.load(Ordering::SeqCst)
    }

    /// Actors that were killed since the start because they did not stop within their grace.
    pub fn forced_kills(&self) -> u64 {
        self.inner.forced_kills.load(Ordering::Relaxed)
    }

    pub(super) fn jitter(&self) -> f64 {
        match self.inner.options.jitter {
            Jitter::Random => rand::random::<f64>(),
            Jitter::Fixed(value) => value,
        }
    }

    pub(super) fn count_born(&self) {
        self.inner.living.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn count_gone(&self) {
        self.inner.living.fetch_sub(1, Ordering::SeqCst);
    }

    pub(super) fn count_forced_kill(&self, path: &str, died: bool) {
        self.inner.forced_kills.fetch_add(1, Ordering::Relaxed);
        let mut report = self
            .inner
            .report
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let list = if died {
            &mut report.killed
        } else {
            &mut report.abandoned
        };
        if list.len() < 100 {
            list.push(path.to_owned());
        }
    }

    /// Records why the root ends, before it does.
    pub(super) fn last_words(&self, why: &str) {
        *self
            .inner
            .last_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
    }

    fn take_last_words(&self) -> String {
        let words = self
            .inner
            .last_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        words.unwrap_or_else(|| "the root supervisor was killed or panicked".to_owned())
    }
}

/// A running tree.
#[derive(Debug)]
pub struct Tree {
    context: TreeContext,
    root: SupervisorHandle,
    end: watch::Receiver<Option<TreeEnd>>,
}

impl Tree {
    /// Starts the root and, in order, all its static children. If one does not start, everything is stopped in reverse
    /// order, and its error is returned.
    pub async fn start(options: TreeOptions, root: SupervisorSpec) -> Result<Self, StartError> {
        let context = TreeContext::new(options);
        let (child, root) = root.with_handle();
        child.meta().check_name()?;
        child.entry.attach(child.meta().name.clone(), 0, false);
        let started = start_child(&context, &child, &root, None).await?;
        child.entry.set_state(ActorState::Running);
        let (sender, end) = watch::channel(None);
        let (watched, entry) = (context.clone(), Arc::clone(&child.entry));
        tokio::spawn(async move {
            started.gone.cancelled().await;
            let why = (!started.clean.load(Ordering::Acquire)).then(|| watched.take_last_words());
            entry.set_state(if why.is_some() {
                ActorState::Failed
            } else {
                ActorState::Stopped
            });
            entry.branch().orphan(ActorState::Stopped);
            // The tree itself may be gone; then nothing waits for the end.
            let _ = sender.send(Some(
                why.map_or(TreeEnd::ShutDown, |why| TreeEnd::Failed { why }),
            ));
        });
        Ok(Self { context, root, end })
    }

    /// The root's handle.
    pub fn root(&self) -> &SupervisorHandle {
        &self.root
    }

    /// The shared context of its actors.
    pub fn context(&self) -> &TreeContext {
        &self.context
    }

    /// A view for readers: snapshots and operators' restarts. It may outlive the tree.
    pub fn view(&self) -> TreeView {
        TreeView::new(self.context.clone(), self.root.clone())
    }

    /// Resolves when the tree has ended, by shutdown or because the root gave up.
    pub async fn ended(&self) -> TreeEnd {
        let mut end = self.end.clone();
        match end.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone().unwrap_or(TreeEnd::ShutDown),
            Err(_) => TreeEnd::Failed {
                why: "the watcher of the root was cut off; the runtime is shutting down".to_owned(),
            },
        }
    }

    /// Stops everything in reverse order of start, each child within its grace. After `within` in total, the rest is
    /// killed.
    pub async fn shutdown(&self, within: Duration) -> ShutdownReport {
        let started = Instant::now();
        if let Some(root) = self.root.address().entry().incarnation() {
            self.root.address().entry().set_state(ActorState::Stopping);
            root.cancel.cancel();
            root.cell.stop(Some("shutdown".to_owned()));
            if tokio::time::timeout(within, self.ended()).await.is_err() {
                tracing::error!(
                    ?within,
                    "the shutdown takes too long; killing the remaining actors"
                );
                self.context.count_forced_kill(self.root.path(), true);
                root.cell.kill();
                let _ = tokio::time::timeout(Duration::from_secs(1), self.ended()).await;
            }
        }
        tracing::info!(
            took_ms = started.elapsed().as_millis() as u64,
            "the tree is down"
        );
        self.context
            .inner
            .report
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.end.borrow().is_some() {
            return;
        }
        if let Some(root) = self.root.address().entry().incarnation() {
            root.cell.kill();
        }
        let living = self.context.living();
        tracing::error!(living, "a tree was dropped alive; call shutdown first");
        if self.context.inner.options.leaks == Leaks::Panic && !std::thread::panicking() {
            panic!("a tree was dropped with {living} living actors; call `shutdown` first");
        }
    }
}
