//! A journal that is too long has a defined end, and the gateway continues to answer.

use std::sync::Arc;

use roost_gateway::app::Surroundings;
use roost_platform::db::{Access, Db};
use roost_platform::events::Hub;
use roost_platform::ids::RunId;
use roost_tests::{Client, Gateway, ScratchPostgres, Store, eventually};
use sea_orm::{ConnectionTrait, Statement};

use super::crew::Crew;
use super::{line_of, over, started, steps};

const ENTRIES: i64 = 100_000;

/// Writes a conversation of turns with one call each, and the results of the calls.
async fn fill(db: &Db, run: RunId) {
    let tx = db.write().await.expect("a transaction");
    let turn = r#"{"text":"","calls":[{"id":"c","name":"shell","arguments":{}}],"stop":"tools"}"#;
    let sql = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $2) \
               INSERT INTO run_calls (run_id, step_key, lap, idx, kind, name, content, failed, started_ms, ended_ms, tokens_in, \
                 tokens_out, cost_microusd) \
               SELECT $1, 'only', 1, i, CASE WHEN i % 2 = 0 THEN 'model' ELSE 'tool' END, 'shell', \
                 CASE WHEN i % 2 = 0 THEN $3 ELSE '{\"call\":\"c\",\"arguments\":{},\"text\":\"' || i || '\",\"is_error\":false}' END, \
                 FALSE, 1, i + 1, 0, 0, 0 FROM n";
    let values = [run.into(), ENTRIES.into(), turn.into()];
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
    tx.execute_raw(statement).await.expect("the entries");
    tx.commit().await.expect("committed");
}

#[tokio::test(flavor = "multi_thread")]
async fn step_with_a_journal_of_100_000_entries_ends_and_the_gateway_answers() {
    let mut stores = vec![(Store::Sqlite, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        stores.push((Store::Postgres(scratch.url().to_owned()), Some(scratch)));
    }
    for (store, scratch) in stores {
        let set = [("sandboxes.local", "off")];
        let folder = tempfile::tempdir().unwrap();
        let url = match &store {
            Store::Sqlite => format!("sqlite:{}", folder.path().join("roost.db").display()),
            Store::Postgres(url) => url.clone(),
        };
        // The step begins, and its gateway stops.
        let around = Surroundings {
            step_executor: Some(Arc::new(Crew::that(|_, _| None))),
            ..Surroundings::default()
        };
        let gateway = Gateway::start_in(folder, &store, &set, around)
            .await
            .unwrap();
        let owner = gateway.owner().await;
        let team = line_of(owner, &["only"]).await;
        let run = started(owner, &team).await;
        let path = format!("/api/topology-runs/{run}");
        eventually("the step is at work", async || {
            let run = owner.get(&path).expect(200).await;
            (steps(&run) == ["only running"]).then_some(())
        })
        .await;
        let token = owner.token.clone();
        let folder = gateway.stop_and_keep().await;
        let db = Db::open(&url, Access::Beside, Hub::default())
            .await
            .unwrap();
        fill(&db, run.parse().unwrap()).await;
        db.close().await;
        // The next gateway replays the journal.
        let gateway = Gateway::start_in(folder, &store, &set, Surroundings::default()).await;
        let gateway = gateway.unwrap();
        let owner = Client::new(&gateway.url()).with_token(&token);
        let ended = over(&owner, &run).await;
        assert_eq!(ended.body["status"], "failed", "{ended:?}");
        assert!(
            ended.str("/error").contains("its limit of 100000 entries"),
            "{ended:?}"
        );
        let calls = owner.get(&format!("{path}/calls")).expect(200).await;
        let items = calls.body["items"].as_array().unwrap();
        assert_eq!(
            (items.len(), &calls.body["left_out"]),
            (10_000, &90_000.into())
        );
        assert_eq!(items[0]["index"], 90_000);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
