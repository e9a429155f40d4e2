//! Reading a configuration key by key, so that all mistakes are found at once.

mod connections;
mod identity;
mod runs;
mod sandboxes;
mod snapshots;
mod supplies;

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use figment::Figment;
use figment::value::{Dict, Value};
use secrecy::SecretString;
use serde::de::DeserializeOwned;

use super::layers::{self, Overrides};
use super::{Config, Limits, Log, LogFormat, Otlp, Retention, Sessions, Tls};
use roost_connections::uploads::UploadLimits;
use roost_platform::supervision::killpoints::{Arm, ArmError};
use roost_tenancy::streams::Limits as StreamLimits;
use roost_tenancy::workspaces::{Plan, Plans};
use roost_web::client_address::Network;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The key (`database.url`), or the file.
    pub key: String,
    /// What is wrong and what is allowed.
    pub problem: String,
}

/// All mistakes in a configuration.
#[derive(Debug, thiserror::Error)]
pub struct ConfigErrors(pub Vec<Mistake>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration has {} mistake(s):", self.0.len())?;
        for mistake in &self.0 {
            write!(f, "\n  {}: {}", mistake.key, mistake.problem)?;
        }
        Ok(())
    }
}

/// Loads the effective configuration. Also returns variables of the environment that look like keys but are not, for a
/// warning (an orchestrator may set `ROOST_SERVICE_HOST` and the like for its own reasons).
///
/// # Errors
/// All mistakes at once.
pub fn load(overrides: &Overrides) -> Result<(Config, Vec<String>), ConfigErrors> {
    let mut reader = Reader {
        without_environment: overrides.without_environment,
        ..Reader::default()
    };
    let mut figment = Figment::new();
    if let Some(path) = overrides.file() {
        let layer = layers::from_file(&path);
        match layer.extract::<Dict>() {
            Ok(dict) => {
                reader.refuse.extend(paths(&dict));
                figment = figment.merge(layer);
            }
            Err(error) => reader.wrong(&path.display().to_string(), one_line(&error)),
        }
    }
    if !overrides.without_environment {
        let layer = layers::from_environment();
        if let Ok(dict) = layer.extract::<Dict>() {
            reader.warn.extend(paths(&dict));
        }
        figment = figment.merge(layer);
    }
    let flags = layers::from_flags(&overrides.set);
    if let Ok(dict) = flags.extract::<Dict>() {
        reader.refuse.extend(paths(&dict));
    }
    reader.figment = figment.merge(flags);
    let config = reader.config();
    reader.finish(config)
}

#[derive(Default)]
pub(super) struct Reader {
    figment: Figment,
    mistakes: Vec<Mistake>,
    known: BTreeSet<String>,
    refuse: BTreeSet<String>,
    warn: BTreeSet<String>,
    without_environment: bool,
}

const DAY: u64 = 86_400;

impl Reader {
    fn config(&mut self) -> Option<Config> {
        let data_dir: PathBuf = self.get("data_dir", PathBuf::from("./.roost"));
        let default_url = format!("sqlite:{}", data_dir.join("roost.db").display());
        let database_url: String = self.get("database.url", default_url);
        if !["sqlite:", "postgres:", "postgresql:"]
            .iter()
            .any(|scheme| database_url.starts_with(scheme))
        {
            self.wrong(
                "database.url",
                "must start with `sqlite:` or `postgres://`".into(),
            );
        }
        let public_url = self.address("public_url", "https://roost.example");
        let oauth = self.oauth(public_url.as_ref());
        let outbound = self.outbound();
        let mail = self.mail(&outbound);
        let config = Config {
            listen: self.parsed("listen", "127.0.0.1:7667", "an address like 127.0.0.1:7667")?,
            operator_hosts: self
                .get("operator_hosts", Vec::<String>::new())
                .into_iter()
                .map(|host| host.trim().to_lowercase())
                .collect(),
            operator_token_file: self.optional("operator_token_file"),
            operator_listen: self.parsed(
                "operator_listen",
                "127.0.0.1:7668",
                "an address like 127.0.0.1:7668",
            )?,
            public_url,
            mail,
            data_dir,
            pdf_renderer: self.optional("pdf_renderer"),
            database_url: SecretString::from(database_url),
            log: self.log(),
            otlp: self.otlp(),
            tls: self.tls(),
            sandboxes: self.sandboxes(),
            snapshots: self.snapshots(),
            uploads: UploadLimits {
                bytes: self.number::<u64>("uploads.archive_mib", 256, 1, 1 << 20) << 20,
                unpacked: self.number::<u64>("uploads.unpacked_mib", 512, 1, 1 << 20) << 20,
                files: self.number("uploads.files", 50_000, 1, 1_000_000),
                workspace: self.number::<u64>("uploads.workspace_mib", 4096, 1, 1 << 24) << 20,
            },
            broker: self.broker(),
            auth: self.auth(&outbound),
            outbound,
            supplies: self.supplies(),
            oauth,
            plans: self.plans(),
            sessions: Sessions {
                idle: Duration::from_secs(
                    DAY * self.number::<u64>("sessions.idle_days", 30, 1, 3_650),
                ),
                absolute: Duration::from_secs(
                    DAY * self.number::<u64>("sessions.absolute_days", 90, 1, 3_650),
                ),
                one_time_minutes: self.number("sessions.one_time_minutes", 15, 1, 1_440),
            },
            chaos_allow: self.get("chaos.allow", false),
            chaos_arm: self.arms("chaos.arm"),
            operators: self
                .get("operators", Vec::<String>::new())
                .into_iter()
                .map(|email| email.trim().to_lowercase())
                .collect(),
            trusted_proxies: self.proxies(),
            events: Retention {
                facts_age: Duration::from_secs(
                    DAY * self.number::<u64>("events.retention_days", 7, 1, 3_650),
                ),
                facts: self.number("events.retention_count", 100_000, 1_000, 100_000_000),
                ephemera_age: Duration::from_secs(
                    3_600 * self.number::<u64>("events.ephemeral_retention_hours", 24, 1, 87_600),
                ),
                ephemera_bytes: self.number::<u64>(
                    "events.ephemeral_retention_mib",
                    64,
                    1,
                    1 << 20,
                ) << 20,
            },
            runs: self.runs(),
            level_up_model: self.optional("level_up_model"),
            summarizer_model: self.optional("summarizer_model"),
            limits: Limits {
                body: self.number("limits.body_bytes", 1 << 20, 1_024, 1 << 30),
                body_grace: self.seconds("limits.body_timeout_seconds", 30, 1, 3_600),
                header_timeout: self.seconds("limits.header_timeout_seconds", 10, 1, 300),
                runtime_boot: self.seconds("limits.runtime_boot_seconds", 60, 1, 3_600),
                stalled: self.seconds("limits.stalled_seconds", 60, 1, 3_600),
                streams: StreamLimits {
                    a_user: self.number("limits.streams_per_user", 16, 1, 1_000_000),
                    a_workspace: self.number("limits.streams_per_workspace", 1_000, 1, 1_000_000),
                },
                commands: self.commands(),
            },
            heartbeat: Duration::from_secs(self.number("heartbeat.seconds", 10, 1, 3_600)),
            dist_dir: self.optional("fleet.dist_dir"),
        };
        if !config.chaos_allow && !config.chaos_arm.is_empty() {
            self.wrong("chaos.arm", ArmError::Forbidden.to_string());
        }
        if config.sessions.absolute < config.sessions.idle {
            self.wrong(
                "sessions.absolute_days",
                "must not be less than sessions.idle_days".into(),
            );
        }
        Some(config)
    }

    fn log(&mut self) -> Log {
        let filter: String = self.get(
            "log.filter",
            "info,sqlx=warn,sea_orm=warn,ractor=warn".to_owned(),
        );
        if let Err(error) = tracing_subscriber::EnvFilter::try_new(&filter) {
            self.wrong(
                "log.filter",
                format!("is not a filter like `info,roost_execution=debug`: {error}"),
            );
        }
        Log {
            format: self.choice(
                "log.format",
                &[("pretty", LogFormat::Pretty), ("json", LogFormat::Json)],
            ),
            filter,
        }
    }

    fn otlp(&mut self) -> Option<Otlp> {
        let endpoint = self.address("otlp.endpoint", "http://127.0.0.1:4318");
        let authorization: Option<String> = self.optional("otlp.authorization");
        let sample_percent = self.number("otlp.sample_percent", 100, 0, 100);
        if endpoint.is_none() && authorization.is_some() {
            self.wrong(
                "otlp.endpoint",
                "is missing; otlp.authorization needs it".into(),
            );
        }
        Some(Otlp {
            endpoint: endpoint?,
            authorization: authorization.map(SecretString::from),
            sample_percent,
        })
    }

    fn tls(&mut self) -> Option<Tls> {
        let cert: Option<PathBuf> = self.optional("tls.cert");
        let key: Option<PathBuf> = self.optional("tls.key");
        for (name, path) in [("tls.cert", &cert), ("tls.key", &key)] {
            if let Some(path) = path
                && let Err(error) = std::fs::File::open(path)
            {
                self.wrong(name, format!("cannot read {}: {error}", path.display()));
            }
        }
        match (cert, key) {
            (Some(cert), Some(key)) => Some(Tls { cert, key }),
            (None, None) => None,
            (Some(_), None) => {
                self.wrong("tls.key", "is missing; tls.cert needs it".into());
                None
            }
            (None, Some(_)) => {
                self.wrong("tls.cert", "is missing; tls.key needs it".into());
                None
            }
        }
    }

    fn address(&mut self, key: &str, example: &str) -> Option<url::Url> {
        let text: String = self.optional(key)?;
        match url::Url::parse(&text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Some(url),
            _ => {
                self.wrong(key, format!("must be an address like {example}"));
                None
            }
        }
    }

    fn plans(&mut self) -> Plans {
        let mut plans = Plans::default();
        let tiers: Dict = self.optional("plans").unwrap_or_default();
        let named = |name: &str| name != "default" && name != "signup";
        for (name, value) in tiers.iter().filter(|(name, _)| named(name)) {
            let key = format!("plans.{name}");
            for limit in ["agents", "live_containers", "workspaces"] {
                self.known.insert(format!("{key}.{limit}"));
            }
            match value.deserialize::<Plan>() {
                Ok(plan) => drop(plans.tiers.insert(name.clone(), plan)),
                Err(error) => self.wrong(
                    &key,
                    format!(
                        "must have the numbers `agents` and `live_containers`: {}",
                        one_line(&error)
                    ),
                ),
            }
        }
        plans.default = self.get("plans.default", plans.default);
        plans.signup = self.get("plans.signup", plans.signup);
        let names: Vec<&str> = plans.tiers.keys().map(String::as_str).collect();
        let names = names.join(", ");
        for (key, plan) in [
            ("plans.default", &plans.default),
            ("plans.signup", &plans.signup),
        ] {
            if !plans.tiers.contains_key(plan) {
                self.wrong(key, format!("must be one of {names}"));
            }
        }
        plans
    }

    fn proxies(&mut self) -> Vec<Network> {
        let texts: Vec<String> = self.get("trusted_proxies", Vec::new());
        let mut networks = Vec::with_capacity(texts.len());
        for text in texts {
            match text.parse() {
                Ok(network) => networks.push(network),
                Err(error) => self.wrong("trusted_proxies", format!("`{text}` {error}")),
            }
        }
        networks
    }

    /// Orders like `events.writer.before_commit=abort@2`, separated by commas.
    fn arms(&mut self, key: &str) -> Vec<Arm> {
        let text: String = self.get(key, String::new());
        let orders = text
            .split(',')
            .map(str::trim)
            .filter(|order| !order.is_empty());
        let (good, bad): (Vec<_>, Vec<_>) = orders.map(str::parse).partition(Result::is_ok);
        for error in bad.into_iter().filter_map(Result::err) {
            self.wrong(key, ArmError::to_string(&error));
        }
        good.into_iter().filter_map(Result::ok).collect()
    }

    fn get<T: DeserializeOwned>(&mut self, key: &str, default: T) -> T {
        self.optional(key).unwrap_or(default)
    }

    pub(super) fn optional<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        self.known.insert(key.to_owned());
        if self.figment.find_value(key).is_err() {
            return None;
        }
        match self.figment.extract_inner(key) {
            Ok(value) => Some(value),
            Err(error) => {
                self.wrong(key, one_line(&error));
                None
            }
        }
    }

    fn parsed<T: std::str::FromStr>(&mut self, key: &str, default: &str, what: &str) -> Option<T> {
        let text: String = self.get(key, default.to_owned());
        if let Ok(value) = text.parse() {
            return Some(value);
        }
        self.wrong(key, format!("`{text}` is not {what}"));
        default.parse().ok()
    }

    fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> T {
        // People that know YAML or shells write `on` for `true`.
        let word = match self.optional::<Value>(key) {
            None => choices[0].0.to_owned(),
            Some(Value::String(_, word)) => word,
            Some(Value::Bool(_, true)) => "on".to_owned(),
            Some(Value::Bool(_, false)) => "off".to_owned(),
            Some(_) => String::new(),
        };
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == word) {
            return *value;
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        self.wrong(key, format!("must be {}", names.join(" or ")));
        choices[0].1
    }

    /// A time in whole seconds.
    fn seconds(&mut self, key: &str, default: u64, least: u64, most: u64) -> Duration {
        Duration::from_secs(self.number(key, default, least, most))
    }

    fn number<T>(&mut self, key: &str, default: u64, least: u64, most: u64) -> T
    where
        T: TryFrom<u64>,
    {
        let mut number: u64 = self.get(key, default);
        if !(least..=most).contains(&number) {
            self.wrong(key, format!("must be {least} to {most}"));
            number = default;
        }
        T::try_from(number)
            .unwrap_or_else(|_| panic!("the bounds of {key} fit its type: they are constants"))
    }

    pub(super) fn wrong(&mut self, key: &str, problem: String) {
        self.mistakes.push(Mistake {
            key: key.to_owned(),
            problem,
        });
    }

    fn finish(mut self, config: Option<Config>) -> Result<(Config, Vec<String>), ConfigErrors> {
        let known = |path: &String| match path.ends_with('.') {
            true => self.known.iter().any(|key| key.starts_with(path)),
            false => self.known.contains(path),
        };
        let unknown: Vec<String> = self
            .refuse
            .iter()
            .filter(|path| !known(path))
            .map(|path| path.trim_end_matches('.').to_owned())
            .collect();
        for key in unknown {
            let problem = match nearest(&key, &self.known) {
                Some(near) => format!("is not a key; did you mean `{near}`?"),
                None => "is not a key; `roost config` prints all of them".to_owned(),
            };
            self.wrong(&key, problem);
        }
        let warnings = self
            .warn
            .difference(&self.known)
            .map(|key| {
                let name = key.replace('.', "__").to_ascii_uppercase();
                format!("ROOST_{name} in the environment is not a configuration key and is ignored")
            })
            .collect();
        match config {
            Some(config) if self.mistakes.is_empty() => Ok((config, warnings)),
            _ => Err(ConfigErrors(self.mistakes)),
        }
    }
}

fn one_line(error: &figment::Error) -> String {
    error.to_string().replace('\n', " ")
}

/// The dotted paths of all leaves. A section without keys (all of them commented out) ends in a dot.
fn paths(dict: &Dict) -> Vec<String> {
    dict.iter()
        .flat_map(|(key, value)| match value.as_dict() {
            Some(inner) if inner.is_empty() => vec![format!("{key}.")],
            Some(inner) => paths(inner)
                .into_iter()
                .map(|path| format!("{key}.{path}"))
                .collect(),
            _ => vec![key.clone()],
        })
        .collect()
}

/// The known key that is closest to a misspelt one.
fn nearest<'a>(key: &str, known: &'a BTreeSet<String>) -> Option<&'a String> {
    known
        .iter()
        .map(|candidate| (distance(key, candidate), candidate))
        .filter(|(distance, _)| *distance <= 3)
        .min()
        .map(|(_, candidate)| candidate)
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
