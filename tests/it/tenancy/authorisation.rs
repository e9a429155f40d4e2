//! Authorisation coverage: requests every route of the OpenAPI document unauthenticated (401), as another tenant (404),
//! and with a role that is too small (403). A route without a case here fails; a case without a route fails too.

mod catalogue;
mod missions;
mod sandboxes;
mod work;

use std::collections::BTreeSet;

use reqwest::Method;
use roost_tenancy::auth::public_routes::PUBLIC_ROUTES;
use roost_tests::{Gateway, Person};
use serde_json::{Value, json};

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Least {
    /// Anybody who is signed in.
    User,
    /// A member of the workspace with this role or a stronger one.
    Role(&'static str),
    /// An operator of the deployment.
    Operator,
}

use Least::{Operator, Role, User};

/// A route, who may call it, and a body that is valid (so that a refusal is not about the body).
type Case = (&'static str, Least, &'static str);

/// All cases; a domain with many has a file of its own.
fn cases() -> impl Iterator<Item = &'static Case> {
    let sandboxes = sandboxes::OF_AGENTS
        .iter()
        .chain(sandboxes::OF_TEAMS)
        .chain(sandboxes::OF_MISSIONS);
    CASES
        .iter()
        .chain(catalogue::CASES)
        .chain(work::CASES)
        .chain(missions::CASES)
        .chain(sandboxes)
}

const CASES: &[Case] = &[
    ("POST /api/auth/logout", User, ""),
    ("GET /api/auth/me", User, ""),
    ("PATCH /api/auth/me", User, r#"{"name":"x"}"#),
    ("PUT /api/auth/me/avatar", User, ""),
    ("DELETE /api/auth/me/avatar", User, ""),
    ("GET /api/users/{id}/avatar", Role("viewer"), ""),
    (
        "POST /api/auth/password",
        User,
        r#"{"new":"a long enough password"}"#,
    ),
    ("GET /api/auth/sessions", User, ""),
    ("POST /api/auth/sessions", User, r#"{"label":"x"}"#),
    ("DELETE /api/auth/sessions/{id}", User, ""),
    (
        "PUT /api/auth/workspace",
        User,
        r#"{"workspace_id":"0190a000-0000-7000-8000-000000000001"}"#,
    ),
    ("POST /api/auth/oidc/link", User, ""),
    (
        "POST /api/auth/device/look",
        User,
        r#"{"code":"BCDF-GHJK"}"#,
    ),
    (
        "POST /api/auth/device/confirm",
        User,
        r#"{"code":"BCDF-GHJK"}"#,
    ),
    ("GET /api/workspaces", User, ""),
    ("POST /api/workspaces", User, r#"{"name":"x"}"#),
    ("GET /api/workspaces/{id}", User, ""),
    (
        "PATCH /api/workspaces/{id}",
        Role("admin"),
        r#"{"name":"x"}"#,
    ),
    ("DELETE /api/workspaces/{id}", Role("owner"), ""),
    ("GET /api/workspaces/{id}/members", Role("viewer"), ""),
    (
        "PATCH /api/workspaces/{id}/members/{user_id}",
        Role("admin"),
        r#"{"role":"viewer"}"#,
    ),
    (
        "DELETE /api/workspaces/{id}/members/{user_id}",
        Role("admin"),
        "",
    ),
    ("GET /api/workspaces/{id}/invitations", Role("admin"), ""),
    (
        "POST /api/workspaces/{id}/invitations",
        Role("admin"),
        r#"{"role":"viewer"}"#,
    ),
    (
        "DELETE /api/workspaces/{id}/invitations/{invitation_id}",
        Role("admin"),
        "",
    ),
    ("GET /api/quota", Role("viewer"), ""),
    ("GET /api/audit", Role("admin"), ""),
    ("GET /api/audit/chain", Role("admin"), ""),
    (
        "POST /api/apps/oauth/start",
        Role("member"),
        r#"{"clawId":"0190a000-0000-7000-8000-000000000001","provider":"github"}"#,
    ),
    ("GET /api/apps/connections", Role("viewer"), ""),
    ("DELETE /api/apps/connections/{id}", Role("member"), ""),
    ("GET /api/apps/options", Role("viewer"), ""),
    (
        "POST /api/apps/connections",
        Role("member"),
        r#"{"clawId":"0190a000-0000-7000-8000-000000000001","provider":"github","secret":"12345678"}"#,
    ),
    ("GET /api/doors", Role("viewer"), ""),
    (
        "POST /api/doors",
        Role("member"),
        r#"{"agent_id":"0190a000-0000-7000-8000-000000000001","action":"webhook.event.send","params":{"event":"x"}}"#,
    ),
    ("GET /api/doors/catalogue", Role("viewer"), ""),
    ("GET /api/doors/{id}", Role("viewer"), ""),
    (
        "POST /api/doors/{id}/resolve",
        Role("member"),
        r#"{"decision":"deny"}"#,
    ),
    ("GET /api/claws", Role("viewer"), ""),
    ("POST /api/claws", Role("member"), r#"{"name":"x"}"#),
    ("GET /api/claws/{id}", Role("viewer"), ""),
    ("PATCH /api/claws/{id}", Role("member"), r#"{"name":"y"}"#),
    ("DELETE /api/claws/{id}", Role("member"), ""),
    ("GET /api/claws/{id}/activity", Role("viewer"), ""),
    ("GET /api/claws/{id}/tokens", Role("viewer"), ""),
    (
        "POST /api/claws/{id}/tokens",
        Role("member"),
        r#"{"label":"x"}"#,
    ),
    (
        "DELETE /api/claws/{id}/tokens/{token_id}",
        Role("member"),
        "",
    ),
    ("GET /api/claws/{id}/brain", Role("viewer"), ""),
    (
        "PUT /api/claws/{id}/brain",
        Role("member"),
        r#"{"agent_md":"x"}"#,
    ),
    ("GET /api/claws/{id}/brain/history", Role("viewer"), ""),
    (
        "GET /api/claws/{id}/brain/history/{version}",
        Role("viewer"),
        "",
    ),
    (
        "POST /api/claws/{id}/brain/history/{version}/restore",
        Role("member"),
        "",
    ),
    ("GET /api/claws/{id}/avatar", Role("viewer"), ""),
    ("PUT /api/claws/{id}/avatar", Role("member"), ""),
    ("DELETE /api/claws/{id}/avatar", Role("member"), ""),
    ("GET /api/fleet/meshvpn", Role("viewer"), ""),
    (
        "POST /api/fleet/meshvpn",
        Role("admin"),
        r#"{"kind":"tailscale","api_key":"tskey-never-used"}"#,
    ),
    ("DELETE /api/fleet/meshvpn", Role("admin"), ""),
    ("GET /api/fleet/meshvpn/devices", Role("viewer"), ""),
    ("GET /api/models", Role("viewer"), ""),
    (
        "POST /api/models",
        Role("admin"),
        r#"{"provider":"openai","model":"gpt-5","api_key":"sk-never-used"}"#,
    ),
    (
        "PATCH /api/models/{id}",
        Role("admin"),
        r#"{"is_default":false}"#,
    ),
    ("DELETE /api/models/{id}", Role("admin"), ""),
    ("POST /api/models/{id}/try", Role("admin"), ""),
    ("GET /api/models/settings", Role("viewer"), ""),
    (
        "PUT /api/models/settings",
        Role("admin"),
        r#"{"run_ceiling_microusd":null,"month_ceiling_microusd":null}"#,
    ),
    ("GET /api/repos/connections", Role("viewer"), ""),
    (
        "POST /api/repos/connections",
        Role("admin"),
        r#"{"provider":"github","token":"ghp_never_used"}"#,
    ),
    ("DELETE /api/repos/connections/{id}", Role("admin"), ""),
    ("POST /api/repos/connections/{id}/sync", Role("member"), ""),
    ("GET /api/repos", Role("viewer"), ""),
    ("GET /api/repos/{id}", Role("viewer"), ""),
    ("GET /api/repos/{id}/branches", Role("member"), ""),
    ("PUT /api/repos/{id}/mirror", Role("member"), ""),
    ("DELETE /api/repos/{id}/mirror", Role("admin"), ""),
    ("GET /api/events", Role("viewer"), ""),
    ("GET /api/ops/tree", Role("owner"), ""),
    ("GET /api/ops/tree/stream", Role("owner"), ""),
    ("GET /api/ops/actors/{id}/explain", Role("owner"), ""),
    ("POST /api/ops/actors/{id}/restart", Operator, ""),
    ("GET /api/ops/promises", Operator, ""),
    ("GET /api/ops/workspaces", Operator, ""),
    ("GET /api/ops/plans", Operator, ""),
    (
        "POST /api/ops/public-address/check",
        Operator,
        r#"{"url":"http://127.0.0.1:9"}"#,
    ),
    (
        "PUT /api/ops/plans/{name}",
        Operator,
        r#"{"agents":5,"live_containers":2,"workspaces":5}"#,
    ),
    ("GET /api/ops/broker", Operator, ""),
    ("GET /api/ops/sign-in", Operator, ""),
    ("GET /api/ops/log", Operator, ""),
    ("GET /api/ops/chaos", Operator, ""),
    (
        "POST /api/ops/chaos",
        Operator,
        r#"{"point":"actor.before_handle","action":"panic"}"#,
    ),
    ("DELETE /api/ops/chaos", Operator, ""),
    ("GET /metrics", Operator, ""),
    ("GET /api/nodes", Role("viewer"), ""),
    ("GET /api/nodes/live", Role("viewer"), ""),
    ("GET /api/world/stream", Role("viewer"), ""),
    ("GET /api/nodes/{id}", Role("viewer"), ""),
    ("GET /api/nodes/{id}/tools", Role("viewer"), ""),
    ("GET /api/nodes/{id}/history", Role("viewer"), ""),
    ("GET /api/nodes/history", Role("viewer"), ""),
    ("GET /api/nodes/lines", Role("viewer"), ""),
    ("GET /api/fleet/reserved", Role("viewer"), ""),
    ("GET /api/images", Role("viewer"), ""),
    ("GET /api/nodes/{id}/operations", Role("viewer"), ""),
    ("GET /api/nodes/{id}/sandboxes", Role("viewer"), ""),
    ("GET /api/nodes/{id}/drain-progress", Role("viewer"), ""),
    ("POST /api/nodes/pair", Role("admin"), "{}"),
    ("PATCH /api/nodes/{id}", Role("admin"), r#"{"name":"y"}"#),
    ("POST /api/nodes/{id}/drain", Role("admin"), ""),
    ("POST /api/nodes/{id}/undrain", Role("admin"), ""),
    ("POST /api/nodes/{id}/exec-test", Role("admin"), ""),
    ("DELETE /api/nodes/{id}", Role("admin"), ""),
    ("GET /api/sandboxes/commands", Role("viewer"), ""),
    ("GET /api/fleet/placement", Role("viewer"), ""),
    (
        "PUT /api/fleet/placement",
        Role("admin"),
        r#"{"target":"local"}"#,
    ),
    ("DELETE /api/fleet/placement", Role("admin"), ""),
];

const ROLES: [&str; 4] = ["viewer", "member", "admin", "owner"];

fn routes(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().expect("paths");
    paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().expect("methods");
            methods
                .keys()
                .filter(|key| ["get", "post", "put", "patch", "delete"].contains(&key.as_str()))
                .map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect()
}

#[tokio::test]
async fn every_route_is_public_with_a_reason_or_has_a_case() {
    let gateway = without_engine().await;
    let document = gateway
        .anonymous()
        .get("/api/openapi.json")
        .expect(200)
        .await;
    let routes = routes(&document.body);
    let public: BTreeSet<String> = PUBLIC_ROUTES
        .iter()
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    let cases: BTreeSet<String> = cases()
        .map(|case| {
            let (route, _query) = case.0.split_once('?').unwrap_or((case.0, ""));
            route.to_owned()
        })
        .collect();
    let without: Vec<&String> = routes
        .iter()
        .filter(|route| !public.contains(*route) && !cases.contains(*route))
        .collect();
    assert!(
        without.is_empty(),
        "no case in tests/it/authorisation.rs: {without:?}"
    );
    let gone: Vec<&String> = cases.difference(&routes).collect();
    assert!(gone.is_empty(), "cases without a route: {gone:?}");
    assert!(cases.is_disjoint(&public), "public routes need no case");
    gateway.stop().await;
}

/// These tests check permissions. They must create nothing on the machine that runs them.
async fn without_engine() -> Gateway {
    Gateway::start_with(&[("sandboxes.local", "off")]).await
}

/// The route with ids of things that belong to `owner`'s workspace.
async fn address(owner: &Person, bystander: &Person, route: &str) -> (Method, String) {
    let (method, path) = route.split_once(' ').expect("METHOD /path");
    let id = match path {
        path if path.starts_with("/api/claws/{id}") => {
            let claw = owner
                .post("/api/claws")
                .json(&json!({ "name": roost_tests::unique("target") }))
                .expect(201)
                .await;
            claw.str("/id").to_owned()
        }
        path if path.starts_with("/api/auth/sessions/{id}") => {
            let body = json!({ "label": "target" });
            let session = owner
                .post("/api/auth/sessions")
                .json(&body)
                .expect(201)
                .await;
            session.str("/id").to_owned()
        }
        path if path.starts_with("/api/users/{id}") => bystander.id.clone(),
        path if path.starts_with("/api/nodes/{id}") => {
            let pairing = owner.post("/api/nodes/pair").json(&json!({}));
            pairing.expect(201).await.str("/node/id").to_owned()
        }
        path if catalogue::is_of(path) => catalogue::target(owner, path).await,
        path if work::is_of(path) => work::target(owner, path).await,
        path if path.starts_with("/api/missions/") => missions::target(owner).await,
        path if path.starts_with("/api/routines/{") => missions::routine(owner).await,
        // These need a broker, or an agent that is connected (tests/it/apps, tests/it/doors): a permitted caller gets
        // that answer.
        path if path.starts_with("/api/apps/connections/{id}")
            || path.starts_with("/api/doors/{id}") =>
        {
            "0190a000-0000-7000-8000-000000000001".to_owned()
        }
        path if path.starts_with("/api/workspaces/{id}") => owner.workspace.clone(),
        // They exist only through a broker; tests/it/repos and tests/it/models try those of others.
        path if path.starts_with("/api/repos/") || path.starts_with("/api/models/") => {
            "0190a000-0000-7000-8000-000000000001".to_owned()
        }
        path if path.starts_with("/api/ops/actors/{id}") => "roost%2Flive".to_owned(),
        // Its name is the same for everybody.
        path if path.starts_with("/api/ops/plans/{name}") => String::new(),
        path => {
            assert!(!path.contains('{'), "say here what {path} needs");
            String::new()
        }
    };
    let method = method.parse().expect("a method");
    // An unknown operation: a permitted caller gets 404, any other caller is refused before.
    let path = path.replace("{operation_id}", "0190a000-0000-7000-8000-000000000001");
    let path = path.replace("{version}", "1");
    let path = path.replace("{name}", "free");
    let path = path.replace("{token_id}", "0190a000-0000-7000-8000-000000000001");
    let path = path.replace("{skill_id}", "0190a000-0000-7000-8000-000000000001");
    let path = path.replace("{invitation_id}", "0190a000-0000-7000-8000-000000000001");
    let path = path.replace("{phase_id}", "0190a000-0000-7000-8000-000000000001");
    let path = path.replace("{artifact_id}", "0190a000-0000-7000-8000-000000000001");
    let path = match path.contains("{user_id}") {
        true => path.replace("{user_id}", &bystander.id),
        false => path,
    };
    (method, path.replace("{id}", &id))
}

async fn status(client: &roost_tests::Client, method: &Method, path: &str, body: &str) -> u16 {
    let mut request = client.request(method.clone(), path);
    if !body.is_empty() {
        request = request
            .header("content-type", "application/json")
            .body(body.to_owned());
    }
    request.open().await.status().as_u16()
}

#[tokio::test]
async fn without_a_session_or_with_a_made_up_one_every_route_is_401() {
    let gateway = without_engine().await;
    let owner = gateway.owner().await;
    let bystander = gateway.person("viewer").await;
    for (route, _, body) in cases() {
        let (method, path) = address(owner, &bystander, route).await;
        let nobody = gateway.anonymous();
        assert_eq!(status(&nobody, &method, &path, body).await, 401, "{route}");
        let made_up = nobody.with_token("rst_made-up");
        assert_eq!(status(&made_up, &method, &path, body).await, 401, "{route}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn another_tenants_things_and_workspace_are_404_on_every_route() {
    let gateway = without_engine().await;
    let owner = gateway.owner().await;
    let bystander = gateway.person("viewer").await;
    let stranger = gateway.stranger().await;
    let intruding = stranger.in_workspace(&owner.workspace);
    for (route, least, body) in cases() {
        let (method, path) = address(owner, &bystander, route).await;
        if *least != Operator {
            let answer = status(&intruding, &method, &path, body).await;
            assert_eq!(answer, 404, "{route} in a workspace of others");
            if path.contains(&owner.workspace) || route.contains("{id}") {
                let answer = status(&stranger, &method, &path, body).await;
                assert_eq!(answer, 404, "{route} with an id of others");
            }
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn with_too_small_a_role_every_route_is_403_and_with_the_least_one_it_is_not() {
    let gateway = without_engine().await;
    let owner = gateway.owner().await;
    let bystander = gateway.person("viewer").await;
    let mut people = Vec::new();
    for role in ROLES {
        people.push((role, gateway.person(role).await));
    }
    for (route, least, body) in cases() {
        for (role, person) in &people {
            let strong_enough = match least {
                User => continue,
                Operator => false,
                Role(least) => rank(role) >= rank(least),
            };
            let (method, path) = address(owner, &bystander, route).await;
            let answer = status(person, &method, &path, body).await;
            assert_eq!(answer == 403, !strong_enough, "{route} as {role}: {answer}");
        }
    }
    gateway.stop().await;
}

fn rank(role: &str) -> usize {
    ROLES
        .iter()
        .position(|known| *known == role)
        .expect("a role")
}

#[tokio::test]
async fn purging_needs_an_admin_although_deleting_needs_a_member() {
    let gateway = without_engine().await;
    let owner = gateway.owner().await;
    let (_, path) = address(owner, owner, "DELETE /api/claws/{id}").await;
    let purge = format!("{path}?purge=true");
    let member = gateway.person("member").await;
    member.delete(&purge).refused(403, "forbidden").await;
    gateway
        .person("admin")
        .await
        .delete(&purge)
        .expect(202)
        .await;
    gateway.stop().await;
}
