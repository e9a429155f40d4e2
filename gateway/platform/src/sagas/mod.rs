//! Sagas: work of several steps that continues after a crash until it is complete. The row names the next step. A step
//! may run twice, but never by half. The leased driver executes one saga after the other. It retries a failed step
//! without end, because the things that a saga removes must not stay.
//!
//! This folder defines the order of the steps and drives them. A [`SagaHandler`] does the work of a step. `app` wires the
//! handlers, because they reach into several domains.

mod driver;
mod entity;
mod model;
mod store;

pub use driver::SagaDriver;
pub use entity::saga;
pub use model::{Kind, Next, Step};
pub use store::{New, begin, begin_once, forget_done, is_running};

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use sea_orm::DbErr;

use crate::db::WriteTx;

/// The work of the steps of some kinds of saga.
pub trait SagaHandler: Send + Sync {
    /// The work of a step outside the database. It may run twice, also at the same time in another gateway.
    ///
    /// # Errors
    /// The reason for a retry, as text for the log and the row.
    fn effect<'a>(&'a self, saga: &'a saga::Model, step: Step)
    -> BoxFuture<'a, Result<(), String>>;

    /// The writes of a step, in the transaction that marks it as done.
    ///
    /// # Errors
    /// When the database fails.
    fn write<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        saga: &'a saga::Model,
        step: Step,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Next, DbErr>>;
}
