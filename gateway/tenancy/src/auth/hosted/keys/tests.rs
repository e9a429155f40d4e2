//! How often the gateway asks the issuer.

use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use super::*;
use roost_platform::clock::TestClock;

struct Issuer {
    asked: AtomicUsize,
    ids: RwLock<Option<Vec<String>>>,
}

impl Issuer {
    fn with(ids: &[&str]) -> Self {
        let issuer = Self {
            asked: AtomicUsize::new(0),
            ids: RwLock::new(None),
        };
        issuer.publishes(ids);
        issuer
    }

    fn publishes(&self, ids: &[&str]) {
        *self.ids.write().unwrap() = Some(ids.iter().map(|id| (*id).to_owned()).collect());
    }

    fn is_silent(&self) {
        *self.ids.write().unwrap() = None;
    }

    async fn answer(&self) -> Result<Published, ()> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        let ids = self.ids.read().unwrap().clone().ok_or(())?;
        let n = URL_SAFE_NO_PAD.encode([0xc5_u8; 256]);
        let keys: Vec<_> = ids
            .iter()
            .map(|id| json!({ "kty": "RSA", "kid": id, "n": n, "e": "AQAB" }))
            .collect();
        let metadata =
            json!({ "issuer": "https://x.example", "jwks_uri": "https://x.example/jwks" });
        Ok(Published {
            metadata: serde_json::from_value(metadata).unwrap(),
            keys: KeySet::of(serde_json::from_value(json!({ "keys": keys })).unwrap()),
        })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn cache() -> (Keys, TestClock) {
    let clock = TestClock::default();
    (Keys::new(Arc::new(clock.clone())), clock)
}

async fn knows(keys: &Keys, issuer: &Issuer, id: &str) -> bool {
    keys.find(Some(id), || issuer.answer()).await.is_ok()
}

#[tokio::test]
async fn ten_thousand_made_up_ids_ask_once_for_each_floor_that_passes() {
    let (keys, clock) = cache();
    let issuer = Issuer::with(&["1"]);
    assert!(knows(&keys, &issuer, "1").await);
    for n in 0..10_000 {
        assert!(!knows(&keys, &issuer, &format!("forged {n}")).await);
    }
    assert_eq!(issuer.asked(), 1);
    clock.advance(FLOOR);
    for n in 0..10_000 {
        assert!(!knows(&keys, &issuer, &format!("forged {n}")).await);
    }
    assert_eq!(issuer.asked(), 2);
}

#[tokio::test]
async fn concurrent_callers_wait_for_one_answer() {
    let (keys, _) = cache();
    let issuer = Issuer::with(&["1"]);
    let all = futures::future::join_all((0..500).map(|n| {
        let id = if n % 2 == 0 { "1" } else { "2" };
        let (keys, issuer) = (&keys, &issuer);
        async move { (id, knows(keys, issuer, id).await) }
    }));
    for (id, known) in all.await {
        assert_eq!(known, id == "1");
    }
    assert_eq!(issuer.asked(), 1);
}

#[tokio::test]
async fn a_new_key_is_learnt_by_the_first_token_that_has_it_and_a_withdrawn_one_is_forgotten() {
    let (keys, clock) = cache();
    let issuer = Issuer::with(&["1"]);
    assert!(knows(&keys, &issuer, "1").await);
    issuer.publishes(&["2"]);
    clock.advance(FLOOR);
    assert!(knows(&keys, &issuer, "2").await);
    clock.advance(FLOOR);
    assert!(!knows(&keys, &issuer, "1").await);
    issuer.publishes(&["3"]);
    clock.advance(FRESH);
    assert!(
        !knows(&keys, &issuer, "2").await,
        "nobody had a token of key 3"
    );
}

#[tokio::test]
async fn keys_count_while_the_issuer_is_silent_but_not_for_ever() {
    let (keys, clock) = cache();
    let issuer = Issuer::with(&["1"]);
    assert!(knows(&keys, &issuer, "1").await);
    issuer.is_silent();
    clock.advance(FRESH);
    assert!(knows(&keys, &issuer, "1").await);
    let asked = issuer.asked();
    assert!(knows(&keys, &issuer, "1").await);
    assert_eq!(issuer.asked(), asked, "the floor holds for failures, too");
    clock.advance(STALE);
    assert!(!knows(&keys, &issuer, "1").await);
}

#[tokio::test]
async fn nothing_known_is_not_the_same_as_an_unknown_key() {
    let (keys, clock) = cache();
    let issuer = Issuer::with(&["1"]);
    issuer.is_silent();
    let first = keys.find(Some("1"), || issuer.answer()).await.err();
    assert!(matches!(first, Some(NoKey::Failed(()))));
    let second = keys.find(Some("1"), || issuer.answer()).await.err();
    assert!(matches!(second, Some(NoKey::NotNow(5))));
    issuer.publishes(&["1"]);
    clock.advance(FLOOR);
    let third = keys.find(Some("x"), || issuer.answer()).await.err();
    assert!(matches!(third, Some(NoKey::Unknown)));
}

#[tokio::test]
async fn caller_that_disconnects_keeps_its_place_while_the_issuer_is_slow() {
    let (keys, _) = cache();
    let issuer = Issuer::with(&["1"]);
    for _ in 0..100 {
        let question = keys.find(Some("1"), || async {
            issuer.asked.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<Result<Published, ()>>().await
        });
        tokio::select! {
            biased;
            _ = question => {}
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(issuer.asked(), 1);
}
