//! Issuers that are slow, lie, send too much or redirect. The person gets a clear answer without the issuer's text, and
//! other people are served meanwhile.

use std::time::{Duration, Instant};

use roost_tests::hosted::{Issuer, Manner};
use serde_json::json;

use super::{ME, gateway_with, with};

#[tokio::test]
async fn an_issuer_that_answers_badly_is_named_unavailable_and_asked_again_later() {
    let other = Issuer::start().await;
    for manner in [
        Manner::Redirects("http://169.254.169.254/latest/meta-data".to_owned()),
        Manner::Redirects(format!("{}/.well-known/openid-configuration", other.url())),
        Manner::Floods(50 << 20),
        Manner::Pretends(other.url().to_owned()),
        Manner::Pretends("https://canary-issuer.example".to_owned()),
        Manner::KeysAt("http://169.254.169.254/keys".to_owned()),
        Manner::KeysAt("http://10.0.0.1/keys".to_owned()),
        Manner::KeysAt("file:///etc/passwd".to_owned()),
        Manner::KeysAt("no address".to_owned()),
        Manner::Fails(500),
        Manner::Fails(404),
    ] {
        let issuer = Issuer::start().await;
        issuer.becomes(manner.clone());
        let gateway = gateway_with(&issuer, &[]).await;
        let ada = with(&gateway, &issuer.token("ada", json!({ "role": "member" })));
        let began = Instant::now();
        for _ in 0..20 {
            let refused = ada.get(ME).refused(503, "issuer-unavailable").await;
            assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
            for leaked in ["169.254", "passwd", "canary", "xxxx"] {
                assert!(
                    !refused.text.contains(leaked),
                    "{manner:?}: {}",
                    refused.text
                );
            }
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{manner:?}");
        gateway.owner().await.get(ME).expect(200).await;
        assert_eq!(
            other.key_fetches(),
            0,
            "{manner:?}: another issuer's keys were read"
        );
        issuer.becomes(Manner::Honest);
        roost_tests::eventually("the issuer is believed again", || async {
            (ada.get(ME).send().await.status == 200).then_some(())
        })
        .await;
        gateway.stop().await;
    }
}

#[tokio::test]
async fn while_an_issuer_is_silent_everybody_else_is_served_and_known_keys_count() {
    let issuer = Issuer::start().await;
    let gateway = gateway_with(&issuer, &[]).await;
    let owner = gateway.owner().await;
    let known = with(&gateway, &issuer.token("ada", json!({ "role": "member" })));
    known.get(ME).expect(200).await;
    issuer.becomes(Manner::Silent);
    let claims = issuer.claims("ada", json!({ "role": "member" }));
    let unknown = roost_tests::hosted::Key::number(2).signs(&claims);
    // The floor keeps the first from asking, so this waits until one question is under way.
    let waiting = async {
        roost_tests::eventually("a question was asked in vain", || async {
            let began = Instant::now();
            let answer = with(&gateway, &unknown).get(ME).send().await;
            assert!([401, 503].contains(&answer.status), "{}", answer.text);
            (began.elapsed() > Duration::from_secs(2)).then_some(began.elapsed())
        })
        .await
    };
    let meanwhile = async {
        let began = Instant::now();
        for _ in 0..200 {
            known.get(ME).expect(200).await;
            owner.get(ME).expect(200).await;
        }
        began.elapsed()
    };
    let (asked, served) = tokio::join!(waiting, meanwhile);
    assert!(asked < Duration::from_secs(15), "{asked:?}");
    assert!(served < Duration::from_secs(15), "{served:?}");
    gateway.stop().await;
}

#[tokio::test]
async fn an_issuer_without_a_usable_key_is_named_so() {
    let issuer = Issuer::start().await;
    issuer.publishes(vec![json!({ "kty": "oct", "k": "x" }), json!(7)]);
    let gateway = gateway_with(&issuer, &[]).await;
    let ada = with(&gateway, &issuer.token("ada", json!({})));
    ada.get(ME).refused(503, "issuer-unavailable").await;
    gateway.stop().await;
}
