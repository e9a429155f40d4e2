//! Signing in with a browser, against a certified OpenID provider.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use roost_tests::provider::Provider;
use roost_tests::{Browser, Gateway, bin_dir, free_port};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use url::Url;

use super::ME;

const CALLBACK: &str = "/api/auth/oidc/callback";

struct Place {
    provider: Provider,
    gateway: Gateway,
}

/// A gateway and its provider, which must know the gateway's address before it is there.
async fn place(more: &[(&'static str, &str)]) -> Place {
    let listen = format!("127.0.0.1:{}", free_port());
    let provider = Provider::start(&format!("http://{listen}{CALLBACK}"));
    let mut set = provider.settings();
    set.push(("listen", listen));
    set.extend(more.iter().map(|(key, value)| (*key, (*value).to_owned())));
    let gateway = Gateway::start_like(&set, None).await;
    Place { provider, gateway }
}

impl Place {
    fn at(&self, path: &str) -> Url {
        format!("{}{path}", self.gateway.url())
            .parse()
            .expect("an address")
    }

    /// A browser of somebody whom the provider knows.
    fn browser(&self, person: &str) -> Browser {
        let mut browser = Browser::new();
        let provider: Url = self.provider.url().parse().expect("an address");
        browser.set(&provider, "person", person);
        browser
    }

    /// Up to the way back, without going it.
    async fn way_back(&self, browser: &mut Browser) -> Url {
        let start = self.at("/api/auth/oidc/start?next=/fleet%3Fq%3D1");
        let page = browser.until(&start, |next| next.path() == CALLBACK).await;
        page.leads_to.clone().unwrap_or_else(|| panic!("{page:?}"))
    }

    async fn me(&self, browser: &Browser) -> roost_tests::Answer {
        let cookie = browser.cookie(&self.at("/"), "roost_session");
        let cookie = format!("roost_session={}", cookie.unwrap_or_default());
        let request = self.gateway.anonymous().get(ME);
        request.header("cookie", &cookie).send().await
    }
}

#[tokio::test]
async fn a_browser_signs_in_by_code_and_ends_on_the_page_it_wanted() {
    let place = place(&[]).await;
    let setup = place
        .gateway
        .anonymous()
        .get("/api/setup")
        .expect(200)
        .await;
    assert_eq!(setup.str("/hosted/name"), "The provider");
    let mut browser = place.browser("ada");
    let back = place.way_back(&mut browser).await;
    let page = browser.step(&back).await;
    assert_eq!(page.status, 303, "{page:?}");
    assert_eq!(page.leads_to, Some(place.at("/fleet?q=1")));
    let me = place.me(&browser).await;
    assert_eq!(me.status, 200, "{}", me.text);
    assert_eq!(me.str("/user/email"), "ada@example.com");
    assert_eq!(
        (me.str("/user/name"), me.str("/role")),
        ("The ada", "admin")
    );
    assert_eq!(me.body["hosted"], true);
    // Again: the same person, another session.
    let mut other = place.browser("ada");
    other.go(&place.at("/api/auth/oidc/start")).await;
    assert_eq!(place.me(&other).await.str("/user/id"), me.str("/user/id"));
    assert_ne!(
        other.cookie(&place.at("/"), "roost_session"),
        browser.cookie(&place.at("/"), "roost_session")
    );
    place.gateway.stop().await;
}

#[tokio::test]
async fn the_way_back_is_gone_once_by_the_browser_that_began_and_by_nobody_else() {
    let place = place(&[]).await;
    let mut browser = place.browser("ada");
    let back = place.way_back(&mut browser).await;
    // Whoever has the address but not the browser is told that there is nothing, and spoils nothing.
    let stolen = place.browser("eve").step(&back).await;
    assert_eq!(stolen.status, 404);
    assert!(
        stolen.text.contains("Back to the sign-in page"),
        "{}",
        stolen.text
    );
    let raced = (0..100).map(|_| {
        let (mut browser, back) = (browser.clone(), back.clone());
        async move { browser.step(&back).await.status }
    });
    let mut answers = futures::future::join_all(raced).await;
    answers.sort_unstable();
    assert_eq!(answers[0], 303);
    assert!(
        answers[1..].iter().all(|status| *status == 404),
        "{answers:?}"
    );
    for query in ["", "?state=", "?state=made-up&code=x", "?code=x"] {
        let forged = browser.step(&place.at(&format!("{CALLBACK}{query}"))).await;
        assert_eq!(forged.status, 404, "{query}");
    }
    place.gateway.stop().await;
}

#[tokio::test]
async fn what_the_provider_refuses_or_another_one_says_is_a_page_that_says_so() {
    let place = place(&[]).await;
    let mut refused = place.browser("nobody");
    let page = refused.go(&place.at("/api/auth/oidc/start")).await;
    assert_eq!(page.status, 403);
    assert!(
        page.text.contains("&lt;b&gt;not&lt;/b&gt; today"),
        "{}",
        page.text
    );
    assert!(!page.text.contains("<b>not"));
    for (name, value) in [
        ("iss", Some("https://elsewhere.example")),
        ("iss", None),
        ("code", Some("another")),
    ] {
        let mut browser = place.browser("ada");
        let mut back = place.way_back(&mut browser).await;
        let kept: Vec<(String, String)> = back.query_pairs().into_owned().collect();
        let kept = kept.into_iter().filter(|(key, _)| key != name);
        let changed: Vec<(String, String)> = kept
            .chain(value.map(|value| (name.to_owned(), value.to_owned())))
            .collect();
        back.query_pairs_mut().clear().extend_pairs(changed);
        let page = browser.step(&back).await;
        assert!([401, 503].contains(&page.status), "{name}: {page:?}");
        assert_eq!(place.me(&browser).await.status, 401, "{name}");
    }
    let mut guest = place.browser("guest");
    let page = guest.go(&place.at("/api/auth/oidc/start")).await;
    assert_eq!(page.status, 403);
    assert!(
        page.text.contains("/problems/not-admitted"),
        "{}",
        page.text
    );
    place.gateway.stop().await;
}

#[tokio::test]
async fn an_operators_account_is_linked_by_whoever_is_signed_in_to_it() {
    let place = place(&[("operators", "[\"ada@example.com\"]")]).await;
    let mut browser = place.browser("ada");
    let page = browser.go(&place.at("/api/auth/oidc/start")).await;
    assert_eq!(page.status, 409, "{page:?}");
    let owner = place.gateway.owner().await;
    let answer = owner.post("/api/auth/oidc/link").expect(200).await;
    let set = answer.header("set-cookie").split(';').next().unwrap();
    let (name, value) = set.split_once('=').unwrap();
    browser.set(&place.at("/"), name, value);
    let to: Url = answer.str("/url").parse().unwrap();
    let page = browser.until(&to, |next| next.path() == "/account").await;
    assert_eq!(page.status, 303, "{page:?}");
    assert_eq!(place.me(&browser).await.str("/user/id"), owner.id);
    // A program's token must not give the account away.
    let program = owner
        .post("/api/auth/sessions")
        .json(&json!({ "label": "x" }));
    let token = program.expect(201).await.str("/token").to_owned();
    let program = place.gateway.anonymous().with_token(&token);
    let link = program.post("/api/auth/oidc/link");
    link.refused(403, "forbidden").await;
    place.gateway.stop().await;
}

/// `roost` as somebody runs it at a terminal, with a file of its own for the session.
fn roost(config: &Path) -> Command {
    let mut command = Command::new(bin_dir().join("roost"));
    for (key, _) in std::env::vars_os() {
        if key.to_string_lossy().starts_with("ROOST_") {
            command.env_remove(key);
        }
    }
    command
        .env("ROOST_CLIENT_CONFIG", config)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

#[tokio::test]
async fn roost_login_waits_for_a_code_that_somebody_confirms_who_signed_in_at_the_provider() {
    let place = place(&[]).await;
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("client.toml");
    let mut login = roost(&config);
    let mut login = login
        .args(["login", "--url", &place.gateway.url()])
        .spawn()
        .unwrap();
    let mut said = BufReader::new(login.stderr.take().unwrap()).lines();
    let opens = said.next_line().await.unwrap().unwrap();
    let page: Url = opens.trim_start_matches("Open ").parse().unwrap();
    assert_eq!(
        (page.origin(), page.path()),
        (place.at("/").origin(), "/device")
    );
    let code = page.fragment().unwrap();
    let asks = said.next_line().await.unwrap().unwrap();
    assert!(asks.contains(&format!("the code is {code}.")), "{asks}");

    // The page, in the browser of somebody who signs in for it.
    let mut browser = place.browser("ada");
    browser
        .go(&place.at("/api/auth/oidc/start?next=/device"))
        .await;
    let cookie = browser.cookie(&place.at("/"), "roost_session").unwrap();
    let asked = |path: &str| {
        let request = place.gateway.anonymous().post(path);
        let request = request.json(&json!({ "code": code }));
        let request = request.header("cookie", &format!("roost_session={cookie}"));
        request.header("origin", &place.gateway.url())
    };
    let seen = asked("/api/auth/device/look").expect(200).await;
    assert!(
        seen.str("/device").starts_with("roost on "),
        "{}",
        seen.text
    );
    assert!(login.try_wait().unwrap().is_none(), "it waits");
    asked("/api/auth/device/confirm").expect(204).await;

    let ended = login.wait_with_output().await.unwrap();
    let told = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success(), "{told}");
    assert!(
        told.contains("Signed in as ada@example.com: admin"),
        "{told}"
    );
    let kept = std::fs::read_to_string(&config).unwrap();
    assert!(kept.contains("rst_") && !told.contains("rst_"), "{told}");
    let mode = std::fs::metadata(&config).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let who = roost(&config)
        .args(["whoami", "--json"])
        .output()
        .await
        .unwrap();
    let who: serde_json::Value = serde_json::from_slice(&who.stdout).unwrap();
    assert_eq!(who["user"]["email"], "ada@example.com");

    // Confirmed once, for one terminal.
    asked("/api/auth/device/confirm")
        .refused(404, "sign-in-unknown")
        .await;
    let out = roost(&config).arg("logout").output().await.unwrap();
    assert!(out.status.success());
    let after = roost(&config)
        .args(["whoami", "--json"])
        .output()
        .await
        .unwrap();
    assert!(!after.status.success());
    place.gateway.stop().await;
}
