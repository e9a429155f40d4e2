//! Sagas: work of several steps that finishes when the gateway is killed anywhere. The row says which step is next; a
//! step may run twice, never half; the leased driver carries one saga after the other, and tries a failed step again for
//! ever, because what a saga removes must not stay.
//!
//! This folder knows the order of the steps and how they are driven. What a step does is a [`Carrier`], wired by `app`,
//! because it reaches into several domains.

mod driver;
mod entity;
mod model;
mod store;

pub use driver::SagaDriver;
pub use entity::saga;
pub use model::{Kind, Next, Step};
pub use store::{New, begin, begin_once};

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use sea_orm::DbErr;

use crate::db::WriteTx;

/// What the steps of some kinds of saga do.
pub trait Carrier: Send + Sync {
    /// What a step does outside the database. It may run twice, also while another gateway runs it.
    ///
    /// # Errors
    /// Why it is to be tried again, in words for the log and the row.
    fn effect<'a>(&'a self, saga: &'a saga::Model, step: Step)
    -> BoxFuture<'a, Result<(), String>>;

    /// What a step writes, in the transaction that says that it is done.
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
