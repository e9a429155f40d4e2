//! `shell`: exact output and exit code, once for each key, limited in time and size; a kill ends the whole process
//! tree.

use roost_execution::tools::ToolError;
use roost_tests::eventually;
use serde_json::{Value, json};

use super::{Bench, fresh};

#[tokio::test(flavor = "multi_thread")]
async fn output_comes_in_order_with_the_exit_code_and_each_call_is_a_shell_of_its_own() {
    let bench = Bench::new().await;
    let result = bench
        .shell("for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 7")
        .await;
    assert_eq!(
        result.text,
        "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n[exit code 7]"
    );
    assert_eq!((result.exit_code, result.is_error), (Some(7), true));
    assert_eq!(bench.output("cd /tmp; X=1; pwd").await, "/tmp\n");
    assert_eq!(
        bench.output("echo ${X-unset}; pwd").await,
        "unset\n/workspace\n"
    );
    let signalled = bench.shell("kill -9 $$").await;
    assert_eq!(signalled.exit_code, Some(137), "{}", signalled.text);
    let nowhere = bench
        .call(
            "shell",
            json!({ "command": "true", "cwd": "/workspace/none" }),
        )
        .await;
    assert!(
        nowhere.is_error && nowhere.text.contains("not started"),
        "{}",
        nowhere.text
    );
    let within = bench
        .call("shell", json!({ "command": "pwd", "cwd": "/tmp" }))
        .await;
    assert_eq!(within.text, "/tmp\n[exit code 0]");
    assert_eq!(
        bench.output(r"printf '\033[31mred\033[0m \377\n'").await,
        "red \u{fffd}\n"
    );
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_one_effect_however_often_it_is_called() {
    let bench = Bench::new().await;
    let key = fresh();
    let command = json!({ "command": "echo once >> count; wc -l < count; date +%N" });
    let first = bench
        .try_call(&bench.may, key, "shell", command.clone())
        .await
        .expect("a result");
    // Also when two come at once, and after the output has left the gateway's memory.
    let (a, b) = tokio::join!(
        bench.try_call(&bench.may, key, "shell", command.clone()),
        bench.try_call(&bench.may, key, "shell", command.clone()),
    );
    assert_eq!((a.expect("a"), b.expect("b")), (first.clone(), first));
    assert_eq!(bench.output("cat count").await, "once\n");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_output_is_cut_at_its_beginning_and_frames_show_what_happens() {
    let bench = Bench::new().await;
    let (result, lines) = bench
        .heard(
            "shell",
            json!({ "command": "seq 1 100000; sleep 0.5; echo the end" }),
        )
        .await;
    assert!(
        result.cut && result.text.len() < 50 * 1024,
        "{}",
        result.text.len()
    );
    assert!(
        result.text.starts_with('[') && result.text.ends_with("100000\nthe end\n[exit code 0]")
    );
    assert!(result.text.contains("left out"));
    assert_eq!(lines.last().map(String::as_str), Some("the end"));
    assert!(lines.len() < 2000, "{} lines were shown live", lines.len());
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_takes_too_long_is_killed_with_all_that_it_started() {
    let bench = Bench::new().await;
    let slow = json!({ "command": "echo begun; (sleep 300 & echo $! > child); sleep 300", "timeout_s": 1 });
    let result = bench.call("shell", slow).await;
    assert!(
        result.is_error && result.exit_code.is_none(),
        "{}",
        result.text
    );
    assert!(result.text.starts_with("begun\n") && result.text.contains("longer than 1 s"));
    let left = bench.output("kill -0 $(cat child) 2>&1; true").await;
    assert!(left.contains("No such process"), "{left}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_left_by_a_command_delay_nothing() {
    let bench = Bench::new().await;
    let begun = std::time::Instant::now();
    let result = bench
        .shell("(while sleep 1; do echo tick; done) & echo started")
        .await;
    assert_eq!(result.text, "started\n[exit code 0]");
    assert!(begun.elapsed().as_secs() < 60, "it waited for what runs on");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_ends_the_command_and_the_call() {
    let bench = Bench::new().await;
    let key = fresh();
    let (toolbox, may) = (bench.gateway.app().toolbox(), &bench.may);
    let long = json!({ "command": "echo $$ > pid; exec sleep 300" });
    let call = bench.try_call(may, key, "shell", long);
    let cancel = async {
        eventually("the command runs", async || {
            let there = bench.shell("cat pid 2>/dev/null").await;
            (there.exit_code == Some(0)).then_some(())
        })
        .await;
        toolbox.cancel(may, key).await.expect("it is told");
    };
    let (result, ()) = tokio::join!(call, cancel);
    assert!(matches!(result, Err(ToolError::Cancelled)), "{result:?}");
    let left = bench.output("kill -0 $(cat pid) 2>&1; true").await;
    assert!(left.contains("No such process"), "{left}");
    // Of what has ended there is nothing to stop, and of what never was neither.
    toolbox.cancel(may, key).await.expect("nothing to do");
    toolbox.cancel(may, fresh()).await.expect("nothing to do");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_image_runs_commands_plainly_and_says_what_the_other_tools_lack() {
    let tiny = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let mut bench = Bench::with(&tiny).await;
    bench.may.pane = Some(super::pane(uuid::Uuid::now_v7(), bench.agent()));
    let result = bench.shell("echo out; echo err >&2; exit 3").await;
    assert_eq!(result.exit_code, Some(3), "{}", result.text);
    assert!(result.text.contains("out\n") && result.text.contains("err\n"));
    let file = bench.call("read_file", json!({ "path": "x" })).await;
    assert!(
        file.is_error && file.text.contains("python3"),
        "{}",
        file.text
    );
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_tells_the_command_that_the_agent_gave_and_its_exit_code() {
    let bench = Bench::new().await;
    bench.shell("ls /nope; exit 3").await;
    let write = json!({ "path": "a.txt", "content": "x" });
    bench.call("write_file", write).await;
    let owner = bench.gateway.owner().await;
    let exec = format!("{}/exec?wait=true", bench.sandbox());
    let own = json!({ "argv": ["sh", "-c", "exit 7"] });
    owner.post(&exec).json(&own).expect(200).await;
    let purpose =
        json!({ "argv": ["true"], "purpose": { "tool": "shell", "command": "rm -rf /" } });
    owner
        .post(&exec)
        .json(&purpose)
        .refused(400, "validation")
        .await;
    let history = format!("/api/claws/{}/activity?sources=operation", bench.agent());
    let history = owner.get(&history).expect(200).await;
    let items = history.body["items"].as_array().expect("items");
    let told: Vec<_> = items
        .iter()
        .filter(|item| item["what"] == "sb_exec" && item["tool"] != "probe")
        .map(|item| (&item["tool"], &item["command"], &item["exit_code"]))
        .collect();
    let none = json!(null);
    assert_eq!(
        told,
        [
            (&none, &none, &json!(7)),
            (&json!("write_file"), &json!("/workspace/a.txt"), &json!(0)),
            (&json!("shell"), &json!("ls /nope; exit 3"), &json!(3)),
        ],
        "{}",
        history.text
    );
    assert!(items.iter().all(|item| item["data"]["purpose"].is_null()));
    // Each line says who ran it: the person, or the agent and its run.
    let (own, others): (Vec<&Value>, Vec<&Value>) = items
        .iter()
        .filter(|item| item["what"] == "sb_exec" && item["tool"] != "probe")
        .partition(|item| item["tool"].is_null());
    assert_eq!(own[0]["user"]["id"], json!(owner.id));
    for item in others {
        assert_eq!(item["agent"]["id"], json!(bench.agent()), "{item}");
        assert!(item["agent"]["name"].is_string(), "{item}");
    }
    bench.end().await;
}
