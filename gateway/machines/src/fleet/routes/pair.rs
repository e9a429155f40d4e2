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
    let builds = download::builds(fleet.settings()).await;
    let rows =
        store::with_health(fleet.db().read(), fleet.db().backend(), vec![pairing.node]).await?;
    let now = fleet.clock().now();
    let node = rows.into_iter().next().map(|row| Node::of(row, now));
    let node = node.ok_or(crate::fleet::FleetError::NotFound)?;
    let code = pairing.code.reveal();
    let paired = Paired {
        node,
        install: install_lines(&base, code, &builds),
        command: format!(
            "roostd join --url {}{} --code {code}",
            quoted(&base),
            plain_flag(&base)
        ),
        join_code: code.to_owned(),
        expires_at: pairing.expires_at,
        address_problem: state.public_address.problem(&headers).await?,
    };
    Ok((StatusCode::CREATED, Secret(paired)))
}

/// The lines choose the target on the machine. They hold the digest of each build that this gateway has, so a machine of
/// another kind is told at once, and a download that was changed on the way does not match: the page gets the digests
/// over its own session.
fn install_lines(base: &str, code: &str, builds: &[(&str, String)]) -> InstallLines {
    let known: String = builds
        .iter()
        .map(|(target, digest)| format!("{target}) s={digest};; "))
        .collect();
    let target = format!(
        "t=$(uname -m)-unknown-linux-gnu; case $t in {known}*) \
         echo \"This gateway has no roostd for $t. Its operator puts one into the folder fleet.dist_dir.\" >&2; false;; esac"
    );
    let address = quoted(&format!("{base}/dl/roostd/"));
    let fetch = format!("{target} && curl -fsSL {address}$t -o roostd");
    let rest = format!(
        "chmod +x roostd && ./roostd join --url {}{} --code {code} && ./roostd run",
        quoted(base),
        plain_flag(base)
    );
    InstallLines {
        linux: format!("{fetch} && {rest}"),
        with_checksum: format!("{fetch} && echo \"$s  roostd\" | sha256sum -c - && {rest}"),
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

    /// What a line prints and leaves on a machine of a kind, with a `curl` that writes its address instead.
    fn pasted(line: &str, machine: &str) -> (bool, String) {
        let script = format!(
            "uname() {{ echo {machine}; }}; curl() {{ echo \"$2\"; }}; chmod() {{ false; }}; {line}"
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }

    #[test]
    fn line_takes_the_machines_own_target_and_names_one_that_is_missing() {
        let builds = [(download::LINUX_X86_64, "ab".repeat(32))];
        let lines = install_lines("https://roost.example", "j-1", &builds);
        let (_, said) = pasted(&lines.linux, "x86_64");
        let address = "https://roost.example/dl/roostd/x86_64-unknown-linux-gnu";
        assert_eq!(said.trim(), address);
        let (went_on, said) = pasted(&lines.linux, "aarch64");
        assert!(!went_on);
        assert!(
            said.contains("no roostd for aarch64-unknown-linux-gnu"),
            "{said}"
        );
        assert!(!said.contains("https://"), "nothing was fetched: {said}");
        assert!(lines.with_checksum.contains(&"ab".repeat(32)));
    }

    #[test]
    fn plain_http_to_another_machine_must_be_accepted_by_name() {
        assert_eq!(plain_flag("http://127.0.0.1:7667"), "");
        assert_eq!(plain_flag("https://roost.example"), "");
        assert_eq!(plain_flag("http://roost.lan"), " --insecure-plain");
    }
}
