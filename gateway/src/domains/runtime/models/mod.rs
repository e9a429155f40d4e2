//! Models that agents think with, behind one trait.
//!
//! *Invariant: no key is ever here.* [`Remote`] asks through the secret broker's streaming `forward`, which puts the key
//! in and dials only what the record allows. Four providers speak three dialects: OpenAI's (of itself, of Ollama and of
//! most servers that people run), Anthropic's, Gemini's.
//!
//! The dialects are ours and not a library's: the address of a model is a tenant's to choose, so what answers there is a
//! stranger. Of the two libraries that were read, genai 0.7 grows a list to whatever index a tool call of the stream names
//! and takes no transport but a whole `reqwest::Client`; rig-core 0.44 takes one, but bounds no event and searches all that
//! was said so far at each. Both change the order of fields in all our JSON. Three small readers with bounds cost less than
//! guarding that.

mod answer;
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
pub use request::{Call, Delta, Message, Reply, Request, Stop, ToolSpec, Usage};

/// Something that answers a conversation.
#[async_trait::async_trait]
pub trait Model: Send + Sync {
    /// The next message of the assistant; `heard` gets it piece by piece. Dropping the future ends the call at the
    /// model too. Nothing is tried twice here: [`ModelError::kind`] says whether and when to.
    async fn turn(
        &self,
        request: &Request,
        heard: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, ModelError>;
}
