//! What is refused when a routine is made, changed or fired, and what is missing then.

use roost_tests::{Gateway, Person};
use serde_json::{Value, json};

use super::{far, made, of_team};
use crate::connections::repos::Place;
use crate::missions::template;

async fn refused_at(owner: &Person, new: &Value, pointer: &str) -> String {
    let refused = owner.post("/api/routines").json(new).expect(400).await;
    let errors = refused.body["errors"].to_string();
    assert!(
        errors.contains(&format!("{pointer}\"")),
        "{new} {refused:?}"
    );
    errors
}

#[tokio::test]
async fn schedule_or_recipe_that_cannot_work_is_refused_with_its_place_and_nothing_is_made() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let readers = template(owner, "Readers").await;
    let unknown = "01900000-0000-7000-8000-000000000000";
    let new = |schedule: Value, recipe: Value| json!({ "name": "x", "schedule": schedule, "recipe": recipe });
    let cron = |expression: &str| json!({ "kind": "cron", "expression": expression });
    for (schedule, pointer, part) in [
        (cron("0 0 30 2 *"), "/schedule/expression", "never fires"),
        (
            cron("* * * * * *"),
            "/schedule/expression",
            "once a minute at most",
        ),
        (cron("every day"), "/schedule/expression", "fields"),
        (
            json!({ "kind": "cron", "expression": "0 9 * * *", "time_zone": "Moon/Sea" }),
            "/schedule/time_zone",
            "time zone",
        ),
        (
            json!({ "kind": "loop", "every_minutes": 0 }),
            "/schedule/every_minutes",
            "from 1",
        ),
        (
            json!({ "kind": "loop", "every_minutes": 5, "until": "2020-01-01T00:00:00Z" }),
            "/schedule",
            "lies in the past",
        ),
    ] {
        let said = refused_at(owner, &new(schedule.clone(), of_team(&readers)), pointer).await;
        assert!(said.contains(part), "{schedule}: {said}");
        let preview = owner.post("/api/routines/preview");
        preview
            .json(&json!({ "schedule": schedule }))
            .expect(400)
            .await;
    }
    let mut recipe = of_team(&readers);
    recipe["goal"] = json!(" ");
    refused_at(owner, &new(far(), recipe), "/recipe/goal").await;
    let mut recipe = of_team(&readers);
    recipe["model_binding"] = json!("openai/none");
    refused_at(owner, &new(far(), recipe), "/recipe/model_binding").await;
    let mission = json!({ "kind": "mission", "mission": { "template_kind": "research", "repo_id": unknown } });
    refused_at(owner, &new(far(), mission), "/recipe/mission/repo_id").await;
    let mission = json!({ "kind": "mission", "mission": { "template_kind": "research", "schedule": "0 9 * * 1" } });
    refused_at(owner, &new(far(), mission), "/recipe/mission/schedule").await;
    let gone = new(far(), of_team(unknown));
    owner.post("/api/routines").json(&gone).expect(404).await;
    // A launch would be refused, so the routine is.
    let mission = json!({ "kind": "mission", "mission": { "template_kind": "research" } });
    let no_team = owner.post("/api/routines").json(&new(far(), mission));
    no_team.refused(412, "mission-has-no-team").await;
    let scheduled = json!({ "template_kind": "research", "schedule": "0 9 * * 1" });
    let no_team = owner.post("/api/missions").json(&scheduled);
    no_team.refused(412, "mission-has-no-team").await;
    let scheduled = json!({ "template_kind": "research", "team_template_id": readers, "schedule": "0 0 30 2 *" });
    let never = owner.post("/api/missions").json(&scheduled);
    let never = never.expect(400).await;
    assert_eq!(never.str("/errors/0/pointer"), "/schedule/expression");
    for path in ["/api/routines", "/api/missions", "/api/teams", "/api/claws"] {
        let list = owner.get(path).expect(200).await;
        assert_eq!(list.body["items"], json!([]), "{path}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn routine_beyond_the_quota_of_agents_is_refused_when_it_is_made() {
    let gateway = Gateway::start_with(&[("plans.default", "free")]).await;
    let owner = gateway.owner().await;
    let readers = template(owner, "Readers").await;
    for n in 0..5 {
        let agent = json!({ "name": format!("agent {n}") });
        owner.post("/api/claws").json(&agent).expect(201).await;
    }
    let new = json!({ "name": "x", "schedule": far(), "recipe": of_team(&readers) });
    let refused = owner.post("/api/routines").json(&new);
    refused.refused(402, "quota-exceeded").await;
    gateway.stop().await;
}

#[tokio::test]
async fn preview_draws_the_next_due_times_through_a_change_of_the_clock() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let daily = json!({ "kind": "cron", "expression": "30 2 * * *", "time_zone": "Europe/Berlin" });
    let asked = json!({ "schedule": daily, "count": 100 });
    let preview = owner.post("/api/routines/preview").json(&asked);
    let preview = preview.expect(200).await;
    assert!(preview.str("/words").contains("02:30"), "{preview:?}");
    let due = preview.body["due"].as_array().expect("times");
    assert_eq!(due.len(), 100);
    let ends = |end: &str| {
        due.iter()
            .any(|due| due.as_str().is_some_and(|due| due.ends_with(end)))
    };
    assert!(ends("00:30:00Z") || ends("01:30:00Z"), "{due:?}");
    gateway.stop().await;
}

#[tokio::test]
async fn second_firing_waits_for_the_first_unless_the_routine_may_overlap() {
    for place in Place::start_on_each().await {
        overlaps(&place.gateway).await;
        place.stop().await;
    }
}

async fn overlaps(gateway: &Gateway) {
    let owner = gateway.owner().await;
    // A model that never answers, so each firing works until the end of the test.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let silent = silent.expect("a port");
    let address = silent.local_addr().expect("an address");
    let model = json!({ "provider": "openai", "model": "tiny", "api_key": "sk-of-this-test-1234",
        "base_url": format!("http://{address}/v1"), "context_tokens": 1_000_000, "is_default": true,
        "price": { "input_microusd": 0, "output_microusd": 0 } });
    owner.post("/api/models").json(&model).expect(201).await;
    let readers = template(owner, "Readers").await;
    let routine = made(owner, "News", far(), of_team(&readers)).await;
    let path = format!("/api/routines/{}", routine.str("/id"));
    let fire = || owner.post(&format!("{path}/run"));
    let first = fire().header("Idempotency-Key", "one").expect(202).await;
    let again = fire().header("Idempotency-Key", "one").expect(202).await;
    assert_eq!(first.body["id"], again.body["id"]);
    fire().refused(409, "conflict").await;
    // A due time is noted, and starts nothing.
    super::was_due(gateway, owner, "News", 1).await;
    let skipped = super::line(owner, routine.str("/id"), "skipped").await;
    assert_eq!(skipped["reason"], "An earlier firing still worked.");
    let overlap = json!({ "overlap": "allow" });
    owner.patch(&path).json(&overlap).expect(200).await;
    for _ in 0..4 {
        fire().expect(202).await;
    }
    fire().refused(409, "conflict").await;
    let shown = owner.get(&path).expect(200).await;
    assert_eq!(
        (shown.str("/state"), &shown.body["at_work"]),
        ("running", &json!(5))
    );
}
