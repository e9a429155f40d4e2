//! The scanner of dependencies `cargo audit --json`.
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Format;
use super::json::{Maybe, parse, readable};
use crate::findings::cvss;
use crate::findings::finding::{Collector, Finding, ReadError, Report, Severity};
use crate::findings::paths::Checkout;

#[derive(Deserialize)]
struct CargoAudit {
    vulnerabilities: CargoList,
    #[serde(default)]
    warnings: BTreeMap<String, Vec<Maybe<CargoEntry>>>,
}

#[derive(Deserialize)]
struct CargoList {
    list: Vec<Maybe<CargoEntry>>,
}

#[derive(Deserialize)]
struct CargoEntry {
    advisory: Option<Advisory>,
    package: Package,
    versions: Option<Versions>,
}

#[derive(Deserialize)]
pub(super) struct Advisory {
    pub(super) id: String,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    pub(super) cvss: Option<String>,
    pub(super) url: Option<String>,
    pub(super) informational: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    #[serde(default)]
    pub(super) version: String,
}

#[derive(Deserialize)]
struct Versions {
    #[serde(default)]
    patched: Vec<String>,
}

impl Package {
    pub(super) fn subject(&self, registry: &str) -> String {
        format!("{registry}:{}@{}", self.name, self.version)
    }
}

impl Advisory {
    /// The severity of the vector. An advisory without one is high, so that nobody overlooks it, and one that only
    /// informs is as bad as its kind says.
    pub(super) fn severity(&self) -> Severity {
        if let Some(kind) = self.informational.as_ref().and_then(Value::as_str) {
            return severity_of_kind(kind);
        }
        self.cvss
            .as_deref()
            .and_then(cvss::base_score)
            .map_or(Severity::High, Severity::of_score)
    }
}

/// RustSec's kinds of advisories that are no vulnerabilities.
pub(super) fn severity_of_kind(kind: &str) -> Severity {
    match kind {
        "unsound" => Severity::Medium,
        "yanked" => Severity::Low,
        _ => Severity::Info,
    }
}

pub(super) fn cargo_audit(text: &str, checkout: Checkout<'_>) -> Result<Report, ReadError> {
    let tool = Format::CargoAudit.tool();
    let report: CargoAudit = parse(tool, text)?;
    let mut all = Collector::default();
    let file = checkout.path("Cargo.lock");
    let mut entries: Vec<(Option<String>, CargoEntry)> = Vec::new();
    for entry in readable(report.vulnerabilities.list, "vulnerabilities", &mut all) {
        entries.push((None, entry));
    }
    for (kind, warnings) in report.warnings {
        for entry in readable(warnings, "warnings", &mut all) {
            entries.push((Some(kind.clone()), entry));
        }
    }
    for (kind, entry) in entries {
        let package = &entry.package;
        let named = format!("{} {}", package.name, package.version);
        let mut finding = Finding {
            tool: tool.to_owned(),
            file: file.clone(),
            subject: Some(package.subject("crates.io")),
            ..Finding::default()
        };
        match (entry.advisory, kind) {
            (Some(advisory), kind) => {
                finding.severity = match &kind {
                    Some(kind) => severity_of_kind(kind),
                    None => advisory.severity(),
                };
                let fix = entry.versions.map(|versions| fixed_in(&versions.patched));
                finding.message = format!("{named}: {}{}", advisory.title, fix.unwrap_or_default());
                finding.rule = advisory.id;
                finding.aliases = advisory.aliases;
                finding.help = advisory.url;
            }
            (None, kind) => {
                let kind = kind.unwrap_or_else(|| "unknown".to_owned());
                finding.severity = severity_of_kind(&kind);
                finding.message = format!("{named} is {kind}");
                finding.rule = kind;
            }
        }
        all.add(finding);
    }
    Ok(all.finish())
}

fn fixed_in(versions: &[String]) -> String {
    if versions.is_empty() {
        ". No version is fixed".to_owned()
    } else {
        format!(". Fixed in {}", versions.join(", "))
    }
}
