//! `GET /api/ops/broker`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use chrono::DateTime;

use super::OperatorContext;
use crate::edge::operator::dto::BrokerNow;
use crate::edge::operator::reader::MayOperate;
use roost_web::problem::Problem;

/// The longest wait for a broker that does not answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The state of the secret broker. A broker that does not answer is reported as such, not as an error.
#[utoipa::path(get, path = "/api/ops/broker", tag = "operators", operation_id = "broker_now",
    responses((status = 200, body = BrokerNow), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub(super) async fn broker(State(state): State<OperatorContext>, _: MayOperate) -> Json<BrokerNow> {
    let silent = |detail: String| BrokerNow {
        reachable: false,
        detail: Some(detail),
        ..BrokerNow::default()
    };
    Json(
        match tokio::time::timeout(PATIENCE, state.broker.status()).await {
            Err(_) => silent("It did not answer within 3 seconds.".to_owned()),
            Ok(Err(error)) => silent(error.to_string()),
            Ok(Ok(status)) => BrokerNow {
                reachable: true,
                detail: None,
                build: Some(status.build),
                started_at: DateTime::from_timestamp_millis(status.started_ms),
                records: Some(status.records),
                needs_reauth: Some(status.needs_reauth),
                root: Some(status.root.into()),
                root_key: Some(status.root_key),
                to_rekey: Some(status.to_rekey),
                forwards: Some(status.forwards),
                forwards_failed: Some(status.forwards_failed),
                refreshes: Some(status.refreshes),
                audit_entries: Some(status.audit_entries),
                warnings: status.warnings,
            },
        },
    )
}
