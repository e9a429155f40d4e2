//! Group commits: one bad write refuses itself alone, and an unknown commit fails every write of its batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::{BoxFuture, join_all};
use roost_platform::committer::{Committer, Writes};
use roost_platform::db::{Backend, Db, Rows, WriteTx};
use roost_platform::supervision::{KillPoints, SupervisorSpec, Tree, TreeOptions};
use roost_test_database::Scratch;
use sea_orm::{ConnectionTrait, DbErr, Statement};

/// Inserts rows into `leases` by their names. A name that exists is a bad write.
struct Names {
    batches: Arc<AtomicUsize>,
}

impl Writes for Names {
    type Write = String;
    type Done = usize;

    fn bytes(write: &String) -> usize {
        write.len()
    }

    fn write<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        writes: &'a [&'a String],
    ) -> BoxFuture<'a, Result<Vec<usize>, DbErr>> {
        Box::pin(async move {
            self.batches.fetch_add(1, Ordering::Relaxed);
            let names = writes.iter().map(|name| (*name).clone());
            let table = Rows::new(tx.backend()).text("name", names).table("t");
            let sql = format!(
                "INSERT INTO leases (name, owner, epoch, expires_ms) SELECT name, 'x', 1, 1 FROM {}",
                table.sql
            );
            let insert = Statement::from_sql_and_values(tx.backend().into(), sql, table.values);
            tx.execute_raw(insert).await?;
            Ok((0..writes.len()).collect())
        })
    }
}

fn committer(db: &Db) -> (Committer<Names>, SupervisorSpec, Arc<AtomicUsize>) {
    let batches = Arc::new(AtomicUsize::new(0));
    let (committer, lane) = Committer::new(
        db.clone(),
        Names {
            batches: batches.clone(),
        },
    );
    (
        committer,
        SupervisorSpec::new("roost").child(lane.child()),
        batches,
    )
}

/// Queues all writes, then starts the committer, so that they are one batch.
async fn together(
    committer: &Committer<Names>,
    names: &[String],
    tree: SupervisorSpec,
    options: TreeOptions,
) -> (Vec<Result<usize, DbErr>>, Tree) {
    let writes = names.iter().map(|name| committer.commit(name.clone()));
    let start = Tree::start(options, tree);
    let (answers, tree) = futures::join!(join_all(writes), start);
    (answers, tree.expect("a started tree"))
}

async fn rows(db: &Db) -> i64 {
    let sql = "SELECT count(*) AS n FROM leases WHERE owner = 'x'";
    let row = db
        .read()
        .query_one_raw(Statement::from_string(db.backend().into(), sql));
    let row = row.await.expect("an answer").expect("a row");
    row.try_get("", "n").expect("a number")
}

fn hundred() -> Vec<String> {
    (0..100).map(|n| format!("name {n}")).collect()
}

#[tokio::test]
async fn one_bad_write_of_a_hundred_refuses_itself_alone() {
    for scratch in Scratch::all().await {
        let (committer, tree, batches) = committer(&scratch.db);
        let mut names = hundred();
        // The database has this name when the batch comes.
        names[37] = "taken".to_owned();
        let tx = scratch.db.write().await.unwrap();
        tx.execute_unprepared(
            "INSERT INTO leases (name, owner, epoch, expires_ms) VALUES ('taken', 'y', 1, 1)",
        )
        .await
        .unwrap();
        tx.commit().await.unwrap();
        let (answers, tree) = together(&committer, &names, tree, TreeOptions::default()).await;
        for (name, answer) in names.iter().zip(&answers) {
            assert_eq!(answer.is_err(), name == "taken", "{name}: {answer:?}");
        }
        assert_eq!(rows(&scratch.db).await, 99);
        let batches = batches.load(Ordering::Relaxed);
        assert!(batches <= 15, "a batch is halved: {batches}");
        tree.shutdown(Duration::from_secs(5)).await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn writes_that_wait_are_one_transaction() {
    for scratch in Scratch::all().await {
        let (committer, tree, batches) = committer(&scratch.db);
        let (answers, tree) = together(&committer, &hundred(), tree, TreeOptions::default()).await;
        let answers: Vec<usize> = answers.into_iter().map(Result::unwrap).collect();
        assert_eq!(answers, (0..100).collect::<Vec<_>>(), "in their order");
        assert_eq!(batches.load(Ordering::Relaxed), 1);
        tree.shutdown(Duration::from_secs(5)).await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn every_write_of_a_batch_fails_when_the_committer_dies_and_the_next_one_passes() {
    for (point, written) in [
        ("committer.before_commit", 0),
        ("committer.after_commit", 100),
    ] {
        for scratch in Scratch::all().await {
            let (committer, tree, _) = committer(&scratch.db);
            let kill_points = KillPoints::allowed();
            kill_points
                .arm(format!("{point}=panic").parse().unwrap())
                .unwrap();
            let options = TreeOptions {
                kill_points,
                ..TreeOptions::default()
            };
            let (answers, tree) = together(&committer, &hundred(), tree, options).await;
            assert!(answers.iter().all(Result::is_err), "{answers:?}");
            assert_eq!(rows(&scratch.db).await, written, "all of it or nothing");
            committer.commit("next".to_owned()).await.unwrap();
            assert_eq!(rows(&scratch.db).await, written + 1);
            tree.shutdown(Duration::from_secs(5)).await;
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn every_write_of_a_batch_fails_when_the_connection_is_lost_in_the_commit() {
    for scratch in Scratch::all().await {
        if scratch.db.backend() == Backend::Postgres {
            // The trigger runs inside of COMMIT.
            let tx = scratch.db.write().await.unwrap();
            tx.execute_unprepared(
                "CREATE FUNCTION lose() RETURNS trigger AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); \
                 RETURN NULL; END $$ LANGUAGE plpgsql; \
                 CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON leases DEFERRABLE INITIALLY DEFERRED \
                 FOR EACH ROW WHEN (NEW.name = 'name 7') EXECUTE FUNCTION lose()",
            )
            .await
            .unwrap();
            tx.commit().await.unwrap();
            let (committer, tree, batches) = committer(&scratch.db);
            let (answers, tree) =
                together(&committer, &hundred(), tree, TreeOptions::default()).await;
            assert!(answers.iter().all(Result::is_err), "{answers:?}");
            assert_eq!(
                batches.load(Ordering::Relaxed),
                1,
                "nobody knows whether it happened"
            );
            committer.commit("next".to_owned()).await.unwrap();
            assert_eq!(rows(&scratch.db).await, 1);
            tree.shutdown(Duration::from_secs(5)).await;
        }
        scratch.remove().await;
    }
}
