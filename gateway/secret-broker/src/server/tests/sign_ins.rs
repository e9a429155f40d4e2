//! Sign-ins and renewals against an issuer on this machine.

use futures::future::join_all;
use roost_secret_broker::client::Body;
use roost_secret_broker::wire::{Begin, ClientAuth, Exchange, FaultCode, RecordState};

use super::forwards::get;
use super::remote::{Pieces, Received, Remote, whole};
use super::*;

const ACCESS: &str = "rst-access-canary";
const REFRESH: &str = "rst-refresh-canary";

/// Issues numbered tokens; each refresh token works once.
fn issuer(received: &Received, count: u32) -> Pieces {
    let body = received.text();
    let issued = |number: u32| {
        let body = format!(
            r#"{{"access_token":"{ACCESS}-{number}","token_type":"bearer","expires_in":3600,"refresh_token":"{REFRESH}-{number}","scope":"repo"}}"#
        );
        whole(200, "Content-Type: application/json\r\n", body.as_bytes())
    };
    if body.contains("grant_type=authorization_code") && body.contains("code=right-code") {
        issued(0)
    } else if body.contains(&format!(
        "refresh_token={REFRESH}-{}",
        count.saturating_sub(1)
    )) {
        issued(count)
    } else {
        whole(
            400,
            "",
            br#"{"error":"invalid_grant","error_description":"rst-refresh-canary"}"#,
        )
    }
}

async fn start_issuer() -> Remote {
    let count = Arc::new(AtomicU32::new(0));
    Remote::start(move |received| {
        let renewing = received.text().contains("grant_type=refresh_token");
        let number = if renewing {
            count.fetch_add(1, Ordering::SeqCst) + 1
        } else {
            0
        };
        issuer(received, number)
    })
    .await
}

fn begin(state: &str, issuer: SocketAddr, remote: SocketAddr) -> Begin {
    Begin {
        name: name("agent/github_oauth_token"),
        state: state.into(),
        token_endpoint: format!("http://{issuer}/token"),
        issuer: "https://issuer.example".into(),
        issuer_required: false,
        client_id: "roost".into(),
        client_auth: ClientAuth::None,
        client_secret: None,
        redirect_uri: "https://roost.example/callback".into(),
        resource: None,
        inject: Inject::Bearer,
        allow: everything_at(remote),
        lifetime_s: 600,
        revocation_endpoint: None,
    }
}

fn exchange(state: &str, code: &str) -> Request {
    Request::Exchange(Exchange {
        tenant: "w1".into(),
        state: state.into(),
        code: Secret::from(code),
        issuer: Some("https://issuer.example".into()),
    })
}

async fn connected(bench: &Bench, issuer: SocketAddr, remote: SocketAddr) {
    bench
        .ask(Request::Begin(begin("0123456789", issuer, remote)))
        .await
        .unwrap();
    bench
        .ask(exchange("0123456789", "right-code"))
        .await
        .unwrap();
}

async fn forwarded(bench: &Bench, remote: SocketAddr) -> Result<u16, Fault> {
    let asked = get(name("agent/github_oauth_token"), remote, "/");
    match bench.client.forward(asked, Body::None).await {
        Ok(mut answer) => {
            answer.whole(1_000).await.unwrap();
            Ok(answer.status)
        }
        Err(ClientError::Refused(fault)) => Err(fault),
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn sign_in_sends_its_verifier_and_the_token_stays_inside() {
    let (issuer, remote) = (
        start_issuer().await,
        Remote::start(|_| whole(200, "", b"")).await,
    );
    let bench = Bench::new().await;
    let begun = bench
        .ask(Request::Begin(begin(
            "0123456789",
            issuer.address,
            remote.address,
        )))
        .await
        .unwrap();
    let Answer::Begun(begun) = begun else {
        panic!("it began")
    };
    assert_eq!(
        (
            begun.code_challenge_method.as_str(),
            begun.code_challenge.len()
        ),
        ("S256", 43)
    );
    let answer = bench
        .ask(exchange("0123456789", "right-code"))
        .await
        .unwrap();
    let Answer::Exchanged(described) = &answer else {
        panic!("it was exchanged")
    };
    assert!(described.renewable && described.scope.as_deref() == Some("repo"));
    assert!(!format!("{answer:?}").contains("canary"));

    let asked = issuer.received()[0].text();
    let verifier = asked
        .split("code_verifier=")
        .nth(1)
        .unwrap()
        .split('&')
        .next()
        .unwrap();
    use base64::Engine;
    use sha2::Digest;
    let challenge =
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(sha2::Sha256::digest(verifier));
    assert_eq!(challenge, begun.code_challenge);

    assert_eq!(forwarded(&bench, remote.address).await.unwrap(), 200);
    assert_eq!(
        remote.received()[0].header("authorization"),
        Some(format!("Bearer {ACCESS}-0").as_str())
    );
    assert!(!bench.audited().await.contains("canary"));
}

#[tokio::test]
async fn one_of_a_hundred_callbacks_succeeds_and_forged_ones_fail() {
    let issuer = start_issuer().await;
    let bench = Bench::new().await;
    bench
        .ask(Request::Begin(begin(
            "0123456789",
            issuer.address,
            issuer.address,
        )))
        .await
        .unwrap();
    let again = bench
        .ask(Request::Begin(begin(
            "0123456789",
            issuer.address,
            issuer.address,
        )))
        .await;
    assert!(again.is_err(), "a state is used once");
    for state in ["9876543210", "../../../x/y", "", "0123456789\0"] {
        let forged = bench.ask(exchange(state, "right-code")).await.unwrap_err();
        assert_eq!(forged.code, FaultCode::UnknownSignIn, "{state}");
    }
    let elsewhere = Request::Exchange(Exchange {
        tenant: "w2".into(),
        state: "0123456789".into(),
        code: Secret::from("right-code"),
        issuer: None,
    });
    assert_eq!(
        bench.ask(elsewhere).await.unwrap_err().code,
        FaultCode::UnknownSignIn
    );
    let raced = join_all((0..100).map(|_| bench.ask(exchange("0123456789", "right-code")))).await;
    assert_eq!(raced.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(issuer.received().len(), 1, "the issuer is asked once");
}

#[tokio::test]
async fn late_sign_in_or_wrong_issuer_is_refused() {
    let issuer = start_issuer().await;
    let bench = Bench::new().await;
    bench
        .ask(Request::Begin(begin(
            "0123456789",
            issuer.address,
            issuer.address,
        )))
        .await
        .unwrap();
    bench.pass_ms(600_000);
    let late = bench
        .ask(exchange("0123456789", "right-code"))
        .await
        .unwrap_err();
    assert_eq!(late.code, FaultCode::UnknownSignIn);
    bench
        .ask(Request::Begin(begin(
            "abcdefghij",
            issuer.address,
            issuer.address,
        )))
        .await
        .unwrap();
    let mixed = Request::Exchange(Exchange {
        tenant: "w1".into(),
        state: "abcdefghij".into(),
        code: Secret::from("right-code"),
        issuer: Some("https://evil.example".into()),
    });
    assert_eq!(
        bench.ask(mixed).await.unwrap_err().code,
        FaultCode::UnknownSignIn
    );
    assert!(
        issuer.received().is_empty(),
        "no code goes to an issuer in doubt"
    );
    bench
        .ask(Request::Begin(begin(
            "klmnopqrst",
            issuer.address,
            issuer.address,
        )))
        .await
        .unwrap();
    assert_eq!(bench.broker.store.counts().0, 1);
    bench.pass_ms(600_000);
    bench.broker.store.sweep_sign_ins().await.unwrap();
    assert_eq!(bench.broker.store.counts().0, 0);
}

#[tokio::test]
async fn expiring_token_is_renewed_once_for_concurrent_requests() {
    let (issuer, remote) = (
        start_issuer().await,
        Remote::start(|_| whole(200, "", b"")).await,
    );
    let bench = Bench::new().await;
    connected(&bench, issuer.address, remote.address).await;
    bench.pass_ms(3_590_000);
    let all = join_all((0..30).map(|_| forwarded(&bench, remote.address))).await;
    assert!(all.iter().all(|status| status == &Ok(200)), "{all:?}");
    assert_eq!(issuer.received().len(), 2, "the exchange and one renewal");
    let used: Vec<String> = remote
        .received()
        .iter()
        .map(|received| received.header("authorization").unwrap().to_owned())
        .collect();
    assert!(
        used.iter()
            .all(|header| header == &format!("Bearer {ACCESS}-1")),
        "{used:?}"
    );
    bench.pass_ms(3_590_000);
    assert_eq!(
        forwarded(&bench, remote.address).await,
        Ok(200),
        "the rotated token renews again"
    );
    assert_eq!(bench.broker.oauth.refreshes(), 2);
}

#[tokio::test]
async fn revoked_grant_needs_a_person_and_is_not_retried() {
    let issuer = Remote::start(|received| issuer(received, 9)).await;
    let remote = Remote::start(|_| whole(200, "", b"")).await;
    let bench = Bench::new().await;
    connected(&bench, issuer.address, remote.address).await;
    bench.pass_ms(3_590_000);
    for _ in 0..3 {
        let fault = forwarded(&bench, remote.address).await.unwrap_err();
        assert_eq!(fault.code, FaultCode::NeedsReauth);
        assert!(
            fault.detail.contains("connect it again") && !fault.detail.contains("canary"),
            "{fault}"
        );
    }
    assert_eq!(issuer.received().len(), 2, "the exchange and one renewal");
    assert!(remote.received().is_empty());
    let described = bench
        .ask(Request::Describe(name("agent/github_oauth_token")))
        .await
        .unwrap();
    assert!(
        matches!(described, Answer::Described(record) if record.state == RecordState::NeedsReauth && !record.renewable)
    );
    assert_eq!(bench.broker.store.counts().1, 1);
}

#[tokio::test]
async fn failing_issuer_is_not_retried_while_the_token_is_valid() {
    let issuer = Remote::start(|received| {
        if received.text().contains("refresh_token") {
            whole(503, "", b"busy")
        } else {
            issuer(received, 0)
        }
    })
    .await;
    let remote = Remote::start(|_| whole(200, "", b"")).await;
    let bench = Bench::new().await;
    connected(&bench, issuer.address, remote.address).await;
    bench.pass_ms(3_590_000);
    for _ in 0..4 {
        assert_eq!(
            forwarded(&bench, remote.address).await,
            Ok(200),
            "ten seconds are left"
        );
    }
    assert_eq!(issuer.received().len(), 2, "asked once in five seconds");
    bench.pass_ms(20_000);
    let ended = forwarded(&bench, remote.address).await.unwrap_err();
    assert_eq!(ended.code, FaultCode::RemoteRefused);
}
