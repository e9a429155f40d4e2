//! A root key in a fake Vault server.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::egress::{EgressSettings, HttpClient};
use crate::root::Root;
use crate::seal;

/// Implements the three routes of the transit engine that are used, and stores plaintexts by ciphertext.
#[derive(Default)]
struct Vault {
    plain: Mutex<HashMap<String, String>>,
    version: Mutex<u64>,
    decrypted: Mutex<u64>,
    sealed: Mutex<bool>,
}

impl Vault {
    fn answer(&self, head: &str, body: &Value) -> (u16, Value) {
        let path = head.split(' ').nth(1).unwrap_or_default();
        if !head
            .to_ascii_lowercase()
            .contains("x-vault-token: s.right-token")
        {
            return (403, json!({ "errors": ["permission denied"] }));
        }
        if *self.sealed.lock().unwrap() {
            return (503, json!({ "errors": ["Vault is sealed"] }));
        }
        let mut version = self.version.lock().unwrap();
        let mut plain = self.plain.lock().unwrap();
        match path {
            "/v1/transit/keys/roost" => (200, json!({ "data": { "latest_version": *version } })),
            "/v1/transit/keys/roost/rotate" => {
                *version += 1;
                (200, json!({}))
            }
            "/v1/transit/encrypt/roost" => {
                let ciphertext = format!("vault:v{version}:{}", plain.len());
                plain.insert(
                    ciphertext.clone(),
                    body["plaintext"].as_str().unwrap().to_owned(),
                );
                (200, json!({ "data": { "ciphertext": ciphertext } }))
            }
            "/v1/transit/decrypt/roost" => {
                *self.decrypted.lock().unwrap() += 1;
                match plain.get(body["ciphertext"].as_str().unwrap_or_default()) {
                    Some(text) => (200, json!({ "data": { "plaintext": text } })),
                    None => (400, json!({ "errors": ["invalid ciphertext"] })),
                }
            }
            _ => (404, json!({ "errors": [] })),
        }
    }

    async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(self.clone().converse(stream));
        }
    }

    async fn converse(self: Arc<Self>, mut stream: TcpStream) {
        let mut bytes = Vec::new();
        loop {
            let mut piece = [0; 4096];
            let count = stream.read(&mut piece).await.unwrap_or(0);
            if count == 0 {
                return;
            }
            bytes.extend_from_slice(&piece[..count]);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length: ")
                        .map(str::to_owned)
                })
                .map_or(0, |length| length.parse().unwrap());
            if body.len() < length {
                continue;
            }
            let body = serde_json::from_str(body).unwrap_or(Value::Null);
            let (status, answer) = self.answer(head, &body);
            let text = answer.to_string();
            let answer = format!(
                "HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{text}",
                text.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
            bytes.clear();
        }
    }
}

struct Bench {
    vault: Arc<Vault>,
    settings: TransitSettings,
    _folder: tempfile::TempDir,
}

async fn bench() -> Bench {
    // Only the first call installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    let vault = Arc::new(Vault::default());
    *vault.version.lock().unwrap() = 1;
    tokio::spawn(vault.clone().serve(listener));
    let folder = tempfile::tempdir().unwrap();
    let token_file = folder.path().join("token");
    std::fs::write(&token_file, "s.right-token\n").unwrap();
    std::fs::set_permissions(&token_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let settings = TransitSettings {
        address,
        mount: "transit".into(),
        key: "roost".into(),
        token_file,
    };
    Bench {
        vault,
        settings,
        _folder: folder,
    }
}

async fn open(settings: &TransitSettings) -> Result<Root, RootError> {
    let http = HttpClient::to_vault(&EgressSettings::default()).unwrap();
    Transit::open(settings.clone(), http)
        .await
        .map(Root::Transit)
}

fn name(connection: &str) -> roost_secret_broker::wire::RecordName {
    roost_secret_broker::wire::RecordName::new("w1", connection).unwrap()
}

#[tokio::test]
async fn records_are_sealed_by_vault_and_unwrapped_keys_are_cached() {
    let bench = bench().await;
    let root = open(&bench.settings).await.unwrap();
    let sealed = seal::seal(&root, &name("a"), 1, b"secret words")
        .await
        .unwrap();
    for _ in 0..3 {
        assert_eq!(
            &**seal::open(&root, &name("a"), &sealed).await.unwrap(),
            b"secret words"
        );
    }
    assert_eq!(*bench.vault.decrypted.lock().unwrap(), 1);
    let again = open(&bench.settings).await.unwrap();
    assert_eq!(
        &**seal::open(&again, &name("a"), &sealed).await.unwrap(),
        b"secret words"
    );
    let kept = bench
        .vault
        .plain
        .lock()
        .unwrap()
        .values()
        .cloned()
        .collect::<String>();
    assert!(
        !STANDARD
            .decode(kept)
            .unwrap()
            .windows(6)
            .any(|part| part == b"secret"),
        "only data keys go to Vault"
    );
}

#[tokio::test]
async fn wrapped_key_of_another_record_does_not_open_this_one() {
    let bench = bench().await;
    let root = open(&bench.settings).await.unwrap();
    let wrapped = root
        .wrap(&DataKey::fresh(), b"the context of one")
        .await
        .unwrap();
    assert!(
        root.unwrap(&wrapped.root_key, &wrapped.bytes, b"the context of one")
            .await
            .is_ok()
    );
    let moved = root
        .unwrap(&wrapped.root_key, &wrapped.bytes, b"the context of two")
        .await;
    assert!(matches!(moved, Err(RootError::Tampered)));
}

#[tokio::test]
async fn rotated_key_seals_new_records_and_older_versions_still_open() {
    let bench = bench().await;
    let root = open(&bench.settings).await.unwrap();
    let sealed = seal::seal(&root, &name("a"), 1, b"secret words")
        .await
        .unwrap();
    assert_eq!(root.active(), "transit/roost:v1");
    root.renew().await.unwrap();
    assert_eq!(root.active(), "transit/roost:v2");
    let next = seal::seal(&root, &name("a"), 2, b"secret words")
        .await
        .unwrap();
    assert_eq!(seal::parse(&next).unwrap().root_key, "transit/roost:v2");
    assert!(seal::open(&root, &name("a"), &sealed).await.is_ok());
}

#[tokio::test]
async fn every_vault_error_is_specific_and_contains_no_token() {
    let bench = bench().await;
    let root = open(&bench.settings).await.unwrap();
    let sealed = seal::seal(&root, &name("a"), 1, b"secret words")
        .await
        .unwrap();
    *bench.vault.sealed.lock().unwrap() = true;
    let message = crate::egress::chain(&seal::open(&root, &name("a"), &sealed).await.unwrap_err());
    assert!(message.contains("sealed"), "{message}");
    *bench.vault.sealed.lock().unwrap() = false;
    std::fs::write(&bench.settings.token_file, "s.wrong-token").unwrap();
    let message = crate::egress::chain(&open(&bench.settings).await.err().unwrap());
    assert!(
        message.contains("403") && !message.contains("wrong-token"),
        "{message}"
    );
    std::fs::set_permissions(
        &bench.settings.token_file,
        std::fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    assert!(matches!(
        open(&bench.settings).await,
        Err(RootError::Open { .. })
    ));
    let nobody = TransitSettings {
        address: "http://127.0.0.1:9".parse().unwrap(),
        ..bench.settings.clone()
    };
    std::fs::set_permissions(
        &bench.settings.token_file,
        std::fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    assert!(matches!(
        open(&nobody).await,
        Err(RootError::Transit { .. })
    ));
}
