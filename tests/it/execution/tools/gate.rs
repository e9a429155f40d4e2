//! The gate: each tool under each profile, and the tools without a sandbox.

use roost_execution::tools::{Class, Profile, ToolError, catalogue, offered};
use serde_json::{Value, json};

use super::{Bench, fresh};

/// Arguments with which each tool does something.
fn arguments(tool: &str) -> Value {
    match tool {
        "read_skill" => json!({ "name": "none" }),
        "door.ask" => json!({ "action": "webhook.event.send", "params": { "event": "x" } }),
        "shell" => json!({ "command": "echo ran >> /workspace/touched" }),
        "read_file" => json!({ "path": "/workspace/there" }),
        "write_file" => json!({ "path": "/workspace/touched", "content": "written" }),
        "commit" => json!({ "message": "Touched", "path": "/workspace/repo" }),
        "status" | "diff" | "log" => json!({ "path": "/workspace/repo" }),
        _ => json!({}),
    }
}

async fn operations(bench: &Bench) -> usize {
    use roost_machines::fleet::operations::{OperationColumn, OperationEntity};
    use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
    let count = OperationEntity::find()
        .filter(OperationColumn::OwnerId.eq(bench.may.sandbox_of.id()))
        .count(bench.gateway.app().db().read())
        .await
        .expect("a count");
    usize::try_from(count).expect("it fits")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tool_under_each_profile_does_exactly_what_the_profile_says() {
    let bench = Bench::new().await;
    let prepared = "git init -q -b main repo && echo there > there && echo new > repo/file";
    bench.output(prepared).await;
    for profile in Profile::ALL {
        let mut may = bench.may.clone();
        may.profile = profile;
        let names: Vec<_> = offered(profile, &may.bundles)
            .iter()
            .map(|tool| tool.name)
            .collect();
        for tool in catalogue::all() {
            bench
                .output("rm -f touched; git -C repo update-ref -d HEAD")
                .await;
            let before = operations(&bench).await;
            let result = bench
                .try_call(&may, fresh(), tool.name, arguments(tool.name))
                .await;
            if names.contains(&tool.name) {
                assert!(
                    result.is_ok(),
                    "{} under {profile:?}: {result:?}",
                    tool.name
                );
            } else {
                let error = result.expect_err(tool.name);
                assert!(
                    matches!(error, ToolError::NotOffered { .. }),
                    "{}: {error}",
                    tool.name
                );
                assert!(error.to_string().contains(profile.as_str()), "{error}");
                assert_eq!(error.class(), Class::Tell);
                assert_eq!(
                    operations(&bench).await,
                    before,
                    "{} under {profile:?} reached the sandbox",
                    tool.name
                );
            }
            // Nobody but a tool that writes has written.
            let touched = bench
                .output("ls touched 2>/dev/null; git -C repo log --oneline 2>/dev/null; true")
                .await;
            let writes = !tool.reads_only && names.contains(&tool.name);
            assert_eq!(
                !touched.is_empty(),
                writes,
                "{} under {profile:?}: {touched}",
                tool.name
            );
        }
    }
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_tools_and_wrong_arguments_are_refused_with_a_remedy() {
    let bench = Bench::without_sandbox(&super::image()).await;
    for name in ["http_get", "browser", "shell ", "SHELL", "", "../shell"] {
        let error = bench
            .try_call(&bench.may, fresh(), name, json!({}))
            .await
            .expect_err(name);
        assert!(matches!(error, ToolError::NotOffered { .. }), "{error}");
    }
    for (name, arguments, says) in [
        ("shell", json!({}), "command"),
        ("shell", json!({ "command": "" }), "empty"),
        ("shell", json!({ "command": "a\u{0}b" }), "NUL"),
        (
            "shell",
            json!({ "command": "x", "timeout_s": 0 }),
            "1 to 3600",
        ),
        ("shell", json!({ "command": "x", "url": "y" }), "url"),
        ("shell", json!({ "command": ["x"] }), "string"),
        ("shell", json!("ls"), "invalid type"),
        (
            "write_file",
            json!({ "path": "x", "content": "y".repeat(200_000) }),
            "at most",
        ),
        ("read_file", json!({ "path": "x", "offset": -1 }), "-1"),
        ("list_files", json!({ "depth": 9 }), "1 to 8"),
        ("commit", json!({ "message": "  " }), "message"),
        ("log", json!({ "limit": 1000 }), "1 to 200"),
    ] {
        let error = bench
            .try_call(&bench.may, fresh(), name, arguments.clone())
            .await
            .expect_err(name);
        assert!(matches!(error, ToolError::Arguments { .. }), "{error}");
        assert!(error.to_string().contains(says), "{arguments}: {error}");
        assert_eq!(error.class(), Class::Tell);
    }
    bench.gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_sandbox_a_call_says_so_and_works_with_the_same_key_when_there_is_one() {
    let bench = Bench::without_sandbox(&super::image()).await;
    let key = fresh();
    let call = || bench.try_call(&bench.may, key, "shell", json!({ "command": "echo here" }));
    let error = call().await.expect_err("there is no sandbox");
    assert_eq!(error.class(), Class::Provision, "{error}");
    bench.provision().await;
    let result = call().await.expect("there is one now");
    assert_eq!(result.text, "here\n[exit code 0]");
    bench.end().await;
}
