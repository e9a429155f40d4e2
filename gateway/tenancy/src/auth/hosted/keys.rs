//! The issuer's keys in this gateway: one fetch at a time, a minimum time between two fetches, and an unknown key id
//! causes at most one fetch. The caller passes the fetch in.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::metadata::{KeySet, Metadata};
use super::verify::PublicKey;
use roost_platform::clock::SharedClock;

/// The minimum time between two fetches, for any number of tokens: invented key ids cannot flood the issuer.
pub const FLOOR: Duration = Duration::from_secs(5);
/// After this age the next token fetches the keys again, so that a withdrawn key is not accepted any more. The request
/// that fetches waits; the others continue with the known keys.
const FRESH: Duration = Duration::from_secs(600);
/// After this age the keys are not accepted any more, even if the issuer does not answer.
const STALE: Duration = Duration::from_secs(12 * 3_600);

/// What an issuer published.
#[derive(Clone)]
pub struct Published {
    pub metadata: Metadata,
    pub keys: KeySet,
}

/// The cache.
pub struct Keys {
    clock: SharedClock,
    known: RwLock<Arc<Known>>,
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    published: Option<(Arc<Published>, Instant)>,
    /// When the issuer was last asked, with any result.
    asked: Option<Instant>,
}

/// Why there is no key.
#[derive(Debug)]
pub enum NoKey<E> {
    /// The issuer has no key with this id.
    Unknown,
    /// Nothing is known of the issuer, and the last fetch is too recent. The value: seconds until the next fetch.
    NotNow(u64),
    /// The fetch failed now.
    Failed(E),
}

/// What to do for a request, given what is known.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Take,
    /// Use it, and fetch if no other request does.
    TakeAndAsk,
    Ask,
    /// The last fetch is too recent.
    Refuse,
}

impl Known {
    fn usable(&self, now: Instant) -> Option<&Arc<Published>> {
        let (published, at) = self.published.as_ref()?;
        (now.saturating_duration_since(*at) < STALE).then_some(published)
    }

    fn step(&self, has: bool, now: Instant) -> Step {
        let age = |at: &Instant| now.saturating_duration_since(*at);
        let floor = self.asked.as_ref().is_some_and(|at| age(at) < FLOOR);
        let fresh = self
            .published
            .as_ref()
            .is_some_and(|(_, at)| age(at) < FRESH);
        match (has, floor) {
            (true, true) => Step::Take,
            (true, false) if fresh => Step::Take,
            (true, false) => Step::TakeAndAsk,
            (false, true) => Step::Refuse,
            (false, false) => Step::Ask,
        }
    }

    fn refusal<E>(&self, now: Instant) -> NoKey<E> {
        if self.usable(now).is_some() {
            return NoKey::Unknown;
        }
        let since = self
            .asked
            .map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        NoKey::NotNow(FLOOR.saturating_sub(since).as_secs().max(1))
    }
}

impl Keys {
    /// Starts without any keys.
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            known: RwLock::default(),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// The key with this id.
    ///
    /// # Errors
    /// See [`NoKey`].
    pub async fn find<E, F: Future<Output = Result<Published, E>>>(
        &self,
        id: Option<&str>,
        fetch: impl Fn() -> F,
    ) -> Result<PublicKey, NoKey<E>> {
        let pick = |published: &Published| published.keys.find(id).cloned();
        self.get(pick, fetch).await
    }

    /// The discovery document.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub async fn metadata<E, F: Future<Output = Result<Published, E>>>(
        &self,
        fetch: impl Fn() -> F,
    ) -> Result<Metadata, NoKey<E>> {
        let pick = |published: &Published| Some(published.metadata.clone());
        self.get(pick, fetch).await
    }

    async fn get<T, E, F: Future<Output = Result<Published, E>>>(
        &self,
        pick: impl Fn(&Published) -> Option<T>,
        fetch: impl Fn() -> F,
    ) -> Result<T, NoKey<E>> {
        let (known, now) = (self.known(), self.clock.monotonic());
        let found = known.usable(now).and_then(|published| pick(published));
        match (known.step(found.is_some(), now), found) {
            (Step::Take, Some(found)) => Ok(found),
            (Step::TakeAndAsk, Some(found)) => {
                let Ok(_turn) = self.turn.try_lock() else {
                    return Ok(found);
                };
                // The known keys stay in use when the issuer does not answer; `ask` has logged it.
                match self.ask(&fetch).await {
                    Ok(published) => pick(&published).ok_or(NoKey::Unknown),
                    Err(_) => Ok(found),
                }
            }
            // If another request is fetching now, wait for it: its answer may contain the key.
            (Step::Refuse, _) if self.turn.try_lock().is_ok() => Err(known.refusal(now)),
            _ => self.ask_in_turn(pick, fetch).await,
        }
    }

    /// Waits until no other request fetches, and fetches only if the other answer did not help.
    async fn ask_in_turn<T, E, F: Future<Output = Result<Published, E>>>(
        &self,
        pick: impl Fn(&Published) -> Option<T>,
        fetch: impl Fn() -> F,
    ) -> Result<T, NoKey<E>> {
        let _turn = self.turn.lock().await;
        let (known, now) = (self.known(), self.clock.monotonic());
        let found = known.usable(now).and_then(|published| pick(published));
        match (known.step(found.is_some(), now), found) {
            (Step::Take | Step::TakeAndAsk, Some(found)) => Ok(found),
            (Step::Refuse, _) => Err(known.refusal(now)),
            _ => {
                let published = self.ask(&fetch).await.map_err(NoKey::Failed)?;
                pick(&published).ok_or(NoKey::Unknown)
            }
        }
    }

    async fn ask<E, F: Future<Output = Result<Published, E>>>(
        &self,
        fetch: &impl Fn() -> F,
    ) -> Result<Arc<Published>, E> {
        // Recorded before the fetch: a client that disconnects while the issuer is slow must not allow the next fetch
        // at once.
        self.note(|known| Known {
            published: known.published.clone(),
            asked: Some(self.clock.monotonic()),
        });
        let published = Arc::new(fetch().await?);
        let now = self.clock.monotonic();
        self.note(|known| Known {
            published: Some((published.clone(), now)),
            asked: known.asked,
        });
        Ok(published)
    }

    fn known(&self) -> Arc<Known> {
        let known = self.known.read();
        known.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, change: impl FnOnce(&Known) -> Known) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = Arc::new(change(&known));
    }
}

#[cfg(test)]
mod tests;
