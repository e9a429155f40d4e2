//! An app connection at a certified OpenID provider: start, sign in, callback, use, renewal with rotated refresh
//! tokens, withdrawn consent, revocation.

use roost_secret_broker::wire::{Answer as Reply, Request};
use roost_tests::broker::BrokerProcess;
use roost_tests::provider::Provider;
use roost_tests::{Browser, Gateway, ScratchPostgres, eventually, free_port};
use serde_json::{Value, json};
use url::Url;

use super::agent_of;
use crate::connections::doors::{App, decide, issue, until};

const CALLBACK: &str = "/api/apps/oauth/callback";
const CLIENT: [(&str, &str); 2] = [
    ("client_id", "apps"),
    ("client_secret", "a secret of the apps & its = signs"),
];

struct Place {
    provider: Provider,
    gateway: Gateway,
    broker: BrokerProcess,
    app: App,
    http: reqwest::Client,
    scratch: Option<ScratchPostgres>,
    _folder: tempfile::TempDir,
}

impl Place {
    async fn on(scratch: Option<ScratchPostgres>) -> Self {
        let listen = format!("127.0.0.1:{}", free_port());
        let base = format!("http://{listen}");
        let provider = Provider::start(&format!("{base}/api/auth/oidc/callback"));
        let folder = tempfile::tempdir().expect("a folder");
        BrokerProcess::keep_client_secret(folder.path(), "oauth", CLIENT[1].1);
        let broker = BrokerProcess::start(folder.path()).await;
        let app = App::start().await;
        let set = [
            ("listen", listen),
            ("sandboxes.local", "off".to_owned()),
            ("outbound.allow_private", "[\"127.0.0.1\"]".to_owned()),
            (
                "broker.socket",
                broker.client.socket().display().to_string(),
            ),
            ("oauth.issuer_url", provider.url().to_owned()),
            ("oauth.client_id", CLIENT[0].1.to_owned()),
            (
                "oauth.client_secret_file",
                BrokerProcess::client_secret_file(folder.path(), "oauth")
                    .display()
                    .to_string(),
            ),
            ("oauth.redirect_base", base),
            ("oauth.apis.github", format!("http://{}", app.address)),
        ];
        let gateway = Gateway::start_like(&set, scratch.as_ref()).await;
        Self {
            provider,
            gateway,
            broker,
            app,
            http: reqwest::Client::builder().build().expect("a client"),
            scratch,
            _folder: folder,
        }
    }

    /// Begins, signs in and agrees at the provider, and comes back: where the browser ends.
    async fn connects(&self, agent: &str, person: &str) -> (u16, String) {
        let owner = self.gateway.owner().await;
        let wish = json!({ "clawId": agent, "provider": "github" });
        let begun = owner
            .post("/api/apps/oauth/start")
            .json(&wish)
            .expect(200)
            .await;
        let at: Url = begun.str("/authorize_url").parse().expect("an address");
        let mut browser = Browser::new();
        let provider: Url = self.provider.url().parse().expect("an address");
        browser.set(&provider, "person", person);
        let page = browser.until(&at, |next| next.path() == CALLBACK).await;
        let back = page.leads_to.clone().unwrap_or_else(|| panic!("{page:?}"));
        let page = browser.step(&back).await;
        assert_eq!(browser.step(&back).await.status, 404, "once");
        let to = page
            .leads_to
            .map(|to| to[url::Position::BeforePath..].to_owned());
        (page.status, to.unwrap_or_default())
    }

    /// Uses the connection; how that ended, and the token that the app was sent, if it was.
    async fn uses(&self, agent: &str, end: &str) -> (Value, Option<String>) {
        let owner = self.gateway.owner().await;
        let before = self.app.seen().len();
        let wish =
            json!({ "agent_id": agent, "action": "github.issues.create", "params": issue() });
        let asked = owner.post("/api/doors").json(&wish).expect(201).await;
        decide(owner, asked.str("/id"), "approve").await;
        let done = until(owner, asked.str("/id"), end).await;
        let sent = self.app.seen().into_iter().nth(before);
        let token = sent.map(|sent| sent.authorization.trim_start_matches("Bearer ").to_owned());
        (done, token)
    }

    /// What the provider says of a token.
    async fn is_active(&self, token: &str) -> bool {
        let form = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(CLIENT)
            .append_pair("token", token)
            .finish();
        let url = format!("{}/token/introspection", self.provider.url());
        let answer = self
            .http
            .post(url)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await;
        let said: Value = answer.expect("an answer").json().await.expect("JSON");
        said["active"].as_bool().unwrap_or_else(|| panic!("{said}"))
    }

    async fn refreshes(&self) -> u64 {
        match self.broker.client.call(&Request::Status).await {
            Ok(Reply::Status(status)) => status.refreshes,
            other => panic!("a status: {other:?}"),
        }
    }

    async fn connection(&self) -> Value {
        let owner = self.gateway.owner().await;
        let listed = owner.get("/api/apps/connections").expect(200).await;
        assert_eq!(
            listed.body["items"].as_array().map(Vec::len),
            Some(1),
            "{}",
            listed.text
        );
        listed.body["items"][0].clone()
    }
}

#[tokio::test]
async fn an_app_is_connected_used_renewed_taken_back_and_revoked_at_a_certified_provider() {
    let mut back_ends = vec![None];
    if let Some(scratch) = ScratchPostgres::new().await {
        back_ends.push(Some(scratch));
    }
    for scratch in back_ends {
        let place = Place::on(scratch).await;
        let owner = place.gateway.owner().await;
        let agent = agent_of(owner).await;
        let (status, to) = place.connects(&agent, "nobody").await;
        assert_eq!(
            (status, to),
            (303, format!("/claws/{agent}?app=apps&declined=github")),
            "who refuses connects nothing"
        );
        let connected = (303, format!("/claws/{agent}?app=apps"));
        assert_eq!(place.connects(&agent, "ada").await, connected);
        let connection = place.connection().await;
        assert_eq!(
            (&connection["state"], &connection["renewable"]),
            (&json!("ready"), &json!(true))
        );

        // Each use renews, and each renewal's refresh token is another: an old one would end the grant.
        let mut tokens = Vec::new();
        for renewed in 1..=3 {
            let token = place
                .uses(&agent, "performed")
                .await
                .1
                .expect("it was sent");
            assert!(
                place.is_active(&token).await,
                "it is the provider's, and good"
            );
            assert!(!tokens.contains(&token), "another each time");
            assert_eq!(place.refreshes().await, renewed);
            tokens.push(token);
        }

        // The person takes it back at the provider.
        let withdraw = format!("{}/withdraw", place.provider.url());
        let withdraw = place.http.get(withdraw).send().await;
        assert_eq!(withdraw.expect("an answer").status(), 204);
        let (failed, sent) = place.uses(&agent, "failed").await;
        assert_eq!(sent, None, "nothing is sent without consent");
        let message = failed["result"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("revoked its consent"), "{failed}");
        assert_eq!(place.connection().await["state"], "needs_reauth");

        // Again, and then revoked from here.
        assert_eq!(place.connects(&agent, "ada").await, connected);
        let again = place.connection().await;
        assert_ne!(again["id"], connection["id"]);
        let token = place
            .uses(&agent, "performed")
            .await
            .1
            .expect("it was sent");
        assert!(place.is_active(&token).await);
        let path = format!("/api/apps/connections/{}", again["id"].as_str().unwrap());
        owner.delete(&path).expect(204).await;
        eventually("the provider takes the token back", || async {
            (!place.is_active(&token).await).then_some(())
        })
        .await;
        place.gateway.stop().await;
        if let Some(scratch) = place.scratch {
            scratch.remove().await;
        }
    }
}
