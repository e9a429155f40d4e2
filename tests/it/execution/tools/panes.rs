//! Panes: people see the agent's commands while they run, and what people type there changes no result.

use roost_tests::eventually;
use serde_json::json;
use uuid::Uuid;

use super::{Bench, capability, fresh, pane};

/// What stands in the panes of the session, each with its mark.
async fn panes(bench: &Bench) -> String {
    let each = "tmux list-panes -s -t =roost: -F '#{pane_id} #{window_name} #{@roost_agent}' | while read -r id window agent; do echo \"== $window $agent\"; tmux capture-pane -p -J -S - -t $id | grep -v '^$'; done";
    let mut plain = bench.may.clone();
    plain.pane = None;
    bench
        .try_call(&plain, fresh(), "shell", json!({ "command": each }))
        .await
        .expect("a result")
        .text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pane_shows_the_commands_of_its_agent_and_a_resumed_run_finds_it_again() {
    let mut bench = Bench::new().await;
    let run = Uuid::now_v7();
    bench.may.pane = Some(pane(run, bench.agent()));
    let result = bench.shell("echo first; echo wrong >&2; exit 4").await;
    assert_eq!(
        result.text, "first\nwrong\n[exit code 4]",
        "the pane changes nothing of the result"
    );
    let long = bench.shell("seq 1 3000").await;
    assert!(long.text.ends_with("3000\n[exit code 0]"));
    // The same run comes back: the names are made from ids, so it is the same pane.
    bench.may.pane = Some(pane(run, bench.agent()));
    bench.shell("echo second").await;
    // Another agent of the team works in the same sandbox, and has a pane beside it.
    let mut other = capability(bench.gateway.owner().await, "Bob").await;
    other.sandbox_of = bench.may.sandbox_of;
    other.pane = Some(pane(run, other.agent.expect("an agent")));
    bench
        .try_call(
            &other,
            fresh(),
            "shell",
            json!({ "command": "echo from Bob" }),
        )
        .await
        .expect("a result");
    let shown = panes(&bench).await;
    let mark = format!("== run-{} agent-", run.simple());
    assert_eq!(shown.matches(&mark).count(), 2, "{shown}");
    let (ada, bob) = shown
        .split_once(&format!(
            "agent-{}",
            other.agent.expect("an agent").0.simple()
        ))
        .expect("Bob's pane");
    for line in [
        "$ echo first; echo wrong >&2; exit 4",
        "first",
        "wrong",
        "[exit code 4]",
        "3000",
        "$ echo second",
        "second",
    ] {
        assert!(ada.contains(line), "{line:?} is not in {ada}");
    }
    assert!(
        bob.contains("$ echo from Bob") && !bob.contains("echo second"),
        "{bob}"
    );
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pane_that_is_stopped_or_killed_holds_up_no_command() {
    let mut bench = Bench::new().await;
    bench.may.pane = Some(pane(Uuid::now_v7(), bench.agent()));
    bench.shell("echo there").await;
    // Somebody presses Ctrl-S, which stops the terminal, and goes away.
    bench.shell("stty -F $(tmux list-panes -s -t =roost: -F '#{pane_tty}') ixon; tmux send-keys -t roost C-s").await;
    let result = bench.shell("seq 1 50000; exit 5").await;
    assert_eq!(result.exit_code, Some(5));
    assert!(result.text.ends_with("50000\n[exit code 5]"));
    let killed = bench.shell("tmux kill-server; echo still").await;
    assert_eq!(killed.text, "still\n[exit code 0]");
    bench.shell("echo anew").await;
    let shown = panes(&bench).await;
    assert!(shown.contains("$ echo anew"), "{shown}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_visible_while_the_command_runs() {
    let mut bench = Bench::new().await;
    bench.may.pane = Some(pane(Uuid::now_v7(), bench.agent()));
    let waits = json!({ "command": "echo begun; until [ -e go ]; do sleep 0.1; done; echo done" });
    let call = bench.try_call(&bench.may, fresh(), "shell", waits);
    let watch = async {
        eventually("the pane shows that it began", async || {
            panes(&bench).await.contains("begun").then_some(())
        })
        .await;
        let mut plain = bench.may.clone();
        plain.pane = None;
        bench
            .try_call(&plain, fresh(), "shell", json!({ "command": "touch go" }))
            .await
            .expect("a result");
    };
    let (result, ()) = tokio::join!(call, watch);
    assert_eq!(result.expect("a result").text, "begun\ndone\n[exit code 0]");
    bench.end().await;
}
