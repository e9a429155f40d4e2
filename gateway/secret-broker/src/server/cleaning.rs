//! Removes a credential from a text. The answer reveals whether the text held it, so a client could try guesses. A
//! limit per record and minute keeps this slower than guessing at any remote.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use roost_secret_broker::wire::{Clean, Cleaned, Fault, FaultCode, Inject, RecordName};

use super::{Broker, fault_of};
use crate::egress::Redactor;

/// Most bytes of text for one record in a minute.
const MOST_A_MINUTE: u64 = 32 << 20;
const MINUTE_MS: i64 = 60_000;

/// Bytes cleaned in the present minute. Cheap to clone.
#[derive(Clone, Default)]
pub struct Cleaning(Arc<Mutex<HashMap<RecordName, Minute>>>);

#[derive(Clone, Copy)]
struct Minute {
    began_ms: i64,
    bytes: u64,
}

impl Cleaning {
    fn admit(&self, name: &RecordName, bytes: u64, now_ms: i64) -> Result<(), Fault> {
        let mut minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        minutes.retain(|_, minute| now_ms - minute.began_ms < MINUTE_MS);
        let fresh = Minute {
            began_ms: now_ms,
            bytes: 0,
        };
        let minute = minutes.entry(name.clone()).or_insert(fresh);
        minute.bytes = minute.bytes.saturating_add(bytes);
        match minute.bytes <= MOST_A_MINUTE {
            true => Ok(()),
            false => Err(Fault::new(
                FaultCode::Busy,
                "the limit of text to clean in one minute is reached; try again in a minute",
            )),
        }
    }
}

pub(super) async fn clean(broker: &Broker, asked: Clean) -> Result<Cleaned, Fault> {
    let now_ms = broker.store.clock().now_ms();
    let bytes = asked.text.len() as u64;
    broker.cleaning.admit(&asked.name, bytes, now_ms)?;
    let opened = broker.store.credential(&asked.name).await;
    let record = opened.map_err(|error| fault_of(&error))?.record;
    if record.inject == Inject::Never {
        return Ok(Cleaned {
            text: asked.text,
            least: None,
        });
    }
    let redactor = Redactor::new(&[record.secret.reveal()]);
    Ok(Cleaned {
        text: redactor.text(&asked.text),
        least: redactor
            .least()
            .map(|least| u32::try_from(least).unwrap_or(u32::MAX)),
    })
}
