//! The gateway of a call dies. The next gateway answers the same key with the result of the first call.

use roost_execution::tools::Frame;
use roost_gateway::app::Surroundings;
use roost_tests::{Gateway, Store, eventually};
use serde_json::json;
use uuid::Uuid;

use super::{Bench, fresh, image, pane};

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_outlived_its_gateway_is_heard_to_its_end_and_ran_once() {
    let mut bench = Bench::new().await;
    let run = Uuid::now_v7();
    bench.may.pane = Some(pane(run, bench.agent()));
    let key = fresh();
    let command = json!({ "command": "echo begun; echo x >> count; touch there; until [ -e go ]; do sleep 0.1; done; echo ended; wc -l < count" });
    let call = bench.try_call(&bench.may, key, "shell", command.clone());
    let begun = eventually("the command runs", async || {
        let there = bench
            .call("list_files", json!({ "path": "/workspace" }))
            .await;
        there.text.contains("there  0").then_some(())
    });
    tokio::select! {
        result = call => panic!("it waits for somebody: {result:?}"),
        // What called is gone with its gateway.
        () = begun => {}
    }
    let may = bench.may.clone();
    let token = bench.gateway.owner().await.token.clone();
    let folder = bench.gateway.stop_and_keep().await;
    let gateway = Gateway::start_in(
        folder,
        &Store::Sqlite,
        &[("sandboxes.image", &image())],
        Surroundings::default(),
    )
    .await
    .expect("it starts again");
    let toolbox = gateway.app().toolbox();
    let mut lines = Vec::new();
    let mut hear = |frame: Frame| lines.extend(frame.lines);
    let again = toolbox.call(&may, key, "shell", &command, &mut hear);
    let go = async {
        // Another call, in the same pane, lets it go on.
        let go = json!({ "command": "touch go" });
        toolbox
            .call(&may, fresh(), "shell", &go, &mut |_| {})
            .await
            .expect("a result")
    };
    let (result, _) = tokio::join!(again, go);
    let result = result.expect("a result");
    assert_eq!(result.text, "begun\nended\n1\n[exit code 0]");
    let recorded = toolbox
        .call(&may, key, "shell", &command, &mut |_| {})
        .await
        .expect("a result");
    assert_eq!(recorded, result);
    assert_eq!(lines, ["begun", "ended", "1"]);
    // One pane served both gateways.
    let panes =
        json!({ "command": "tmux list-panes -s -t =roost: -F '#{window_name} #{@roost_agent}'" });
    let panes = toolbox
        .call(&may, fresh(), "shell", &panes, &mut |_| {})
        .await
        .expect("a result");
    let one = format!(
        "run-{} agent-{}\n[exit code 0]",
        run.simple(),
        may.agent.expect("an agent").0.simple()
    );
    assert_eq!(panes.text, one);
    toolbox.cancel(&may, key).await.expect("nothing to stop");
    let owner = roost_tests::Client::new(&gateway.url()).with_token(&token);
    owner
        .delete(&format!(
            "/api/claws/{}/sandbox",
            may.agent.expect("an agent")
        ))
        .expect(204)
        .await;
    gateway.stop().await;
}
