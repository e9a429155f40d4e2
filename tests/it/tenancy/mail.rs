//! Mail through a real server: a new address is confirmed by its link, invitations are sent, and people who want it are told
//! about runs that failed.

use roost_execution::runs::StepResult;
use roost_gateway::config::{self, Overrides};
use roost_tests::smtp_server::{SmtpServer, TakenMail};
use roost_tests::{Answer, Client, Gateway, Person, ScratchPostgres, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use crate::execution::runs::crew::Crew;
use crate::execution::runs::{line_of, over, started};

const FROM: &str = "Roost <roost@example.test>";
const PASSWORD: &str = "a long enough one";

/// A gateway on each back end that sends its mail to this server. Its agents fail.
async fn on_each(
    server: &SmtpServer,
    more: &[(&str, &str)],
) -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let url = server.url("smtp");
    let mut set = vec![("smtp_url", &*url), ("smtp_from", FROM)];
    set.extend(more);
    Crew::that(|_, _| Some(StepResult::terminal("The agent gave up.")))
        .with(&set)
        .await
}

async fn over_with(gateway: Gateway, scratch: Option<ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

/// The mail to this address, when it is there.
async fn mail_to(server: &SmtpServer, recipient: &str) -> TakenMail {
    eventually("the mail is there", async || {
        let mails = server.mails();
        mails
            .into_iter()
            .find(|mail| mail.recipients == [recipient])
    })
    .await
}

/// What follows `#` in the link of a mail.
fn secret_of(mail: &TakenMail) -> String {
    let (_, rest) = mail.text.split_once('#').expect("a link");
    let secret = rest.split_whitespace().next();
    secret.expect("a secret").to_owned()
}

async fn wants(person: &Person, email: &str) -> Answer {
    let change = person.patch("/api/auth/me");
    let change = change.json(&json!({ "email": email, "password": PASSWORD }));
    change.expect(200).await
}

async fn confirm(client: &Client, token: &str) -> Answer {
    let confirm = client.post("/api/auth/confirm-address");
    confirm.json(&json!({ "token": token })).send().await
}

#[tokio::test]
async fn new_address_is_used_when_the_link_that_was_sent_there_is_opened() {
    let server = SmtpServer::start(None);
    for (gateway, scratch) in on_each(&server, &[]).await {
        let owner = gateway.owner().await;
        let bea = gateway.person("member").await;
        let set = bea.post("/api/auth/password");
        set.json(&json!({ "new": PASSWORD })).expect(204).await;
        let new = format!("bea-{}@example.test", bea.id);
        let changed = wants(&bea, &new).await;
        assert_eq!(changed.body["mail"], true);
        assert_eq!(changed.str("/pending_email"), new);
        assert_eq!(changed.str("/user/email"), bea.email);
        let first = mail_to(&server, &new).await;
        assert_eq!(first.from, FROM);
        assert!(first.text.contains("/confirm-address#rem_"), "{first:?}");

        // A newer wish ends the older link.
        let other = format!("b-{}@example.test", bea.id);
        wants(&bea, &other).await;
        let second = mail_to(&server, &other).await;
        let nobody = gateway.anonymous();
        assert_eq!(confirm(&nobody, &secret_of(&first)).await.status, 404);
        let done = confirm(&nobody, &secret_of(&second)).await;
        assert_eq!(
            (done.status, done.str("/email")),
            (200, &*other),
            "{}",
            done.text
        );
        assert_eq!(confirm(&nobody, &secret_of(&second)).await.status, 404);
        let me = bea.get("/api/auth/me").expect(200).await;
        assert_eq!(
            (me.str("/user/email"), &me.body["pending_email"]),
            (&*other, &Value::Null)
        );
        // The present address takes a wish back.
        wants(&bea, &new).await;
        assert_eq!(wants(&bea, &other).await.body["pending_email"], Value::Null);

        let audit = owner.get("/api/audit?action=account.*").expect(200).await;
        let actions: Vec<&str> = audit.body["items"]
            .as_array()
            .expect("entries")
            .iter()
            .filter_map(|entry| entry["action"].as_str())
            .collect();
        let wanted = "account.address_wanted";
        assert_eq!(actions, [wanted, "account.address_changed", wanted, wanted]);
        assert!(!audit.text.contains("rem_"));
        // A person sends mail to few addresses of others.
        for n in 3..10 {
            wants(&bea, &format!("{n}-{new}")).await;
        }
        let more = bea.patch("/api/auth/me");
        let more = more.json(&json!({ "email": format!("x-{new}"), "password": PASSWORD }));
        more.refused(429, "too-many-attempts").await;
        // The text of a mail that was sent is deleted: it has the link.
        let db = gateway.app().db();
        let left = "SELECT COUNT(*) AS n FROM mails WHERE text <> '' AND ended_at IS NOT NULL";
        let left = Statement::from_string(db.backend().into(), left);
        let left = db
            .read()
            .query_one_raw(left)
            .await
            .expect("read")
            .expect("a row");
        assert_eq!(left.try_get::<i64>("", "n").expect("a number"), 0);
        over_with(gateway, scratch).await;
    }
}

#[tokio::test]
async fn invitation_for_an_address_is_sent_there_over_tls() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let (certificate, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    std::fs::write(&certificate, made.cert.pem()).expect("a file");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("a file");
    let server = SmtpServer::start(Some((&certificate, &key)));
    let url = server.url("smtps");
    let authority = certificate.display().to_string();
    let set = [
        ("smtp_url", &*url),
        ("smtp_from", FROM),
        ("outbound.ca_file", &*authority),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let path = format!("/api/workspaces/{}/invitations", owner.workspace);
    let invite = |body: Value| owner.post(&path).json(&body);
    let without = invite(json!({ "role": "viewer" })).expect(201).await;
    assert_eq!(without.body["mailed"], false);
    let made = invite(json!({ "role": "viewer", "email": "cy@example.test" }));
    let made = made.expect(201).await;
    assert_eq!(made.body["mailed"], true);
    let mail = mail_to(&server, "cy@example.test").await;
    assert!(mail.subject.contains("Home"), "{mail:?}");
    assert_eq!(secret_of(&mail), made.str("/token"));
    assert_eq!(server.mails().len(), 1);
    gateway.stop().await;
}

#[tokio::test]
async fn person_who_wants_notices_gets_one_for_each_failed_run() {
    let server = SmtpServer::start(None);
    let public = ("public_url", "https://roost.example.test");
    for (gateway, scratch) in on_each(&server, &[public]).await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["worker"]).await;
        // Before the person wanted notices.
        over(owner, &started(owner, &team).await).await;
        let notices = |on: bool| {
            let change = owner.patch("/api/auth/me");
            change.json(&json!({ "mail_notices": on })).expect(200)
        };
        assert_eq!(notices(true).await.body["mail_notices"], true);
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(run.body["status"], "failed", "{run:?}");
        let link = format!("https://roost.example.test/runs/{}", run.str("/id"));
        let mail = eventually("the notice is there", async || {
            let mails = server.mails();
            mails.into_iter().find(|mail| mail.text.contains(&link))
        })
        .await;
        assert_eq!(mail.recipients, [owner.email.as_str()]);
        assert!(mail.subject.starts_with("Failed: "), "{mail:?}");
        assert_eq!(notices(false).await.body["mail_notices"], false);
        let queued = "SELECT COUNT(*) AS n FROM mails";
        let db = gateway.app().db();
        let queued = Statement::from_string(db.backend().into(), queued);
        let queued = db
            .read()
            .query_one_raw(queued)
            .await
            .expect("read")
            .expect("a row");
        assert_eq!(queued.try_get::<i64>("", "n").expect("a number"), 1);
        over_with(gateway, scratch).await;
    }
}

#[tokio::test]
async fn person_who_wants_notices_is_told_of_a_missed_goal_of_a_long_run_and_of_a_wait() {
    let server = SmtpServer::start(None);
    let url = server.url("smtp");
    let set = [("smtp_url", &*url), ("smtp_from", FROM)];
    for (gateway, scratch) in Crew::that(|_, _| Some(StepResult::Done("Done.".to_owned())))
        .with(&set)
        .await
    {
        let owner = gateway.owner().await;
        let on = json!({ "mail_notices": true });
        owner.patch("/api/auth/me").json(&on).expect(200).await;
        let team = line_of(owner, &["worker"]).await;
        let runs = [
            started(owner, &team).await,
            started(owner, &team).await,
            started(owner, &team).await,
            started(owner, &team).await,
            started(owner, &team).await,
        ];
        for run in &runs {
            let over = over(owner, run).await;
            assert_eq!(over.body["status"], "completed", "{over:?}");
        }
        // What took long and what waits, without the time that it takes.
        let ago = |minutes: i64| chrono::Utc::now().timestamp_millis() - minutes * 60_000;
        let away = format!(
            r#"{{"on":{{"type":"machine","machine":"{}"}},"text":"The machine den is not connected.","since_ms":{}}}"#,
            owner.id,
            ago(6)
        );
        // The last one was short and is in order, so nobody is told.
        let [missed, long, waits, late, _] = &runs;
        let changes = [
            (
                missed,
                "topology_runs",
                "outcome = 'rejected', outcome_reason = 'The check failed.'".to_owned(),
                "id",
            ),
            (
                long,
                "topology_runs",
                format!("created_ms = {}", ago(30)),
                "id",
            ),
            (
                waits,
                "run_state",
                format!("status = 'running', waiting_on = '{away}'"),
                "run_id",
            ),
        ];
        let db = gateway.app().db();
        let write = async |sql: String, values: Vec<sea_orm::Value>| {
            let tx = db.write().await.expect("a transaction");
            let sql = Statement::from_sql_and_values(db.backend().into(), sql, values);
            let done = tx.execute_raw(sql).await.expect("it is written");
            assert_eq!(done.rows_affected(), 1);
            tx.commit().await.expect("a commit");
        };
        let early = chrono::Utc::now() - chrono::TimeDelta::hours(1);
        let person: uuid::Uuid = owner.id.parse().expect("an id");
        let sql = "UPDATE users SET mail_notices_at = $1 WHERE id = $2".to_owned();
        write(sql, vec![early.into(), person.into()]).await;
        for (run, table, set, key) in changes {
            let run: uuid::Uuid = run.parse().expect("an id");
            let sql = format!("UPDATE {table} SET {set} WHERE {key} = $1");
            write(sql, vec![run.into()]).await;
        }
        let told = async |run: &String, subject: &str, text: &str| {
            let mail = eventually("the notice is there", async || {
                let mails = server.mails();
                mails
                    .into_iter()
                    .find(|mail| mail.text.contains(run.as_str()))
            })
            .await;
            assert!(mail.subject.starts_with(subject), "{mail:?}");
            assert!(mail.text.contains(text), "{mail:?}");
        };
        told(missed, "Rejected: ", "The check failed.").await;
        told(long, "Completed: ", "is completed.").await;
        told(waits, "Waits: ", "The machine den is not connected.").await;
        // Another look tells of the next run, and of the earlier ones nothing again.
        let id: uuid::Uuid = late.parse().expect("an id");
        let sql =
            "UPDATE topology_runs SET outcome = 'rejected', outcome_reason = 'Late.' WHERE id = $1";
        write(sql.to_owned(), vec![id.into()]).await;
        told(late, "Rejected: ", "Late.").await;
        let ours = |run: &String| {
            let mails = server.mails().into_iter();
            mails
                .filter(|mail| mail.text.contains(run.as_str()))
                .count()
        };
        assert_eq!(runs.iter().map(ours).collect::<Vec<_>>(), [1, 1, 1, 1, 0]);
        over_with(gateway, scratch).await;
    }
}

#[tokio::test]
async fn person_who_wants_notices_is_told_of_a_mission_that_waits_for_a_decision() {
    let server = SmtpServer::start(None);
    for (gateway, scratch) in on_each(&server, &[]).await {
        let owner = gateway.owner().await;
        let on = json!({ "mail_notices": true });
        owner.patch("/api/auth/me").json(&on).expect(200).await;
        // No model is there, so its run fails.
        let writers = crate::missions::template(owner, "Writers").await;
        let new = json!({ "template_kind": "research", "title": "Read all", "goal": "Read.", "team_template_id": writers });
        let made = owner.post("/api/missions").json(&new).expect(201).await;
        let id = made.str("/id").to_owned();
        let launch = owner.post(&format!("/api/missions/{id}/status"));
        let launch = launch.json(&json!({ "status": "running", "accept_lacks": true }));
        launch.expect(202).await;
        let mail = eventually("the notice is there", async || {
            let mails = server.mails();
            mails
                .into_iter()
                .find(|mail| mail.text.contains(&format!("/missions/{id}")))
        })
        .await;
        assert_eq!(mail.subject, "Paused: Read all");
        assert!(mail.text.contains("waits for you"), "{mail:?}");
        over_with(gateway, scratch).await;
    }
}

/// A request of an agent of this person that waits for a decision.
pub(crate) async fn ask(gateway: &Gateway, person: &Person, run: Option<&str>) -> String {
    let agent = person.post("/api/claws").json(&json!({ "name": "ada" }));
    let agent = agent.expect(201).await;
    let id = |text: &str| text.parse::<uuid::Uuid>().expect("an id");
    let (door, now) = (uuid::Uuid::now_v7(), chrono::Utc::now());
    let row: Vec<(&str, sea_orm::Value)> = vec![
        ("id", door.into()),
        ("workspace_id", id(&person.workspace).into()),
        ("agent_id", id(agent.str("/id")).into()),
        ("agent_name", "ada".into()),
        ("action", "webhook.event.send".into()),
        ("target", "builds".into()),
        ("summary", "Send an event".into()),
        ("address", "https://hooks.example.test/1".into()),
        ("params", json!({}).into()),
        ("state", "pending".into()),
        ("requested_by", id(&person.id).into()),
        ("run_id", run.map(id).into()),
        ("created_at", now.into()),
        ("expires_at", (now + chrono::TimeDelta::hours(1)).into()),
    ];
    let (names, values): (Vec<&str>, Vec<sea_orm::Value>) = row.into_iter().unzip();
    let places: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
    let (names, places) = (names.join(", "), places.join(", "));
    let db = gateway.app().db();
    let tx = db.write().await.expect("a transaction");
    let sql = format!("INSERT INTO doors ({names}) VALUES ({places})");
    let insert = Statement::from_sql_and_values(db.backend().into(), sql, values);
    tx.execute_raw(insert).await.expect("a door");
    tx.commit().await.expect("a commit");
    door.to_string()
}

#[tokio::test]
async fn person_who_wants_notices_gets_one_for_each_approval_that_an_agent_waits_for() {
    let server = SmtpServer::start(None);
    for (gateway, scratch) in on_each(&server, &[]).await {
        let owner = gateway.owner().await;
        let change = owner.patch("/api/auth/me");
        change
            .json(&json!({ "mail_notices": true }))
            .expect(200)
            .await;
        let before = server.mails().len();
        ask(&gateway, owner, None).await;
        let mail = eventually("the notice is there", async || {
            server.mails().into_iter().nth(before)
        })
        .await;
        assert_eq!(mail.recipients, [owner.email.as_str()]);
        assert_eq!(mail.subject, "Waits for your approval: ada");
        assert!(mail.text.contains("Send an event (builds)"), "{mail:?}");
        // Without `public_url` it says where to look.
        assert!(
            mail.text.contains("/approvals/") && !mail.text.contains("http"),
            "{mail:?}"
        );
        over_with(gateway, scratch).await;
    }
}

#[tokio::test]
async fn refused_mail_ends_with_its_reason_and_a_busy_server_is_asked_again() {
    let server = SmtpServer::start(None);
    for (gateway, scratch) in on_each(&server, &[]).await {
        let owner = gateway.owner().await;
        let path = format!("/api/workspaces/{}/invitations", owner.workspace);
        let state = async |email: &str| {
            let db = gateway.app().db();
            let sql = "SELECT attempts, error, ended_at IS NOT NULL AS ended FROM mails WHERE recipient = $1";
            let values = [email.into()];
            let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
            let row = db.read().query_one_raw(statement).await.expect("read")?;
            let error: Option<String> = row.try_get("", "error").expect("a text");
            Some((error?, row.try_get::<bool>("", "ended").expect("a word")))
        };
        for (code, email, ends) in [
            (550, "no@example.test", true),
            (451, "later@example.test", false),
        ] {
            server.answer(code);
            let invite = owner.post(&path);
            let invite = invite.json(&json!({ "role": "viewer", "email": email }));
            invite.expect(201).await;
            let (error, ended) = eventually("it was tried", async || state(email).await).await;
            assert!(error.contains("not today"), "{error}");
            assert_eq!(ended, ends, "{email}");
        }
        server.answer(250);
        assert_eq!(server.mails(), []);
        over_with(gateway, scratch).await;
    }
}

#[tokio::test]
async fn wrong_mail_settings_are_named_without_the_password() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("roost.toml");
    for (text, part) in [
        (
            "smtp_url = \"https://roost:secret@mail.example.test\"\nsmtp_from = \"a@example.test\"",
            "smtp_url",
        ),
        (
            "smtp_url = \"smtps://roost:secret@mail.example.test\"\nsmtp_from = \"nobody\"",
            "smtp_from",
        ),
        (
            "smtp_url = \"smtps://roost:secret@mail.example.test\"",
            "smtp_from",
        ),
        ("smtp_from = \"a@example.test\"", "smtp_url"),
    ] {
        std::fs::write(&file, text).expect("a file");
        let overrides = Overrides {
            file: Some(file.clone()),
            set: Vec::new(),
            without_environment: true,
        };
        let refused = config::load(&overrides).expect_err(part).to_string();
        assert!(
            refused.contains(part) && !refused.contains("secret"),
            "{refused}"
        );
    }
}
