//! Host names whose address changes between two queries. The program connects to the checked address, with the system's
//! own resolver, and no name leads to this machine or the metadata address.

use std::net::Ipv4Addr;

use roost_secret_broker::client::Client as Broker;
use roost_secret_broker::wire::Request as Verb;
use roost_tests::hosted::{self, Manner};
use roost_tests::network::{METADATA, Names, in_a_network_of_its_own};
use roost_tests::tls_proxy::{Trap, tls_proxy};
use roost_tests::{Answer, Client, Issuer, Process, Store, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::connections::apps::come_back;
use crate::connections::doors::{App, decide, until};

/// The one private address that the deployment allows.
const ALLOWED: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const HERE: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// The programs, what they may reach, and what they may not.
struct Stage {
    names: Names,
    process: Process,
    owner: Client,
    agent: String,
    login: Issuer,
    people: hosted::Issuer,
    app: App,
    traps: [Trap; 2],
    _folder: TempDir,
}

impl Stage {
    async fn set(names: Names) -> Self {
        let (login, app) = (Issuer::start().await, App::start().await);
        let people = hosted::Issuer::start().await;
        people.becomes(Manner::Behind("https://people.test".to_owned()));
        login.metadata(json!({
            "issuer": "https://login.test",
            "authorization_endpoint": "https://login.test/authorize",
            "token_endpoint": "https://login.test/token",
            "revocation_endpoint": "https://login.test/revoke",
        }));
        let hosts = [
            ("login.test", login.address),
            ("tools.test", login.address),
            ("people.test", people.address()),
            ("hook.test", app.address),
        ];
        let authority = tls_proxy((ALLOWED, 443).into(), &hosts).await;
        let traps = [
            Trap::set((HERE, 443).into()).await,
            Trap::set((METADATA, 443).into()).await,
        ];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("authority.pem");
        std::fs::write(&file, authority).expect("a file");
        for (name, _) in hosts {
            names.answers(name, &[&[ALLOWED]]);
        }
        let set = [
            ("outbound.allow_private", "[\"127.0.0.2/32\"]"),
            ("outbound.ca_file", file.to_str().expect("UTF-8")),
            ("oauth.issuer_url", "https://login.test"),
            ("oauth.client_id", "roost"),
            ("oauth.redirect_base", "http://roost.test"),
            ("auth.mode", "hosted"),
            ("auth.issuer_url", "https://people.test"),
        ];
        let process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
        let broker = folder.path().join("data/broker/run/broker.sock");
        let broker = Broker::new(broker, "roost-tests");
        eventually("the broker answers", || async {
            broker.call(&Verb::Status).await.ok().map(drop)
        })
        .await;
        let owner = process.owner().await;
        let made = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
        let agent = made.expect(201).await.str("/id").to_owned();
        Self {
            names,
            process,
            owner,
            agent,
            login,
            people,
            app,
            traps,
            _folder: folder,
        }
    }

    async fn begin(&self, more: Value) -> Answer {
        let mut body = json!({ "clawId": self.agent, "provider": "github" });
        for (key, value) in more.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        let start = self.owner.post("/api/apps/oauth/start");
        start.json(&body).send().await
    }

    /// The browser comes back from an issuer that calls itself by its public name.
    async fn end(&self, begun: &Answer) -> (u16, String, String) {
        let back = self.login.allow(begun.str("/authorize_url"));
        let back = back.replace(&self.login.url(), "https://login.test");
        come_back(&self.process.url(), &back).await
    }

    async fn connections(&self) -> usize {
        let listed = self.owner.get("/api/apps/connections").expect(200).await;
        listed.body["items"].as_array().expect("a list").len()
    }

    async fn nobody_was_led_astray(&self) {
        for trap in &self.traps {
            trap.is_empty().await;
        }
    }
}

/// The metadata are read at the address that was checked, and the code is sent to none that was not.
#[test]
fn an_issuer_s_name_that_turns_private_between_start_and_callback_gets_no_code() {
    in_a_network_of_its_own(async |names| {
        let stage = Stage::set(names).await;
        for private in [HERE, METADATA] {
            stage.names.answers("login.test", &[&[ALLOWED], &[private]]);
            let begun = stage.begin(json!({})).await;
            assert_eq!(begun.status, 200, "{}", begun.text);
            // Asked once: a dialler that asks again after its check gets the second answer.
            assert_eq!(stage.names.given("login.test"), [[ALLOWED]]);
            let (status, _, text) = stage.end(&begun).await;
            assert_eq!(status, 500, "{text}");
            assert!(!text.contains(&private.to_string()), "{text}");
            assert_eq!(stage.names.given("login.test")[1], [private]);
            stage.nobody_was_led_astray().await;
            assert_eq!(
                (stage.connections().await, stage.login.exchanged().len()),
                (0, 0)
            );
            assert_eq!(stage.end(&begun).await.0, 404, "the state is used up");
        }
        let log = stage.process.log();
        assert!(
            log.contains("outbound.allow_private"),
            "said to the operator: {log}"
        );

        // Of two addresses in one answer the allowed one is dialled, whichever stands first.
        for mixed in [[HERE, ALLOWED], [ALLOWED, METADATA]] {
            stage.names.answers("login.test", &[&mixed]);
            let begun = stage.begin(json!({})).await;
            assert_eq!(begun.status, 200, "{}", begun.text);
            let (status, to, text) = stage.end(&begun).await;
            assert_eq!(
                (status, &*to),
                (303, &*format!("/claws/{}?app=apps", stage.agent)),
                "{text}"
            );
        }
        stage.nobody_was_led_astray().await;
        assert_eq!(
            (stage.connections().await, stage.login.exchanged().len()),
            (1, 2)
        );
    });
}

/// The first question goes to the server, the second, for who signs in for it, to nobody.
#[test]
fn an_mcp_server_s_name_that_turns_private_between_two_questions_is_not_followed() {
    in_a_network_of_its_own(async |names| {
        let stage = Stage::set(names).await;
        let missing = "/mcp/.well-known/openid-configuration";
        stage.login.answer(missing, 404, "");
        let named = json!({ "authorization_servers": ["https://login.test"] });
        let protected = "/.well-known/oauth-protected-resource/mcp";
        stage.login.answer(protected, 200, named.to_string());
        let described = json!({
            "issuer": "https://login.test",
            "authorization_endpoint": "https://login.test/authorize",
            "token_endpoint": "https://login.test/token",
        });
        let server = "/.well-known/oauth-authorization-server";
        stage.login.answer(server, 200, described.to_string());
        let wanted = json!({ "provider": "tools", "authType": "mcp_oauth", "issuerUrl": "https://tools.test/mcp" });
        for private in [HERE, METADATA] {
            stage.names.answers("tools.test", &[&[ALLOWED], &[private]]);
            let refused = stage.begin(wanted.clone()).await;
            assert_eq!(
                (refused.status, refused.str("/code")),
                (500, "internal"),
                "{}",
                refused.text
            );
            assert_eq!(stage.names.given("tools.test"), [[ALLOWED], [private]]);
            // The server it names is led astray instead of it.
            stage.names.answers("tools.test", &[&[ALLOWED]]);
            stage.names.answers("login.test", &[&[private]]);
            let refused = stage.begin(wanted.clone()).await;
            assert_eq!(
                (refused.status, refused.str("/code")),
                (500, "internal"),
                "{}",
                refused.text
            );
            stage.names.answers("login.test", &[&[ALLOWED]]);
            stage.nobody_was_led_astray().await;
        }
        let asked = stage.login.asked();
        assert_eq!(
            asked,
            [missing, missing, protected, missing, missing, protected]
        );
        // Nothing else stood in the way.
        let begun = stage.begin(wanted).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
    });
}

/// A webhook's name is asked for at every use, and its token is sent to no address that was not checked for that use.
#[test]
fn a_webhook_s_name_that_turns_private_gets_no_token() {
    in_a_network_of_its_own(async |names| {
        let stage = Stage::set(names).await;
        let new = json!({
            "clawId": stage.agent, "provider": "webhook", "secret": "rebind-canary-1f2e",
            "url": "https://hook.test/in",
        });
        let made = stage.owner.post("/api/apps/connections").json(&new);
        made.expect(201).await;
        let wish = json!({
            "agent_id": stage.agent, "action": "webhook.event.send",
            "params": { "event": "report.ready" },
        });
        for private in [HERE, METADATA] {
            stage.names.answers("hook.test", &[&[ALLOWED], &[private]]);
            for state in ["performed", "failed"] {
                let asked = stage.owner.post("/api/doors").json(&wish).expect(201).await;
                let door = asked.str("/id");
                decide(&stage.owner, door, "approve").await;
                let end = until(&stage.owner, door, state).await;
                if state == "failed" {
                    let message = end["result"]["message"].as_str().unwrap_or_default();
                    assert!(message.contains("could not be sent"), "{end}");
                }
            }
            assert_eq!(stage.names.given("hook.test"), [[ALLOWED], [private]]);
            stage.nobody_was_led_astray().await;
        }
        assert_eq!(stage.app.seen().len(), 2, "the two that were allowed");
    });
}

/// Keys are read at no address that was not checked, and nobody is signed in without them.
#[test]
fn issuer_name_that_turns_private_before_its_keys_are_read_signs_nobody_in() {
    in_a_network_of_its_own(async |names| {
        let stage = Stage::set(names).await;
        let named = json!({ "iss": "https://people.test", "role": "member" });
        let ada = stage.owner.with_token(&stage.people.token("ada", named));
        for private in [HERE, METADATA] {
            stage
                .names
                .answers("people.test", &[&[ALLOWED], &[private]]);
            let given = eventually("it is asked, and asked again", || async {
                let me = ada.get("/api/auth/me");
                me.refused(503, "issuer-unavailable").await;
                let given = stage.names.given("people.test");
                (given.len() > 1).then_some(given)
            })
            .await;
            assert_eq!(given[..2], [[ALLOWED], [private]]);
            assert_eq!(stage.people.key_fetches(), 0);
            stage.nobody_was_led_astray().await;
        }
        stage.names.answers("people.test", &[&[ALLOWED]]);
        eventually("the issuer is believed again", || async {
            let me = ada.get("/api/auth/me").send().await;
            (me.status == 200).then_some(())
        })
        .await;
        assert_eq!(stage.people.key_fetches(), 1);
    });
}
