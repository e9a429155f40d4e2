//! What the model reads, its size, and where quotes are found. Also facts for the other tests of the room.

use proptest::prelude::*;
use uuid::Uuid;

use super::super::facts::Subject;
use super::*;

pub fn agent(n: u128, prompt: &str, brain: &str) -> AgentFacts {
    AgentFacts {
        id: ClawId(Uuid::from_u128(n)),
        name: format!("agent {n}"),
        slots: vec![format!("slot{n}")],
        system_prompt: Some(prompt.to_owned()),
        brain: brain.to_owned(),
        brain_version: 3,
        skills: BTreeSet::from(["known".to_owned()]),
        profile: None,
        bundles: BTreeSet::new(),
    }
}

pub fn run(n: u128, output: &str) -> RunFacts {
    RunFacts {
        id: RunId(Uuid::from_u128(n)),
        title: format!("run {n}"),
        status: "completed".to_owned(),
        outcome: "rejected".to_owned(),
        reason: Some("the check of the step work: `make test` exited with 2".to_owned()),
        error: None,
        steps: vec![StepFacts {
            key: "a/work".to_owned(),
            lap: 0,
            shard: 0,
            agent: Some(ClawId(Uuid::from_u128(1))),
            status: "done".to_owned(),
            output: Some(output.to_owned()),
            error: None,
            checks: vec![("`make test` exited with 2".to_owned(), false)],
        }],
    }
}

pub fn facts(agents: Vec<AgentFacts>, runs: Vec<RunFacts>) -> Facts {
    Facts {
        subject: Subject::Agent(agents[0].id),
        name: "Ada".to_owned(),
        team: None,
        agents,
        catalogue: Vec::new(),
        runs,
    }
}

#[test]
fn short_texts_are_whole_and_quotes_are_found_in_their_source_only() {
    let facts = facts(
        vec![agent(1, "You review.", "# Notes\n\nTests are slow.")],
        vec![run(7, "I changed\n  the parser.")],
    );
    let material = Material::new(&facts, 64 << 10);
    assert!(material.cut_prompts.is_empty() && material.cut_brains.is_empty());
    let id = facts.agents[0].id;
    let found = |source: &str, quote: &str| material.passages[source].contains(quote);
    let brain = format!("brain:{id}");
    assert!(found(&brain, "Tests are slow."));
    assert!(!found(&brain, "You review."));
    let step = format!("run:{}/a/work#0.0", facts.runs[0].id);
    assert!(found(&step, "I changed the parser."));
    assert!(found(&step, "`make test` exited with 2"));
    assert!(!found(&step, "I changed everything."));
    assert!(!found(&step, " "), "an empty quote proves nothing");
    assert_eq!(material.passages[&step].run, Some(facts.runs[0].id));
    for source in material.passages.keys() {
        let written = serde_json::json!(source).to_string();
        assert!(
            material.json.contains(&written),
            "{source} has a name there"
        );
    }
}

#[test]
fn a_long_text_is_marked_and_the_newest_runs_stay() {
    let runs = (0..50).map(|n| run(100 + n, &"x".repeat(3_000))).collect();
    let long = "brain ".repeat(20_000);
    let facts = facts(vec![agent(1, "short", &long)], runs);
    let material = Material::new(&facts, 40 << 10);
    assert!(material.cut_brains.contains(&facts.agents[0].id));
    assert!(material.cut_prompts.is_empty());
    assert!(
        (1..50).contains(&material.runs.len()),
        "{:?}",
        material.runs
    );
    assert_eq!(material.runs[0], facts.runs[0].id);
    let left_out = format!("run:{}", facts.runs[49].id);
    assert!(!material.passages.contains_key(&left_out));
}

proptest! {
    #[test]
    fn a_cut_text_is_within_its_size_and_valid(text in "\\PC{0,400}", most in 120_usize..300) {
        let (cut, is_cut) = cut(&text, most);
        prop_assert!(cut.len() <= most);
        prop_assert_eq!(is_cut, text.len() > most);
    }

    #[test]
    fn material_stays_near_its_size(agents in 1_usize..20, brain in 0_usize..200_000, runs in 0_usize..40, most in 8_192_usize..131_072) {
        let agents: Vec<AgentFacts> = (0..agents).map(|n| agent(n as u128, &"p".repeat(brain / 3), &"b\"".repeat(brain / 2))).collect();
        let runs = (0..runs).map(|n| run(n as u128, &"o".repeat(2_000))).collect();
        let material = Material::new(&facts(agents, runs), most);
        // JSON escapes some characters, and each agent has a frame.
        prop_assert!(material.json.len() <= most * 2 + 20 * 700, "{} of {most}", material.json.len());
    }
}
