//! A person's sign-in: the code is redeemed, the tokens stay, the identity token is returned; and the same on each
//! renewal.

use std::io::Write;

use roost_secret_broker::client::Body;
use roost_secret_broker::wire::{
    ClientAuth, DEPLOYMENT, FaultCode, RecordState, Redeem, Redeemed, TokenClient,
};

use super::forwards::get;
use super::remote::{Remote, whole};
use super::*;
use crate::oauth::NamedFile;

const ID_TOKEN: &str = "aGVhZA.Ym9keQ.c2ln";

/// Answers the code and any number of renewals. `renewals` are the bodies for renewals; the last one repeats.
async fn issuer(first: String, renewals: Vec<(u16, String)>) -> Remote {
    let count = Arc::new(AtomicU32::new(0));
    Remote::start(move |received| {
        let (status, body) = match received.text().contains("grant_type=refresh_token") {
            false => (200, first.clone()),
            true => {
                let number = count.fetch_add(1, Ordering::SeqCst) as usize;
                renewals[number.min(renewals.len() - 1)].clone()
            }
        };
        whole(
            status,
            "Content-Type: application/json\r\n",
            body.as_bytes(),
        )
    })
    .await
}

fn tokens(more: &str) -> String {
    format!(
        r#"{{"access_token":"rst-access-canary","token_type":"Bearer","expires_in":3600,"refresh_token":"rst-refresh-canary"{more}}}"#
    )
}

fn with_identity() -> String {
    tokens(&format!(r#","id_token":"{ID_TOKEN}""#))
}

fn person() -> RecordName {
    RecordName::new(DEPLOYMENT, "people/one").unwrap()
}

fn redeem(issuer: SocketAddr, userinfo: SocketAddr) -> Redeem {
    Redeem {
        name: person(),
        client: TokenClient {
            token_endpoint: format!("http://{issuer}/token"),
            client_id: "roost".into(),
            client_auth: ClientAuth::None,
            client_secret: None,
            revocation_endpoint: None,
        },
        redirect_uri: "https://roost.example/callback".into(),
        code: Secret::from("a-code"),
        verifier: Secret::from("a-verifier"),
        allow: everything_at(userinfo),
    }
}

async fn redeemed(bench: &Bench, asked: Redeem) -> Result<Redeemed, Fault> {
    match bench.ask(Request::Redeem(asked)).await? {
        Answer::Redeemed(redeemed) => Ok(redeemed),
        other => panic!("{other:?}"),
    }
}

async fn renewed(bench: &Bench) -> Result<Redeemed, Fault> {
    match bench.ask(Request::Renew(person())).await? {
        Answer::Redeemed(redeemed) => Ok(redeemed),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn redeeming_a_code_returns_only_the_identity_token() {
    let userinfo = Remote::start(|_| whole(200, "", b"{}")).await;
    let issuer = issuer(with_identity(), vec![(200, with_identity())]).await;
    let bench = Bench::new().await;
    let got = redeemed(&bench, redeem(issuer.address, userinfo.address)).await;
    let got = got.unwrap();
    assert_eq!(got.id_token.as_deref(), Some(ID_TOKEN));
    assert!(got.description.renewable);
    assert!(!format!("{got:?}").contains("canary"));
    let asked = issuer.received()[0].text();
    for part in ["code=a-code", "code_verifier=a-verifier", "client_id=roost"] {
        assert!(asked.contains(part), "{asked}");
    }
    // Only the broker sends the access token to the userinfo endpoint.
    let asked = get(person(), userinfo.address, "/userinfo");
    bench.client.forward(asked, Body::None).await.unwrap();
    let received = userinfo.received();
    let shown = received[0].header("authorization");
    assert_eq!(shown, Some("Bearer rst-access-canary"));
    // A name is used once.
    let again = redeemed(&bench, redeem(issuer.address, userinfo.address)).await;
    assert_eq!(again.unwrap_err().code, FaultCode::BadRequest);
    assert_eq!(issuer.received().len(), 1, "the issuer was not asked");
    assert!(bench.audited().await.contains("redeem"));
}

#[tokio::test]
async fn renewal_runs_on_request_and_fails_after_the_grant_is_revoked() {
    let refused = r#"{"error":"invalid_grant"}"#.to_owned();
    let renewals = vec![(200, with_identity()), (200, tokens("")), (400, refused)];
    let issuer = issuer(with_identity(), renewals).await;
    let bench = Bench::new().await;
    let asked = redeem(issuer.address, issuer.address);
    redeemed(&bench, asked).await.unwrap();
    let first = renewed(&bench).await.unwrap();
    assert_eq!(
        first.id_token.as_deref(),
        Some(ID_TOKEN),
        "long before its end"
    );
    assert_eq!(renewed(&bench).await.unwrap().id_token, None);
    assert_eq!(
        renewed(&bench).await.unwrap_err().code,
        FaultCode::NeedsReauth
    );
    let Ok(Answer::Described(description)) = bench.ask(Request::Describe(person())).await else {
        panic!("it is described")
    };
    assert_eq!(description.state, RecordState::NeedsReauth);
    let asked = issuer.received().len();
    assert_eq!(
        renewed(&bench).await.unwrap_err().code,
        FaultCode::NeedsReauth
    );
    assert_eq!(issuer.received().len(), asked, "and is not asked again");
}

#[tokio::test]
async fn identity_token_that_contains_another_token_is_refused() {
    let body = tokens(r#","id_token":"aGVhZA.rst-refresh-canary.c2ln""#);
    let issuer = issuer(body, Vec::new()).await;
    let bench = Bench::new().await;
    let asked = redeem(issuer.address, issuer.address);
    let fault = redeemed(&bench, asked).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::RemoteRefused);
    assert!(!fault.detail.contains("canary"), "{fault}");
    let unknown = bench.ask(Request::Describe(person())).await;
    assert!(unknown.is_err(), "nothing is kept");
}

#[tokio::test]
async fn client_secret_comes_from_the_deployment_file() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "the-clients-secret-canary").unwrap();
    let option = format!("sign-in={}", file.path().display());
    let named: NamedFile = option.parse().unwrap();
    let bench = Bench::with(Setting {
        client_secrets: ClientSecrets::new(&[named]),
        ..Setting::default()
    })
    .await;
    let issuer = issuer(with_identity(), Vec::new()).await;
    let mut asked = redeem(issuer.address, issuer.address);
    asked.client.client_auth = ClientAuth::Post;
    let name = RecordName::new(DEPLOYMENT, "client-secret/sign-in").unwrap();
    asked.client.client_secret = Some(name.clone());
    redeemed(&bench, asked).await.unwrap();
    let request = issuer.received()[0].text();
    assert!(
        request.contains("client_secret=the-clients-secret-canary"),
        "{request}"
    );
    // A sign-in is not a record: it cannot be described, used for a request, or read from a backup.
    assert!(bench.ask(Request::Describe(name)).await.is_err());
}
