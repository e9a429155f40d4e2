//! When a PDF is made again.

use chrono::{DateTime, TimeDelta, Utc};

use super::*;

fn mission(status: &str, ended: Option<i64>, updated: i64) -> mission::Model {
    mission::Model {
        id: uuid::Uuid::nil().into(),
        workspace_id: uuid::Uuid::nil().into(),
        title: String::new(),
        goal: String::new(),
        template_kind: String::new(),
        team_id: None,
        team_template_id: None,
        routine_id: None,
        schedule: None,
        status: status.to_owned(),
        status_reason: None,
        status_detail: None,
        config: String::new(),
        repo_id: None,
        base_ref: None,
        runtime_kind: String::new(),
        target_node_id: None,
        runtime_container_name: None,
        runtime_endpoint: None,
        runtime_pairing_code: None,
        runtime_state: None,
        runtime_detail: None,
        budget_microusd: None,
        model_binding: None,
        created_by: UserId::SYSTEM,
        created_at: at(0),
        updated_at: at(updated),
        launched_at: None,
        ended_at: ended.map(at),
        version: 1,
    }
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn pdf(status: ArtifactStatus, updated: i64) -> ArtifactRow {
    ArtifactRow {
        id: uuid::Uuid::nil().into(),
        workspace_id: uuid::Uuid::nil().into(),
        mission_id: uuid::Uuid::nil().into(),
        phase_id: None,
        attempt: 1,
        kind: "pdf".to_owned(),
        title: String::new(),
        status: status.as_str().to_owned(),
        path: None,
        error: None,
        content: None,
        run_id: None,
        created_at: at(0),
        updated_at: at(updated),
    }
}

#[test]
fn report_is_made_again_until_it_shows_the_end_of_its_mission() {
    let running = mission("running", None, 5);
    let ready = pdf(ArtifactStatus::Ready, 9);
    assert!(is_wanted_again(&ready, false, &running));
    // The report was made before the mission ended, in the transaction of whose end this is asked.
    let ends = mission("completed", Some(10), 5);
    assert!(is_wanted_again(&ready, false, &ends));
    let ended = mission("completed", Some(10), 12);
    assert!(is_wanted_again(
        &pdf(ArtifactStatus::Ready, 11),
        false,
        &ended
    ));
    assert!(!is_wanted_again(
        &pdf(ArtifactStatus::Ready, 12),
        false,
        &ended
    ));
}

#[test]
fn pdf_of_an_artifact_is_made_once() {
    let running = mission("running", None, 5);
    assert!(!is_wanted_again(
        &pdf(ArtifactStatus::Ready, 1),
        true,
        &running
    ));
}

#[test]
fn failed_pdf_is_made_again_and_a_pending_one_is_not() {
    let ended = mission("failed", Some(10), 10);
    for of_artifact in [false, true] {
        let failed = pdf(ArtifactStatus::Failed, 11);
        assert!(is_wanted_again(&failed, of_artifact, &ended));
        let pending = pdf(ArtifactStatus::Pending, 1);
        assert!(!is_wanted_again(&pending, of_artifact, &ended));
    }
}

#[test]
fn report_that_got_more_while_it_was_made_is_made_again() {
    let over = mission("completed", Some(5), 9);
    assert!(!is_outdated(&over, Some(1)));
    assert!(is_outdated(&over, Some(0)), "a narrative came meanwhile");
    assert!(is_outdated(&over, None));
    let at_work = mission("running", None, 9);
    assert!(!is_outdated(&at_work, Some(0)), "it changes all the time");
}
