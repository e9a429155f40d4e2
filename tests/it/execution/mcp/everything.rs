//! The server that the conformance suite expects: its named tools, resources and prompts, as data, on the transport and
//! behind the guard of agents' servers. No program of Roost serves it.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ErrorCode, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A red dot.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// Silence.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

#[derive(Clone)]
pub(super) struct Everything;

/// Plain tools: a name, and what calling it gives.
fn plain(name: &str) -> Option<Value> {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let picture = json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" });
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([picture]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": SOUND, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([{ "type": "resource", "resource": {
            "uri": "test://embedded-resource", "mimeType": "text/plain",
            "text": "This is an embedded resource content." } }]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            picture,
            { "type": "resource", "resource": { "uri": "test://mixed-content-resource",
                "mimeType": "application/json", "text": r#"{"test":"data","value":123}"# } },
        ]),
        "test_error_handling" => {
            return Some(json!({ "isError": true,
                "content": [text("This tool intentionally returns an error for testing")] }));
        }
        "test_tool_with_progress" => json!([text("Progress test completed")]),
        // Nothing is ever asked of a client, nor logged to one, on the stream of its request.
        "test_streaming_elicitation" => json!([text("Done without asking")]),
        "test_logging_tool" => json!([text("Done without logging")]),
        _ => return None,
    };
    Some(json!({ "content": content }))
}

const TOOLS: [&str; 10] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_missing_capability",
];

fn resource(uri: &str) -> Option<Value> {
    let template = uri
        .strip_prefix("test://template/")
        .and_then(|rest| rest.strip_suffix("/data"));
    let content = match (uri, template) {
        ("test://static-text", _) => json!({ "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource." }),
        ("test://static-binary", _) => {
            json!({ "uri": uri, "mimeType": "image/png", "blob": PICTURE })
        }
        (_, Some(id)) => {
            let text =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": text.to_string() })
        }
        _ => return None,
    };
    Some(json!({ "contents": [content] }))
}

fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let said = |content: Value| json!({ "role": "user", "content": content });
    let text = |text: String| said(json!({ "type": "text", "text": text }));
    let messages = match name {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.".to_owned())]),
        "test_prompt_with_arguments" => {
            let of = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
            json!([text(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                of("arg1"),
                of("arg2")
            ))])
        }
        "test_prompt_with_embedded_resource" => json!([
            said(json!({ "type": "resource", "resource": {
                "uri": arguments["resourceUri"].as_str().unwrap_or("test://example-resource"),
                "mimeType": "text/plain", "text": "Embedded resource content for testing." } })),
            text("Please process the embedded resource above.".to_owned()),
        ]),
        "test_prompt_with_image" => json!([
            said(json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" })),
            text("Please analyze the image above.".to_owned()),
        ]),
        _ => return None,
    };
    Some(json!({ "messages": messages }))
}

/// Each list and each result that may be kept says for whom and how long.
fn made<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["ttlMs"] = 1000.into();
    value["cacheScope"] = "private".into();
    complete(value)
}

/// A result that asks for nothing more.
fn complete<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = "complete".into();
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn unknown(what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no {what}"), None)
}

type Page = Option<PaginatedRequestParams>;
type Context = RequestContext<RoleServer>;

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("everything", "1.0.0"))
    }

    async fn list_tools(&self, _: Page, _: Context) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &&str| {
            json!({ "name": name, "description": format!("Fixture {name}"),
            "inputSchema": { "type": "object", "properties": {} } })
        };
        made(json!({ "tools": TOOLS.iter().map(tool).collect::<Vec<_>>() }))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "test_missing_capability" {
            return Err(ErrorData::new(
                ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
                "this needs a client that samples",
                Some(json!({ "requiredCapabilities": { "sampling": {} } })),
            ));
        }
        let result = plain(&request.name).ok_or_else(|| unknown("such tool"))?;
        if let Some(token) = context.meta.get_progress_token()
            && request.name == "test_tool_with_progress"
        {
            for progress in [0.0, 50.0, 100.0] {
                let step =
                    ProgressNotificationParam::new(token.clone(), progress).with_total(100.0);
                context
                    .peer
                    .notify_progress(step)
                    .await
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        complete::<CallToolResult>(result).map(Into::into)
    }

    async fn list_resources(&self, _: Page, _: Context) -> Result<ListResourcesResult, ErrorData> {
        made(json!({ "resources": [
            { "uri": "test://static-text", "name": "Static text", "mimeType": "text/plain" },
            { "uri": "test://static-binary", "name": "Static binary", "mimeType": "image/png" },
        ] }))
    }

    async fn list_resource_templates(
        &self,
        _: Page,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        made(json!({ "resourceTemplates": [
            { "uriTemplate": "test://template/{id}/data", "name": "By id", "mimeType": "application/json" },
        ] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = resource(&request.uri).ok_or_else(|| {
            // The code of the current revision; that of the former ones is rmcp's own business.
            ErrorData::invalid_params(
                "there is no such resource",
                Some(json!({ "uri": request.uri })),
            )
        })?;
        made::<ReadResourceResult>(found).map(Into::into)
    }

    async fn list_prompts(&self, _: Page, _: Context) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str| json!({ "name": name, "description": name, "required": true });
        made(json!({ "prompts": [
            { "name": "test_simple_prompt", "description": "Simple" },
            { "name": "test_prompt_with_arguments", "description": "With arguments",
                "arguments": [argument("arg1"), argument("arg2")] },
            { "name": "test_prompt_with_embedded_resource", "description": "With a resource",
                "arguments": [argument("resourceUri")] },
            { "name": "test_prompt_with_image", "description": "With a picture" },
        ] }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let found = prompt(&request.name, &arguments).ok_or_else(|| unknown("such prompt"))?;
        complete::<GetPromptResult>(found).map(Into::into)
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        complete(json!({
            "completion": { "values": ["paris", "park"], "total": 2, "hasMore": false } }))
    }
}
