//! `GET /api/ops/promises`.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};

use super::OperatorContext;
use crate::edge::operator::dto::{PromiseNow, Promises, WatchNow};
use crate::edge::operator::reader::MayOperate;
use roost_platform::promises::{Finding, PROMISES, Promise, Watch};
use roost_web::error::ApiResult;
use roost_web::problem::Problem;

/// The promises, how often each was defended since this gateway started, and how often it was broken.
#[utoipa::path(get, path = "/api/ops/promises", tag = "operators",
    responses((status = 200, body = Promises), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(super) async fn promises(
    State(state): State<OperatorContext>,
    _operator: MayOperate,
) -> ApiResult<Json<Promises>> {
    let since = state.tree()?.snapshot().root.created_at;
    Ok(Json(Promises::now(since)))
}

impl Promises {
    /// The present state of the promises.
    pub(in crate::edge::operator) fn now(since: Option<DateTime<Utc>>) -> Self {
        Self {
            since,
            promises: PROMISES.iter().map(now).collect(),
        }
    }
}

fn now(promise: &Promise) -> PromiseNow {
    let watches: Vec<WatchNow> = Watch::ALL
        .iter()
        .filter(|watch| watch.promise() == promise.id)
        .map(|watch| WatchNow {
            name: watch.slug().to_owned(),
            says: watch.says().to_owned(),
            finding: watch.finding(),
            count: watch.count(),
        })
        .collect();
    let sum = |finding| {
        let of_it = watches.iter().filter(|watch| watch.finding == finding);
        of_it.map(|watch| watch.count).sum()
    };
    PromiseNow {
        id: promise.id.to_owned(),
        text: promise.text.to_owned(),
        promised: promise.promised,
        broken: sum(Finding::Broken),
        defended: sum(Finding::Defended),
        watches,
    }
}
