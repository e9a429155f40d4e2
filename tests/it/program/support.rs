//! Doctor and support bundle: what they say, and the secrets that they leave out.

use std::io::Read;

use flate2::read::GzDecoder;
use roost_gateway::config::Overrides;
use roost_gateway::support::{bundle, doctor};
use roost_platform::clock::SystemClock;
use roost_protocol::verify::Level;
use roost_tests::{Gateway, Store, Stream, configuration};
use sea_orm::ConnectionTrait;

fn overrides(set: &[(&str, &str)]) -> Overrides {
    Overrides {
        file: None,
        set: set
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        without_environment: true,
    }
}

#[tokio::test]
async fn the_bundle_has_what_helps_and_no_secret_in_any_file_of_it() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let file_of_first = gateway.data_dir().join("first-login");
    let one_time = std::fs::read_to_string(&file_of_first).expect("a one-time login");
    let owner = gateway.owner().await;
    let pairing = owner.post("/api/nodes/pair").json(&serde_json::json!({}));
    let code = pairing.expect(201).await.str("/join_code").to_owned();
    // A stream carries its owner's e-mail address into the tree.
    let stream = Stream::open(owner.get("/api/events")).await;

    let operator = gateway.app().operator_address().to_string();
    let canary = "postgres://canary-user:canary-password-7Hq@127.0.0.1:9/none";
    let set = [
        ("operator_listen", operator.as_str()),
        ("database.url", canary),
    ];
    let config = configuration(gateway.data_dir(), &Store::Sqlite, &set);
    let checks = doctor::examine(&overrides(&set), &SystemClock::shared()).await;
    let file = gateway.data_dir().join("support.tar.gz");
    let names = bundle::write(&config, &checks, &SystemClock::shared(), &file)
        .await
        .expect("a bundle");

    let mut archive = tar::Archive::new(GzDecoder::new(
        std::fs::File::open(&file).expect("the file"),
    ));
    let (mut found, mut all) = (Vec::new(), String::new());
    for entry in archive.entries().expect("entries") {
        let mut entry = entry.expect("an entry");
        found.push(entry.path().expect("a path").display().to_string());
        entry.read_to_string(&mut all).expect("text");
    }
    assert_eq!(found.len(), names.len());
    for part in [
        "saga-driver",
        "roost_http_requests_total",
        "\"P1\"",
        "Disk space",
        "listen = ",
    ] {
        assert!(all.contains(part), "{part} is missing");
    }
    let secrets = [
        "canary-password-7Hq",
        one_time.trim(),
        &owner.token,
        &owner.email,
        &code,
    ];
    for secret in secrets {
        assert!(
            !secret.is_empty() && !all.contains(secret),
            "{secret} is in the bundle"
        );
    }
    let again = bundle::write(&config, &checks, &SystemClock::shared(), &file).await;
    assert!(again.is_err(), "a file that is there is not overwritten");
    drop(stream);
    gateway.stop().await;
}

#[tokio::test]
async fn doctor_names_operators_and_linked_accounts_with_unverified_addresses() {
    let gateway = Gateway::start().await;
    let member = gateway.person("member").await;
    let folder = gateway.data_dir().display().to_string();
    let operators = format!("[\"{}\"]", member.email);
    let set = [
        ("data_dir", folder.as_str()),
        ("operators", operators.as_str()),
        ("sandboxes.local", "off"),
    ];
    let examined = async || {
        let checks = doctor::examine(&overrides(&set), &SystemClock::shared()).await;
        let checks = checks.into_iter().filter(|check| check.name == "accounts");
        let text: Vec<String> = checks.map(|check| check.detail).collect();
        text.join("\n")
    };
    let text = examined().await;
    assert!(
        text.contains(&member.email) && text.contains("roost operator grant"),
        "{text}"
    );
    let sql = format!(
        "UPDATE users SET auth_subject = 's', password_hash = 'h' WHERE email = '{}'",
        member.email
    );
    let tx = gateway.app().db().write().await.expect("a transaction");
    tx.execute_unprepared(&sql).await.expect("a change");
    tx.commit().await.expect("it is changed");
    assert!(examined().await.contains("also by a password"));
    let tx = gateway.app().db().write().await.expect("a transaction");
    tx.execute_unprepared("UPDATE users SET email_by = 'issuer'")
        .await
        .expect("a change");
    tx.commit().await.expect("it is changed");
    let text = examined().await;
    assert!(
        text.starts_with("no operator and no linked account"),
        "{text}"
    );
    gateway.stop().await;
}

#[tokio::test]
async fn the_doctor_finds_a_running_gateway_and_says_what_to_do_about_what_is_wrong() {
    let gateway = Gateway::start().await;
    let public = gateway.app().public_address().to_string();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let other = taken.local_addr().expect("an address").to_string();
    let folder = gateway.data_dir().display().to_string();
    let mine = [
        ("listen", public.as_str()),
        ("operator_listen", other.as_str()),
        ("data_dir", folder.as_str()),
        ("sandboxes.local", "off"),
    ];
    let checks = doctor::examine(&overrides(&mine), &SystemClock::shared()).await;
    let text = doctor::lines(&checks);
    assert!(text.contains("a gateway runs and answers"), "{text}");
    assert!(text.contains("used by another program"), "{text}");
    assert!(text.contains("its schema is this version's"), "{text}");
    let failed: Vec<&str> = checks
        .iter()
        .filter(|check| check.level == Level::Fail)
        .map(|check| check.name.as_str())
        .collect();
    assert_eq!(failed, ["ports"], "{text}");
    gateway.stop().await;

    let wrong = overrides(&[("listen", "nonsense"), ("log.format", "loud")]);
    let checks = doctor::examine(&wrong, &SystemClock::shared()).await;
    assert!(checks.len() >= 2 && checks.iter().all(|check| check.level == Level::Fail));

    let open = overrides(&[
        ("listen", "0.0.0.0:0"),
        ("operator_listen", "0.0.0.0:0"),
        ("data_dir", "/nonexistent/roost"),
        ("sandboxes.local", "off"),
    ]);
    let text = doctor::lines(&doctor::examine(&open, &SystemClock::shared()).await);
    assert!(
        text.contains("makes an operator: keep it on loopback"),
        "{text}"
    );
    assert!(text.contains("without TLS"), "{text}");
}
