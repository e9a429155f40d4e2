//! The issuer's keys as this gateway knows them: one fetch at a time, a floor between two of them, and an unknown key id
//! asks once. What is fetched, and how, is passed in.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::metadata::{KeySet, Metadata};
use super::verify::PublicKey;
use crate::clock::SharedClock;

/// Between two fetches, whatever tokens come: ids that are made up cannot hammer the issuer.
pub const FLOOR: Duration = Duration::from_secs(5);
/// Past this age the next token asks anew, so that a key that was withdrawn is believed no longer. Whoever asks waits; the
/// others go on with what is known.
const FRESH: Duration = Duration::from_secs(600);
/// Past this age keys are believed no longer, although the issuer does not answer.
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
    /// When the issuer was last asked, whatever it answered.
    asked: Option<Instant>,
}

/// Why there is no key.
#[derive(Debug)]
pub enum NoKey<E> {
    /// The issuer has none of this id.
    Unknown,
    /// Nothing is known of the issuer, and it was asked just now; seconds until it is asked again.
    NotNow(u64),
    /// It was asked now and did not answer as it should.
    Failed(E),
}

/// What to do with a question, by what is known.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Take,
    /// Take it, and ask if nobody does.
    TakeAndAsk,
    Ask,
    /// The floor: it was asked just now.
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
    /// Nothing is known yet.
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            known: RwLock::default(),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// The key of this id.
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
                // What is known goes on to count when the issuer does not answer; `ask` has logged it.
                match self.ask(&fetch).await {
                    Ok(published) => pick(&published).ok_or(NoKey::Unknown),
                    Err(_) => Ok(found),
                }
            }
            // While the answer is on its way it is waited for: it may bring the key.
            (Step::Refuse, _) if self.turn.try_lock().is_ok() => Err(known.refusal(now)),
            _ => self.ask_in_turn(pick, fetch).await,
        }
    }

    /// Waits until nobody else asks, and asks only when their answer did not help.
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
        // Noted before: whoever goes away while the issuer is slow must not make room for the next question.
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
