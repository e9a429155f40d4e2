//! Models that agents think with, behind one trait.
//!
//! *Invariant: no key is ever here.* A real model is asked through the secret broker, which puts the key in.

mod error;
mod price;
mod request;

pub use error::{ErrorKind, ModelError};
pub use price::Price;
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
