//! A batch on both databases: what passes is written, what the fence refuses changes nothing, and the books hold.

use roost_platform::clock::SystemClock;
use roost_platform::ids::UuidV7;
use roost_tenancy::auth::first_owner;
use roost_tenancy::workspaces::entity::workspace;
use roost_test_database::Scratch;
use sea_orm::{ConnectionTrait, EntityTrait, Statement, Value};
use uuid::Uuid;

use super::*;
use crate::runs::entity::{record, state, step};
use crate::runs::model::StepStatus;
use crate::runs::origin::{Origin, OriginWord};
use crate::runs::outcome::{Decided, Outcome};
use roost_platform::events::{About, Event, EventId, ResourceKind};
use roost_platform::ids::TeamId;

/// The runs of a batch. Every seventh was cancelled, and every eleventh belongs to another owner.
const RUNS: u128 = 40;

fn run(n: u128) -> RunId {
    RunId(Uuid::from_u128(n + 1))
}

fn agent(n: u128) -> ClawId {
    ClawId(Uuid::from_u128(1_000 + n))
}

fn is_cancelled(n: u128) -> bool {
    n % 7 == 3
}

fn is_lost(n: u128) -> bool {
    n % 11 == 5
}

async fn execute(tx: &WriteTx, sql: &str, values: Vec<Value>) {
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    tx.execute_raw(statement).await.unwrap();
}

async fn count(tx: &WriteTx, sql: &str) -> i64 {
    let row = tx.query_one_raw(Statement::from_string(tx.backend().into(), sql));
    row.await.unwrap().unwrap().try_get("", "n").unwrap()
}

/// A workspace with runs at work, each with an agent of its own.
async fn world(scratch: &Scratch) -> WorkspaceId {
    let clock = SystemClock::shared();
    let ids = UuidV7::shared(clock.clone());
    first_owner(&scratch.db, &clock, &ids, "scale", 15)
        .await
        .unwrap();
    let row = workspace::Entity::find().one(scratch.db.read()).await;
    let workspace = row.unwrap().unwrap().id;
    let tx = scratch.db.write().await.unwrap();
    for n in 0..RUNS {
        let epoch: i64 = if is_lost(n) { 8 } else { 7 };
        let cancelled: Option<i64> = is_cancelled(n).then_some(1);
        let (run, agent) = (run(n), agent(n));
        execute(
            &tx,
            "INSERT INTO topology_runs (id, workspace_id, kind, tier, title, graph, graph_sha256, input, created_by, \
               created_ms, root_run_id, steps_most) VALUES ($1, $2, 'team', 'team', 'a run', '', '', '', $1, 0, $1, 1)",
            vec![run.into(), workspace.into()],
        )
        .await;
        execute(
            &tx,
            "INSERT INTO run_state (run_id, workspace_id, status, owner, epoch, claims, cancel_requested_ms, queued_ms, \
               updated_ms, depth, steps_done, tokens_in, tokens_out, cost_microusd, rolled_up, version) \
             VALUES ($1, $2, 'running', 'x', $3, 1, $4, 0, 0, 0, 0, 0, 0, 0, FALSE, 1)",
            vec![run.into(), workspace.into(), epoch.into(), cancelled.into()],
        )
        .await;
        execute(
            &tx,
            "INSERT INTO claws (id, workspace_id, name, role, managed_by, created_at, updated_at, version) \
             SELECT $1, $2, $3, 'coder', id, created_at, created_at, 1 FROM users ORDER BY id LIMIT 1",
            vec![agent.into(), workspace.into(), format!("agent {n}").into()],
        )
        .await;
        execute(
            &tx,
            "INSERT INTO agent_state (agent_id, workspace_id, at_work, sandbox_running, status, changed, updated_ms) \
             VALUES ($1, $2, 0, FALSE, 'offline', FALSE, 0)",
            vec![agent.into(), workspace.into()],
        )
        .await;
    }
    tx.commit().await.unwrap();
    workspace
}

fn at(key: &str) -> StepRef {
    StepRef {
        key: key.to_owned(),
        lap: 1,
        shard: 0,
    }
}

fn of(workspace: WorkspaceId, n: u128) -> RunWrite {
    RunWrite::of(Fence {
        run: run(n),
        workspace,
        epoch: 7,
        about: About {
            run: Some(run(n).0),
            ..About::default()
        },
        origin: OriginWord::Team,
    })
}

fn begins(key: &str, n: u128) -> Begin {
    Begin {
        at: at(key),
        position: 0,
        node: key.to_owned(),
        purpose: "work",
        agent: Some(agent(n)),
    }
}

/// Follows every end with an event of the run.
struct Told;

#[async_trait::async_trait]
impl AfterRun for Told {
    async fn after(
        &self,
        _: &mut WriteTx,
        ends: &[End],
    ) -> Result<Vec<(WorkspaceId, Stamped)>, DbErr> {
        let told = |end: &End| {
            let event = Event::changed(ResourceKind::Team, TeamId(end.run.0), 1);
            (end.workspace, event.about(end.about))
        };
        Ok(ends.iter().map(told).collect())
    }
}

/// The end of a run with this status.
fn finishes(workspace: WorkspaceId, n: u128, status: Status) -> RunWrite {
    let write = of(workspace, n);
    let end = End {
        run: run(n),
        workspace,
        origin: Origin::Team,
        team: None,
        pinned: Vec::new(),
        about: write.fence.about,
        status,
        outcome: Outcome::Accepted,
    };
    let finish = Finish {
        status,
        result: Some(format!("the result of {n}")),
        error: None,
        code: None,
        decided: Decided {
            outcome: Outcome::Accepted,
            reason: "all went well".to_owned(),
            evidence: None,
        },
    };
    RunWrite {
        finish: Some(Box::new(Finishing {
            finish,
            end,
            compared: None,
        })),
        ..write
    }
}

/// Writes a batch in a transaction of its own, and commits it.
async fn commit(scratch: &Scratch, batch: Vec<RunWrite>) -> Vec<Result<Passed, Refusal>> {
    let writes = RunWrites {
        wakes: RunWakes::default(),
        clock: SystemClock::shared(),
        after: Arc::new(Told),
    };
    let batch: Vec<&RunWrite> = batch.iter().collect();
    let mut tx = scratch.db.write().await.unwrap();
    let answers = writes.write(&mut tx, &batch).await.unwrap();
    tx.commit().await.unwrap();
    answers
}

#[tokio::test]
async fn batch_writes_what_passes_and_nothing_of_what_the_fence_refuses() {
    for scratch in Scratch::all().await {
        let workspace = world(&scratch).await;
        let begin = |n| RunWrite {
            begins: vec![begins("one", n)],
            pane: Some(Pane::of_run(run(n), agent(n))),
            publish: true,
            ..of(workspace, n)
        };
        let answers = commit(&scratch, (0..RUNS).map(begin).collect()).await;
        for (n, answer) in (0..RUNS).zip(&answers) {
            match answer {
                Ok(passed) => assert_eq!(passed.version, 2),
                // Another owner's run is lost, also when it was cancelled.
                Err(why) if is_lost(n) => assert_eq!(*why, Refusal::Lost),
                Err(why) => assert_eq!(*why, Refusal::Cancelled),
            }
            assert_eq!(answer.is_ok(), !is_lost(n) && !is_cancelled(n), "{n}");
        }
        let passed: Vec<u128> = (0..RUNS)
            .filter(|n| !is_lost(*n) && !is_cancelled(*n))
            .collect();
        let goes_on = |n: &u128| RunWrite {
            ends: vec![(
                at("one"),
                Ended {
                    status: StepStatus::Done,
                    output: Some(format!("out of {n}: \"'\\ ü\n")),
                    error: None,
                    outcome: None,
                    checks: Vec::new(),
                },
            )],
            begins: vec![begins("two", n + 1), begins("three", *n)],
            publish: true,
            ..of(workspace, *n)
        };
        let batch: Vec<RunWrite> = passed.iter().map(goes_on).collect();
        assert!(commit(&scratch, batch).await.iter().all(Result::is_ok));
        // A repeat ends and begins nothing again.
        let batch: Vec<RunWrite> = passed.iter().map(goes_on).collect();
        assert!(commit(&scratch, batch).await.iter().all(Result::is_ok));
        let tx = scratch.db.write().await.unwrap();
        let n = i64::try_from(passed.len()).unwrap();
        let steps = step::Entity::find().all(&*tx).await.unwrap();
        assert_eq!(steps.len(), 3 * passed.len());
        for step in steps {
            let of = step.run_id.0.as_u128() - 1;
            let done = step.step_key == "one";
            assert_eq!(step.status, if done { "done" } else { "running" });
            assert_eq!(step.output, done.then(|| format!("out of {of}: \"'\\ ü\n")));
            assert_eq!(step.ended_ms.is_some(), done);
        }
        let wrong = "SELECT count(*) AS n FROM agent_state a WHERE at_work <> \
                     (SELECT count(*) FROM run_steps s WHERE s.agent_id = a.agent_id AND s.status = 'running') \
                     OR (status = 'working') <> (at_work > 0)";
        assert_eq!(count(&tx, wrong).await, 0);
        let refused = "SELECT count(*) AS n FROM run_state WHERE version = 1 AND steps_done = 0 AND mux_pane_id IS NULL";
        assert_eq!(count(&tx, refused).await, i64::try_from(RUNS).unwrap() - n);
        let done = "SELECT count(*) AS n FROM run_state WHERE version = 4 AND steps_done = 2 AND mux_pane_id IS NOT NULL";
        assert_eq!(count(&tx, done).await, n, "each write counts what it says");
        // One fact for each write, and the agents whose state changed. No gap, and the head is the last.
        let gaps = "SELECT count(*) AS n FROM event_heads h WHERE h.seq <> (SELECT count(*) FROM events e \
                    WHERE e.workspace_id = h.workspace_id) OR h.seq <> (SELECT max(e.seq) FROM events e \
                    WHERE e.workspace_id = h.workspace_id)";
        assert_eq!(count(&tx, gaps).await, 0);
        let facts = "SELECT count(*) AS n FROM events WHERE kind = 'resource.changed' AND run_id IS NOT NULL";
        assert_eq!(count(&tx, facts).await, 3 * n);
        drop(tx);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn several_writes_of_one_run_are_summed_and_each_has_its_version() {
    for scratch in Scratch::all().await {
        let workspace = world(&scratch).await;
        let begin = RunWrite {
            begins: vec![begins("one", 0)],
            ..of(workspace, 0)
        };
        commit(&scratch, vec![begin]).await;
        let turn = |index: i32| RunWrite {
            used: Used {
                tokens_in: 10,
                tokens_out: 1,
                cost_microusd: 5,
            },
            step: Some(at("one")),
            entry: Some(Entry {
                index,
                kind: "model",
                name: "a model".to_owned(),
                content: format!("{{\"text\":\"turn {index}\"}}"),
                failed: index == 2,
                took_ms: 3,
            }),
            ..of(workspace, 0)
        };
        let failed_turn = RunWrite {
            entry: None,
            ..turn(0)
        };
        let batch = vec![turn(0), turn(1), failed_turn, turn(2)];
        let answers = commit(&scratch, batch).await;
        let versions: Vec<i64> = answers.iter().map(|one| one.unwrap().version).collect();
        assert_eq!(versions, [3, 4, 5, 6]);
        let tx = scratch.db.write().await.unwrap();
        let row = state::Entity::find_by_id(run(0)).one(&*tx).await.unwrap();
        let row = row.unwrap();
        assert_eq!(
            (row.tokens_in, row.tokens_out, row.cost_microusd),
            (40, 4, 20)
        );
        let step = step::Entity::find().one(&*tx).await.unwrap().unwrap();
        assert_eq!(
            (step.tokens_in, step.tokens_out, step.cost_microusd),
            (40, 4, 20)
        );
        let calls = "SELECT count(*) AS n FROM run_calls WHERE idx IN (0, 1, 2) AND failed = (idx = 2) AND \
                     content = '{\"text\":\"turn ' || idx || '\"}' AND ended_ms - started_ms = 3";
        assert_eq!(count(&tx, calls).await, 3);
        drop(tx);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn runs_end_together_with_their_steps_and_what_follows() {
    for scratch in Scratch::all().await {
        let workspace = world(&scratch).await;
        let going: Vec<u128> = (0..RUNS)
            .filter(|n| !is_lost(*n) && !is_cancelled(*n))
            .collect();
        let begin = |n: &u128| RunWrite {
            begins: vec![begins("one", *n), begins("left open", *n)],
            ..of(workspace, *n)
        };
        commit(&scratch, going.iter().map(begin).collect()).await;
        let end = |n| RunWrite {
            ends: vec![(
                at("one"),
                Ended {
                    status: StepStatus::Done,
                    output: Some("done".to_owned()),
                    error: None,
                    outcome: None,
                    checks: Vec::new(),
                },
            )],
            ..finishes(workspace, n, Status::Completed)
        };
        // The last write of each run comes too late.
        let mut batch: Vec<RunWrite> = (0..RUNS).map(end).collect();
        batch.extend((0..RUNS).map(|n| of(workspace, n)));
        let answers = commit(&scratch, batch).await;
        for (n, (answer, late)) in (0..RUNS).zip(answers.iter().zip(&answers[RUNS as usize..])) {
            assert_eq!(answer.is_ok(), going.contains(&n), "{n}");
            assert!(late.is_err(), "{n}");
            if is_cancelled(n) && !is_lost(n) {
                assert_eq!(*answer, Err(Refusal::Cancelled));
            }
        }
        // The owners of cancelled runs end them, and nobody cancels another one's.
        let cancel = |n| finishes(workspace, n, Status::Cancelled);
        let answers = commit(&scratch, (0..RUNS).map(cancel).collect()).await;
        for (n, answer) in (0..RUNS).zip(&answers) {
            assert_eq!(answer.is_ok(), is_cancelled(n) && !is_lost(n), "{n}");
        }
        let tx = scratch.db.write().await.unwrap();
        let rows = state::Entity::find().all(&*tx).await.unwrap();
        let records = record::Entity::find().all(&*tx).await.unwrap();
        for row in &rows {
            let n = row.run_id.0.as_u128() - 1;
            let status = match (is_lost(n), is_cancelled(n)) {
                (true, _) => "running",
                (false, true) => "cancelled",
                (false, false) => "completed",
            };
            assert_eq!(row.status, status, "{n}");
            assert_eq!(row.owner.is_some(), is_lost(n), "{n}");
            let record = records.iter().find(|record| record.id == row.run_id);
            let record = record.unwrap();
            let result = (!is_lost(n)).then(|| format!("the result of {n}"));
            assert_eq!(record.result, result, "{n}");
            assert_eq!(record.ended_ms.is_some(), !is_lost(n), "{n}");
            let last = tx.query_one_raw(Statement::from_sql_and_values(
                tx.backend().into(),
                "SELECT max(seq) AS n FROM events WHERE run_id = $1",
                [row.run_id.into()],
            ));
            let last: Option<i64> = last.await.unwrap().unwrap().try_get("", "n").unwrap();
            let id = record.last_event_id.as_deref();
            let seq = id.map(|id| id.parse::<EventId>().unwrap().seq);
            assert_eq!(seq, last.filter(|_| !is_lost(n)), "{n}");
        }
        for (sql, n) in [
            (
                "SELECT count(*) AS n FROM run_steps WHERE status = 'running'",
                0,
            ),
            (
                "SELECT count(*) AS n FROM run_steps WHERE status = 'cancelled' AND step_key <> 'left open'",
                0,
            ),
            (
                "SELECT count(*) AS n FROM agent_state WHERE at_work <> 0",
                0,
            ),
            (
                "SELECT count(*) - count(DISTINCT run_id) AS n FROM events WHERE data LIKE '%team%'",
                0,
            ),
        ] {
            assert_eq!(count(&tx, sql).await, n, "{sql}");
        }
        drop(tx);
        scratch.remove().await;
    }
}
