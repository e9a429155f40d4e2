//! Printing the effective configuration, as TOML that can be used as a file, with secrets hidden.

use std::fmt::Write;

use roost_sandbox_driver::executor::OwnerPolicy;
use secrecy::ExposeSecret;

use super::{ChunkPlace, Config, HostedIdentity, HostedMode, LogFormat, OAuth, SuppliesSettings};

/// All keys with their effective values.
pub fn show(config: &Config) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{key} = {value}");
    };
    let text = |value: &str| toml::Value::from(value).to_string();
    let days = |duration: std::time::Duration| (duration.as_secs() / 86_400).to_string();
    line("listen", text(&config.listen.to_string()));
    line("operator_listen", text(&config.operator_listen.to_string()));
    let hosts: Vec<String> = config
        .operator_hosts
        .iter()
        .map(|host| text(host))
        .collect();
    line("operator_hosts", format!("[{}]", hosts.join(", ")));
    let token = config.operator_token_file().display().to_string();
    line("operator_token_file", text(&token));
    if let Some(url) = &config.public_url {
        line("public_url", text(url.as_str()));
    }
    if let Some(mail) = &config.mail {
        line("smtp_url", text("hidden"));
        line("smtp_from", text(&mail.from));
    }
    line("data_dir", text(&config.data_dir.display().to_string()));
    let operators: Vec<String> = config.operators.iter().map(|email| text(email)).collect();
    line("operators", format!("[{}]", operators.join(", ")));
    let proxies: Vec<String> = config
        .trusted_proxies
        .iter()
        .map(|network| text(&network.to_string()))
        .collect();
    line("trusted_proxies", format!("[{}]", proxies.join(", ")));
    line(
        "database.url",
        text(&without_password(config.database_url.expose_secret())),
    );
    let format = match config.log.format {
        LogFormat::Pretty => "pretty",
        LogFormat::Json => "json",
    };
    line("log.format", text(format));
    line("log.filter", text(&config.log.filter));
    if let Some(otlp) = &config.otlp {
        line(
            "otlp.endpoint",
            text(&without_password(otlp.endpoint.as_str())),
        );
        if otlp.authorization.is_some() {
            line("otlp.authorization", text("hidden"));
        }
        line("otlp.sample_percent", otlp.sample_percent.to_string());
    }
    if let Some(tls) = &config.tls {
        line("tls.cert", text(&tls.cert.display().to_string()));
        line("tls.key", text(&tls.key.display().to_string()));
    }
    line(
        "sandboxes.local",
        text(if config.sandboxes.local { "on" } else { "off" }),
    );
    if let Some(engine) = &config.sandboxes.engine {
        line("sandboxes.engine", text(engine));
    }
    line("sandboxes.image", text(&config.sandboxes.image));
    let images = config.sandboxes.images.iter();
    let images = images.map(|image| text(&format!("{}={}", image.name, image.reference)));
    let images = images.collect::<Vec<_>>().join(", ");
    line("sandboxes.images", format!("[{images}]"));
    for (key, value) in policy(&config.sandboxes.policy) {
        line(&format!("sandboxes.{key}"), value.to_string());
    }
    for (key, value) in snapshots(&config.snapshots) {
        line(key, text(&value));
    }
    for (key, value) in [
        ("uploads.archive_mib", config.uploads.bytes >> 20),
        ("uploads.unpacked_mib", config.uploads.unpacked >> 20),
        ("uploads.files", config.uploads.files),
        ("uploads.workspace_mib", config.uploads.workspace >> 20),
    ] {
        line(key, value.to_string());
    }
    line(
        "broker.start",
        text(if config.broker.start { "on" } else { "off" }),
    );
    line("broker.mirror_mib", config.broker.mirror_mib.to_string());
    let paths = [
        ("pdf_renderer", &config.pdf_renderer),
        ("broker.socket", &config.broker.socket),
        ("broker.program", &config.broker.program),
        ("broker.root_key_file", &config.broker.root_key_file),
        ("outbound.ca_file", &config.outbound.ca_file),
    ];
    for (key, path) in paths {
        if let Some(path) = path {
            line(key, text(&path.display().to_string()));
        }
    }
    let private: Vec<String> = config
        .outbound
        .allow_private
        .iter()
        .map(|rule| text(&rule.to_string()))
        .collect();
    line(
        "outbound.allow_private",
        format!("[{}]", private.join(", ")),
    );
    for (key, value) in supplies(&config.supplies) {
        line(key, value);
    }
    for (key, value) in oauth(&config.oauth) {
        line(&key, text(&value));
    }
    for (key, value) in identity(config.auth.as_ref()) {
        line(key, value.to_string());
    }
    line("plans.default", text(&config.plans.default));
    line("plans.signup", text(&config.plans.signup));
    for (name, plan) in &config.plans.tiers {
        for (limit, value) in [
            ("agents", plan.agents),
            ("live_containers", plan.live_containers),
            ("workspaces", plan.workspaces),
        ] {
            line(&format!("plans.{name}.{limit}"), value.to_string());
        }
    }
    line("sessions.idle_days", days(config.sessions.idle));
    line("sessions.absolute_days", days(config.sessions.absolute));
    line(
        "sessions.one_time_minutes",
        config.sessions.one_time_minutes.to_string(),
    );
    line("chaos.allow", config.chaos_allow.to_string());
    let armed: Vec<String> = config.chaos_arm.iter().map(ToString::to_string).collect();
    line("chaos.arm", text(&armed.join(",")));
    line("events.retention_days", days(config.events.facts_age));
    line("events.retention_count", config.events.facts.to_string());
    line(
        "events.ephemeral_retention_hours",
        (config.events.ephemera_age.as_secs() / 3_600).to_string(),
    );
    line(
        "events.ephemeral_retention_mib",
        (config.events.ephemera_bytes >> 20).to_string(),
    );
    line("runs.at_once", config.runs.at_once.to_string());
    line(
        "runs.lease_seconds",
        config.runs.lease.as_secs().to_string(),
    );
    line(
        "runs.machine_wait_seconds",
        config.runs.machine_wait.as_secs().to_string(),
    );
    line("runs.retention_days", days(config.runs.outputs));
    let ceiling = config.runs.ceiling.unwrap_or(0) / 1_000_000;
    line("runs.ceiling_usd", ceiling.to_string());
    line("runs.max_turns", config.runs.max_turns.to_string());
    if let Some(script) = &config.runs.script {
        line("runs.script", text(&script.display().to_string()));
    }
    if let Some(model) = &config.level_up_model {
        line("level_up_model", text(model));
    }
    if let Some(model) = &config.summarizer_model {
        line("summarizer_model", text(model));
    }
    line("limits.body_bytes", config.limits.body.to_string());
    line(
        "limits.body_timeout_seconds",
        config.limits.body_grace.as_secs().to_string(),
    );
    line(
        "limits.header_timeout_seconds",
        config.limits.header_timeout.as_secs().to_string(),
    );
    line(
        "limits.streams_per_user",
        config.limits.streams.a_user.to_string(),
    );
    line(
        "limits.streams_per_workspace",
        config.limits.streams.a_workspace.to_string(),
    );
    line(
        "limits.commands_per_minute",
        config.limits.commands.a_user.to_string(),
    );
    line(
        "limits.commands_per_minute_and_workspace",
        config.limits.commands.a_workspace.to_string(),
    );
    line(
        "limits.shell_unread_hours",
        (config.limits.commands.shell_unread.as_secs() / 3_600).to_string(),
    );
    line(
        "limits.runtime_boot_seconds",
        config.limits.runtime_boot.as_secs().to_string(),
    );
    line(
        "limits.stalled_seconds",
        config.limits.stalled.as_secs().to_string(),
    );
    line("heartbeat.seconds", config.heartbeat.as_secs().to_string());
    if let Some(dist) = &config.dist_dir {
        line("fleet.dist_dir", text(&dist.display().to_string()));
    }
    out
}

/// The limits of sandboxes on this host, as far as they are configured.
fn policy(policy: &OwnerPolicy) -> toml::Table {
    // The policy contains only numbers and lists, which TOML supports.
    let mut keys = toml::Table::try_from(policy).unwrap_or_default();
    // These keys are for a machine's owner. On this host members choose images, and there is no shell.
    keys.remove("images");
    keys.remove("shell");
    keys
}

/// Where chunks are kept. The key is not shown; a key of the environment has no setting.
fn snapshots(place: &ChunkPlace) -> Vec<(&'static str, String)> {
    let ChunkPlace::Bucket(bucket) = place else {
        return vec![("snapshots.store", "folder".to_owned())];
    };
    let file = bucket.credentials_file.as_ref();
    [
        ("snapshots.store", Some("s3".to_owned())),
        ("snapshots.bucket", Some(bucket.name.clone())),
        ("snapshots.region", Some(bucket.region.clone())),
        (
            "snapshots.endpoint",
            bucket.endpoint.as_ref().map(ToString::to_string),
        ),
        ("snapshots.prefix", bucket.prefix.clone()),
        (
            "snapshots.credentials_file",
            file.map(|file| file.display().to_string()),
        ),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

fn supplies(supplies: &SuppliesSettings) -> Vec<(&'static str, String)> {
    let text = |value: &str| toml::Value::from(value).to_string();
    let hosts: Vec<String> = supplies.hosts.iter().map(|host| text(host)).collect();
    let bounds = &supplies.bounds;
    vec![
        (
            "supplies.fetch",
            text(if supplies.fetch { "on" } else { "off" }),
        ),
        (
            "supplies.crates",
            text(supplies.registries.crates.as_deref().unwrap_or_default()),
        ),
        (
            "supplies.npm",
            text(supplies.registries.npm.as_deref().unwrap_or_default()),
        ),
        (
            "supplies.npm_in_locks",
            text(
                supplies
                    .registries
                    .npm_in_locks
                    .as_deref()
                    .unwrap_or_default(),
            ),
        ),
        (
            "supplies.pypi",
            text(supplies.registries.pypi.as_deref().unwrap_or_default()),
        ),
        (
            "supplies.go",
            text(supplies.registries.go.as_deref().unwrap_or_default()),
        ),
        ("supplies.hosts", format!("[{}]", hosts.join(", "))),
        ("supplies.package_mib", (bounds.package >> 20).to_string()),
        ("supplies.total_mib", (bounds.total >> 20).to_string()),
        ("supplies.packages", bounds.packages.to_string()),
        ("supplies.seconds", bounds.time.as_secs().to_string()),
        (
            "supplies.silence_seconds",
            bounds.silence.as_secs().to_string(),
        ),
        ("supplies.store_mib", (bounds.kept >> 20).to_string()),
    ]
}

/// The settings for connected apps. A client's secret is only shown as present or absent.
fn oauth(oauth: &OAuth) -> Vec<(String, String)> {
    let address = |url: &Option<url::Url>| url.as_ref().map(|url| url.as_str().to_owned());
    let secret = oauth.client_secret_file.as_ref();
    let secret = secret.map(|file| file.display().to_string());
    [
        ("oauth.issuer_url", address(&oauth.issuer_url)),
        ("oauth.client_id", oauth.client_id.clone()),
        ("oauth.client_secret_file", secret),
        ("oauth.redirect_base", address(&oauth.redirect_base)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .chain(
        oauth
            .apis
            .iter()
            .map(|(provider, url)| (format!("oauth.apis.{provider}"), url.as_str().to_owned())),
    )
    .collect()
}

/// The identity settings. The client's secret is only shown as present or absent.
fn identity(auth: Option<&HostedIdentity>) -> Vec<(&'static str, toml::Value)> {
    let Some(auth) = auth else {
        return vec![("auth.mode", "local".into())];
    };
    let mode = match auth.mode {
        HostedMode::Hosted => "hosted",
        HostedMode::Oidc => "oidc",
    };
    let text = |text: &Option<String>| text.clone().map(toml::Value::from);
    let secret = auth.client_secret_file.as_ref();
    let secret = secret.map(|file| file.display().to_string().into());
    let workspace = auth.workspace.map(|id| id.to_string().into());
    let hours = i64::try_from(auth.session.as_secs() / 3_600).unwrap_or(i64::MAX);
    [
        ("auth.mode", Some(mode.into())),
        ("auth.issuer_url", Some(auth.issuer.clone().into())),
        ("auth.audience", text(&auth.audience)),
        ("auth.client_id", text(&auth.client_id)),
        ("auth.client_secret_file", secret),
        ("auth.scope", text(&auth.scope)),
        ("auth.display_name", Some(auth.display_name.clone().into())),
        ("auth.role_claim", Some(auth.claims.role.clone().into())),
        ("auth.organisation_claim", text(&auth.claims.organisation)),
        (
            "auth.organisation_admin",
            Some(auth.claims.organisation_admin.clone().into()),
        ),
        (
            "auth.per_signup_workspace",
            Some(auth.admission.per_signup_workspace.into()),
        ),
        (
            "auth.admit_domains",
            Some(auth.admission.domains.clone().into()),
        ),
        ("auth.workspace", workspace),
        ("auth.session_hours", Some(hours.into())),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

/// The database URL without its password.
fn without_password(text: &str) -> String {
    match url::Url::parse(text) {
        Ok(mut url) if url.password().is_some() => {
            // Only a URL that cannot have a password refuses this, and this URL has one.
            let _ = url.set_password(Some("hidden"));
            url.to_string()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Overrides, load};

    #[test]
    fn printed_configuration_parses_and_has_no_password() {
        let folder = tempfile::tempdir().unwrap();
        let overrides = |file: Option<std::path::PathBuf>| Overrides {
            file,
            set: vec![(
                "database.url".into(),
                "postgres://me:s3cret@db/roost".into(),
            )],
            without_environment: true,
        };
        let empty = folder.path().join("empty.toml");
        std::fs::write(&empty, "").unwrap();
        let (config, _) = load(&overrides(Some(empty))).unwrap();
        let printed = show(&config);
        assert!(!printed.contains("s3cret") && printed.contains("hidden"));
        let file = folder.path().join("roost.toml");
        std::fs::write(&file, &printed).unwrap();
        let (again, _) = load(&overrides(Some(file))).unwrap();
        assert_eq!(show(&again), printed);
    }
}
