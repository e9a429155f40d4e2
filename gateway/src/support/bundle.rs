//! The support bundle: one `tar.gz` with what helps to find a fault, and without secrets. Every text in it passes the
//! redactor.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use flate2::Compression;
use flate2::write::GzEncoder;
use roost_protocol::verify::Check;
use secrecy::ExposeSecret;

use super::doctor;
use crate::config::{self, Config};
use roost_platform::clock::SharedClock;
use roost_platform::db::probe;
use roost_platform::telemetry::Redactor;

/// How long the gateway may take for each answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The requests to a running gateway's operators' listener, and the file for each answer.
const ASKED: &[(&str, &str)] = &[
    ("tree.json", "/api/ops/tree"),
    ("tree.txt", "/api/ops/tree?format=text"),
    ("promises.json", "/api/ops/promises"),
    ("metrics.txt", "/metrics"),
    ("log.txt", "/api/ops/log"),
];

/// Writes the bundle and returns the names of the files in it. `checks` are the doctor's.
///
/// # Errors
/// When the file cannot be written. If a gateway or a database does not answer, the bundle records it, and that is not
/// an error.
pub async fn write(
    config: &Config,
    checks: &[Check],
    clock: &SharedClock,
    file: &Path,
) -> anyhow::Result<Vec<String>> {
    let redactor = knowing(config);
    let mut entries = vec![
        ("about.json".to_owned(), about(clock)),
        ("config.toml".to_owned(), config::show(config)),
        ("doctor.txt".to_owned(), doctor::lines(checks)),
        ("counts.json".to_owned(), counts(config).await),
    ];
    let client = reqwest::Client::builder()
        .timeout(PATIENCE)
        .build()
        .context("HTTP cannot be set up here")?;
    // Without the token, the gateway's answers report that it is missing.
    let token = std::fs::read_to_string(config.operator_token_file()).unwrap_or_default();
    let token = token.trim();
    for (name, path) in ASKED {
        let url = format!("http://{}{path}", config.operator_listen);
        let answer = async {
            client
                .get(url)
                .bearer_auth(token)
                .send()
                .await?
                .error_for_status()?
                .text()
                .await
        };
        let text = answer
            .await
            .unwrap_or_else(|error| format!("the gateway did not tell: {error}\n"));
        entries.push(((*name).to_owned(), text));
    }
    for (_, text) in &mut entries {
        *text = redactor.clean(text);
    }
    let at = u64::try_from(clock.now().timestamp()).unwrap_or(0);
    let packed = pack(&entries, at).context("the bundle could not be packed")?;
    write_private(file, &packed).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(entries.into_iter().map(|(name, _)| name).collect())
}

/// A redactor that knows the secrets of this configuration.
fn knowing(config: &Config) -> Redactor {
    let mut redactor = Redactor::default();
    let url = config.database_url.expose_secret();
    if let Some(password) = url::Url::parse(url)
        .ok()
        .and_then(|url| url.password().map(str::to_owned))
    {
        redactor.know(&password);
    }
    if let Ok(first) = std::fs::read_to_string(config.data_dir.join("first-login")) {
        redactor.know(&first);
    }
    redactor
}

fn about(clock: &SharedClock) -> String {
    let system = rustix::system::uname();
    let about = serde_json::json!({
        "made_at": clock.now(),
        "version": env!("CARGO_PKG_VERSION"),
        "build": roost_platform::BUILD_ID,
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "kernel": system.release().to_string_lossy(),
    });
    format!("{about:#}\n")
}

async fn counts(config: &Config) -> String {
    match probe(config.database_url.expose_secret()).await {
        Ok(found) => {
            let rows: serde_json::Map<String, serde_json::Value> = found
                .counts
                .into_iter()
                .map(|(table, count)| (table, count.into()))
                .collect();
            format!("{:#}\n", serde_json::Value::Object(rows))
        }
        Err(error) => format!(
            "{:#}\n",
            serde_json::json!({ "unknown": error.to_string() })
        ),
    }
}

fn pack(entries: &[(String, String)], at: u64) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o600);
        header.set_mtime(at);
        archive.append_data(
            &mut header,
            format!("roost-support/{name}"),
            text.as_bytes(),
        )?;
    }
    archive.into_inner()?.finish()
}

/// The redactor can miss something, so only this user can read the file until they decide to send it.
fn write_private(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(file)?;
    file.write_all(bytes)?;
    file.sync_all()
}
