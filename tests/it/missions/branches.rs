//! The branches of a mission: each team has its own, a phase begins with the newest, and says which ones it leaves out.

use serde_json::{Value, json};

use super::probes::coders_named;
use super::{becomes, created, launched, mission, phase_id};
use crate::connections::checkouts::Bench;

/// Each agent commits a file of its own name. A sandbox that has a checkout already gets the next one beside it.
const COMMITS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I commit."
  calls = [{ tool = "shell", arguments = { command = '''cd "$(ls -dt /workspace/tools* | head -n 1)" && n=$(date +%N) && echo $n > of-$n.txt && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm Work''' } }]
  [[scene.turn]]
  say = "Done."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn branches_of_two_teams_are_all_counted_and_the_next_phase_says_with_which_it_begins() {
    for bench in Bench::on_each(COMMITS).await {
        let owner = bench.gateway.owner().await;
        let teams = [
            coders_named(owner, "one").await,
            coders_named(owner, "two").await,
        ];
        let new = json!({ "template_kind": "custom", "title": "Write", "goal": "Write.", "repo_id": bench.repo,
            "config": { "phases": ["coding", "coding", "security_scan"], "phase_teams": { "coding": teams } } });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        becomes(owner, &id, "completed").await;
        let over = mission(owner, &id).await;
        for phase in [0, 1] {
            let path = format!(
                "/api/missions/{id}/phases/{}/summary",
                phase_id(&over, phase)
            );
            let card = owner.get(&path).expect(200).await;
            assert_eq!(card.body["metrics"]["commits"], 2, "{phase}: {}", card.text);
        }
        let artifacts = over.body["artifacts"].as_array().expect("artifacts");
        let diffs: Vec<&Value> = artifacts
            .iter()
            .filter(|one| one["kind"] == "diff")
            .collect();
        assert_eq!(diffs.len(), 4, "{artifacts:?}");
        for diff in diffs {
            let diff = diff["id"].as_str().expect("an id");
            let path = format!("/api/missions/{id}/artifacts/{diff}");
            let whole = owner.get(&path).expect(200).await;
            let files = whole.text.matches("new file mode").count();
            assert_eq!(
                files, 1,
                "an earlier phase's commit is not in it: {}",
                whole.text
            );
        }
        let input = |phase: usize| {
            let text = &over.body["phase_details"][phase]["input"];
            text.as_str().expect("an input").to_owned()
        };
        assert!(!input(0).contains("## Branches"));
        // Two of the first phase. The third phase leaves out two: one of each phase. The branch that the second phase
        // continued is in its branches.
        for (phase, ones, twos) in [(1, 2, 0), (2, 1, 2)] {
            let text = input(phase);
            assert!(text.contains("The work begins with the branch"), "{text}");
            assert_eq!(text.matches("(1 commit)").count(), ones, "{text}");
            assert_eq!(text.matches("(2 commits)").count(), twos, "{text}");
        }
        bench.stop().await;
    }
}
