//! Answers of both dialects, and of servers that do not speak A2A.

use serde_json::{Value, json};

use super::*;

fn answered(status: u16, body: &Value) -> Reply {
    Reply::Answered {
        status,
        body: body.to_string(),
    }
}

fn result(dialect: Dialect, result: Value) -> Heard {
    hear(
        dialect,
        &answered(
            200,
            &json!({ "jsonrpc": "2.0", "id": "1", "result": result }),
        ),
    )
}

fn error(code: i64) -> Heard {
    let error = json!({ "code": code, "message": "no" });
    hear(
        Dialect::V1,
        &answered(200, &json!({ "jsonrpc": "2.0", "id": "1", "error": error })),
    )
}

fn why(heard: Heard) -> String {
    match heard {
        Heard::Stopped { why } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn message_goes_out_in_the_words_of_each_dialect() {
    let new = send(Dialect::V1, "/a", "m-1", "Hello");
    let body: Value = serde_json::from_str(&new.body).unwrap();
    assert_eq!(body["method"], "SendMessage");
    assert_eq!(body["params"]["message"]["role"], "ROLE_USER");
    assert_eq!(
        body["params"]["message"]["parts"],
        json!([{ "text": "Hello" }])
    );
    assert_eq!(body["params"]["configuration"]["returnImmediately"], true);
    assert_eq!(
        (new.path.as_str(), new.headers["A2A-Version"].as_str()),
        ("/a", "1.0")
    );
    let old = send(Dialect::V03, "/a", "m-1", "Hello");
    let body: Value = serde_json::from_str(&old.body).unwrap();
    assert_eq!(body["method"], "message/send");
    assert_eq!(body["params"]["message"]["kind"], "message");
    assert_eq!(body["params"]["message"]["messageId"], "m-1");
    assert_eq!(body["params"]["configuration"]["blocking"], false);
    for (dialect, methods) in [
        (Dialect::V1, ["GetTask", "CancelTask"]),
        (Dialect::V03, ["tasks/get", "tasks/cancel"]),
    ] {
        let asked = [task(dialect, "/", "t"), cancel(dialect, "/", "t")];
        for (asked, method) in asked.into_iter().zip(methods) {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            assert_eq!(
                (&body["method"], &body["params"]["id"]),
                (&json!(method), &json!("t"))
            );
        }
    }
}

#[test]
fn task_that_works_is_asked_again_in_its_dialect() {
    let new = json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_SUBMITTED" } } });
    let old = json!({ "kind": "task", "id": "t", "status": { "state": "working" } });
    for (dialect, task) in [(Dialect::V1, new), (Dialect::V03, old)] {
        let expected = Heard::Working {
            dialect,
            task: "t".to_owned(),
        };
        assert_eq!(result(dialect, task), expected);
    }
}

#[test]
fn text_is_that_of_the_message_and_else_of_the_artifacts() {
    let done = |text: &str| Heard::Done {
        text: text.to_owned(),
    };
    let parts = json!([{ "text": "one" }, { "data": {} }, { "text": "two" }]);
    let message = json!({ "message": { "messageId": "x", "parts": parts } });
    assert_eq!(result(Dialect::V1, message), done("one\ntwo"));
    let old = json!({ "kind": "message", "parts": [{ "kind": "text", "text": "one" }] });
    assert_eq!(result(Dialect::V03, old), done("one"));
    let artifacts = json!([{ "parts": [{ "text": "a" }] }, { "parts": [{ "text": "b" }] }]);
    let said =
        json!({ "state": "TASK_STATE_COMPLETED", "message": { "parts": [{ "text": "said" }] } });
    let task = json!({ "id": "t", "status": said, "artifacts": artifacts });
    assert_eq!(result(Dialect::V1, json!({ "task": task })), done("said"));
    let silent = json!({ "id": "t", "status": { "state": "completed" }, "artifacts": artifacts });
    assert_eq!(result(Dialect::V03, silent), done("a\n\nb"));
    let empty = json!({ "id": "t", "status": { "state": "completed" } });
    assert!(why(result(Dialect::V1, empty)).contains("no text"));
}

#[test]
fn states_that_end_the_step_say_what_the_runtime_said() {
    for (state, begin) in [
        (
            "TASK_STATE_INPUT_REQUIRED",
            "The runtime asks for more input: Which file?",
        ),
        (
            "input-required",
            "The runtime asks for more input: Which file?",
        ),
        (
            "TASK_STATE_AUTH_REQUIRED",
            "The runtime asks for a sign-in: Which file?",
        ),
        ("rejected", "The runtime rejected the work: Which file?"),
        ("TASK_STATE_FAILED", "The runtime failed: Which file?"),
        ("canceled", "The runtime cancelled the work: Which file?"),
        (
            "new",
            "The runtime is in the unknown state new: Which file?",
        ),
    ] {
        let status = json!({ "state": state, "message": { "parts": [{ "text": "Which file?" }] } });
        let task = json!({ "id": "t", "status": status });
        assert_eq!(why(result(Dialect::V1, task)), begin);
    }
}

#[test]
fn only_an_unknown_method_or_version_means_another_dialect() {
    assert_eq!(error(-32601), Heard::Foreign);
    assert_eq!(error(-32009), Heard::Foreign);
    assert_eq!(error(-32001), Heard::Lost);
    let lost = json!({ "error": { "code": -32603, "message": "Task not found", "data": null } });
    assert_eq!(hear(Dialect::V03, &answered(200, &lost)), Heard::Lost);
    assert!(why(error(-32602)).contains("(-32602): no"));
}

#[test]
fn answers_that_are_not_a2a_end_the_step() {
    let html = |status| Reply::Answered {
        status,
        body: "<html>hello</html>".to_owned(),
    };
    assert!(why(hear(Dialect::V1, &html(200))).contains("not as A2A does: <html>"));
    assert!(why(hear(Dialect::V1, &html(401))).contains("refused the bearer"));
    assert!(matches!(hear(Dialect::V1, &html(502)), Heard::Again { .. }));
    assert!(why(hear(Dialect::V1, &Reply::TooLong)).contains("2 MiB"));
    let gone = Reply::NotTaken("refused".to_owned());
    assert!(matches!(hear(Dialect::V1, &gone), Heard::Away { .. }));
    let cut = Reply::Broken("timeout".to_owned());
    assert!(matches!(hear(Dialect::V1, &cut), Heard::Again { .. }));
    for odd in [
        json!(null),
        json!([]),
        json!({ "result": 7 }),
        json!({ "result": { "status": {} } }),
    ] {
        assert!(
            matches!(
                hear(Dialect::V1, &answered(200, &odd)),
                Heard::Stopped { .. }
            ),
            "{odd}"
        );
    }
}

#[test]
fn what_was_heard_reads_back_from_the_journal() {
    let heard = Heard::Working {
        dialect: Dialect::V03,
        task: "t".to_owned(),
    };
    let text = serde_json::to_string(&heard).unwrap();
    assert_eq!(text, r#"{"state":"working","dialect":"0.3","task":"t"}"#);
    assert_eq!(serde_json::from_str::<Heard>(&text).unwrap(), heard);
}
