//! The gateway dies at each kill point of apps and doors. No action is sent twice, and no credential stays in the
//! broker.

use std::path::Path;

use roost_platform::supervision::KILL_POINTS;
use roost_secret_broker::client::Client as Broker;
use roost_secret_broker::wire::Request as Verb;
use roost_tests::{Client, Issuer, Process, Store, eventually};
use serde_json::{Value, json};

use super::{App, connected_agent, issue};
use crate::connections::apps::come_back;

/// The points that have their case here.
pub const KILLED_THERE: &[&str] = &[
    "apps.sign_in.after_consume",
    "apps.sign_in.after_exchange",
    "doors.perform.after_take",
    "doors.perform.before_send",
    "doors.perform.after_call",
];

#[test]
fn every_kill_point_of_apps_and_doors_has_its_case_here() {
    let all = KILL_POINTS.iter().map(|point| point.name);
    let ours: Vec<&str> = all
        .filter(|name| name.starts_with("apps.") || name.starts_with("doors."))
        .collect();
    assert_eq!(ours, KILLED_THERE);
}

/// A gateway with its broker that dies and comes back.
pub struct Lives {
    folder: tempfile::TempDir,
    pub process: Process,
    token: String,
}

impl Lives {
    async fn begin(issuer: &Issuer, app: &App) -> Self {
        Self::with(issuer, app, &[]).await
    }

    /// With some more keys set.
    pub async fn with(issuer: &Issuer, app: &App, more: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let set = [
            ("outbound.allow_private", "[\"127.0.0.1\"]".to_owned()),
            ("sandboxes.local", "off".to_owned()),
            ("oauth.issuer_url", issuer.url()),
            ("oauth.client_id", "roost".to_owned()),
            ("oauth.redirect_base", "http://roost.test".to_owned()),
            ("oauth.apis.github", format!("http://{}", app.address)),
            ("chaos.allow", "true".to_owned()),
        ];
        let set = set.iter().map(|(key, value)| (*key, &**value));
        let set: Vec<(&str, &str)> = set.chain(more.iter().copied()).collect();
        let process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
        broker_answers(folder.path()).await;
        let token = process.owner_token().await;
        Self {
            folder,
            token,
            process,
        }
    }

    pub fn owner(&self) -> Client {
        Client::new(&self.process.url()).with_token(&self.token)
    }

    /// The next life ends at this point.
    pub async fn arm(&mut self, point: &str) {
        self.process.kill();
        assert!(self.process.again_with(&format!("{point}=abort")).await);
        broker_answers(self.folder.path()).await;
    }

    /// It must have been the kill point. It comes back with nothing armed.
    pub async fn see_it_died(&mut self) {
        self.process.ended_by(6).await;
        self.process.again().await;
        broker_answers(self.folder.path()).await;
    }
}

/// The broker of a gateway that has just started may not listen yet.
async fn broker_answers(folder: &Path) {
    let client = Broker::new(folder.join("data/broker/run/broker.sock"), "roost-tests");
    eventually("the broker answers", || async {
        client.call(&Verb::Status).await.ok().map(drop)
    })
    .await;
}

#[tokio::test]
async fn a_sign_in_that_is_cut_off_leaves_no_connection_and_can_be_begun_again() {
    for point in ["apps.sign_in.after_consume", "apps.sign_in.after_exchange"] {
        let (issuer, app) = (Issuer::start().await, App::start().await);
        let mut lives = Lives::begin(&issuer, &app).await;
        let made = lives
            .owner()
            .post("/api/claws")
            .json(&json!({ "name": "x" }))
            .expect(201)
            .await;
        let start = json!({ "clawId": made.str("/id"), "provider": "github" });
        // The broker of a gateway that has just started may not listen yet.
        let begun = eventually("the broker answers", || async {
            let answer = lives
                .owner()
                .post("/api/apps/oauth/start")
                .json(&start)
                .send()
                .await;
            (answer.status == 200).then_some(answer)
        })
        .await;
        lives.arm(point).await;
        let back = issuer.allow(begun.str("/authorize_url"));
        let url: url::Url = back.parse().unwrap();
        let path = format!("{}?{}", url.path(), url.query().unwrap());
        assert!(
            lives.owner().get(&path).try_send().await.is_err(),
            "{point} did not strike"
        );
        lives.see_it_died().await;
        let exchanged = issuer.exchanged().len();
        assert_eq!(
            exchanged,
            usize::from(point.ends_with("exchange")),
            "{point}"
        );
        let (status, ..) = come_back(&lives.process.url(), &back).await;
        assert_eq!(status, 404, "{point}: the state is used up");
        let listed = lives.owner().get("/api/apps/connections").expect(200).await;
        assert_eq!(listed.body["items"], json!([]), "{point}");
        let again = eventually("the broker answers again", || async {
            let answer = lives
                .owner()
                .post("/api/apps/oauth/start")
                .json(&start)
                .send()
                .await;
            (answer.status == 200).then_some(answer)
        })
        .await;
        let back = issuer.allow(again.str("/authorize_url"));
        assert_eq!(
            come_back(&lives.process.url(), &back).await.0,
            303,
            "{point}"
        );
        // What the cut-off one brought waits for its end in the outbox.
        let inspector = roost_tests::DbInspector::open(&lives.process.database()).await;
        let waiting =
            "SELECT COUNT(*) AS n FROM credential_deletions WHERE connection LIKE '%oauth_token'";
        assert_eq!(inspector.numbers(waiting).await, [1], "{point}");
        inspector.close().await;
        lives.process.kill();
    }
}

#[tokio::test]
async fn a_door_whose_gateway_died_in_the_middle_is_never_sent_again() {
    for (point, sent, end, why) in [
        ("doors.perform.after_take", 0, "failed", "Nothing was sent"),
        ("doors.perform.before_send", 0, "unclear", "Check the app"),
        ("doors.perform.after_call", 1, "unclear", "Check the app"),
    ] {
        let (issuer, app) = (Issuer::start().await, App::start().await);
        let mut lives = Lives::begin(&issuer, &app).await;
        let owner = lives.owner();
        let agent = connected_agent(&owner, app.address).await;
        lives.arm(point).await;
        let body =
            json!({ "agent_id": agent, "action": "github.issues.create", "params": issue() });
        let asked = owner.post("/api/doors").json(&body).expect(201).await;
        let path = format!("/api/doors/{}", asked.str("/id"));
        let yes = json!({ "decision": "approve" });
        // The answer may still come, or the gateway is dead by then.
        drop(
            owner
                .post(&format!("{path}/resolve"))
                .json(&yes)
                .try_send()
                .await,
        );
        lives.see_it_died().await;
        let found: Value = lives.owner().get(&path).expect(200).await.body;
        assert_eq!(found["state"], "performing", "{point}: it was taken");
        let inspector = roost_tests::DbInspector::open(&lives.process.database()).await;
        inspector
            .change("UPDATE doors SET begun_at = '2020-01-01T00:00:00+00:00'")
            .await;
        inspector.close().await;
        let told = super::until(&lives.owner(), asked.str("/id"), end).await;
        assert!(
            told["result"]["message"].as_str().unwrap().contains(why),
            "{told}"
        );
        assert_eq!(app.seen().len(), sent, "{point}");
        lives.process.kill();
    }
}
