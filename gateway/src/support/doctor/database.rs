//! The database: whether it answers, has the schema of this version, and agrees with this machine about the time.

use roost_platform::clock::SharedClock;
use roost_platform::db::{differences, file_of_sqlite, probe};
use roost_protocol::verify::{Check, Level};
use secrecy::ExposeSecret;

use super::{WHERE_TO_LOOK, fail, ok, warn};
use crate::app::retained;
use crate::config::{Config, Overrides};
use crate::support::host;

/// A larger difference gives wrong times in logs, and certificates that are not valid yet.
const CLOCK_WARN_MS: i64 = 2_000;

/// The database, its schema, and its clock.
pub(super) async fn database(
    config: &Config,
    overrides: &Overrides,
    clock: &SharedClock,
) -> Vec<Check> {
    let (name, title) = ("database", "Database");
    let url = config.database_url.expose_secret();
    if let Some(file) = file_of_sqlite(url).filter(|file| !file.exists()) {
        let shown = file.display();
        let check = match overrides.file() {
            Some(_) => ok(
                name,
                title,
                format!("{shown} is not there yet; it is made at the first start"),
            ),
            // In a wrong folder the check must not report that all is well.
            None => fail(
                name,
                title,
                format!(
                    "there is neither a roost.toml in this folder nor a database at {shown}. {WHERE_TO_LOOK}"
                ),
            ),
        };
        return vec![check, clock_check(None)];
    }
    let before = clock.now().timestamp_millis();
    match probe(url).await {
        Err(error) => {
            let cause = std::error::Error::source(&error)
                .map_or_else(String::new, |cause| format!(": {cause}"));
            vec![
                fail(
                    name,
                    title,
                    format!(
                        "{error}{cause}; see that it runs, that `database.url` is right and that this user may open it"
                    ),
                ),
                clock_check(None),
            ]
        }
        Ok(found) => {
            let schema = match usize::try_from(found.applied)
                .unwrap_or(0)
                .cmp(&found.known)
            {
                std::cmp::Ordering::Equal => ok(
                    name,
                    title,
                    format!(
                        "answers; its schema is this version's ({} steps)",
                        found.applied
                    ),
                ),
                std::cmp::Ordering::Less => warn(
                    name,
                    title,
                    format!(
                        "answers; its schema has {} of {} steps: make a backup (`roost backup`), the next start applies the rest",
                        found.applied, found.known
                    ),
                ),
                std::cmp::Ordering::Greater => fail(
                    name,
                    title,
                    format!(
                        "its schema has {} steps and this version knows {}: it was used by a newer version, run that one",
                        found.applied, found.known
                    ),
                ),
            };
            let tables = match schema.level {
                Level::Ok => Some(tables(url).await),
                _ => None,
            };
            let local = found.backend == roost_platform::db::Backend::Sqlite;
            let mut checks = vec![schema];
            checks.extend(tables);
            checks.push(retention(
                found.counts.iter().map(|(name, _)| name.as_str()),
            ));
            checks.push(clock_check((!local).then_some(found.now_ms - before)));
            checks
        }
    }
}

/// Each table has the columns that this version reads and writes.
async fn tables(url: &str) -> Check {
    let (name, title) = ("tables", "Tables");
    let tables = crate::tables();
    let differences = match differences(url, &tables).await {
        Ok(differences) => differences,
        Err(error) => {
            let cause = std::error::Error::source(&error)
                .map_or_else(String::new, |cause| format!(": {cause}"));
            return fail(
                name,
                title,
                format!(
                    "the tables cannot be read{cause}; restore a backup (`roost restore`) or run the version that wrote them"
                ),
            );
        }
    };
    match differences.first() {
        None => ok(
            name,
            title,
            format!("{} tables have the columns of this version", tables.len()),
        ),
        Some(first) => fail(
            name,
            title,
            format!(
                "{first} ({} differences in all): somebody changed the schema by hand; undo the change, or restore a backup (`roost restore`)",
                differences.len()
            ),
        ),
    }
}

/// Each table has an entry that says what ends the life of its rows.
fn retention<'a>(tables: impl IntoIterator<Item = &'a str>) -> Check {
    let (name, title) = ("retention", "Retention");
    match retained::without_an_entry(tables).as_slice() {
        [] => {
            let swept = retained::TABLES
                .iter()
                .filter(|entry| matches!(entry.keeps, retained::Keeps::Until(_)))
                .map(|entry| entry.name);
            let swept: Vec<&str> = swept.collect();
            ok(
                name,
                title,
                format!(
                    "each table has one; the gateway deletes old rows of {}",
                    swept.join(", ")
                ),
            )
        }
        some => warn(
            name,
            title,
            format!(
                "the gateway never deletes from tables that it does not know: {}; remove them if nobody needs them",
                some.join(", ")
            ),
        ),
    }
}

/// `ahead_ms`: how far the clock of a remote database is ahead of this machine's clock.
fn clock_check(ahead_ms: Option<i64>) -> Check {
    let (name, title) = ("clock", "Clock");
    match ahead_ms {
        Some(ms) if ms.abs() > CLOCK_WARN_MS => warn(
            name,
            title,
            format!(
                "this machine and the database differ by {:.1} s: let both be synchronised (systemd-timesyncd, chrony)",
                ms as f64 / 1000.0
            ),
        ),
        _ if host::clock_is_kept() => ok(name, title, "it is synchronised"),
        Some(_) => ok(name, title, "it agrees with the database's"),
        None => warn(
            name,
            title,
            "nothing here seems to synchronise it: switch on systemd-timesyncd or chrony, unless the host of this container does it",
        ),
    }
}
