//! The doctor's check of the secret broker: whether it answers, and the state that it reports.

use roost_protocol::verify::Check;
use roost_secret_broker::wire::Status;

use super::{PATIENCE, fail, ok, warn};
use crate::config::Config;
use roost_platform::broker::{BrokerHandle, Embedded};

const NAME: &str = "broker";
const TITLE: &str = "Secret broker";

pub(super) async fn broker(config: &Config) -> Vec<Check> {
    let socket = config.broker_socket();
    let embedded = config.embedded_broker();
    if embedded.is_none() && config.broker.socket.is_none() {
        return vec![warn(
            NAME,
            TITLE,
            "`broker.start` is off and `broker.socket` names none: no credential can be kept or used",
        )];
    }
    if let Some(missing) = embedded.as_ref().and_then(Embedded::missing_program) {
        return vec![warn(
            NAME,
            TITLE,
            format!(
                "{} is not there: install roost-broker beside roost, or set `broker.program`",
                missing.display()
            ),
        )];
    }
    let asked = tokio::time::timeout(PATIENCE, async {
        match socket.exists() {
            true => Some(BrokerHandle::new(&socket).status().await),
            false => None,
        }
    });
    let asked = asked.await;
    if let (Some(embedded), Ok(None | Some(Err(_)))) = (&embedded, &asked)
        && let Err(why) = embedded.check().await
    {
        let said = format!(
            "the broker cannot start, so no credential can be kept or used; nothing is lost. {why}"
        );
        return vec![fail(NAME, TITLE, said)];
    }
    match asked {
        Ok(Some(Ok(status))) => checks_of(status),
        Ok(Some(Err(error))) => vec![fail(NAME, TITLE, error.to_string())],
        Ok(None) => {
            let said = format!("nothing listens at {}", socket.display());
            vec![match embedded {
                Some(_) => ok(NAME, TITLE, format!("{said}; the gateway starts it")),
                None => fail(
                    NAME,
                    TITLE,
                    format!("{said}: start roost-broker.service, or correct `broker.socket`"),
                ),
            }]
        }
        Err(_) => vec![fail(
            NAME,
            TITLE,
            format!(
                "the broker at {} does not answer within 5 s: see its log",
                socket.display()
            ),
        )],
    }
}

fn checks_of(status: Status) -> Vec<Check> {
    let said = format!(
        "{} records under the root key {}, user {}",
        status.records, status.root_key, status.user
    );
    let mut checks = vec![ok(NAME, TITLE, said)];
    checks.extend(
        status
            .warnings
            .into_iter()
            .map(|warning| warn(NAME, TITLE, warning)),
    );
    checks
}
