//! From a SARIF log to findings.
use std::collections::BTreeMap;

use super::format::{
    ArtifactLocation, Location, Log, Message, PhysicalLocation, Rule, Run, ScanResult,
};
use crate::findings::finding::{Collector, Finding, Place, ReadError, Report, Severity};
use crate::findings::paths::Checkout;
use crate::findings::readers::{Format, Maybe, cwe};
use crate::plain;

/// How many base ids may name each other before a path is resolved.
const MOST_BASES: usize = 8;

/// Reads a log of version 2.1.0. The version decides, and not what the log says of its schema.
pub(in crate::findings) fn read(text: &str, checkout: Checkout<'_>) -> Result<Report, ReadError> {
    let log: Log = serde_json::from_str(text).map_err(|cause| ReadError::NotJson {
        tool: Format::Sarif.tool(),
        cause,
    })?;
    let version = log.version.as_ref().and_then(|version| version.as_str());
    match version {
        // Drafts of 2.1.0 have endings such as `2.1.0-rtm.5`.
        Some(version) if version == "2.1.0" || version.starts_with("2.1.0-") => {}
        Some(version) => {
            let version = plain::one_line(version, 40);
            return Err(ReadError::NotSarif(format!(
                "its version is {version}; convert it to 2.1.0"
            )));
        }
        None => return Err(ReadError::NotSarif("it has no version".to_owned())),
    }
    let Some(runs) = log.runs else {
        return Err(ReadError::NotSarif("it has no runs".to_owned()));
    };
    let mut all = Collector::default();
    let schema = log.schema.as_ref().and_then(|schema| schema.as_str());
    if schema.is_some_and(|schema| !schema.contains("2.1.0")) {
        all.note("the SARIF log names the schema of another version; it was read as 2.1.0");
    }
    for run in runs {
        read_run(run, checkout, &mut all);
    }
    Ok(all.finish())
}

fn read_run(mut run: Run, checkout: Checkout<'_>, all: &mut Collector) {
    let tool = match run.tool.driver.name.trim() {
        "" => {
            all.note("a run of the SARIF log does not name its tool");
            "unnamed tool".to_owned()
        }
        name => name.to_owned(),
    };
    let failed = run
        .invocations
        .iter()
        .filter_map(|invocation| invocation.0.as_ref())
        .any(|invocation| invocation.execution_successful == Some(false));
    if failed {
        all.note(&format!("{tool} says that its scan did not succeed"));
    }
    let Some(results) = run.results.take() else {
        all.note(&format!(
            "{tool} says that it did not scan: its run has no results"
        ));
        return;
    };
    let count = results.len();
    let results: Vec<ScanResult> = results.into_iter().filter_map(|result| result.0).collect();
    if results.len() < count {
        all.note(&format!(
            "{} of {count} results of {tool} do not have the form of SARIF 2.1.0 and were left out",
            count - results.len()
        ));
    }
    for result in results {
        if matches!(result.kind.as_deref(), Some("pass" | "notApplicable"))
            || result.baseline_state.as_deref() == Some("absent")
        {
            continue;
        }
        if is_suppressed(&result) {
            all.note(&format!(
                "{tool} left out findings that are suppressed in the code"
            ));
            continue;
        }
        all.add(finding(&result, &run, &tool, checkout));
    }
}

fn is_suppressed(result: &ScanResult) -> bool {
    let statuses: Vec<Option<&str>> = result
        .suppressions
        .iter()
        .flatten()
        .filter_map(|suppression| suppression.0.as_ref())
        .map(|suppression| suppression.status.as_deref())
        .collect();
    // A suppression without a status is accepted.
    !statuses.is_empty()
        && statuses
            .iter()
            .all(|status| matches!(status, None | Some("accepted")))
}

fn finding(result: &ScanResult, run: &Run, tool: &str, checkout: Checkout<'_>) -> Finding {
    let rule = rule_of(result, run);
    let id = result
        .rule_id
        .clone()
        .or_else(|| result.rule.as_ref()?.id.clone())
        .or_else(|| rule.map(|rule| rule.id.clone()))
        .unwrap_or_default();
    let location = result
        .locations
        .iter()
        .find_map(|location| location.0.as_ref());
    let (file, outside) =
        location.map_or((None, None), |location| file_of(location, run, checkout));
    let mut message = message_of(&result.message, rule);
    if let Some(outside) = outside {
        message = format!("{message} (outside of the repository, in {outside})");
    }
    let region = location
        .and_then(|location| location.physical_location.as_ref())
        .and_then(|place| place.region.as_ref());
    let tags = [Some(&result.properties), rule.map(|rule| &rule.properties)]
        .into_iter()
        .flatten()
        .filter_map(|properties| properties.tags.0.as_ref())
        .flatten();
    Finding {
        rule: id,
        tool: tool.to_owned(),
        severity: severity(result, rule),
        message,
        file,
        line: region.and_then(|region| region.start_line.0),
        end_line: region.and_then(|region| region.end_line.0),
        fingerprint: given_fingerprint(result).unwrap_or_default(),
        snippet: region
            .and_then(|region| region.snippet.as_ref())
            .and_then(|snippet| snippet.text.clone()),
        subject: location.and_then(package_of),
        aliases: tags.filter_map(|tag| cwe(tag)).collect(),
        related: result
            .related_locations
            .iter()
            .filter_map(|location| related(location.0.as_ref()?, run, checkout))
            .take(10)
            .collect(),
        help: rule.and_then(|rule| rule.help_uri.clone()),
    }
}

/// The rule's description: by its index, else by its id.
fn rule_of<'a>(result: &ScanResult, run: &'a Run) -> Option<&'a Rule> {
    let reference = result.rule.as_ref();
    let component = match reference.and_then(|rule| rule.tool_component.as_ref()) {
        Some(component) => match component
            .index
            .and_then(|index| usize::try_from(index).ok())
        {
            Some(index) => run.tool.extensions.get(index)?,
            None => run
                .tool
                .extensions
                .iter()
                .find(|extension| Some(&extension.name) == component.name.as_ref())
                .unwrap_or(&run.tool.driver),
        },
        None => &run.tool.driver,
    };
    let index = result.rule_index.or_else(|| reference?.index);
    let id = result.rule_id.as_ref().or_else(|| reference?.id.as_ref());
    let by_index = index
        .and_then(|index| component.rules.get(usize::try_from(index).ok()?))
        .and_then(|rule| rule.0.as_ref())
        // An id may be longer than that of its rule: `CA1000/1`.
        .filter(|rule| id.is_none_or(|id| id.starts_with(&rule.id)));
    by_index.or_else(|| {
        let id = id?;
        component
            .rules
            .iter()
            .filter_map(|rule| rule.0.as_ref())
            .find(|rule| rule.id == *id)
    })
}

fn severity(result: &ScanResult, rule: Option<&Rule>) -> Severity {
    let score = [Some(&result.properties), rule.map(|rule| &rule.properties)]
        .into_iter()
        .flatten()
        .filter_map(|properties| properties.security_severity.as_ref())
        .find_map(|score| match score {
            serde_json::Value::String(text) => text.trim().parse::<f64>().ok(),
            number => number.as_f64(),
        })
        .filter(|score| (0.0..=10.0).contains(score));
    if let Some(score) = score {
        return Severity::of_score(score);
    }
    if matches!(
        result.kind.as_deref(),
        Some("informational" | "open" | "review")
    ) {
        return Severity::Info;
    }
    let level = result
        .level
        .as_deref()
        .or_else(|| rule?.default_configuration.as_ref()?.level.as_deref());
    // Without a level the standard says `warning`.
    Severity::of_word(level.unwrap_or("warning")).unwrap_or_default()
}

fn message_of(message: &Message, rule: Option<&Rule>) -> String {
    let named = || {
        let strings = &rule?.message_strings;
        strings.get(message.id.as_ref()?)?.text.clone()
    };
    let described = || {
        let rule = rule?;
        let short = rule
            .short_description
            .as_ref()
            .and_then(|text| text.text.clone());
        short.or_else(|| rule.full_description.as_ref()?.text.clone())
    };
    let text = message
        .text
        .clone()
        .filter(|text| !text.trim().is_empty())
        .or_else(named)
        .or_else(described)
        .unwrap_or_default();
    // Long texts are cut before the arguments are put in, so that they cannot multiply.
    let mut text: String = text.chars().take(2_000).collect();
    for (place, argument) in message.arguments.iter().take(10).enumerate() {
        let argument: String = argument.chars().take(200).collect();
        text = text.replace(&format!("{{{place}}}"), &argument);
    }
    text
}

/// The file in the repository, or else the path outside of it.
fn file_of(
    location: &Location,
    run: &Run,
    checkout: Checkout<'_>,
) -> (Option<String>, Option<String>) {
    let Some(uri) = uri_of(location.physical_location.as_ref(), run) else {
        return (None, None);
    };
    let base = base_of(&uri, run);
    let written = uri.uri.as_deref().unwrap_or_default();
    match checkout.path_of_uri(written, base.as_deref()) {
        Some(file) => (Some(file), None),
        None => (
            None,
            Some(plain::one_line(written, 200)).filter(|path| !path.is_empty()),
        ),
    }
}

/// The location itself, or the one of the run's artifacts that its index names.
fn uri_of(place: Option<&PhysicalLocation>, run: &Run) -> Option<ArtifactLocation> {
    let location = place?.artifact_location.as_ref()?;
    if location.uri.is_some() {
        return Some(location.clone());
    }
    let index = usize::try_from(location.index?).ok()?;
    run.artifacts.get(index)?.0.as_ref()?.location.clone()
}

/// The address that a base id stands for. An id without an address, such as `%SRCROOT%`, is the repository.
fn base_of(location: &ArtifactLocation, run: &Run) -> Option<String> {
    let mut path = String::new();
    let mut id = location.uri_base_id.clone();
    for _ in 0..MOST_BASES {
        let Some(base) = id
            .as_ref()
            .and_then(|id| run.original_uri_base_ids.get(id)?.0.as_ref())
        else {
            break;
        };
        if let Some(uri) = &base.uri {
            path = format!("{}/{path}", uri.trim_end_matches('/'));
        }
        id.clone_from(&base.uri_base_id);
    }
    (!path.is_empty() && path.len() < 4_000).then_some(path)
}

fn related(location: &Location, run: &Run, checkout: Checkout<'_>) -> Option<Place> {
    let (file, _) = file_of(location, run, checkout);
    let region = location
        .physical_location
        .as_ref()
        .and_then(|place| place.region.as_ref());
    Some(Place {
        file: file?,
        line: region.and_then(|region| region.start_line.0),
        message: location
            .message
            .as_ref()
            .and_then(|message| message.text.clone())
            .unwrap_or_default(),
    })
}

/// The package of an advisory, as Roost writes it.
fn package_of(location: &Location) -> Option<String> {
    location
        .logical_locations
        .iter()
        .filter_map(|place| place.0.as_ref())
        .find(|place| place.kind.as_deref() == Some("package"))
        .and_then(|place| place.fully_qualified_name.clone())
}

/// The tool's own fingerprint. Those of GitHub hold the code of the line and no line number.
fn given_fingerprint(result: &ScanResult) -> Option<String> {
    let texts = |fingerprints: &Maybe<BTreeMap<String, String>>| {
        let fingerprints = fingerprints.0.as_ref()?;
        let first = fingerprints
            .get("primaryLocationLineHash")
            .or_else(|| fingerprints.values().next())?;
        // Semgrep writes these words in the place of a fingerprint.
        (first != "requires login" && !first.is_empty()).then(|| first.clone())
    };
    texts(&result.partial_fingerprints).or_else(|| texts(&result.fingerprints))
}
