//! Checks of this machine before and after a join, each with what to do.
use std::time::Duration;

use roost_protocol::text::clean;
use roost_protocol::verify::{Check, Level};
use roost_sandbox_driver::{Driver, Enforcement, EngineConfig, ImageState};

use crate::channel::connect::check_address;
use crate::channel::reconnect::ca_file;
use crate::channel::tls;
use crate::control_socket::client;
use crate::control_socket::message::{Answer, Request};
use crate::state::{Identity, StateFolder, Token, owner_file};

/// Printed at join and here.
pub const DOCKER_GROUP: &str = "\
A user of the container engine has the same power as root on this machine: membership in the docker group gives root
rights without a password, and roostd has them through the engine's socket. A rootless engine (DOCKER_HOST) limits these
rights to your own user.";

/// How long the gateway may take to answer.
const GATEWAY_TIME: Duration = Duration::from_secs(10);

/// Engine, API version, and the agent image that the gateway wants here.
pub async fn engine_checks(state: &StateFolder) -> Vec<Check> {
    let driver = match Driver::connect(EngineConfig::default()).await {
        Ok(driver) => driver,
        Err(error) => {
            return vec![check(
                "engine",
                "Container engine",
                Level::Fail,
                error.to_string(),
            )];
        }
    };
    let facts = driver.engine();
    let rootless = if facts.rootless { ", rootless" } else { "" };
    let engine = format!(
        "{:?} {} (API {}{rootless}) at {}",
        facts.kind, facts.version, facts.api, facts.address
    );
    let image = state.agent_image();
    let image = match driver.image_state(&image, None).await {
        Ok(ImageState::Ready { id, bytes }) => check(
            "image",
            "Agent image",
            Level::Ok,
            format!("{image} ({id}, {} MiB)", bytes / (1024 * 1024)),
        ),
        Ok(ImageState::Missing) => check(
            "image",
            "Agent image",
            Level::Warn,
            format!(
                "{image} is not here: use `roostd image import FILE` or `roostd image build FOLDER`"
            ),
        ),
        Ok(ImageState::WrongDigest { id }) => check(
            "image",
            "Agent image",
            Level::Warn,
            format!("{image} is {id}, which is not the image that the gateway wants"),
        ),
        Ok(ImageState::Unfit { reason }) => check(
            "image",
            "Agent image",
            Level::Fail,
            format!("{image} cannot be a sandbox: {reason}"),
        ),
        Err(error) => check("image", "Agent image", Level::Fail, error.to_string()),
    };
    vec![
        check("engine", "Container engine", Level::Ok, engine),
        image,
    ]
}

/// The running daemon's check of the total of all sandboxes. `None` without a daemon, because the daemon sets the
/// total.
pub fn total_check(state: &StateFolder) -> Option<Check> {
    let Ok(Some(Answer::Status(status))) = client::ask(state, Request::Status) else {
        return None;
    };
    let bounds = status.executor.bounds?;
    let held = match bounds.not_enforced {
        None => Enforcement::Yes,
        Some(why) => Enforcement::No { why },
    };
    Some(roost_sandbox_driver::verify::total_check(&held))
}

/// State folder, join, policy, gateway.
pub async fn state_checks(state: &StateFolder) -> Vec<Check> {
    let mut checks = Vec::new();
    let identity = match (Identity::load(state), Token::load(state)) {
        (Ok(Some(identity)), Ok(Some(_))) => {
            let detail = format!("node {} of {:?}", identity.node_id, identity.workspace_name);
            checks.push(check("join", "Joined", Level::Ok, detail));
            Some(identity)
        }
        (Ok(_), Ok(_)) => {
            checks.push(check(
                "join",
                "Joined",
                Level::Warn,
                "this machine has not joined a workspace; see `roostd join --help`".into(),
            ));
            None
        }
        (Err(error), _) | (_, Err(error)) => {
            checks.push(check("join", "Joined", Level::Fail, error.to_string()));
            None
        }
    };
    checks.push(match owner_file::load(state) {
        Ok(_) => check(
            "policy",
            "Owner's policy",
            Level::Ok,
            state.file(owner_file::NAME).display().to_string(),
        ),
        Err(error) => check(
            "policy",
            "Owner's policy",
            Level::Fail,
            format!("{error}; roostd does not start with an unreadable policy"),
        ),
    });
    if state.paused() {
        checks.push(check(
            "paused",
            "Paused",
            Level::Warn,
            "you paused this machine; `roostd resume` ends the pause".into(),
        ));
    }
    if let Some(identity) = identity {
        checks.push(gateway_check(state, &identity).await);
    }
    checks
}

async fn gateway_check(state: &StateFolder, identity: &Identity) -> Check {
    let answer = async {
        let url = check_address(&identity.gateway, identity.insecure_plain)?;
        let tls = tls::client(ca_file(state).as_deref())?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .timeout(GATEWAY_TIME)
            .build()?;
        let answer = client.get(url.join("healthz")?).send().await?;
        anyhow::Ok(answer.status())
    };
    match answer.await {
        Ok(status) if status.is_success() => {
            check("gateway", "Gateway", Level::Ok, identity.gateway.clone())
        }
        Ok(status) => check(
            "gateway",
            "Gateway",
            Level::Warn,
            format!("{} answers HTTP {status}", identity.gateway),
        ),
        Err(error) => check(
            "gateway",
            "Gateway",
            Level::Fail,
            clean(&format!("{}: {error:#}", identity.gateway), 512),
        ),
    }
}

fn check(name: &str, title: &str, level: Level, detail: String) -> Check {
    Check {
        name: name.into(),
        title: title.into(),
        level,
        detail,
    }
}

/// Prints checks for people.
pub fn print(checks: &[Check]) {
    for check in checks {
        let mark = match check.level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Fail => "FAIL",
        };
        let detail = roost_protocol::text::visible(&check.detail, 1024);
        println!("  {mark}  {}: {detail}", check.title);
    }
}
