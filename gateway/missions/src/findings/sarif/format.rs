//! The parts of a SARIF log that Roost reads. A result or rule of another form costs only itself.
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::findings::readers::{Line, Maybe};

#[derive(Deserialize)]
pub(super) struct Log {
    pub(super) version: Option<Value>,
    #[serde(rename = "$schema")]
    pub(super) schema: Option<Value>,
    pub(super) runs: Option<Vec<Run>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) tool: Tool,
    pub(super) results: Option<Vec<Maybe<ScanResult>>>,
    pub(super) artifacts: Vec<Maybe<Artifact>>,
    pub(super) original_uri_base_ids: BTreeMap<String, Maybe<ArtifactLocation>>,
    pub(super) invocations: Vec<Maybe<Invocation>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tool {
    pub(super) driver: Component,
    pub(super) extensions: Vec<Component>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Component {
    pub(super) name: String,
    pub(super) rules: Vec<Maybe<Rule>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) short_description: Option<Text>,
    pub(super) full_description: Option<Text>,
    pub(super) help_uri: Option<String>,
    pub(super) default_configuration: Option<Configuration>,
    pub(super) message_strings: BTreeMap<String, Text>,
    pub(super) properties: Properties,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Text {
    pub(super) text: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Configuration {
    pub(super) level: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Properties {
    /// A number from 0 to 10, most often in a text.
    #[serde(rename = "security-severity")]
    pub(super) security_severity: Option<Value>,
    pub(super) tags: Maybe<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Artifact {
    pub(super) location: Option<ArtifactLocation>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: Option<String>,
    pub(super) uri_base_id: Option<String>,
    pub(super) index: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ScanResult {
    pub(super) rule_id: Option<String>,
    pub(super) rule_index: Option<i64>,
    pub(super) rule: Option<RuleReference>,
    pub(super) level: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) message: Message,
    pub(super) locations: Vec<Maybe<Location>>,
    pub(super) related_locations: Vec<Maybe<Location>>,
    pub(super) fingerprints: Maybe<BTreeMap<String, String>>,
    pub(super) partial_fingerprints: Maybe<BTreeMap<String, String>>,
    pub(super) suppressions: Option<Vec<Maybe<Suppression>>>,
    pub(super) baseline_state: Option<String>,
    pub(super) properties: Properties,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RuleReference {
    pub(super) id: Option<String>,
    pub(super) index: Option<i64>,
    pub(super) tool_component: Option<ComponentReference>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ComponentReference {
    pub(super) index: Option<i64>,
    pub(super) name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    pub(super) text: Option<String>,
    pub(super) id: Option<String>,
    pub(super) arguments: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Location {
    pub(super) physical_location: Option<PhysicalLocation>,
    pub(super) logical_locations: Vec<Maybe<LogicalLocation>>,
    pub(super) message: Option<Message>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: Option<ArtifactLocation>,
    pub(super) region: Option<Region>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: Line,
    pub(super) end_line: Line,
    pub(super) snippet: Option<Text>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: Option<String>,
    pub(super) kind: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Suppression {
    pub(super) status: Option<String>,
}
