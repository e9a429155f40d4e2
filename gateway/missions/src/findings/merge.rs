//! Findings of several scanners as one list: what two tools report is one finding with both names, and what the base
//! commit had is not new.
use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::finding::{Finding, Report, Severity};

/// Weaknesses that scanners name differently for the same fault: a secret in the code.
const SECRETS_IN_CODE: [&str; 4] = ["CWE-259", "CWE-321", "CWE-522", "CWE-798"];

/// One finding, with all tools and rules that report it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Merged {
    /// The worst of the findings that were merged.
    #[serde(flatten)]
    pub finding: Finding,
    pub tools: Vec<String>,
    pub rules: Vec<String>,
    /// The fingerprints of all findings that were merged.
    pub fingerprints: Vec<String>,
}

/// The metrics of a security phase's summary card: findings by severity.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Metrics {
    pub critical: usize,
    pub high: usize,
    pub medium: usize,
    pub low: usize,
    pub info: usize,
}

/// Merges the findings of all reports, the worst first.
///
/// Two findings are one if they have the same fingerprint, or if they stand at the same line of one file and share the
/// rule or another name of the fault, or if they are about the same package and share an id of the advisory.
pub fn merge(reports: &[Report]) -> Vec<Merged> {
    let findings: Vec<&Finding> = reports.iter().flat_map(|report| &report.findings).collect();
    let mut groups = Groups::new(findings.len());
    let mut owners: HashMap<Key, usize> = HashMap::new();
    for (place, finding) in findings.iter().enumerate() {
        for key in keys(finding) {
            let owner = *owners.entry(key).or_insert(place);
            groups.join(owner, place);
        }
    }
    let mut members: BTreeMap<usize, Vec<&Finding>> = BTreeMap::new();
    for (place, finding) in findings.into_iter().enumerate() {
        members.entry(groups.root(place)).or_default().push(finding);
    }
    let mut merged: Vec<Merged> = members
        .into_values()
        .filter_map(|group| one(&group))
        .collect();
    merged.sort_by(|a, b| order(a).cmp(&order(b)));
    merged
}

/// The findings of the branch that the base commit does not have.
pub fn new_since<'a>(base: &[Merged], branch: &'a [Merged]) -> Vec<&'a Merged> {
    let known: HashSet<&str> = base
        .iter()
        .flat_map(|merged| merged.fingerprints.iter().map(String::as_str))
        .collect();
    branch
        .iter()
        .filter(|merged| {
            !merged
                .fingerprints
                .iter()
                .any(|print| known.contains(print.as_str()))
        })
        .collect()
}

/// Counts the findings by severity.
pub fn metrics<'a>(findings: impl IntoIterator<Item = &'a Merged>) -> Metrics {
    let mut metrics = Metrics::default();
    for merged in findings {
        match merged.finding.severity {
            Severity::Critical => metrics.critical += 1,
            Severity::High => metrics.high += 1,
            Severity::Medium => metrics.medium += 1,
            Severity::Low => metrics.low += 1,
            Severity::Info => metrics.info += 1,
        }
    }
    metrics
}

impl Metrics {
    pub fn total(self) -> usize {
        self.critical + self.high + self.medium + self.low + self.info
    }

    pub fn of(self, severity: Severity) -> usize {
        match severity {
            Severity::Critical => self.critical,
            Severity::High => self.high,
            Severity::Medium => self.medium,
            Severity::Low => self.low,
            Severity::Info => self.info,
        }
    }
}

/// What two findings have in common if they are one.
#[derive(Eq, Hash, PartialEq)]
enum Key {
    Fingerprint(String),
    Place(String, u32, String),
    Package(String, String),
}

fn keys(finding: &Finding) -> Vec<Key> {
    let mut keys = vec![Key::Fingerprint(finding.fingerprint.clone())];
    let names = std::iter::once(&finding.rule).chain(&finding.aliases);
    match (&finding.subject, &finding.file, finding.line) {
        // Two advisories of one package can have the same weakness, so a weakness does not name an advisory.
        (Some(subject), ..) => keys.extend(
            names
                .filter(|name| !name.starts_with("CWE-"))
                .map(|name| Key::Package(subject.clone(), name.clone())),
        ),
        (None, Some(file), Some(line)) => keys.extend(names.map(|name| {
            let name = if SECRETS_IN_CODE.contains(&name.as_str()) {
                "secret in the code"
            } else {
                name
            };
            Key::Place(file.clone(), line, name.to_owned())
        })),
        _ => {}
    }
    keys
}

/// One finding of a group: the worst one, with what only others know.
fn one(group: &[&Finding]) -> Option<Merged> {
    let worst = group.iter().min_by_key(|finding| finding.severity)?;
    let mut finding = (*worst).clone();
    let first = |field: fn(&Finding) -> &Option<String>| {
        group.iter().find_map(|finding| field(finding).clone())
    };
    finding.snippet = finding
        .snippet
        .or_else(|| first(|finding| &finding.snippet));
    finding.help = finding.help.or_else(|| first(|finding| &finding.help));
    if finding.file.is_none() {
        let placed = group.iter().find(|other| other.file.is_some());
        finding.file = placed.and_then(|other| other.file.clone());
        finding.line = placed.and_then(|other| other.line);
        finding.end_line = placed.and_then(|other| other.end_line);
    }
    let all = |of: fn(&Finding) -> Vec<String>| {
        let mut all: Vec<String> = group.iter().flat_map(|finding| of(finding)).collect();
        all.sort();
        all.dedup();
        all
    };
    finding.aliases = all(|finding| finding.aliases.clone());
    Some(Merged {
        tools: all(|finding| vec![finding.tool.clone()]),
        rules: all(|finding| vec![finding.rule.clone()]),
        fingerprints: all(|finding| vec![finding.fingerprint.clone()]),
        finding,
    })
}

fn order(merged: &Merged) -> (Severity, Option<&str>, Option<u32>, &str, &str) {
    let finding = &merged.finding;
    (
        finding.severity,
        finding.file.as_deref(),
        finding.line,
        &finding.rule,
        &finding.fingerprint,
    )
}

/// Sets of findings that are one (union by the smaller place).
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut place: usize) -> usize {
        while self.0[place] != place {
            self.0[place] = self.0[self.0[place]];
            place = self.0[place];
        }
        place
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
pub(in crate::findings) mod tests;
