//! Reads a page of a list through the broker. The broker adds the token, and removes it from the answer.

use std::time::Duration;

use roost_secret_broker::client::{Body, ClientError};
use roost_secret_broker::wire::{Forward, RecordName};
use serde_json::Value;
use url::Url;

use crate::repos::ReposContext;
use crate::repos::commands::record_name;
use crate::repos::entity::connection;
use crate::repos::model::{self, More};
use crate::repos::provider::{Listing, Provider, ProviderKind};
use roost_platform::broker::BrokerError;

/// How long a page may take at the host.
const REMOTE_MS: u64 = 30_000;
/// How long a page may take in total, with the broker's own work.
const WITHIN: Duration = Duration::from_secs(40);
/// The most bytes of a page.
const MOST: usize = 8 << 20;
/// The most bytes of an error that are read for its message.
const MOST_REFUSAL: usize = 64 << 10;

/// The source of a connection's list.
pub(super) struct Source {
    pub(super) provider: &'static dyn Provider,
    kind: ProviderKind,
    api: Url,
    owner: Option<String>,
    record: RecordName,
    on_behalf: String,
}

/// The result of a request.
pub(super) enum Answer {
    Page(Page),
    /// 404. The text is used when there is no other list to try.
    NotFound(String),
    /// The reason, in words for people.
    Refused(String),
}

/// A page.
pub(super) struct Page {
    pub(super) entries: Vec<Value>,
    pub(super) more: More,
}

impl Source {
    /// From the row.
    pub(super) fn of(row: &connection::Model) -> Result<Self, String> {
        let unknown = || {
            "This gateway does not know that kind of host. Run the newest release, or connect again."
                .to_owned()
        };
        let kind = ProviderKind::from_stored(&row.provider).ok_or_else(unknown)?;
        let base = Url::parse(&row.base_url).map_err(|_| unknown())?;
        Ok(Self {
            provider: kind.provider(),
            kind,
            api: kind.provider().api(&base),
            owner: row.owner.clone(),
            record: record_name(row).map_err(|_| unknown())?,
            on_behalf: format!("repo sync of connection {}", row.id),
        })
    }
}

/// Requests a page.
pub(super) async fn page(
    state: &ReposContext,
    source: &Source,
    list: &Listing,
    page: u32,
) -> Answer {
    let asked = tokio::time::timeout(WITHIN, ask(state, source, list, page)).await;
    match asked {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            let code = error.code();
            if code.is_none() {
                // The broker itself did not answer: only this place has the cause.
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the secret broker could not query a code host"
                );
            }
            Answer::Refused(model::unasked(source.kind, code))
        }
        Err(_) => Answer::Refused(model::unasked(
            source.kind,
            Some(roost_secret_broker::wire::FaultCode::RemoteTimeout),
        )),
    }
}

async fn ask(
    state: &ReposContext,
    source: &Source,
    list: &Listing,
    page: u32,
) -> Result<Answer, BrokerError> {
    let request = Forward {
        name: source.record.clone(),
        method: "GET".to_owned(),
        url: list.page(&source.api, page).to_string(),
        headers: source.provider.headers(),
        body: false,
        body_length: None,
        deadline_ms: Some(REMOTE_MS),
        on_behalf: source.on_behalf.clone(),
    };
    let mut answer = state.broker.forward(request, Body::None).await?;
    let (status, headers) = (answer.status, std::mem::take(&mut answer.headers));
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    if !(200..300).contains(&status) {
        // An error without a readable message is still an error.
        let body = answer.whole(MOST_REFUSAL).await.unwrap_or_default();
        let text = message(&body);
        let owner = source.owner.as_deref();
        let text = model::refusal(source.kind, owner, status, header, text.as_deref());
        return Ok(match status {
            404 => Answer::NotFound(text),
            _ => Answer::Refused(text),
        });
    }
    let body = match answer.whole(MOST).await {
        Err(ClientError::Source(_)) => {
            let code = roost_secret_broker::wire::FaultCode::TooLarge;
            return Ok(Answer::Refused(model::unasked(source.kind, Some(code))));
        }
        read => read?,
    };
    Ok(match serde_json::from_slice::<Vec<Value>>(&body) {
        Ok(entries) => Answer::Page(Page {
            more: model::more(page, entries.len(), header),
            entries,
        }),
        Err(_) => Answer::Refused(model::no_list(source.kind)),
    })
}

/// The message in a host's error.
fn message(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let text = body.get("message").or_else(|| body.get("error"))?;
    text.as_str().map(str::to_owned)
}
