//! Reading the devices through the broker. What was read, or why it could not be, is kept for a few seconds: a page that
//! is open in many tabs asks the network's API no more often than that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use roost_secret_broker::client::Body;
use roost_secret_broker::wire::{FaultCode, Forward};
use url::Url;

use super::commands::record_name;
use super::entity::network;
use super::model::{self, Device, MeshKind, Refusal};
use super::routes::MeshState;
use crate::broker::BrokerError;
use crate::ids::MeshNetworkId;

/// How long an answer is good for.
const FRESH: Duration = Duration::from_secs(10);
/// What the network's API may take.
const REMOTE_MS: u64 = 15_000;
/// What it may take altogether, the broker's own work included.
const WITHIN: Duration = Duration::from_secs(25);
/// Bytes of an answer.
const MOST: usize = 8 << 20;
/// Networks that are remembered before the old ones are forgotten.
const MOST_SLOTS: usize = 1_000;

/// What was read, and when.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) devices: Arc<Vec<Device>>,
    pub(super) at: DateTime<Utc>,
}

type Slot = Arc<tokio::sync::Mutex<Option<(Instant, Result<Reading, Refusal>)>>>;

/// What was read lately. Cheap to clone.
#[derive(Clone, Default)]
pub struct Devices {
    slots: Arc<Mutex<HashMap<MeshNetworkId, Slot>>>,
}

impl Devices {
    /// The devices of a network, read now or a few seconds ago. Who asks while somebody reads gets the same answer.
    pub(super) async fn of(
        &self,
        state: &MeshState,
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
            // What somebody is reading just now is held by them.
            slots.clear();
        }
        slots.entry(id).or_default().clone()
    }
}

async fn read(state: &MeshState, row: &network::Model) -> Result<Reading, Refusal> {
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
                // The broker itself said nothing: this is the only place that knows why.
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the secret broker did not ask a mesh network"
                );
            }
            Err(Refusal::of_fault(kind, error.code()))
        }
    }
}

async fn ask(
    state: &MeshState,
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
