//! Store, describe, delete and administration through the socket.

use roost_secret_broker::wire::FaultCode;

use super::*;

fn anywhere() -> SocketAddr {
    "127.0.0.1:9".parse().unwrap()
}

#[tokio::test]
async fn stored_record_is_described_without_its_secret() {
    let bench = Bench::new().await;
    bench.keep("a", "rst-canary-secret", anywhere()).await;
    for request in [Request::Describe(name("a")), Request::Status] {
        let answer = bench.ask(request).await.unwrap();
        let shown = format!("{answer:?}");
        let wire = roost_secret_broker::wire::encode(&answer).unwrap();
        assert!(!shown.contains("canary") && !wire.windows(6).any(|part| part == b"canary"));
    }
    assert!(!bench.audited().await.contains("canary"));
    assert_eq!(
        bench.ask(Request::Delete(name("a"))).await.unwrap(),
        Answer::Deleted { existed: true }
    );
    assert_eq!(
        bench.ask(Request::Delete(name("a"))).await.unwrap(),
        Answer::Deleted { existed: false }
    );
    let gone = bench.ask(Request::Describe(name("a"))).await.unwrap_err();
    assert_eq!(gone.code, FaultCode::UnknownRecord);
}

#[tokio::test]
async fn invalid_secrets_and_names_are_refused_when_stored() {
    let bench = Bench::new().await;
    let long = "x".repeat(Secret::MOST + 1);
    for secret in ["short", "with a line end\n", long.as_str()] {
        let fault = bench
            .ask(Request::Store(bearer("a", secret, anywhere())))
            .await
            .unwrap_err();
        assert_eq!(fault.code, FaultCode::BadRequest, "{secret}");
        assert!(!fault.detail.contains("line end\n"));
    }
    let own = StoreVerb {
        name: name("sign-in/0123456789"),
        ..bearer("a", "long enough".replace(' ', "-").as_str(), anywhere())
    };
    assert_eq!(
        bench.ask(Request::Store(own)).await.unwrap_err().code,
        FaultCode::BadRequest
    );
}

#[tokio::test]
async fn users_cannot_administer() {
    let own = geteuid().as_raw();
    let bench = Bench::with(Setting {
        users: vec![own],
        administrators: vec![own + 1],
        ..Setting::default()
    })
    .await;
    for request in [Request::Rekey, Request::VerifyAudit, Request::Backup] {
        let fault = bench.ask(request).await.unwrap_err();
        assert_eq!(fault.code, FaultCode::Forbidden);
    }
    let refused = bench.client.restore(&b"ROOSTBK1"[..]).await;
    assert!(refused.is_err());
    assert!(bench.ask(Request::Status).await.is_ok());
}

#[tokio::test]
async fn backup_rekey_restore_and_verify_go_through_the_socket() {
    let bench = Bench::new().await;
    bench.keep("a", "rst-canary-secret", anywhere()).await;
    let mut backup = Vec::new();
    let saved = bench
        .client
        .backup(|piece| {
            backup.extend_from_slice(piece);
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(saved.records, 1);
    assert!(!backup.windows(6).any(|part| part == b"canary"));
    bench.ask(Request::Delete(name("a"))).await.unwrap();
    assert_eq!(
        bench
            .client
            .restore(backup.as_slice())
            .await
            .unwrap()
            .records,
        1
    );
    let Answer::Saved(rekeyed) = bench.ask(Request::Rekey).await.unwrap() else {
        panic!("it is saved")
    };
    assert_ne!(rekeyed.root_key, saved.root_key);
    // The backup is sealed under a key that no longer exists.
    let refused = bench.client.restore(backup.as_slice()).await.unwrap_err();
    assert!(
        matches!(&refused, ClientError::Refused(fault) if fault.code == FaultCode::RootUnavailable),
        "{refused:?}"
    );
    assert!(bench.ask(Request::Describe(name("a"))).await.is_ok());
    let Answer::Audit(report) = bench.ask(Request::VerifyAudit).await.unwrap() else {
        panic!("a report")
    };
    assert!(
        report.faults.is_empty() && report.entries >= 5,
        "{report:?}"
    );
}

#[tokio::test]
async fn joined_text_is_cleaned_and_guessing_is_rate_limited() {
    use roost_secret_broker::wire::{Clean, Cleaned, Inject};
    let bench = Bench::new().await;
    let remote: SocketAddr = "127.0.0.1:1".parse().unwrap();
    bench.keep("model", "sk-canary-0123456789", remote).await;
    let clean = async |connection: &str, text: &str| {
        let asked = Clean {
            name: name(connection),
            text: text.to_owned(),
        };
        match bench.ask(Request::Clean(asked)).await {
            Ok(Answer::Cleaned(cleaned)) => Ok(cleaned),
            Ok(other) => panic!("{other:?}"),
            Err(fault) => Err(fault),
        }
    };
    let asked = "Grüße: sk-canary-0123456789, or sk-c\\u0061nary-0123456789!";
    let Cleaned { text, least } = clean("model", asked).await.unwrap();
    assert_eq!(text.len(), asked.len());
    assert!(
        !text.contains("canary") && text.starts_with("Grüße: ****"),
        "{text}"
    );
    assert_eq!(least, Some(20));
    let half = "sk-canary-012345678";
    assert_eq!(
        clean("model", half).await.unwrap().text,
        half,
        "a half tells nothing"
    );
    assert!(clean("nobody", "x").await.is_err());
    let mut quiet = bearer("quiet", "sk-canary-0123456789", remote);
    quiet.inject = Inject::Never;
    bench.ask(Request::Store(quiet)).await.unwrap();
    let unsent = clean("quiet", "sk-canary-0123456789").await.unwrap();
    assert_eq!(unsent.least, None, "what is never sent is never echoed");
    // Millions of guesses are refused until the minute is over.
    let guesses = "x".repeat(200_000);
    let mut refused = None;
    for _ in 0..200 {
        refused = clean("model", &guesses).await.err();
        if refused.is_some() {
            break;
        }
    }
    assert_eq!(refused.map(|fault| fault.code), Some(FaultCode::Busy));
    bench.pass_ms(60_000);
    assert!(clean("model", "x").await.is_ok());
}
