//! `GET /api/ops/promises`.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};

use super::OperatorState;
use crate::domains::operator::dto::{PromiseNow, Promises, WatchNow};
use crate::domains::operator::reader::MayOperate;
use crate::error::ApiResult;
use crate::http::problem::Problem;
use crate::promises::{Finding, PROMISES, Promise, Watch};

/// What is promised, how often each promise was defended since this gateway started, and how often it was broken.
#[utoipa::path(get, path = "/api/ops/promises", tag = "operators",
    responses((status = 200, body = Promises), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(super) async fn promises(
    State(state): State<OperatorState>,
    _operator: MayOperate,
) -> ApiResult<Json<Promises>> {
    let since = state.tree()?.snapshot().root.created_at;
    Ok(Json(Promises::now(since)))
}

impl Promises {
    /// How they stand.
    pub(in crate::domains::operator) fn now(since: Option<DateTime<Utc>>) -> Self {
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
