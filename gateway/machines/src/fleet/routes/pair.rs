//! `POST /api/nodes/pair`.

use axum::extract::State;
use axum::response::IntoResponse;
use http::{HeaderMap, StatusCode};

use super::{FleetContext, base_url};
use crate::fleet::dto::{InstallLines, Node, PairRequest, Paired};
use crate::fleet::{commands, download, store};
use roost_platform::ids::NodeId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::idempotency::{CreationId, Secret};
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// Creates a node. The answer shows, once, the command that joins a machine to it.
#[utoipa::path(post, path = "/api/nodes/pair", tag = "nodes", request_body = PairRequest,
    responses((status = 201, body = Paired), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn pair(
    State(state): State<FleetContext>,
    caller: Scoped<can::ManageNodes>,
    id: CreationId<NodeId>,
    headers: HeaderMap,
    Valid(request): Valid<PairRequest>,
) -> ApiResult<impl IntoResponse> {
    let fleet = &state.fleet;
    let id = id.or_fresh(fleet.ids());
    let pairing = commands::pair(fleet, caller.scope(), caller.user_id(), id, request.name).await?;
    let base = base_url(&state, &headers);
    let digest = download::digest(fleet.settings(), download::LINUX_X86_64).await;
    let rows =
        store::with_health(fleet.db().read(), fleet.db().backend(), vec![pairing.node]).await?;
    let now = fleet.clock().now();
    let node = rows.into_iter().next().map(|row| Node::of(row, now));
    let node = node.ok_or(crate::fleet::FleetError::NotFound)?;
    let code = pairing.code.reveal();
    let paired = Paired {
        node,
        install: install_lines(&base, code, digest.as_deref()),
        command: format!(
            "roostd join --url {}{} --code {code}",
            quoted(&base),
            plain_flag(&base)
        ),
        join_code: code.to_owned(),
        expires_at: pairing.expires_at,
    };
    Ok((StatusCode::CREATED, Secret(paired)))
}

fn install_lines(base: &str, code: &str, digest: Option<&str>) -> InstallLines {
    let address = quoted(&format!("{base}/dl/roostd/{}", download::LINUX_X86_64));
    let fetch = format!("curl -fsSL {address} -o roostd");
    let rest = format!(
        "chmod +x roostd && ./roostd join --url {}{} --code {code} && ./roostd run",
        quoted(base),
        plain_flag(base)
    );
    // The page gets the digest over its own session, so a download that was changed on the way does not match.
    let check = match digest {
        Some(digest) => format!("echo '{digest}  roostd' | sha256sum -c -"),
        None => format!(
            "curl -fsSL {} | sha256sum -c -",
            quoted(&format!(
                "{base}/dl/roostd/{}.sha256",
                download::LINUX_X86_64
            ))
        ),
    };
    InstallLines {
        linux_x86_64: format!("{fetch} && {rest}"),
        with_checksum: format!("{fetch} && {check} && {rest}"),
    }
}

/// Over plain HTTP the daemon sends its token to another machine only with a flag that accepts this.
fn plain_flag(base: &str) -> &'static str {
    let plain_elsewhere = url::Url::parse(base).is_ok_and(|url| {
        url.scheme() == "http"
            && match url.host() {
                Some(url::Host::Domain(name)) => name != "localhost",
                Some(url::Host::Ipv4(ip)) => !ip.is_loopback(),
                Some(url::Host::Ipv6(ip)) => !ip.is_loopback(),
                None => true,
            }
    });
    if plain_elsewhere {
        " --insecure-plain"
    } else {
        ""
    }
}

/// Safe to paste into a shell: the `Host` header comes from the caller, and so it is quoted.
fn quoted(text: &str) -> String {
    let plain = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-._~:/[]".contains(&b));
    if plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_to_paste_cannot_be_made_to_run_something_else() {
        assert_eq!(quoted("http://127.0.0.1:7667"), "http://127.0.0.1:7667");
        assert_eq!(quoted("http://a;rm -rf ~"), "'http://a;rm -rf ~'");
        assert_eq!(quoted("http://a'$(id)"), "'http://a'\\''$(id)'");
    }

    #[test]
    fn plain_http_to_another_machine_must_be_accepted_by_name() {
        assert_eq!(plain_flag("http://127.0.0.1:7667"), "");
        assert_eq!(plain_flag("https://roost.example"), "");
        assert_eq!(plain_flag("http://roost.lan"), " --insecure-plain");
    }
}
