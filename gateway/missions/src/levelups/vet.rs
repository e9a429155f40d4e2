//! Compares the model's items with the facts. An item that fits becomes part of the proposal. Another one is kept apart
//! with the reason. Pure code.

use std::collections::{BTreeSet, HashSet};

use super::answer::{Answer, Proposed, Quote};
use super::facts::{AgentFacts, Facts};
use super::material::Material;
use super::model::{BundleChange, Candidate, Dropped, Evidence, Item, Kind, RosterChange};
use roost_execution::tools::Bundle;
use roost_organisation::skills::model::clean_body;
use roost_protocol::text::clean;

/// The longest line, in bytes.
const LINE: usize = 4_096;

/// The items that are offered, and the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vetted {
    pub items: Vec<Item>,
    pub dropped: Vec<Dropped>,
}

/// Compares an answer with what the model read. `taken` are the names of skills that the workspace sees.
pub fn vet(answer: &Answer, facts: &Facts, material: &Material, taken: &HashSet<String>) -> Vetted {
    let mut vetted = Vetted::default();
    // What an earlier item of the answer changes already.
    let mut changed: BTreeSet<(Kind, String)> = BTreeSet::new();
    for proposed in &answer.items {
        let vetting = Vetting {
            proposed,
            facts,
            material,
            taken,
        };
        let made = vetting.item().and_then(|(item, changes)| {
            let place = (item.kind, changes);
            if changed.contains(&place) {
                return Err("an earlier item of the answer changes the same thing".to_owned());
            }
            changed.insert(place);
            Ok(item)
        });
        match made {
            Ok(mut item) => {
                item.id = format!("i{}", vetted.items.len() + 1);
                vetted.items.push(item);
            }
            Err(reason) => vetted.dropped.push(Dropped {
                kind: proposed.kind,
                summary: line(&proposed.summary),
                reason,
            }),
        }
    }
    vetted
}

struct Vetting<'a> {
    proposed: &'a Proposed,
    facts: &'a Facts,
    material: &'a Material,
    taken: &'a HashSet<String>,
}

impl Vetting<'_> {
    /// The item, and a name of what it changes.
    fn item(&self) -> Result<(Item, String), String> {
        let proposed = self.proposed;
        let agent = self.agent()?;
        let evidence: Vec<Evidence> = proposed
            .evidence
            .iter()
            .filter_map(|quote| self.evidence(quote))
            .collect();
        if evidence.is_empty() {
            return Err("none of its quotes is in the source that it names".to_owned());
        }
        let mut item = Item {
            id: String::new(),
            kind: proposed.kind,
            agent_id: agent.map(|agent| agent.id),
            agent_name: agent.map(|agent| agent.name.clone()),
            summary: line(&proposed.summary),
            rationale: clean_body(&proposed.rationale),
            evidence,
            needs_human: proposed.kind.needs_human(),
            before: None,
            after: None,
            base_version: None,
            skill_id: None,
            skill_name: None,
            skill: None,
            roster: None,
            bundles: None,
        };
        let of_agent = || agent.ok_or_else(|| "it names no agent".to_owned());
        let changes = match proposed.kind {
            Kind::IdentityRefinement => self.identity(&mut item, of_agent()?)?,
            Kind::BrainConsolidation => self.brain(&mut item, of_agent()?)?,
            Kind::SkillAdd => self.skill_add(&mut item, of_agent()?)?,
            Kind::SkillCandidate => self.candidate(&mut item)?,
            Kind::RosterChange => self.roster(&mut item)?,
            Kind::McpBundleChange => self.bundles(&mut item, agent)?,
        };
        Ok((item, changes))
    }

    /// The agent that it names, if it names one.
    fn agent(&self) -> Result<Option<&AgentFacts>, String> {
        let Some(named) = &self.proposed.agent_id else {
            return Ok(self
                .facts
                .subject
                .agent()
                .and_then(|id| self.facts.agent(id)));
        };
        let found = named.parse().ok().and_then(|id| self.facts.agent(id));
        match (found, self.facts.subject.agent()) {
            (Some(agent), _) => Ok(Some(agent)),
            (None, Some(_)) => {
                Err("it names another agent than the one of this proposal".to_owned())
            }
            (None, None) => Err("it names an agent that is not in the team".to_owned()),
        }
    }

    fn evidence(&self, quote: &Quote) -> Option<Evidence> {
        let passage = self.material.passages.get(&quote.source)?;
        if !passage.contains(&quote.excerpt) {
            return None;
        }
        let run = passage
            .run
            .and_then(|id| self.facts.runs.iter().find(|run| run.id == id));
        Some(Evidence {
            kind: passage.kind,
            run_id: passage.run,
            run_title: run.map(|run| line(&run.title)),
            outcome: run.map(|run| run.outcome.clone()),
            step: passage.step.as_ref().map(|step| step.0.clone()),
            lap: passage.step.as_ref().map(|step| step.1),
            agent_id: passage.agent,
            excerpt: clean_body(&quote.excerpt),
        })
    }

    fn identity(&self, item: &mut Item, agent: &AgentFacts) -> Result<String, String> {
        if self.material.cut_prompts.contains(&agent.id) {
            return Err(
                "the model read the prompt only in part, so its rest would be lost".to_owned(),
            );
        }
        let after = text(self.proposed.system_prompt.as_deref())?;
        if agent.system_prompt.as_deref().map(str::trim) == Some(after.trim()) {
            return Err("it changes nothing".to_owned());
        }
        item.before.clone_from(&agent.system_prompt);
        item.after = Some(after);
        Ok(agent.id.to_string())
    }

    fn brain(&self, item: &mut Item, agent: &AgentFacts) -> Result<String, String> {
        if self.material.cut_brains.contains(&agent.id) {
            return Err(
                "the model read the brain only in part, so its rest would be lost".to_owned(),
            );
        }
        let after = text(self.proposed.brain.as_deref())?;
        if agent.brain.trim() == after.trim() {
            return Err("it changes nothing".to_owned());
        }
        item.before = Some(agent.brain.clone()).filter(|_| agent.brain_version > 0);
        item.base_version = Some(agent.brain_version);
        item.after = Some(after);
        Ok(agent.id.to_string())
    }

    fn skill_add(&self, item: &mut Item, agent: &AgentFacts) -> Result<String, String> {
        let name = self.proposed.skill.as_deref().unwrap_or_default();
        let skill = self.facts.catalogue.iter().find(|skill| skill.name == name);
        let skill = skill.ok_or_else(|| "no skill of the catalogue has this name".to_owned())?;
        if agent.skills.contains(name) {
            return Err("the agent has this skill".to_owned());
        }
        item.skill_id = Some(skill.id);
        item.skill_name = Some(skill.name.clone());
        Ok(format!("{}/{name}", agent.id))
    }

    fn candidate(&self, item: &mut Item) -> Result<String, String> {
        let proposed = self.proposed;
        let name = proposed.name.clone().unwrap_or_default();
        if self.taken.contains(&name) {
            return Err("a skill with this name exists".to_owned());
        }
        item.skill = Some(Candidate {
            title: one_line(proposed.title.as_deref())?,
            when_to_use: one_line(proposed.when_to_use.as_deref())?,
            tags: proposed.tags.clone(),
            body: text(proposed.body.as_deref())?,
            name: name.clone(),
        });
        Ok(name)
    }

    fn roster(&self, item: &mut Item) -> Result<String, String> {
        if self.facts.team.is_none() {
            return Err("an agent has no roster: propose it for its team".to_owned());
        }
        let proposed = self.proposed;
        let action = proposed
            .action
            .ok_or_else(|| "it has no action".to_owned())?;
        let slot = one_line(proposed.slot.as_deref())?;
        item.roster = Some(RosterChange {
            action,
            slot: slot.clone(),
            detail: text(proposed.detail.as_deref())?,
        });
        Ok(format!("{action:?}/{slot}"))
    }

    fn bundles(&self, item: &mut Item, agent: Option<&AgentFacts>) -> Result<String, String> {
        let of_team = self.facts.team.as_ref().map(|team| &team.bundles);
        let before = match (agent, of_team) {
            (Some(agent), _) => &agent.bundles,
            (None, Some(team)) => team,
            (None, None) => return Err("it names no agent".to_owned()),
        };
        let mut after: BTreeSet<Bundle> = before.clone();
        after.extend(self.proposed.add.iter().copied());
        for bundle in &self.proposed.remove {
            after.remove(bundle);
        }
        if after == *before {
            return Err("it changes nothing".to_owned());
        }
        item.bundles = Some(BundleChange {
            before: before.clone(),
            after,
        });
        Ok(agent.map_or_else(|| "team".to_owned(), |agent| agent.id.to_string()))
    }
}

/// A text of several lines in its stored form.
fn text(written: Option<&str>) -> Result<String, String> {
    let cleaned = clean_body(written.unwrap_or_default());
    match cleaned.trim().is_empty() {
        true => Err("its text is empty".to_owned()),
        false => Ok(cleaned),
    }
}

/// A line in its stored form.
fn one_line(written: Option<&str>) -> Result<String, String> {
    let cleaned = line(written.unwrap_or_default());
    match cleaned.is_empty() {
        true => Err("a line of it is empty".to_owned()),
        false => Ok(cleaned),
    }
}

fn line(text: &str) -> String {
    let visible: String = clean(&text.replace(['\n', '\r', '\t'], " "), LINE);
    visible.trim().to_owned()
}

#[cfg(test)]
#[path = "vet_tests.rs"]
mod tests;
