//! Sign-in with a browser, at a certified OpenID provider.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use roost_gateway::app::Surroundings;
use roost_platform::clock::{Clock, SystemClock, TestClock};
use roost_secret_broker::wire::{Answer as Reply, Request};
use roost_tests::broker::BrokerProcess;
use roost_tests::provider::Provider;
use roost_tests::{Browser, Client, Gateway, Store, bin_dir, eventually, free_port};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use url::Url;

use super::ME;

const CALLBACK: &str = "/api/auth/oidc/callback";

struct Place {
    provider: Provider,
    gateway: Gateway,
    /// Moves the gateway's time.
    clock: TestClock,
    broker: BrokerProcess,
    _folder: tempfile::TempDir,
}

/// A gateway and its provider, which must know the gateway's address before it is there.
async fn place(more: &[(&'static str, &str)]) -> Place {
    let listen = format!("127.0.0.1:{}", free_port());
    let provider = Provider::start(&format!("http://{listen}{CALLBACK}"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut set = provider.settings(folder.path());
    let broker = BrokerProcess::start(folder.path()).await;
    set.push(("listen", listen));
    set.extend(more.iter().map(|(key, value)| (*key, (*value).to_owned())));
    let set: Vec<(&str, &str)> = set.iter().map(|(key, value)| (*key, &**value)).collect();
    let clock = TestClock::at(SystemClock.now());
    let around = Surroundings {
        clock: Arc::new(clock.clone()),
        ..Surroundings::default()
    };
    let own = tempfile::tempdir().expect("a folder");
    let gateway = Gateway::start_in(own, &Store::Sqlite, &set, around);
    Place {
        gateway: gateway.await.expect("the gateway starts"),
        provider,
        clock,
        broker,
        _folder: folder,
    }
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
async fn callback_works_once_and_only_for_the_browser_that_began() {
    let place = place(&[]).await;
    let mut browser = place.browser("ada");
    let back = place.way_back(&mut browser).await;
    // Another browser with the same address gets 404 and does not end the sign-in.
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
    let program = place.gateway.anonymous();
    for query in ["", "?state=", "?state=made-up&code=x", "?code=x"] {
        let forged = browser.step(&place.at(&format!("{CALLBACK}{query}"))).await;
        assert_eq!(forged.status, 404, "{query}");
        // A program that takes JSON is answered as on every route.
        let forged = program.get(&format!("{CALLBACK}{query}"));
        let forged = forged.header("accept", "application/json");
        forged.refused(404, "sign-in-unknown").await;
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
async fn operators_account_is_linked_by_the_person_who_is_signed_in_to_it() {
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
async fn roost_login_waits_for_a_code_that_a_provider_signed_in_person_confirms() {
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

#[tokio::test]
async fn program_gets_json_when_no_provider_is_configured() {
    let gateway = Gateway::start().await;
    let start = gateway.anonymous().get("/api/auth/oidc/start");
    let refused = start.header("accept", "application/json");
    let refused = refused.refused(404, "not-found").await;
    assert_eq!(refused.header("content-type"), "application/problem+json");
    let page = gateway.anonymous().get("/api/auth/oidc/start");
    let page = page
        .header("accept", "text/html,*/*;q=0.8")
        .expect(404)
        .await;
    assert!(page.header("content-type").starts_with("text/html"));
    gateway.stop().await;
}

const MINUTE: Duration = Duration::from_secs(60);

impl Place {
    /// Somebody who has just signed in.
    async fn signed_in(&self, person: &str) -> Browser {
        let mut browser = self.browser(person);
        browser.go(&self.at("/api/auth/oidc/start")).await;
        assert_eq!(self.me(&browser).await.status, 200);
        browser
    }

    /// What an administrator of the provider does.
    async fn at_the_provider(&self, path: &str) {
        let provider = Client::new(self.provider.url());
        provider.get(path).expect(204).await;
    }

    async fn records(&self) -> u64 {
        match self.broker.client.call(&Request::Status).await {
            Ok(Reply::Status(status)) => status.records,
            other => panic!("a status: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_role_that_changes_at_the_provider_changes_here_within_five_minutes() {
    let place = place(&[]).await;
    let browser = place.signed_in("ada").await;
    let role = async || place.me(&browser).await.str("/role").to_owned();
    assert_eq!(role().await, "admin");
    place.at_the_provider("/role?person=ada&role=viewer").await;
    place.clock.advance(4 * MINUTE);
    assert_eq!(role().await, "admin", "it is not asked more often");
    place.clock.advance(MINUTE);
    assert_eq!(role().await, "viewer");
    place.at_the_provider("/role?person=ada&role=owner").await;
    place.clock.advance(5 * MINUTE);
    // Of many requests at once one asks, and none fails.
    let asked = (0..20).map(|_| place.me(&browser));
    for answer in futures::future::join_all(asked).await {
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert_eq!(role().await, "owner");
    place.gateway.stop().await;
}

#[tokio::test]
async fn a_person_whom_the_provider_shuts_out_is_out_within_five_minutes_here_and_in_the_terminal()
{
    let place = place(&[]).await;
    let browser = place.signed_in("ada").await;
    let terminal = terminal_of(&place, &browser).await;
    terminal.get(ME).expect(200).await;
    assert_eq!(
        place.records().await,
        1,
        "the refresh token is with the broker"
    );
    place.at_the_provider("/withdraw").await;
    place.clock.advance(5 * MINUTE);
    assert_eq!(place.me(&browser).await.status, 401);
    terminal.get(ME).refused(401, "unauthenticated").await;
    eventually("the broker forgets the tokens", || async {
        (place.records().await == 0).then_some(())
    })
    .await;
    place.gateway.stop().await;
}

/// A terminal that the person in the browser confirms.
async fn terminal_of(place: &Place, browser: &Browser) -> Client {
    let begun = place.gateway.anonymous().post("/api/auth/device");
    let begun = begun
        .json(&json!({ "device": "roost on desk" }))
        .expect(200)
        .await;
    let cookie = browser.cookie(&place.at("/"), "roost_session");
    let confirm = place.gateway.anonymous().post("/api/auth/device/confirm");
    let confirm = confirm.json(&json!({ "code": begun.str("/code") }));
    let confirm = confirm.header("origin", &place.gateway.url());
    let cookie = format!("roost_session={}", cookie.expect("a session"));
    confirm.header("cookie", &cookie).expect(204).await;
    let ask = place.gateway.anonymous().post("/api/auth/device/token");
    let done = ask.json(&json!({ "device_code": begun.str("/device_code") }));
    let done = done.expect(200).await;
    place.gateway.anonymous().with_token(done.str("/token"))
}

#[tokio::test]
async fn without_a_refresh_token_a_sign_in_lasts_an_hour() {
    let place = place(&[]).await;
    let browser = place.signed_in("brief").await;
    eventually("nothing is kept that is of no use", || async {
        (place.records().await == 0).then_some(())
    })
    .await;
    place.clock.advance(59 * MINUTE);
    assert_eq!(place.me(&browser).await.status, 200);
    place.clock.advance(MINUTE);
    assert_eq!(place.me(&browser).await.status, 401);
    place.gateway.stop().await;
}

#[tokio::test]
async fn a_provider_that_is_away_is_believed_for_an_hour_and_no_longer() {
    let mut place = place(&[]).await;
    let browser = place.signed_in("ada").await;
    place.provider.stop();
    place.clock.advance(5 * MINUTE);
    assert_eq!(place.me(&browser).await.status, 200);
    place.clock.advance(54 * MINUTE);
    assert_eq!(place.me(&browser).await.status, 200);
    place.clock.advance(MINUTE);
    let away = place.me(&browser).await;
    assert_eq!(
        (away.status, away.str("/code")),
        (503, "issuer-unavailable")
    );
    place.gateway.stop().await;
}

#[tokio::test]
async fn signing_out_has_the_broker_forget_the_tokens() {
    let place = place(&[]).await;
    let (one, two) = (place.signed_in("ada").await, place.signed_in("ada").await);
    eventually("the newest sign-in replaces the one before", || async {
        (place.records().await == 1).then_some(())
    })
    .await;
    for (browser, left) in [(&one, 1), (&two, 0)] {
        let cookie = browser.cookie(&place.at("/"), "roost_session");
        let cookie = format!("roost_session={}", cookie.expect("a session"));
        let out = place.gateway.anonymous().post("/api/auth/logout");
        let out = out.header("origin", &place.gateway.url());
        out.header("cookie", &cookie).expect(204).await;
        eventually("the tokens of the last session are forgotten", || async {
            (place.records().await == left).then_some(())
        })
        .await;
    }
    place.gateway.stop().await;
}
