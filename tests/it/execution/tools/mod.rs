//! Tools of agents as a run calls them, on a real engine with the agents' image.

mod files;
mod gate;
mod panes;
mod repo;
mod resumed;
mod shell;

use std::collections::BTreeSet;

use roost_execution::tools::{
    Bundle, Capability, EffectKey, Frame, Pane, Profile, ToolError, ToolResult,
};
use roost_platform::events::About;
use roost_platform::ids::{ClawId, UserId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::{Gateway, Person};
use serde_json::{Value, json};
use uuid::Uuid;

/// The image that agents have: with Python, git and tmux.
fn image() -> String {
    std::env::var("ROOST_TEST_AGENT_IMAGE").unwrap_or_else(|_| "roost-agent:rust".to_owned())
}

/// A gateway, and an agent of it that has a sandbox.
struct Bench {
    gateway: Gateway,
    may: Capability,
}

impl Bench {
    async fn new() -> Self {
        Self::with(&image()).await
    }

    async fn with(image: &str) -> Self {
        let bench = Self::without_sandbox(image).await;
        bench.provision().await;
        bench
    }

    async fn without_sandbox(image: &str) -> Self {
        let gateway = Gateway::start_with(&[("sandboxes.image", image)]).await;
        let may = capability(gateway.owner().await, "Ada").await;
        Self { gateway, may }
    }

    fn sandbox(&self) -> String {
        format!("/api/claws/{}/sandbox", self.agent())
    }

    async fn provision(&self) {
        let owner = self.gateway.owner().await;
        owner
            .post(&self.sandbox())
            .json(&json!({}))
            .expect(201)
            .await;
    }

    async fn end(self) {
        self.gateway
            .owner()
            .await
            .delete(&self.sandbox())
            .expect(204)
            .await;
        self.gateway.stop().await;
    }

    fn agent(&self) -> ClawId {
        self.may.agent.expect("an agent")
    }

    /// Calls a tool with a key of its own.
    async fn call(&self, name: &str, arguments: Value) -> ToolResult {
        self.try_call(&self.may, fresh(), name, arguments)
            .await
            .expect("a result")
    }

    async fn try_call(
        &self,
        may: &Capability,
        key: EffectKey,
        name: &str,
        arguments: Value,
    ) -> Result<ToolResult, ToolError> {
        let toolbox = self.gateway.app().toolbox();
        toolbox.call(may, key, name, &arguments, &mut |_| {}).await
    }

    /// The result and the lines that were heard meanwhile.
    async fn heard(&self, name: &str, arguments: Value) -> (ToolResult, Vec<String>) {
        let mut lines = Vec::new();
        let mut hear = |frame: Frame| lines.extend(frame.lines);
        let toolbox = self.gateway.app().toolbox();
        let result = toolbox
            .call(&self.may, fresh(), name, &arguments, &mut hear)
            .await
            .expect("a result");
        (result, lines)
    }

    async fn shell(&self, command: &str) -> ToolResult {
        self.call("shell", json!({ "command": command })).await
    }

    /// The output of a command that must succeed.
    async fn output(&self, command: &str) -> String {
        let result = self.shell(command).await;
        assert_eq!(result.exit_code, Some(0), "{command}: {}", result.text);
        result
            .text
            .strip_suffix("[exit code 0]")
            .expect("the code is told")
            .to_owned()
    }
}

/// An agent of this person that may do everything in its sandbox.
async fn capability(owner: &Person, name: &str) -> Capability {
    let made = owner
        .post("/api/claws")
        .json(&json!({ "name": name }))
        .expect(201)
        .await;
    let agent: ClawId = made.str("/id").parse().expect("an id");
    let workspace: WorkspaceId = owner.workspace.parse().expect("an id");
    let user: UserId = owner.id.parse().expect("an id");
    Capability {
        scope: WorkspaceScope::of_row(workspace),
        agent: Some(agent),
        user,
        sandbox_of: agent.into(),
        profile: Profile::CodingReadwrite,
        bundles: BTreeSet::from([Bundle::Skills, Bundle::Sandbox, Bundle::Repo]),
        about: About::default(),
        pane: None,
        place: None,
        folder: None,
    }
}

fn fresh() -> EffectKey {
    EffectKey(Uuid::now_v7())
}

fn pane(run: Uuid, agent: ClawId) -> Pane {
    Pane::of_run(run.into(), agent)
}
