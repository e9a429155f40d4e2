//! Writes what the gateway's own engine has of the catalogue, at the start and when it changes.
//!
//! Position: child of `sandboxes`, named `images`; periodic. It has no state that a restart could lose: after a restart it
//! writes the rows once more.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sea_orm::DbErr;

use super::catalogue::{Catalogue, Entry};
use super::{ImagesContext, entity, store};
use crate::fleet::local::{HeldHere, LocalImages};
use roost_platform::clock::SharedClock;
use roost_platform::supervision::{ActorKind, AnyChild, ChildSpec, Nudge};

/// How often the rows are compared with what the engine has.
const EVERY: Duration = Duration::from_secs(5);

/// The child that writes the rows.
pub fn recorder(context: ImagesContext, held: LocalImages, clock: SharedClock) -> AnyChild {
    let written: Arc<Mutex<Option<Vec<HeldHere>>>> = Arc::default();
    ChildSpec::periodic(
        "images",
        ActorKind::Worker,
        EVERY,
        &Nudge::default(),
        move |_| {
            let (context, held) = (context.clone(), held.get());
            let (written, clock) = (written.clone(), clock.clone());
            async move {
                let known = written
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                if known.as_ref() == Some(&held) {
                    return Ok(());
                }
                write(&context, &held, &clock).await?;
                *written.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
                Ok(())
            }
        },
    )
    .serves("the catalogue of images")
    .into()
}

async fn write(
    context: &ImagesContext,
    held: &[HeldHere],
    clock: &SharedClock,
) -> Result<(), DbErr> {
    let rows = rows(&context.catalogue, held, clock.now());
    let tx = context.db.write().await?;
    store::replace(&tx, rows).await?;
    tx.commit().await
}

fn rows(
    catalogue: &Catalogue,
    held: &[HeldHere],
    at: chrono::DateTime<chrono::Utc>,
) -> Vec<entity::Model> {
    let row = |entry: &Entry| {
        let here = held.iter().find(|image| image.reference == entry.reference);
        entity::Model {
            name: entry.name.clone(),
            reference: entry.reference.clone(),
            purpose: entry.purpose.clone(),
            tools: serde_json::json!(entry.tools),
            recipe: entry.recipe.clone(),
            wanted_digest: entry.digest.clone(),
            digest: here.and_then(|image| image.id.clone()),
            size_bytes: here.and_then(|image| i64::try_from(image.bytes?).ok()),
            state: here.map_or("unknown", |image| image.state).to_owned(),
            updated_at: at,
        }
    };
    catalogue.entries().iter().map(row).collect()
}
