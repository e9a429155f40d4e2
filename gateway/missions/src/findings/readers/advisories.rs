//! Scanners of dependencies: `cargo audit --json`, `npm audit --json` and `pip-audit -f json`.
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::json::{Maybe, parse, readable};
use super::{Format, cwe};
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

#[derive(Deserialize)]
struct NpmAudit {
    error: Option<Value>,
    vulnerabilities: Option<BTreeMap<String, Maybe<NpmPackage>>>,
    /// Of npm 6.
    advisories: Option<BTreeMap<String, Maybe<NpmOld>>>,
}

#[derive(Deserialize)]
struct NpmPackage {
    #[serde(default)]
    via: Vec<Maybe<NpmVia>>,
    #[serde(default)]
    nodes: Vec<String>,
}

/// An advisory. Another form names a package whose advisory reaches this one, and that package has its own entry.
#[derive(Deserialize)]
struct NpmVia {
    source: Option<Value>,
    name: String,
    title: String,
    url: Option<String>,
    severity: Option<String>,
    #[serde(default)]
    cwe: Vec<String>,
    range: Option<String>,
}

#[derive(Deserialize)]
struct NpmOld {
    id: Option<Value>,
    title: String,
    module_name: String,
    severity: Option<String>,
    url: Option<String>,
    #[serde(default)]
    cves: Vec<String>,
    cwe: Option<Value>,
    github_advisory_id: Option<String>,
    patched_versions: Option<String>,
}

pub(super) fn npm_audit(text: &str) -> Result<Report, ReadError> {
    let tool = Format::NpmAudit.tool();
    let report: NpmAudit = parse(tool, text)?;
    if let Some(error) = report.error {
        let word = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        return Err(ReadError::ScannerFailed {
            tool,
            message: crate::plain::one_line(&format!("{} {}", word("code"), word("summary")), 300),
        });
    }
    if report.vulnerabilities.is_none() && report.advisories.is_none() {
        return Err(ReadError::ScannerFailed {
            tool,
            message: "its report has neither `vulnerabilities` nor `advisories`".to_owned(),
        });
    }
    let mut all = Collector::default();
    let packages = report
        .vulnerabilities
        .unwrap_or_default()
        .into_values()
        .collect();
    for package in readable(packages, "packages", &mut all) {
        let place = package
            .nodes
            .first()
            .map(|node| format!(" in {node}"))
            .unwrap_or_default();
        for via in package.via.into_iter().filter_map(|via| via.0) {
            let advisory = via.url.as_deref().and_then(github_advisory);
            let range = via
                .range
                .map(|range| format!(" {range}"))
                .unwrap_or_default();
            all.add(Finding {
                rule: advisory
                    .or_else(|| via.source.as_ref().map(|id| format!("npm-{id}")))
                    .unwrap_or_default(),
                tool: tool.to_owned(),
                severity: npm_severity(via.severity.as_deref()),
                message: format!("{}{range}: {}{place}", via.name, via.title),
                file: Some("package-lock.json".to_owned()),
                subject: Some(format!("npm:{}", via.name)),
                aliases: via.cwe.iter().filter_map(|text| cwe(text)).collect(),
                help: via.url,
                ..Finding::default()
            });
        }
    }
    let old = report
        .advisories
        .unwrap_or_default()
        .into_values()
        .collect();
    for old in readable(old, "advisories", &mut all) {
        let mut aliases = old.cves;
        aliases.extend(old.cwe.iter().flat_map(|value| cwe(&value.to_string())));
        let fix = old
            .patched_versions
            .map(|range| format!(". Fixed in {range}"));
        all.add(Finding {
            rule: old
                .github_advisory_id
                .or_else(|| old.url.as_deref().and_then(github_advisory))
                .or_else(|| old.id.map(|id| format!("npm-{id}")))
                .unwrap_or_default(),
            tool: tool.to_owned(),
            severity: npm_severity(old.severity.as_deref()),
            message: format!(
                "{}: {}{}",
                old.module_name,
                old.title,
                fix.unwrap_or_default()
            ),
            file: Some("package-lock.json".to_owned()),
            subject: Some(format!("npm:{}", old.module_name)),
            aliases,
            help: old.url,
            ..Finding::default()
        });
    }
    Ok(all.finish())
}

fn npm_severity(word: Option<&str>) -> Severity {
    word.and_then(Severity::of_word).unwrap_or(Severity::High)
}

/// The id at the end of an address of GitHub's advisories.
fn github_advisory(url: &str) -> Option<String> {
    let id = url.rsplit('/').next()?;
    id.starts_with("GHSA-").then(|| id.to_owned())
}

#[derive(Deserialize)]
struct PipAudit {
    dependencies: Vec<Maybe<PipPackage>>,
}

#[derive(Deserialize)]
struct PipPackage {
    name: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    vulns: Vec<PipFault>,
    skip_reason: Option<String>,
}

#[derive(Deserialize)]
struct PipFault {
    id: String,
    #[serde(default)]
    fix_versions: Vec<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    description: String,
}

pub(super) fn pip_audit(text: &str) -> Result<Report, ReadError> {
    let tool = Format::PipAudit.tool();
    // Before 2.5 the report is the list itself.
    let packages = if text.starts_with('[') {
        parse(tool, text)?
    } else {
        parse::<PipAudit>(tool, text)?.dependencies
    };
    let mut all = Collector::default();
    for package in readable(packages, "packages", &mut all) {
        if let Some(reason) = package.skip_reason {
            all.note(&format!("pip-audit left out {}: {reason}", package.name));
        }
        let subject = format!(
            "pypi:{}@{}",
            package.name.to_ascii_lowercase(),
            package.version
        );
        for fault in package.vulns {
            let what: String = fault
                .description
                .lines()
                .next()
                .unwrap_or_default()
                .chars()
                .take(300)
                .collect();
            all.add(Finding {
                rule: fault.id,
                tool: tool.to_owned(),
                // The report has no score, and an advisory without one is high.
                severity: Severity::High,
                message: format!(
                    "{} {}: {what}{}",
                    package.name,
                    package.version,
                    fixed_in(&fault.fix_versions)
                ),
                subject: Some(subject.clone()),
                aliases: fault.aliases,
                ..Finding::default()
            });
        }
    }
    Ok(all.finish())
}
