//! The facts that the probe must find: the list with which a report is compared. Pure.
use roost_protocol::verify::ProbedFact;

/// Fact and value, as JSON: `[["caps.effective", "0"], …]`.
pub const GOLDEN: &str = include_str!("../../golden/escape-probe.json");

/// Judges the facts of a probe by the golden list and not by the probe's own verdict. A fact that is missing, differs
/// or is not on the list is wrong.
pub fn judge(probed: Vec<ProbedFact>) -> Vec<ProbedFact> {
    let golden: Vec<(String, String)> =
        serde_json::from_str(GOLDEN).expect("the golden list is checked by a test");
    let mut judged: Vec<ProbedFact> = probed
        .into_iter()
        .map(|fact| {
            let expected = golden
                .iter()
                .find(|(name, _)| *name == fact.fact)
                .map_or("not on the list", |(_, value)| value.as_str());
            ProbedFact {
                ok: fact.actual == expected,
                expected: expected.to_owned(),
                fact: clean(&fact.fact),
                title: clean(&fact.title),
                actual: clean(&fact.actual),
            }
        })
        .collect();
    for (name, value) in &golden {
        if !judged.iter().any(|fact| fact.fact == *name) {
            judged.push(ProbedFact {
                fact: name.clone(),
                title: name.clone(),
                expected: value.clone(),
                actual: "not reported".to_owned(),
                ok: false,
            });
        }
    }
    judged
}

/// Text from a sandbox is never trusted to be short or plain.
fn clean(text: &str) -> String {
    roost_protocol::text::clean(text, roost_protocol::limits::MAX_SHORT_TEXT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probed(fact: &str, actual: &str) -> ProbedFact {
        ProbedFact {
            fact: fact.to_owned(),
            title: String::new(),
            expected: actual.to_owned(),
            actual: actual.to_owned(),
            ok: true,
        }
    }

    fn golden() -> Vec<(String, String)> {
        serde_json::from_str(GOLDEN).unwrap()
    }

    #[test]
    fn the_list_has_at_least_sixty_facts_each_once() {
        let mut names: Vec<_> = golden().into_iter().map(|(name, _)| name).collect();
        assert!(names.len() >= 60, "{}", names.len());
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn probe_results_are_judged_by_the_golden_list() {
        let honest: Vec<_> = golden()
            .iter()
            .map(|(name, value)| probed(name, value))
            .collect();
        assert!(judge(honest.clone()).iter().all(|fact| fact.ok));

        let mut lying = honest.clone();
        lying[0].actual = "anything".to_owned();
        lying[0].expected = "anything".to_owned();
        assert!(!judge(lying)[0].ok);

        let mut short = honest.clone();
        short.pop();
        assert_eq!(judge(short).iter().filter(|fact| !fact.ok).count(), 1);

        let mut long = honest;
        long.push(probed("invented", "x"));
        assert_eq!(judge(long).iter().filter(|fact| !fact.ok).count(), 1);
        assert!(judge(Vec::new()).iter().all(|fact| !fact.ok));
    }
}
