//! What the model reads: the facts, cut to a number of bytes. Each passage has the name of its source, with which the
//! model refers to it, and in which the gateway looks for what the model quotes. Pure code.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::facts::{AgentFacts, Facts, RunFacts, StepFacts};
use super::model::EvidenceKind;
use roost_execution::tools::Profile;
use roost_platform::ids::{ClawId, RunId};

/// The maximum size of one prompt or brain, in bytes.
const MOST_OF_ONE: usize = 100_000;
/// The maximum size of a step's output, in bytes.
const MOST_OF_OUTPUT: usize = 3 << 10;
/// The maximum size of a reason or an error, in bytes.
const MOST_OF_LINE: usize = 600;
/// The maximum number of skills of the catalogue that are listed.
const MOST_SKILLS: usize = 100;
/// Before and after what is left out of a text.
const GAP: &str = "\n[… the gateway left out a part here …]\n";

/// A text, and whether it is shown only in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    pub source: String,
    pub text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_a_part: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Agent {
    agent_id: ClawId,
    name: String,
    slots: Vec<String>,
    system_prompt: Shown,
    brain: Shown,
    skills: BTreeSet<String>,
    profile: String,
    mcp_bundles: Vec<&'static str>,
}

#[derive(Debug, Clone, Serialize)]
struct Skill {
    name: String,
    when_to_use: String,
}

#[derive(Debug, Clone, Serialize)]
struct Run {
    source: String,
    title: String,
    status: String,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Serialize)]
struct Step {
    source: String,
    agent_id: Option<ClawId>,
    status: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed_checks: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed_checks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Document {
    subject: &'static str,
    name: String,
    roster: Shown,
    outcomes: BTreeMap<&'static str, u32>,
    agents: Vec<Agent>,
    catalogue_of_skills: Vec<Skill>,
    runs: Vec<Run>,
}

/// A passage that the model may quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub kind: EvidenceKind,
    pub run: Option<RunId>,
    pub step: Option<(String, i32)>,
    pub agent: Option<ClawId>,
    /// With one blank between words, so that a quote with other line ends is found.
    text: String,
}

impl Passage {
    /// Whether it contains this quote.
    pub fn contains(&self, quote: &str) -> bool {
        let quote = one_blank(quote);
        !quote.is_empty() && self.text.contains(&quote)
    }
}

/// What the model reads.
#[derive(Debug, Clone)]
pub struct Material {
    /// JSON.
    pub json: String,
    /// By the name of the source.
    pub passages: BTreeMap<String, Passage>,
    /// The agents whose prompt the model read in part.
    pub cut_prompts: BTreeSet<ClawId>,
    /// The agents whose brain the model read in part.
    pub cut_brains: BTreeSet<ClawId>,
    /// The runs that are in it.
    pub runs: Vec<RunId>,
}

impl Material {
    /// The facts within about this number of bytes: at most half for prompts and brains, a sixth for the catalogue, the
    /// rest for runs, the newest first.
    pub fn new(facts: &Facts, most: usize) -> Self {
        let share = most / 2 / facts.agents.len().max(1);
        let mut passages = BTreeMap::new();
        let (mut cut_prompts, mut cut_brains) = (BTreeSet::new(), BTreeSet::new());
        let mut agents = Vec::with_capacity(facts.agents.len());
        for agent in &facts.agents {
            let shown = shown_agent(agent, share);
            if shown.system_prompt.only_a_part {
                cut_prompts.insert(agent.id);
            }
            if shown.brain.only_a_part {
                cut_brains.insert(agent.id);
            }
            for (kind, text) in [
                (EvidenceKind::SystemPrompt, &shown.system_prompt),
                (EvidenceKind::Brain, &shown.brain),
            ] {
                let passage = Passage {
                    kind,
                    run: None,
                    step: None,
                    agent: Some(agent.id),
                    text: one_blank(&text.text),
                };
                passages.insert(text.source.clone(), passage);
            }
            agents.push(shown);
        }
        let roster = Shown {
            source: "roster".to_owned(),
            text: roster(facts),
            only_a_part: false,
        };
        passages.insert(
            roster.source.clone(),
            Passage {
                kind: EvidenceKind::Roster,
                run: None,
                step: None,
                agent: None,
                text: one_blank(&roster.text),
            },
        );
        let catalogue = catalogue(facts, most / 6);
        let mut document = Document {
            subject: match facts.subject.agent() {
                Some(_) => "agent",
                None => "team",
            },
            name: facts.name.clone(),
            roster,
            outcomes: ["accepted", "rejected", "undecided"]
                .map(|word| (word, facts.count(word)))
                .into(),
            agents,
            catalogue_of_skills: catalogue,
            runs: Vec::new(),
        };
        let mut left = most.saturating_sub(json_of(&document).len());
        let mut runs = Vec::new();
        for run in &facts.runs {
            let shown = shown_run(run);
            let size = json_of(&shown).len();
            if size > left {
                break;
            }
            left -= size;
            add_passages(&mut passages, run, &shown);
            document.runs.push(shown);
            runs.push(run.id);
        }
        Self {
            json: json_of(&document),
            passages,
            cut_prompts,
            cut_brains,
            runs,
        }
    }
}

fn json_of(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn shown_agent(agent: &AgentFacts, share: usize) -> Agent {
    let prompt = agent.system_prompt.as_deref().unwrap_or_default();
    // The brain gets what the prompt leaves.
    let of_prompt = share / 3;
    let of_brain = share.saturating_sub(prompt.len().min(of_prompt));
    Agent {
        agent_id: agent.id,
        name: agent.name.clone(),
        slots: agent.slots.clone(),
        system_prompt: shown(format!("prompt:{}", agent.id), prompt, of_prompt),
        brain: shown(format!("brain:{}", agent.id), &agent.brain, of_brain),
        skills: agent.skills.clone(),
        profile: agent
            .profile
            .map_or("unknown", |profile| profile.as_str())
            .to_owned(),
        mcp_bundles: agent.bundles.iter().map(|bundle| bundle.as_str()).collect(),
    }
}

fn shown(source: String, text: &str, most: usize) -> Shown {
    let (text, only_a_part) = cut(text, most.min(MOST_OF_ONE));
    Shown {
        source,
        text,
        only_a_part,
    }
}

fn catalogue(facts: &Facts, most: usize) -> Vec<Skill> {
    let mut left = most;
    let mut listed = Vec::new();
    for skill in facts.catalogue.iter().take(MOST_SKILLS) {
        // The frame of the entry is about 60 bytes.
        let size = skill.name.len() + skill.when_to_use.len() + 60;
        if size > left {
            break;
        }
        left -= size;
        listed.push(Skill {
            name: skill.name.clone(),
            when_to_use: skill.when_to_use.clone(),
        });
    }
    listed
}

fn shown_run(run: &RunFacts) -> Run {
    Run {
        source: source_of(run),
        title: cut(&run.title, MOST_OF_LINE).0,
        status: run.status.clone(),
        outcome: run.outcome.clone(),
        reason: line(run.reason.as_deref()),
        error: line(run.error.as_deref()),
        steps: run.steps.iter().map(|step| shown_step(run, step)).collect(),
    }
}

fn shown_step(run: &RunFacts, step: &StepFacts) -> Step {
    let checks = |passed: bool| {
        let made = step.checks.iter().filter(move |check| check.1 == passed);
        made.map(|check| cut(&check.0, MOST_OF_LINE).0).collect()
    };
    Step {
        source: format!(
            "{}/{}#{}.{}",
            source_of(run),
            step.key,
            step.lap,
            step.shard
        ),
        agent_id: step.agent,
        status: step.status.clone(),
        failed_checks: checks(false),
        passed_checks: checks(true),
        error: line(step.error.as_deref()),
        output: step
            .output
            .as_deref()
            .map(|output| cut(output, MOST_OF_OUTPUT).0),
    }
}

fn source_of(run: &RunFacts) -> String {
    format!("run:{}", run.id)
}

fn line(text: Option<&str>) -> Option<String> {
    text.map(|text| cut(text, MOST_OF_LINE).0)
}

fn add_passages(passages: &mut BTreeMap<String, Passage>, run: &RunFacts, shown: &Run) {
    let of_run = [
        Some(&shown.title),
        shown.reason.as_ref(),
        shown.error.as_ref(),
    ];
    let facts = format!("status: {}\noutcome: {}", shown.status, shown.outcome);
    let texts = of_run.into_iter().flatten().chain([&facts]);
    let passage = Passage {
        kind: EvidenceKind::Run,
        run: Some(run.id),
        step: None,
        agent: None,
        text: joined(texts),
    };
    passages.insert(shown.source.clone(), passage);
    for (step, shown) in run.steps.iter().zip(&shown.steps) {
        let status = format!("status: {}", shown.status);
        let texts = [shown.error.as_ref(), shown.output.as_ref(), Some(&status)];
        let texts = texts.into_iter().flatten();
        let passage = Passage {
            kind: EvidenceKind::Run,
            run: Some(run.id),
            step: Some((step.key.clone(), step.lap)),
            agent: step.agent,
            text: joined(
                texts
                    .chain(&shown.failed_checks)
                    .chain(&shown.passed_checks),
            ),
        };
        passages.insert(shown.source.clone(), passage);
    }
}

/// The texts, between line ends that no quote contains.
fn joined<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let texts: Vec<String> = texts.map(|text| one_blank(text)).collect();
    texts.join("\n")
}

fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The roles, profiles and tools, in words.
fn roster(facts: &Facts) -> String {
    let mut text = String::new();
    if let Some(team) = &facts.team {
        text.push_str(&format!("topology: {}\n", team.topology));
        if let Some(description) = &team.description {
            text.push_str(&format!(
                "description: {}\n",
                cut(description, MOST_OF_LINE).0
            ));
        }
        let bundles: Vec<&str> = team.bundles.iter().map(|bundle| bundle.as_str()).collect();
        let profile = team.profile.map_or("that of the template", Profile::as_str);
        text.push_str(&format!("profile of the team: {profile}\n"));
        text.push_str(&format!("bundles of the team: {}\n", bundles.join(", ")));
    }
    for agent in &facts.agents {
        let bundles: Vec<&str> = agent.bundles.iter().map(|bundle| bundle.as_str()).collect();
        text.push_str(&format!(
            "{} ({}): {}; bundles: {}\n",
            agent.name,
            agent.id,
            agent.slots.join(", "),
            bundles.join(", ")
        ));
    }
    text
}

/// A text within a size: its beginning and its end when it is longer.
fn cut(text: &str, most: usize) -> (String, bool) {
    if text.len() <= most {
        return (text.to_owned(), false);
    }
    let room = most.saturating_sub(GAP.len());
    let begin = text.floor_char_boundary(room / 3);
    let end = text.ceil_char_boundary(text.len() - (room - room / 3));
    (format!("{}{GAP}{}", &text[..begin], &text[end..]), true)
}

#[cfg(test)]
#[path = "material_tests.rs"]
pub(super) mod tests;
