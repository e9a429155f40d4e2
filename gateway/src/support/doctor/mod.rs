//! Checks of a gateway's configuration and machine. Each line states what was found, and what to do about a fault. The
//! checks change nothing and need no running gateway; they ask a running gateway whether it answers.

mod accounts;
mod broker;
mod database;
mod listeners;

use std::path::Path;
use std::time::Duration;

use roost_protocol::text::clean;
use roost_protocol::verify::{Check, Level};
use roost_sandbox_driver::{Driver, Enforcement, EngineConfig, ImageState};
use secrecy::ExposeSecret;

use super::host;
use crate::app::{StartupError, chunk_store, retained};
use crate::config::{ChunkPlace, Config, ConfigErrors, Overrides, load};
use roost_machines::fleet::local;
use roost_platform::clock::SharedClock;
use roost_secret_broker::outbound::chain;

/// Below this many bytes the database may fail.
const DISK_FAIL: u64 = 256 << 20;
/// Below this many bytes an operator should act soon.
const DISK_WARN: u64 = 2 << 30;
/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What to do when there is no database.
pub const WHERE_TO_LOOK: &str = "Name the configuration of the gateway with `--config FILE`, or the folder of its data with \
     `--set data_dir=FOLDER`; `make run` keeps its data in .roost/data";

/// Runs all checks. If the configuration cannot be read, only its mistakes are reported.
pub async fn examine(overrides: &Overrides, clock: &SharedClock) -> Vec<Check> {
    let (config, mut checks) = match load(overrides) {
        Ok((config, warnings)) => {
            let mut checks = vec![ok("configuration", "Configuration", "every key is valid")];
            checks.extend(
                warnings
                    .into_iter()
                    .map(|warning| warn("configuration", "Configuration", warning)),
            );
            (config, checks)
        }
        Err(ConfigErrors(mistakes)) => {
            let lines = mistakes.into_iter().map(|mistake| {
                let said = format!(
                    "{}: {}; correct it, `roost config` prints what is in effect",
                    mistake.key, mistake.problem
                );
                fail("configuration", "Configuration", said)
            });
            return lines.collect();
        }
    };
    checks.extend(permissions(&config, overrides));
    checks.extend(database::database(&config, overrides, clock).await);
    checks.extend(accounts::accounts(&config).await);
    checks.push(disk(&config.data_dir));
    checks.push(folders(&config.data_dir));
    checks.push(outbound(&config));
    checks.extend(engine(&config).await);
    checks.extend(broker::broker(&config).await);
    checks.push(renderer(&config));
    checks.extend(chunks(&config).await);
    checks.extend(listeners::ports(&config).await);
    checks.push(listeners::tls(&config, clock.now()).await);
    checks.extend(chaos(&config));
    for check in &mut checks {
        check.detail = clean(&check.detail, 1024);
    }
    checks
}

fn renderer(config: &Config) -> Check {
    let (name, title) = ("pdf", "PDF files");
    match config.pdf_program().missing() {
        None => ok(name, title, "the program that makes them is there"),
        Some(path) => warn(
            name,
            title,
            format!(
                "{} is not there, so no report is made as PDF: build it with `deploy/pdf.sh`, or set `pdf_renderer`",
                path.display()
            ),
        ),
    }
}

fn permissions(config: &Config, overrides: &Overrides) -> Vec<Check> {
    let (name, title) = ("permissions", "Permissions");
    let folder = &config.data_dir;
    let shown = folder.display();
    let mut checks = Vec::new();
    if !folder.exists() {
        let above = host::nearest(folder);
        checks.push(if host::may_write(&above) {
            ok(name, title, format!("{shown} is not there yet; it is made at the first start"))
        } else {
            fail(name, title, format!("{shown} is not there and cannot be made in {}: make it for the user of the gateway, mode 700", above.display()))
        });
    } else if !host::may_write(folder) {
        checks.push(fail(name, title, format!("{shown} cannot be written by this user: `chown` it to the user of the gateway, or run this as that user")));
    } else if host::open_to_others(folder).unwrap_or(false) {
        checks.push(warn(
            name,
            title,
            format!("{shown} can be entered by others on this machine: `chmod 700 {shown}`"),
        ));
    } else {
        checks.push(ok(
            name,
            title,
            format!("{shown} belongs to this user alone"),
        ));
    }
    let key = config.tls.as_ref().map(|tls| tls.key.clone());
    let file = overrides
        .file
        .clone()
        .filter(|_| config.database_url.expose_secret().contains('@'));
    let token = Some(config.operator_token_file());
    for file in [Some(folder.join("first-login")), token, key, file]
        .into_iter()
        .flatten()
    {
        if host::open_to_others(&file).unwrap_or(false) {
            let shown = file.display();
            checks.push(warn(name, title, format!("{shown} holds a secret and can be read by others on this machine: `chmod 600 {shown}`")));
        }
    }
    checks
}

/// Each folder has an entry that says what deletes from it.
fn folders(data_dir: &Path) -> Check {
    let (name, title) = ("folders", "Data folder");
    if !data_dir.exists() {
        return ok(name, title, "is not there yet".to_owned());
    }
    match retained::folders_without_an_entry(data_dir) {
        Ok(unknown) if unknown.is_empty() => {
            ok(name, title, "each folder in it has a retention".to_owned())
        }
        Ok(unknown) => warn(
            name,
            title,
            format!(
                "the gateway never deletes from folders that it does not know: {}; remove them from {} if nobody needs them",
                unknown.join(", "),
                data_dir.display()
            ),
        ),
        Err(error) => fail(
            name,
            title,
            format!("{} cannot be read: {error}", data_dir.display()),
        ),
    }
}

fn disk(folder: &Path) -> Check {
    let (name, title) = ("disk", "Disk space");
    let Some((free, whole)) = host::disk(folder) else {
        return warn(
            name,
            title,
            format!("the disk under {} cannot be asked", folder.display()),
        );
    };
    let said = format!(
        "{} MiB of {} MiB are free under {}",
        free >> 20,
        whole >> 20,
        folder.display()
    );
    match free {
        free if free < DISK_FAIL => fail(
            name,
            title,
            format!("{said}: free some now, a full disk stops every change"),
        ),
        free if free < DISK_WARN => warn(
            name,
            title,
            format!(
                "{said}: free some soon, or shorten `events.retention_days` and `events.ephemeral_retention_hours`"
            ),
        ),
        _ => ok(name, title, said),
    }
}

/// The private addresses that Roost may connect to. A model on this machine needs its address in the list.
fn outbound(config: &Config) -> Check {
    let rules = &config.outbound.allow_private;
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    let said = match rules.is_empty() {
        true => "private addresses and plain http are refused; a model that runs on this machine (Ollama) needs its host in \
                 `outbound.allow_private`, such as [\"127.0.0.1\"]"
            .to_owned(),
        false => format!(
            "private addresses and plain http are refused, but for {} (`outbound.allow_private`)",
            rules.join(", ")
        ),
    };
    ok("outbound", "Addresses outside", said)
}

/// A folder of chunks lies in the data, which `disk` and `permissions` check.
async fn chunks(config: &Config) -> Option<Check> {
    let (name, title) = ("snapshots", "Bucket of snapshots");
    let ChunkPlace::Bucket(bucket) = &config.snapshots else {
        return None;
    };
    let asked = async {
        chunk_store(config)?.check().await?;
        Ok::<_, StartupError>(())
    };
    Some(match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(())) => ok(
            name,
            title,
            format!("`{}` can be written and listed", bucket.name),
        ),
        Ok(Err(error)) => fail(name, title, chain(&error)),
        Err(_) => fail(
            name,
            title,
            "the service does not answer within 5 s; correct `snapshots.endpoint`, or wait until it is back. Snapshots stay \
             on their machines and are uploaded later",
        ),
    })
}

async fn engine(config: &Config) -> Vec<Check> {
    if !config.sandboxes.local {
        return vec![ok(
            "engine",
            "Container engine",
            "sandboxes on this host are switched off (`sandboxes.local`); machines bring their own",
        )];
    }
    let install = local::install_id(&config.data_dir);
    let asked = EngineConfig {
        host: config.sandboxes.engine.clone(),
        owner: install.clone().unwrap_or_default(),
        ..EngineConfig::default()
    };
    let connected = tokio::time::timeout(PATIENCE, Driver::connect(asked)).await;
    let driver = match connected {
        Ok(Ok(driver)) => driver,
        Ok(Err(error)) => {
            return vec![warn(
                "engine",
                "Container engine",
                format!(
                    "{error}. Start it, name its socket in `sandboxes.engine`, or set `sandboxes.local = \"off\"` and pair machines"
                ),
            )];
        }
        Err(_) => {
            return vec![warn(
                "engine",
                "Container engine",
                "it does not answer within 5 s: see whether it runs".to_owned(),
            )];
        }
    };
    let facts = driver.engine();
    let found = format!(
        "{:?} {} (API {}) at {}",
        facts.kind, facts.version, facts.api, facts.address
    );
    let image = &config.sandboxes.image;
    let check = |state| match state {
        Ok(ImageState::Ready { id, .. }) => ok("image", "Agent image", format!("{image} ({id})")),
        Ok(ImageState::Missing) => warn(
            "image",
            "Agent image",
            format!(
                "{image} is not here: `make run` or `deploy/agent-image/build.sh` builds it, or name another in `sandboxes.image`"
            ),
        ),
        Ok(ImageState::WrongDigest { id }) => warn(
            "image",
            "Agent image",
            format!("{image} is {id}, which is not the wanted one: pull or build it again"),
        ),
        Ok(ImageState::Unfit { reason }) => fail(
            "image",
            "Agent image",
            format!(
                "{image} cannot be a sandbox: {reason}; build it with deploy/agent-image/build.sh"
            ),
        ),
        Err(error) => warn("image", "Agent image", format!("{error}")),
    };
    vec![
        ok("engine", "Container engine", found),
        check(driver.image_state(image, None).await),
        total(config, &driver, install.is_some()).await,
    ]
}

/// The limits of all sandboxes on this host together, and whether the kernel enforces them. The gateway sets them at
/// start.
async fn total(config: &Config, driver: &Driver, started: bool) -> Check {
    let (name, title) = ("limit.total", "All sandboxes together");
    let allowance = config.sandboxes.policy.allowance(driver.host());
    let all = &allowance.caps.all;
    let said = format!(
        "at most {} sandboxes with {} MiB of memory and {} processes, {} MiB for one",
        all.sandboxes,
        all.memory_bytes >> 20,
        all.pids,
        allowance.caps.each.memory_bytes >> 20
    );
    if !started {
        return ok(name, title, format!("{said}; the first start sets it"));
    }
    match driver.check_total(&allowance).await {
        Enforcement::Yes => ok(name, title, format!("{said}, held by the kernel")),
        Enforcement::No { why } => warn(
            name,
            title,
            format!(
                "{said}; the kernel does not hold it, or the gateway has not set it since this machine started: {why}"
            ),
        ),
    }
}

fn chaos(config: &Config) -> Option<Check> {
    config.chaos_allow.then(|| warn("chaos", "Fault injection", "`chaos.allow` is on: operators may kill parts of this gateway. Never where data matters"))
}

fn ok(name: &str, title: &str, detail: impl Into<String>) -> Check {
    check(name, title, Level::Ok, detail)
}

fn warn(name: &str, title: &str, detail: impl Into<String>) -> Check {
    check(name, title, Level::Warn, detail)
}

fn fail(name: &str, title: &str, detail: impl Into<String>) -> Check {
    check(name, title, Level::Fail, detail)
}

fn check(name: &str, title: &str, level: Level, detail: impl Into<String>) -> Check {
    Check {
        name: name.into(),
        title: title.into(),
        level,
        detail: detail.into(),
    }
}

/// The checks as lines for people.
pub fn lines(checks: &[Check]) -> String {
    let line = |check: &Check| {
        let mark = match check.level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Fail => "FAIL",
        };
        format!("  {mark}  {}: {}\n", check.title, check.detail)
    };
    checks.iter().map(line).collect()
}
