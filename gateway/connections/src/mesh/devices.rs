//! Reads the devices through the broker. The result or the error is kept for a few seconds, so that a page that is open
//! in many tabs does not send more requests to the network's API.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use roost_secret_broker::client::Body;
use roost_secret_broker::wire::{FaultCode, Forward};
use url::Url;

use super::MeshContext;
use super::commands::record_name;
use super::entity::network;
use super::model::{self, Device, MeshKind, Refusal};
use roost_platform::broker::BrokerError;
use roost_platform::ids::MeshNetworkId;

/// How long an answer stays valid.
const FRESH: Duration = Duration::from_secs(10);
/// How long the network's API may take.
const REMOTE_MS: u64 = 15_000;
/// How long the request may take in total, with the broker's own work.
const WITHIN: Duration = Duration::from_secs(25);
/// The most bytes of an answer.
const MOST: usize = 8 << 20;
/// The most networks in memory before the old ones are dropped.
const MOST_SLOTS: usize = 1_000;

/// The devices, and the time of the reading.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) devices: Arc<Vec<Device>>,
    pub(super) at: DateTime<Utc>,
}

type Slot = Arc<tokio::sync::Mutex<Option<(Instant, Result<Reading, Refusal>)>>>;

/// Recent readings. Cheap to clone.
#[derive(Clone, Default)]
pub struct Devices {
    slots: Arc<Mutex<HashMap<MeshNetworkId, Slot>>>,
}

impl Devices {
    /// The devices of a network, from now or a few seconds ago. Concurrent callers share one request.
    pub(super) async fn of(
        &self,
        state: &MeshContext,
        row: &network::Model,
    ) -> Result<Reading, Refusal> {
        let slot = self.slot(row.id);
        let mut slot = slot.lock().await;
        if let Some((at, known)) = &*slot
            && state.clock.monotonic().saturating_duration_since(*at) < FRESH
        {
            return known.clone();
        }
        let read = read(state, row).await;
        *slot = Some((state.clock.monotonic(), read.clone()));
        read
    }

    fn slot(&self, id: MeshNetworkId) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= MOST_SLOTS && !slots.contains_key(&id) {
            // A task that reads now holds its own slot.
            slots.clear();
        }
        slots.entry(id).or_default().clone()
    }
}

async fn read(state: &MeshContext, row: &network::Model) -> Result<Reading, Refusal> {
    let (Some(kind), Ok(base)) = (MeshKind::from_stored(&row.kind), Url::parse(&row.base_url))
    else {
        return Err(Refusal::no_list(MeshKind::Tailscale));
    };
    let asked = tokio::time::timeout(WITHIN, ask(state, row, kind, &base)).await;
    let late = || Refusal::of_fault(kind, Some(FaultCode::RemoteTimeout));
    match asked.map_err(|_| late())? {
        Ok(read) => read.map(|devices| Reading {
            devices: Arc::new(devices),
            at: state.clock.now(),
        }),
        Err(error) => {
            if error.code().is_none() {
                // The broker itself did not answer: only this place has the cause.
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the secret broker could not query a mesh network"
                );
            }
            Err(Refusal::of_fault(kind, error.code()))
        }
    }
}

async fn ask(
    state: &MeshContext,
    row: &network::Model,
    kind: MeshKind,
    base: &Url,
) -> Result<Result<Vec<Device>, Refusal>, BrokerError> {
    let Ok(name) = record_name(row) else {
        return Ok(Err(Refusal::of_fault(kind, Some(FaultCode::UnknownRecord))));
    };
    let request = Forward {
        name,
        method: "GET".to_owned(),
        url: kind.api().list(base, row.tailnet.as_deref()).to_string(),
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        body: false,
        body_length: None,
        deadline_ms: Some(REMOTE_MS),
        on_behalf: format!("devices of mesh network {}", row.id),
    };
    let mut answer = state.broker.forward(request, Body::None).await?;
    if !(200..300).contains(&answer.status) {
        let later = answer
            .headers
            .iter()
            .find(|(name, _)| name == "retry-after");
        let later = later.and_then(|(_, value)| value.trim().parse().ok());
        return Ok(Err(Refusal::of_status(kind, answer.status, later)));
    }
    let body = answer.whole(MOST).await?;
    Ok(model::read(kind, &body).ok_or_else(|| Refusal::no_list(kind)))
}
