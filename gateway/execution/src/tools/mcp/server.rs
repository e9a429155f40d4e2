//! One bundle as an MCP server. It lists the tools that the gate offers to the caller, and calls pass the same gate.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ContentBlock, DiscoverResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::mpsc;

use super::Mcp;
use super::bearer::Speaker;
use crate::tools::error::ToolError;
use crate::tools::model::{Bundle, Capability, EffectKey, ToolResult, ToolSpec, offered};
use crate::tools::output::Frame;
use crate::tools::{catalogue, error};

/// How long a client may cache the list of tools, in milliseconds. A changed profile may stay unnoticed that long.
const LIST_FRESH_MS: u64 = 30_000;
/// The number of frames that may wait for a slow client. Further frames are dropped.
const FRAMES: usize = 32;

/// The supported protocol revisions.
pub(super) static REVISIONS: [ProtocolVersion; 3] = [
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// The server of a bundle.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) mcp: Mcp,
    pub(super) bundle: Bundle,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name = format!("roost-{}", self.bundle.as_str());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions(self.bundle))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = Some(self.instructions_for(&context).await?);
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let revisions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(revisions, self.get_info());
        // The instructions depend on the caller.
        result.cache_scope = CacheScope::Private;
        result.instructions = Some(self.instructions_for(&context).await?);
        Ok(result)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&REVISIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalogue::all()
            .into_iter()
            .find(|tool| tool.name == name && tool.bundle == self.bundle)
            .map(shown)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let may = self.may(&context)?;
        let tools = offered(may.profile, &may.bundles);
        // The list depends on the caller, so no proxy may cache it for other callers.
        Ok(
            ListToolsResult::with_all_items(tools.into_iter().map(shown).collect())
                .with_ttl_ms(LIST_FRESH_MS)
                .with_cache_scope(CacheScope::Private),
        )
    }

    // The server declares only tools, so other methods are unknown. The SDK would answer with empty lists.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let may = self.may(&context)?;
        let key = EffectKey(self.mcp.inner.ids.next());
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let result = tokio::select! {
            result = self.carry_out(&may, key, &request.name, &arguments, &context) => result,
            () = context.ct.cancelled() => {
                // The client has disconnected. Stop the call and all processes that it started.
                self.stop(&may, key).await;
                Err(ToolError::Cancelled)
            }
        };
        answer(result)
    }
}

impl Server {
    /// What the caller may use of this server's bundle.
    fn may(&self, context: &RequestContext<RoleServer>) -> Result<Capability, ErrorData> {
        let speaker = context
            .extensions
            .get::<http::request::Parts>()
            .and_then(|parts| parts.extensions.get::<Speaker>());
        let Some(Speaker(may)) = speaker else {
            return Err(ErrorData::internal_error("the request has no agent", None));
        };
        let mut may = Capability::clone(may);
        may.bundles.retain(|bundle| *bundle == self.bundle);
        Ok(may)
    }

    /// The instructions for the caller. The server of skills adds the agent's pinned skills, as the runtime adds them to
    /// the agent's prompt.
    async fn instructions_for(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let mut text = instructions(self.bundle).to_owned();
        let may = self.may(context)?;
        if self.bundle == Bundle::Skills && may.bundles.contains(&Bundle::Skills) {
            let toolbox = &self.mcp.inner.toolbox;
            let skills = toolbox.skills_in_context(&may).await.map_err(|error| {
                tracing::error!(%error, "the skills of an agent cannot be read");
                ErrorData::internal_error("the gateway cannot read the skills", None)
            })?;
            if !skills.is_empty() {
                text.push_str("\n\n");
                text.push_str(&skills);
            }
        }
        Ok(text)
    }

    async fn carry_out(
        &self,
        may: &Capability,
        key: EffectKey,
        name: &str,
        arguments: &Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolResult, ToolError> {
        let toolbox = &self.mcp.inner.toolbox;
        let Some(token) = context.meta.get_progress_token() else {
            return toolbox.call(may, key, name, arguments, &mut |_| {}).await;
        };
        let (sender, mut frames) = mpsc::channel::<Frame>(FRAMES);
        let mut hear = move |frame| drop(sender.try_send(frame));
        let call = toolbox.call(may, key, name, arguments, &mut hear);
        tokio::pin!(call);
        let mut shown = 0_u32;
        loop {
            tokio::select! {
                result = &mut call => return result,
                Some(frame) = frames.recv() => {
                    shown += 1;
                    let progress = ProgressNotificationParam::new(token.clone(), f64::from(shown))
                        .with_message(frame.lines.join("\n"));
                    // The cancellation token of the request detects a client that has gone.
                    let _ = context.peer.notify_progress(progress).await;
                }
            }
        }
    }

    async fn stop(&self, may: &Capability, key: EffectKey) {
        if let Err(error) = self.mcp.inner.toolbox.cancel(may, key).await {
            tracing::warn!(%error, "the gateway could not stop the command of a disconnected caller");
        }
    }
}

fn answer(result: Result<ToolResult, ToolError>) -> Result<CallToolResponse, ErrorData> {
    let result = match result {
        Ok(result) => result,
        // A tool that is not in the list is a protocol error, as the MCP specification requires.
        Err(error @ ToolError::NotOffered { .. }) => {
            return Err(ErrorData::invalid_params(error.to_string(), None));
        }
        Err(ToolError::Db(error)) => {
            tracing::error!(%error, "a tool failed");
            return Err(ErrorData::internal_error(
                "the gateway's database failed",
                None,
            ));
        }
        Err(error) => ToolResult {
            text: in_words(&error),
            is_error: true,
            exit_code: None,
            cut: false,
            door: None,
        },
    };
    let content = vec![ContentBlock::text(result.text)];
    Ok(match result.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    }
    .into())
}

/// An error as text for the model, with what the model can do about it.
fn in_words(error: &ToolError) -> String {
    let what = match error.class() {
        error::Class::Provision => " A run makes one, or a person on the agent's page.",
        error::Class::Retry => " Call again in a moment.",
        error::Class::Wait => " Call again when the machine is back.",
        error::Class::Door => " The page Approvals shows it.",
        error::Class::Tell | error::Class::Cancelled | error::Class::Fail => "",
    };
    format!("{error}.{what}")
}

fn shown(tool: ToolSpec) -> Tool {
    let Value::Object(schema) = tool.schema else {
        unreachable!("the schemas of the catalogue are objects; a test reads each");
    };
    let hints = ToolAnnotations::new()
        .read_only(tool.reads_only)
        .open_world(false);
    Tool::new(tool.name, tool.description, Arc::new(schema)).with_annotations(hints)
}

fn instructions(bundle: Bundle) -> &'static str {
    match bundle {
        Bundle::Door => "Talking to others, and asking for actions outside.",
        Bundle::Skills => "Your skills: read the one that fits before you do what it is about.",
        Bundle::Sandbox => "Files and commands in your sandbox, /workspace. It has no network.",
        Bundle::Repo => "Git in your sandbox. Nothing is ever pushed or fetched.",
    }
}
