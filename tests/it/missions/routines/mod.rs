//! Routines: what fires, what it starts, what the journal says, and what is refused.

pub(crate) mod killed;
mod refused;
mod two_gateways;

use roost_tests::{Answer, Client, Gateway, Person, ScratchPostgres, Stream, eventually};
use serde_json::{Value, json};

use super::template;
use crate::connections::repos::Place;

/// A schedule that is not due while a test runs.
fn far() -> Value {
    json!({ "kind": "cron", "expression": "0 3 1 1 *", "time_zone": "Europe/Berlin" })
}

/// A loop that is due at once, and then after a day.
fn at_once(times: u32) -> Value {
    json!({ "kind": "loop", "every_minutes": 1_440, "times": times })
}

fn of_team(template: &str) -> Value {
    json!({ "kind": "team", "template_id": template, "goal": "Read the news." })
}

async fn made(owner: &Client, name: &str, schedule: Value, recipe: Value) -> Answer {
    let new = json!({ "name": name, "schedule": schedule, "recipe": recipe });
    owner.post("/api/routines").json(&new).expect(201).await
}

async fn journal(owner: &Client, routine: &str) -> Vec<Value> {
    let path = format!("/api/routines/runs?routine_id={routine}");
    let page = owner.get(&path).expect(200).await;
    page.body["items"].as_array().expect("lines").clone()
}

/// Waits for a line of the journal with this state.
async fn line(owner: &Client, routine: &str, state: &str) -> Value {
    eventually(&format!("a firing is {state}"), async || {
        let lines = journal(owner, routine).await;
        lines.into_iter().find(|line| line["state"] == state)
    })
    .await
}

/// Makes a routine due so many seconds ago, as if no gateway had worked since.
async fn was_due(gateway: &Gateway, owner: &Person, routine: &str, seconds: i64) {
    let due = chrono::Utc::now() - chrono::TimeDelta::seconds(seconds);
    let change = gateway.change(owner).await;
    let sql = format!(
        "UPDATE routines SET next_due_at = '{}' WHERE name = '{routine}'",
        due.format("%Y-%m-%d %H:%M:%S+00:00")
    );
    let done = sea_orm::ConnectionTrait::execute_unprepared(change.tx(), &sql).await;
    assert_eq!(done.expect("it is written").rows_affected(), 1);
    change.commit().await.expect("a commit");
}

/// The states that the live stream told of a routine, until it had run and is scheduled again.
async fn states_told(stream: &mut Stream, routine: &str) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    while told.last().is_none_or(|last| last != "scheduled")
        || !told.contains(&"running".to_owned())
    {
        let event = stream.next().await.expect("the stream goes on");
        if event.kind != "routine.update" {
            continue;
        }
        let data = event.data;
        assert_eq!(data["routineId"], routine, "{data}");
        assert_eq!(
            (&data["name"], &data["kind"]),
            (&json!("News"), &json!("loop"))
        );
        told.push(data["state"].as_str().unwrap_or_default().to_owned());
    }
    told
}

async fn stop(gateway: Gateway, scratch: Option<ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

#[tokio::test]
async fn loop_mints_a_team_that_works_once_and_is_removed() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let readers = template(owner, "Readers").await;
        let mut stream = Stream::open(owner.get("/api/events?types=routine.update")).await;
        let routine = made(owner, "News", at_once(2), of_team(&readers)).await;
        assert_eq!(routine.str("/words"), "Every day, 2 times");
        assert_eq!(routine.str("/missed"), "once");
        assert_eq!(routine.str("/overlap"), "skip");
        let id = routine.str("/id").to_owned();
        let done = line(owner, &id, "done").await;
        assert_eq!(done["cause"], "schedule");
        assert_eq!(done["routine_name"], "News");
        assert!(done["ended_at"].is_string() && done["reason"].is_null());
        let run = done["run_id"].as_str().expect("a run");
        let run = owner.get(&format!("/api/topology-runs/{run}"));
        let run = run.expect(200).await;
        assert_eq!(run.str("/origin/type"), "routine");
        assert_eq!(run.str("/origin/routine"), id);
        assert_eq!(run.body["origin"]["firing"], done["id"]);
        assert_eq!(run.str("/input"), "Read the news.");
        let told = states_told(&mut stream, &id).await;
        assert!(told.contains(&"running".to_owned()), "{told:?}");
        // The team and its agents are gone.
        eventually("the team is removed", async || {
            let teams = owner.get("/api/teams").expect(200).await;
            let agents = owner.get("/api/claws").expect(200).await;
            let none = json!([]);
            (teams.body["items"] == none && agents.body["items"] == none).then_some(())
        })
        .await;
        let shown = owner.get(&format!("/api/routines/{id}")).expect(200).await;
        assert_eq!(shown.str("/state"), "scheduled");
        assert_eq!(shown.body["next_due"].as_array().map(Vec::len), Some(1));
        assert_eq!(shown.str("/last/state"), "done");
        let listed = owner.get("/api/routines").expect(200).await;
        assert_eq!(listed.str("/items/0/id"), id);
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn routine_whose_work_waits_for_an_approval_says_so_until_a_person_has_decided() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = super::lives::endless().await;
        super::think_with(owner, &server).await;
        let writers = template(owner, "Writers").await;
        let mission = json!({ "kind": "mission", "mission": { "template_kind": "research", "goal": "Read.",
            "team_template_id": writers } });
        let mut stream = Stream::open(owner.get("/api/events?types=routine.update")).await;
        let routine = made(owner, "News", far(), mission).await;
        let path = format!("/api/routines/{}", routine.str("/id"));
        let fired = owner.post(&format!("{path}/run")).expect(202).await;
        let mission = fired.str("/mission_id").to_owned();
        let run = eventually("its run works", async || {
            let now = super::mission(owner, &mission).await;
            let run = now.body["phase_details"][0]["runs"][0]["run_id"].clone();
            Some(run.as_str()?.to_owned())
        })
        .await;
        let door = crate::tenancy::mail::ask(&place.gateway, owner, Some(&run)).await;
        until(&mut stream, "door").await;
        assert_eq!(owner.get(&path).expect(200).await.str("/state"), "door");
        let resolve = owner.post(&format!("/api/doors/{door}/resolve"));
        let deny = resolve.json(&json!({ "decision": "deny" }));
        deny.expect(200).await;
        until(&mut stream, "running").await;
        assert_eq!(owner.get(&path).expect(200).await.str("/state"), "running");
        super::set_status(owner, &mission, "cancelled", 200).await;
        until(&mut stream, "failed").await;
        place.stop().await;
    }
}

/// Waits until the stream tells of this state.
async fn until(stream: &mut Stream, state: &str) {
    loop {
        let event = stream.next().await.expect("the stream goes on");
        if event.kind == "routine.update" && event.data["state"] == state {
            return;
        }
    }
}

#[tokio::test]
async fn mission_with_a_schedule_makes_a_routine_that_launches_missions() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let readers = template(owner, "Readers").await;
        let new = json!({ "template_kind": "research", "goal": "Read the papers.", "team_template_id": readers,
            "schedule": "0 9 * * 1" });
        let draft = owner.post("/api/missions").json(&new).expect(201).await;
        assert_eq!(draft.str("/status"), "draft");
        assert_eq!(draft.str("/schedule/expression"), "0 9 * * 1");
        let id = draft.str("/schedule/routine_id").to_owned();
        let routine = owner.get(&format!("/api/routines/{id}")).expect(200).await;
        assert_eq!(routine.str("/name"), "Read the papers.");
        assert_eq!(routine.body["mission_id"], draft.body["id"]);
        assert_eq!(routine.str("/schedule/time_zone"), "UTC");
        assert_eq!(routine.body["next_due"].as_array().map(Vec::len), Some(5));
        let fired = owner.post(&format!("/api/routines/{id}/run"));
        let fired = fired.expect(202).await;
        assert_eq!(fired.str("/cause"), "manual");
        let mission = fired.str("/mission_id").to_owned();
        assert_ne!(fired.body["mission_id"], draft.body["id"]);
        super::becomes(owner, &mission, "completed").await;
        let done = line(owner, &id, "done").await;
        assert_eq!(done["mission_id"], mission.as_str());
        let draft = super::mission(owner, draft.str("/id")).await;
        assert_eq!(draft.str("/status"), "draft");
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn due_times_without_a_gateway_follow_the_policy_and_stand_in_the_journal() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let readers = template(owner, "Readers").await;
        let hourly = json!({ "kind": "cron", "expression": "7 * * * *" });
        let mut ids = Vec::new();
        for missed in ["skip", "once"] {
            let new = json!({ "name": missed, "schedule": hourly, "recipe": of_team(&readers), "missed": missed });
            let routine = owner.post("/api/routines").json(&new).expect(201).await;
            ids.push(routine.str("/id").to_owned());
        }
        // Three days ago at this minute: the due times since are those of the hours.
        for missed in ["skip", "once"] {
            was_due(&gateway, owner, missed, 3 * 86_400).await;
        }
        let skipped = line(owner, &ids[0], "missed").await;
        let counted = skipped["due_times"].as_i64().expect("a number");
        assert!((72..=74).contains(&counted), "{skipped}");
        assert_eq!(skipped["reason"], "No gateway worked at the due time.");
        let once = line(owner, &ids[1], "done").await;
        assert_eq!(once["cause"], "catch_up");
        let rest = line(owner, &ids[1], "missed").await;
        assert_eq!(rest["due_times"].as_i64(), Some(counted - 1), "{rest}");
        for (id, lines) in [(&ids[0], 1), (&ids[1], 2)] {
            let routine = owner.get(&format!("/api/routines/{id}")).expect(200).await;
            assert_eq!(routine.str("/state"), "scheduled");
            assert_eq!(journal(owner, id).await.len(), lines);
        }
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn routine_of_a_person_who_left_fails_with_that_reason_and_another_who_lost_the_right_too() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let readers = template(owner, "Readers").await;
        let (left, weaker) = (
            gateway.person("member").await,
            gateway.person("member").await,
        );
        let one = made(&left, "left", far(), of_team(&readers)).await;
        let two = made(&weaker, "weaker", far(), of_team(&readers)).await;
        let member =
            |person: &Person| format!("/api/workspaces/{}/members/{}", owner.workspace, person.id);
        owner.delete(&member(&left)).expect(204).await;
        let role = json!({ "role": "viewer" });
        let weakened = owner.patch(&member(&weaker)).json(&role);
        weakened.expect(200).await;
        for name in ["left", "weaker"] {
            was_due(&gateway, owner, name, 1).await;
        }
        let failed = line(owner, one.str("/id"), "failed").await;
        let why = failed["reason"].as_str().expect("a reason");
        assert!(
            why.contains("not a member of the workspace any more"),
            "{why}"
        );
        let failed = line(owner, two.str("/id"), "failed").await;
        let why = failed["reason"].as_str().expect("a reason");
        assert!(why.contains("has the role viewer"), "{why}");
        assert!(failed["run_id"].is_null());
        let teams = owner.get("/api/teams").expect(200).await;
        assert_eq!(teams.body["items"], json!([]));
        let audit = owner.get("/api/audit?action=routine.firing_failed");
        let audit = audit.expect(200).await;
        assert_eq!(audit.body["items"].as_array().map(Vec::len), Some(2));
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn paused_routine_does_not_fire_and_what_was_due_in_the_pause_is_not_missed() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let readers = template(owner, "Readers").await;
        let routine = made(owner, "News", far(), of_team(&readers)).await;
        let path = format!("/api/routines/{}", routine.str("/id"));
        let set = |enabled: bool| {
            let change = json!({ "enabled": enabled });
            owner.patch(&path).json(&change).expect(200)
        };
        let paused = set(false).await;
        assert_eq!(paused.str("/state"), "paused");
        was_due(&gateway, owner, "News", 3_600).await;
        // By hand it fires all the same.
        let fired = owner.post(&format!("{path}/run")).expect(202).await;
        line(owner, routine.str("/id"), "done").await;
        let resumed = set(true).await;
        assert_eq!(resumed.str("/state"), "scheduled");
        assert_eq!(resumed.body["next_due"], routine.body["next_due"]);
        let lines = journal(owner, routine.str("/id")).await;
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(lines[0]["id"], fired.body["id"]);
        owner.delete(&path).expect(204).await;
        owner.get(&path).expect(404).await;
        assert!(journal(owner, routine.str("/id")).await.is_empty());
        stop(gateway, scratch).await;
    }
}
