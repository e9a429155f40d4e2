//! The dialects of the providers: the address and the body of a request, and the parser of its stream.

mod anthropic;
mod gemini;
mod openai;

use roost_secret_broker::wire::{Allow, Inject};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;

use super::draft::{DeltaSink, Draft};
use super::error::{ErrorKind, ModelError};
use super::events::Event;
use super::request::Request;

/// The provider of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ModelProvider)]
pub enum Provider {
    /// OpenAI, and every server with its chat completions API.
    Openai,
    Anthropic,
    Gemini,
    /// Ollama's OpenAI-compatible API. It needs no key.
    Ollama,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 4] = [Self::Openai, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The stored value, which is also the prefix of a model's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The provider with this stored value.
    pub fn from_stored(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.as_str() == text)
    }

    /// The default address of the provider's API.
    pub fn default_base(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::Ollama => "http://127.0.0.1:11434/v1",
        }
    }

    /// Whether the provider needs a key.
    pub fn needs_key(self) -> bool {
        !matches!(self, Self::Ollama)
    }

    /// How the broker adds the key.
    pub fn inject(self) -> Inject {
        let header = |name: &str| Inject::Header {
            name: name.to_owned(),
            prefix: String::new(),
        };
        match self {
            Self::Openai | Self::Ollama => Inject::Bearer,
            Self::Anthropic => header("x-api-key"),
            Self::Gemini => header("x-goog-api-key"),
        }
    }

    /// What the key may be used for: POST requests below the base, and nothing else.
    pub fn allow(self, base: &Url) -> Vec<Allow> {
        let below = match self {
            Self::Openai | Self::Ollama => "chat/completions",
            Self::Anthropic => "messages",
            Self::Gemini => "models",
        };
        vec![Allow {
            origin: base.origin().ascii_serialization(),
            methods: vec!["POST".to_owned()],
            path_prefix: below_base(base, &[below]).path().to_owned(),
        }]
    }

    /// The HTTP request for a request to the model.
    pub(super) fn outgoing(self, base: &Url, request: &Request) -> Outgoing {
        match self {
            Self::Openai | Self::Ollama => openai::outgoing(base, request),
            Self::Anthropic => anthropic::outgoing(base, request),
            Self::Gemini => gemini::outgoing(base, request),
        }
    }

    /// Parses one event of the answer's stream.
    pub(super) fn read(
        self,
        event: &Event,
        draft: &mut Draft,
        heard: DeltaSink<'_>,
    ) -> Result<(), ModelError> {
        match self {
            Self::Openai | Self::Ollama => openai::read(event, draft, heard),
            Self::Anthropic => anthropic::read(event, draft, heard),
            Self::Gemini => gemini::read(event, draft, heard),
        }
    }
}

/// The highest token count that is accepted for one turn.
const MOST_TOKENS: u64 = 1 << 40;

/// A request as HTTP.
pub(super) struct Outgoing {
    pub(super) url: Url,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

/// The base with segments below it. Each segment is encoded, except for the slashes within it.
fn below_base(base: &Url, path: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        let parts = path.iter().flat_map(|part| part.split('/'));
        segments.pop_if_empty().extend(parts);
    }
    url
}

/// An event's data as JSON.
fn json(event: &Event) -> Result<Value, ModelError> {
    serde_json::from_str(&event.data).map_err(|error| {
        let shown: String = event.data.chars().take(60).collect();
        ModelError::new(
            ErrorKind::Terminal,
            format!("the model's server sent an event that is no JSON ({shown:?}); see that provider and address fit"),
        )
        .because(error)
    })
}

/// The text at a place in a document. Empty when there is none.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// A count at a place in a document. A server may claim any number. The bound keeps sums within their type.
fn count(value: &Value, pointer: &str) -> Option<u64> {
    let counted = value.pointer(pointer).and_then(Value::as_u64);
    counted.map(|count| count.min(MOST_TOKENS))
}
