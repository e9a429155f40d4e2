//! A model at a provider. All requests go through the secret broker.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use roost_secret_broker::client::{Body, ClientError, Forwarded};
use roost_secret_broker::wire::{FaultCode, Forward, RecordName};
use url::Url;

use super::Model;
use super::answer::{self, refused};
use super::cleaning::Cleaner;
use super::dialects::{Outgoing, Provider};
use super::draft::{Draft, cut_off};
use super::error::{ErrorKind, ModelError, Spent};
use super::events::Events;
use super::price::Price;
use super::request::{Delta, Reply, Request, Usage};
use roost_platform::broker::{BrokerError, BrokerHandle};
use roost_platform::clock::SharedClock;

/// Limits of time and size.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Until the answer begins: a provider reads a long conversation before it answers.
    pub first: Duration,
    /// Between two pieces of the answer.
    pub between: Duration,
    /// For the whole turn. The broker allows at most fifteen minutes.
    pub whole: Duration,
    /// The maximum size of an answer on the wire, in bytes, with everything around the text.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(180),
            between: Duration::from_secs(90),
            whole: Duration::from_secs(14 * 60),
            bytes: 32 << 20,
        }
    }
}

/// The number of bytes that are read from a refusal.
const MAX_REFUSAL: usize = 64 << 10;

/// A model at a provider.
#[derive(Clone)]
pub struct Remote {
    pub broker: BrokerHandle,
    pub clock: SharedClock,
    pub provider: Provider,
    pub base: Url,
    /// The broker's name for the model's key.
    pub record: RecordName,
    /// Absent when the price is unknown.
    pub price: Option<Price>,
    pub limits: Limits,
}

#[async_trait::async_trait]
impl Model for Remote {
    async fn turn(
        &self,
        request: &Request,
        heard: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, ModelError> {
        let whole = self.limits.whole;
        let mut draft = Draft::default();
        let mut began = false;
        let asked = self.ask(request, heard, &mut draft, &mut began);
        let heard = within(whole, "did not come to an end", asked).await;
        let usage = spent(request, &draft);
        let reply = match heard.flatten() {
            Ok(()) => match draft.finish(request.messages.len()) {
                Ok(reply) => self.cleaned(reply).await,
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        match reply {
            Ok(mut reply) => {
                reply.cost_microusd = self.price.map(|price| price.of(reply.usage));
                Ok(reply)
            }
            Err(mut error) => {
                error.spent = began.then(|| Spent {
                    usage,
                    cost_microusd: self.price.map(|price| price.of(usage)),
                });
                Err(error)
            }
        }
    }
}

/// The assumed size of a token in bytes, for an answer that broke off before the provider counted.
const BYTES_OF_A_TOKEN: usize = 4;

fn spent(request: &Request, draft: &Draft) -> Usage {
    let counted = |by_provider: u64, bytes: usize| match by_provider {
        0 => bytes.div_ceil(BYTES_OF_A_TOKEN) as u64,
        counted => counted,
    };
    Usage {
        input: counted(draft.usage.input, request.bytes()),
        output: counted(draft.usage.output, draft.bytes()),
        cached: draft.usage.cached,
    }
}

impl Remote {
    async fn cleaned(&self, reply: Reply) -> Result<Reply, ModelError> {
        Cleaner::new(&self.broker, &self.record)
            .await?
            .reply(reply)
            .await
    }

    async fn ask(
        &self,
        request: &Request,
        heard: &mut (dyn FnMut(Delta) + Send),
        draft: &mut Draft,
        began: &mut bool,
    ) -> Result<(), ModelError> {
        let mut answer = self.send(request).await?;
        if answer.status != 200 {
            // Read as much of the refusal as there is. A refusal that breaks off still counts as one.
            let body = within(self.limits.between, "", answer.whole(MAX_REFUSAL)).await;
            let body = body.map(Result::unwrap_or_default).unwrap_or_default();
            return Err(refused(
                answer.status,
                &answer.headers,
                &body,
                self.clock.now(),
            ));
        }
        is_stream(&mut answer, self.limits.between).await?;
        *began = true;
        let mut cleaner = Cleaner::new(&self.broker, &self.record).await?;
        let (mut events, mut bytes) = (Events::default(), 0);
        loop {
            let piece = within(self.limits.between, "fell silent", answer.piece()).await?;
            let Some(piece) = piece.map_err(broke_off)? else {
                break;
            };
            bytes += piece.len();
            if bytes > self.limits.bytes {
                let most = self.limits.bytes;
                return Err(ModelError::new(
                    ErrorKind::TooBig,
                    format!(
                        "the model's server sent more than {most} bytes, so the answer was cut off"
                    ),
                ));
            }
            let mut deltas = Vec::new();
            let mut collect = |delta| deltas.push(delta);
            let read = events.take(&piece, |event| {
                self.provider.read(&event, draft, &mut collect)
            });
            // Pass on the text before a fault, too.
            cleaner.pass(deltas, heard).await?;
            read?;
        }
        cleaner.end(heard).await
    }

    async fn send(&self, request: &Request) -> Result<Forwarded, ModelError> {
        let Outgoing {
            url,
            mut headers,
            body,
        } = self.provider.outgoing(&self.base, request);
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        headers.push(("accept".to_owned(), "text/event-stream".to_owned()));
        let forward = Forward {
            name: self.record.clone(),
            method: "POST".to_owned(),
            url: url.into(),
            headers,
            body: true,
            body_length: None,
            deadline_ms: u64::try_from(self.limits.whole.as_millis()).ok(),
            on_behalf: request.step.clone(),
        };
        let body = Body::Whole(Bytes::from(body.to_string()));
        let sent = self.broker.forward(forward, body);
        within(self.limits.first, "did not begin to answer", sent)
            .await?
            .map_err(not_sent)
    }
}

/// Checks that a stream follows. Any other content is an error. An error document in it is classified.
async fn is_stream(answer: &mut Forwarded, between: Duration) -> Result<(), ModelError> {
    let content_type = answer
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map_or("", |(_, value)| value.as_str());
    let essence = content_type.split(';').next().unwrap_or("").trim();
    if essence.eq_ignore_ascii_case("text/event-stream") {
        return Ok(());
    }
    let wrong = ModelError::new(
        ErrorKind::Terminal,
        format!(
            "the model's server answered {essence:?} instead of an event stream; see that provider and address fit"
        ),
    );
    if essence.eq_ignore_ascii_case("application/json") {
        let body = within(between, "fell silent", answer.whole(MAX_REFUSAL)).await?;
        let body = serde_json::from_slice(&body.unwrap_or_default());
        let body: serde_json::Value = body.unwrap_or_default();
        if let Some(error) = body.get("error") {
            return Err(answer::broken(error));
        }
    }
    Err(wrong)
}

async fn within<T>(
    limit: Duration,
    what: &str,
    work: impl Future<Output = T>,
) -> Result<T, ModelError> {
    tokio::time::timeout(limit, work).await.map_err(|_| {
        ModelError::new(
            ErrorKind::Retryable,
            format!("the model {what} within {} s", limit.as_secs_f64()),
        )
    })
}

/// The error when the request got no answer.
fn not_sent(error: BrokerError) -> ModelError {
    let (kind, message) = match error.code() {
        Some(FaultCode::NeedsReauth | FaultCode::UnknownRecord | FaultCode::RecordDamaged) => (
            ErrorKind::NeedsAuth,
            "the model's key is not at the secret broker any more; store it again".to_owned(),
        ),
        Some(FaultCode::TooLarge) => (
            ErrorKind::TooBig,
            "the conversation is larger than can be sent".to_owned(),
        ),
        Some(
            FaultCode::NotAllowed
            | FaultCode::AddressRefused
            | FaultCode::BadRequest
            | FaultCode::Forbidden,
        ) => (
            ErrorKind::Terminal,
            format!("the model may not be asked at this address: {error}"),
        ),
        Some(_) => (
            ErrorKind::Retryable,
            format!("the model could not be asked: {error}"),
        ),
        None => (
            ErrorKind::Retryable,
            "the secret broker could not ask the model".to_owned(),
        ),
    };
    ModelError::new(kind, message).because(error)
}

/// The error when the stream broke off.
fn broke_off(error: ClientError) -> ModelError {
    match error {
        ClientError::Refused(fault) if fault.code == FaultCode::TooLarge => ModelError::new(
            ErrorKind::TooBig,
            "the model answered more than can be taken",
        )
        .because(fault),
        error => cut_off().because(error),
    }
}
