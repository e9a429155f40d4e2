//! The clients of model providers, behind one trait.
//!
//! *Invariant: no key is ever here.* [`Remote`] sends its requests through the secret broker's streaming `forward`.
//! The broker adds the key and connects only to addresses that the record allows. Four providers use three dialects:
//! OpenAI's (also used by Ollama and by most self-hosted servers), Anthropic's, Gemini's.
//!
//! Roost has its own dialect parsers instead of a library's. A tenant chooses the address of a model, so the server
//! behind it is not trusted. Two libraries were examined. genai 0.7 grows a list to any index that a tool call of the
//! stream names, and it accepts no transport except a whole `reqwest::Client`. rig-core 0.44 accepts a transport, but
//! it limits no event and searches the whole text so far at each event. Both change the field order in all JSON of
//! this program. Three small parsers with limits cost less than guards against that.

mod answer;
mod cleaning;
mod dialects;
mod draft;
mod error;
mod events;
mod price;
mod remote;
mod request;
pub mod scripted;
#[cfg(test)]
mod tests;

pub use dialects::Provider;
pub use error::{ErrorKind, ModelError, Spent};
pub use price::Price;
pub use remote::{Limits, Remote};
pub use request::{Call, Delta, Message, Purpose, Reply, Request, Stop, ToolSpec, Usage};

/// A model that answers a conversation.
#[async_trait::async_trait]
pub trait Model: Send + Sync {
    /// The next message of the assistant. `heard` gets it piece by piece. Dropping the future also ends the call at
    /// the provider. This method does not retry: [`ModelError::kind`] says whether and when to retry.
    async fn turn(
        &self,
        request: &Request,
        heard: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, ModelError>;
}
