//! A caller has the end of a command on the gateway's own host, and the gateway dies before it has written that end.

use serde_json::json;

use super::{Got, Place, Stage};
use roost_tests::ScratchPostgres;

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

#[tokio::test(flavor = "multi_thread")]
async fn end_that_a_caller_has_is_the_end_of_the_row_after_a_crash() {
    let mut all = vec![Stage::set(Place::Local, None, None).await];
    if let Some(scratch) = ScratchPostgres::new().await {
        all.push(Stage::set(Place::Local, Some(scratch), None).await);
    }
    for mut stage in all {
        let name = stage.name();
        stage.process.kill();
        let ready = stage
            .process
            .again_with("operations.finish.told=abort")
            .await;
        assert!(
            ready,
            "{name}: provisioning is over, so no operation ends at the start"
        );
        let body = json!({ "argv": ["/bin/sh", "-c", "echo ran >> /workspace/ran; sleep 0.5; echo out; exit 7"] });
        let begin = || {
            let request = stage.owner.post(&format!("{}/exec", stage.sandbox));
            request.header("idempotency-key", "once").json(&body)
        };
        let path = format!(
            "{}/exec/{}",
            stage.sandbox,
            begin().expect(202).await.str("/operation_id")
        );
        stage.process.ended_by(SIGABRT).await;
        stage.process.again().await;
        // The command ran before. The same request gets the same operation.
        let again = begin().expect(202).await;
        assert!(path.ends_with(again.str("/operation_id")), "{name}");
        let got = Got::default().read_on(&stage.owner, &path).await;
        got.is_whole(b"out\n", 7, &name);
        let row = stage.owner.get(&path).header("accept", "application/json");
        let row = row.expect(200).await;
        assert_eq!(
            (row.str("/state"), &row.body["code"]),
            ("done", &json!(7)),
            "{name}"
        );
        let ran = stage.try_engine(&["exec", &stage.container, "cat", "/workspace/ran"]);
        assert_eq!(ran.as_deref(), Some("ran\n"), "{name}: it ran once");
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_caller_reads_the_end_of_its_command_at_once() {
    let stage = Stage::set(Place::Local, None, None).await;
    for round in 0..20 {
        let body = json!({ "argv": ["/bin/sh", "-c", format!("echo {round}; exit {round}")] });
        let request = stage
            .owner
            .post(&format!("{}/exec?wait=true", stage.sandbox));
        let done = request.json(&body).expect(200).await;
        assert_eq!(done.body["code"], json!(round));
        // The row may be written later than the answer is sent. No reader sees the difference.
        let path = format!("{}/exec/{}", stage.sandbox, done.str("/operation_id"));
        let row = stage.owner.get(&path).header("accept", "application/json");
        let row = row.expect(200).await;
        assert_eq!(
            (row.str("/state"), &row.body["code"]),
            ("done", &json!(round))
        );
        assert!(row.body["finished_at"].is_string(), "{}", row.text);
        let agent = stage.sandbox.trim_end_matches("/sandbox");
        let history = format!("{agent}/activity?sources=operation&limit=1");
        let history = stage.owner.get(&history).expect(200).await;
        let last = &history.body["items"][0];
        assert_eq!(last["exit_code"], json!(round));
        // The line says who ran it.
        assert!(last["user"]["id"].is_string(), "{}", history.text);
    }
    stage.end().await;
}
