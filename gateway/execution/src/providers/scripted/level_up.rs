//! What the scripted model answers when an agent or a team is to be improved: items that follow from the facts in the
//! question by fixed rules. The same facts give the same answer. It judges nothing: each item says that a script made it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::LABEL;

/// Before the JSON in the question.
const MATERIAL: &str = "MATERIAL (JSON):";
/// The heading of what the script adds to a brain.
const HEADING: &str = "## What the last runs showed";
/// The most runs that the script lists in a brain.
const MOST_LINES: usize = 10;
/// The most agents that get items.
const MOST_AGENTS: usize = 3;
/// The longest quote, in characters.
const QUOTE: usize = 300;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Material {
    subject: String,
    name: String,
    outcomes: BTreeMap<String, u32>,
    agents: Vec<Agent>,
    catalogue_of_skills: Vec<Skill>,
    runs: Vec<Run>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Text {
    text: String,
    only_a_part: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Agent {
    agent_id: String,
    name: String,
    slots: Vec<String>,
    system_prompt: Text,
    brain: Text,
    skills: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Skill {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Run {
    source: String,
    title: String,
    outcome: String,
    reason: Option<String>,
    steps: Vec<Step>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Step {
    source: String,
    agent_id: Option<String>,
    failed_checks: Vec<String>,
}

/// The answer to a question with material.
pub(super) fn answer(prompt: &str) -> String {
    let material = prompt
        .split_once(MATERIAL)
        .and_then(|(_, json)| {
            // Later questions of the same conversation follow the JSON.
            let mut values = serde_json::Deserializer::from_str(json).into_iter::<Material>();
            values.next()?.ok()
        })
        .unwrap_or_default();
    let count = |word: &str| material.outcomes.get(word).copied().unwrap_or(0);
    let summary = format!(
        "{LABEL} The last ended runs of {}: {} accepted, {} rejected, {} undecided. The items below follow from these facts by \
         fixed rules. A model would read the texts.",
        material.name,
        count("accepted"),
        count("rejected"),
        count("undecided"),
    );
    let mut items = Vec::new();
    for agent in material.agents.iter().take(MOST_AGENTS) {
        items.extend(remembered(agent, &material));
        items.extend(checked(agent, &material));
    }
    items.extend(skill_for_checks(&material));
    items.extend(known_skill(&material));
    items.extend(roster(&material));
    json!({ "summary": summary, "items": items }).to_string()
}

/// The runs in which an agent had a step.
fn runs_of<'a>(agent: &'a Agent, material: &'a Material) -> impl Iterator<Item = &'a Run> {
    let worked = |run: &&Run| {
        let mut steps = run.steps.iter();
        steps.any(|step| step.agent_id.as_deref() == Some(agent.agent_id.as_str()))
    };
    material.runs.iter().filter(worked)
}

/// The brain with the outcomes of the last runs.
fn remembered(agent: &Agent, material: &Material) -> Option<Value> {
    if agent.brain.only_a_part {
        return None;
    }
    let lines: Vec<String> = runs_of(agent, material)
        .take(MOST_LINES)
        .map(|run| match &run.reason {
            Some(reason) => format!("- {}: {}. {reason}", run.title, run.outcome),
            None => format!("- {}: {}.", run.title, run.outcome),
        })
        .collect();
    let newest = runs_of(agent, material).next()?;
    // What an earlier proposal of the script added is replaced.
    let kept = agent.brain.text.split(HEADING).next().unwrap_or_default();
    let brain = format!("{}\n\n{HEADING}\n\n{}\n", kept.trim_end(), lines.join("\n"));
    Some(item(
        "brain_consolidation",
        &agent.agent_id,
        (
            format!(
                "{} remembers how its last {} runs ended.",
                agent.name,
                lines.len()
            ),
            "The outcomes are facts of the runs. The rest of the brain stays as it is.",
        ),
        (&newest.source, &format!("outcome: {}", newest.outcome)),
        json!({ "brain": brain.trim_start() }),
    ))
}

/// The first check that an agent's work failed, with the source of its step.
fn failed_check<'a>(agent: &'a Agent, material: &'a Material) -> Option<(&'a str, &'a str)> {
    runs_of(agent, material).find_map(|run| {
        let mut own = run
            .steps
            .iter()
            .filter(|step| step.agent_id.as_deref() == Some(agent.agent_id.as_str()));
        own.find_map(|step| {
            let check = step.failed_checks.first()?;
            Some((step.source.as_str(), check.as_str()))
        })
    })
}

/// The prompt of an agent whose work failed a check, with a rule about this check.
fn checked(agent: &Agent, material: &Material) -> Option<Value> {
    let (source, check) = failed_check(agent, material)?;
    let rule = format!(
        "Before you hand over, run the checks of your work, and mend what they show. In an earlier run, {check}."
    );
    let prompt = agent.system_prompt.text.trim();
    if agent.system_prompt.only_a_part || prompt.contains(&rule) {
        return None;
    }
    Some(item(
        "identity_refinement",
        &agent.agent_id,
        (
            format!("{} runs its checks before it hands over.", agent.name),
            "A check of its work failed after it had handed over.",
        ),
        (source, &quoted(check)),
        json!({ "system_prompt": format!("{prompt}\n\n{rule}").trim_start() }),
    ))
}

/// A skill about checks, when any work failed one.
fn skill_for_checks(material: &Material) -> Option<Value> {
    let mut agents = material.agents.iter();
    let (agent, (source, check)) =
        agents.find_map(|agent| Some((agent, failed_check(agent, material)?)))?;
    Some(item(
        "skill_candidate",
        &agent.agent_id,
        (
            "A skill: run the checks before handing over.".to_owned(),
            "Others may make the same mistake.",
        ),
        (source, &quoted(check)),
        json!({
            "name": "checks-before-handing-over",
            "title": "Checks before handing over",
            "when_to_use": "Before you hand over work that a command can check.",
            "tags": ["checks"],
            "body": format!("# Checks before handing over\n\n1. Run each command that checks the work.\n2. Read its exit code.\n\
                             3. When it is not 0, mend the work and run it again.\n4. Say in what you hand over which commands ran.\n\n\
                             Why: in an earlier run, {check}.\n"),
        }),
    ))
}

/// The first skill of the catalogue that the first agent lacks, when a run was not accepted.
fn known_skill(material: &Material) -> Option<Value> {
    let run = material.runs.iter().find(|run| run.outcome != "accepted")?;
    let agent = material.agents.first()?;
    let lacks = |skill: &&Skill| !agent.skills.contains(&skill.name);
    let skill = material.catalogue_of_skills.iter().find(lacks)?;
    Some(item(
        "skill_add",
        &agent.agent_id,
        (
            format!("{} gets the skill {}.", agent.name, skill.name),
            "A script chooses the first skill of the catalogue that the agent lacks. A model would choose one that fits.",
        ),
        (&run.source, &format!("outcome: {}", run.outcome)),
        json!({ "skill": skill.name }),
    ))
}

/// A role for tests, when a run of a team without one was rejected.
fn roster(material: &Material) -> Option<Value> {
    let run = material.runs.iter().find(|run| run.outcome == "rejected")?;
    let mut slots = material.agents.iter().flat_map(|agent| &agent.slots);
    if material.subject != "team" || slots.any(|slot| slot == "tester") {
        return None;
    }
    let mut item = item(
        "roster_change",
        "",
        (
            "The team gets a tester.".to_owned(),
            "A run of the team was rejected, and no role tests the work.",
        ),
        (&run.source, "outcome: rejected"),
        json!({ "action": "add", "slot": "tester", "detail": "Add a role `tester` that runs the checks before the team hands over." }),
    );
    if let Some(fields) = item.as_object_mut() {
        fields.remove("agent_id");
    }
    Some(item)
}

fn quoted(text: &str) -> String {
    text.chars().take(QUOTE).collect()
}

fn item(
    kind: &str,
    agent: &str,
    (summary, rationale): (String, &str),
    (source, excerpt): (&str, &str),
    more: Value,
) -> Value {
    let mut item = json!({
        "kind": kind, "agent_id": agent, "rationale": rationale,
        "summary": summary.chars().take(300).collect::<String>(),
        "evidence": [{ "source": source, "excerpt": excerpt }],
    });
    if let (Some(fields), Value::Object(more)) = (item.as_object_mut(), more) {
        fields.extend(more);
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(brain: &str) -> String {
        let material = json!({ "subject": "team", "name": "Ledger", "outcomes": { "accepted": 1, "rejected": 1 },
            "agents": [{ "agent_id": "a", "name": "Ada", "slots": ["coder"], "system_prompt": { "text": "You code." },
                "brain": { "text": brain }, "skills": ["x"] }],
            "catalogue_of_skills": [{ "name": "x" }, { "name": "y" }],
            "runs": [{ "source": "run:1", "title": "Mend it", "outcome": "rejected", "steps": [
                { "source": "run:1/s", "agent_id": "a", "failed_checks": ["`make test` exited with 2"] }] }] });
        format!("Rules.\n{MATERIAL}\n{material}\nYour answer does not have the form.")
    }

    fn items(prompt: &str) -> Vec<Value> {
        let answer: Value = serde_json::from_str(&answer(prompt)).unwrap();
        assert!(answer["summary"].as_str().unwrap().starts_with(LABEL));
        answer["items"].as_array().unwrap().clone()
    }

    #[test]
    fn items_follow_from_the_facts() {
        let items = items(&question("Old notes."));
        let kinds: Vec<&str> = items
            .iter()
            .map(|item| item["kind"].as_str().unwrap())
            .collect();
        let expected = [
            "brain_consolidation",
            "identity_refinement",
            "skill_candidate",
            "skill_add",
            "roster_change",
        ];
        assert_eq!(kinds, expected);
        let brain = items[0]["brain"].as_str().unwrap();
        assert_eq!(
            brain,
            format!("Old notes.\n\n{HEADING}\n\n- Mend it: rejected.\n")
        );
        assert_eq!(items[3]["skill"], "y");
        assert!(items[4].get("agent_id").is_none());
    }

    #[test]
    fn what_the_script_added_before_is_replaced() {
        let first = items(&question("Old notes."))[0]["brain"].clone();
        let second = items(&question(first.as_str().unwrap()))[0]["brain"].clone();
        assert_eq!(first, second);
    }

    #[test]
    fn without_facts_nothing_is_proposed() {
        assert!(items("no material at all").is_empty());
        assert!(items(&format!("{MATERIAL} {{ broken")).is_empty());
    }
}
