//! Runs on uploaded files: the way in, the commits, and the way out without a code host.

use std::io::Read;
use std::path::Path;

use chrono::{TimeDelta, Utc};
use roost_secret_broker::wire;
use roost_tests::{Answer, Person, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use super::{Bench, COMMITS};
use crate::program::cli::Terminal;

/// A tar archive of these files.
pub(super) fn tar_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let added = archive.append_data(&mut header, name, content.as_bytes());
        added.expect("it is packed");
    }
    archive.into_inner().expect("it is packed")
}

pub(super) async fn upload(person: &Person, name: &str, archive: Vec<u8>) -> Answer {
    let path = format!("/api/uploads?name={name}");
    person.post(&path).body(archive).expect(201).await
}

/// The paths and contents of a tar.gz.
fn files_of(bytes: &[u8]) -> Vec<(String, String)> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    let entries = archive.entries().expect("an archive");
    let files = entries.filter_map(|entry| {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").display().to_string();
        let mut content = String::new();
        entry.read_to_string(&mut content).expect("text");
        entry
            .header()
            .entry_type()
            .is_file()
            .then_some((path, content))
    });
    files.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn run_works_on_uploaded_files_and_its_work_gets_out_without_a_code_host() {
    for bench in Bench::on_each(COMMITS).await {
        let owner = bench.gateway.owner().await;
        let archive = tar_of(&[("a.txt", "one\n"), ("src/x.rs", "fn x() {}\n")]);
        let sent = upload(owner, "tools", archive.clone()).await;
        assert_eq!(
            (&sent.body["files"], &sent.body["bytes"]),
            (&json!(2), &json!(14)),
            "{}",
            sent.text
        );
        // Equal files have equal commits.
        let again = upload(owner, "other", archive).await;
        assert_eq!(sent.str("/commit"), again.str("/commit"));

        let run = bench.run(json!({ "upload_id": sent.str("/id") })).await;
        assert_eq!(run.str("/status"), "completed", "{}", run.text);
        let path = format!("/api/runs/{}/repo", run.str("/id"));
        let repo = owner.get(&path).expect(200).await;
        assert_eq!(
            (
                repo.str("/full_name"),
                repo.str("/upload_id"),
                repo.str("/base_commit")
            ),
            ("tools", sent.str("/id"), sent.str("/commit"))
        );
        assert_eq!(repo.body.get("repo_id"), None, "{}", repo.text);
        assert_eq!(
            repo.str("/branches/0/newest/0/subject"),
            "Add b",
            "{}",
            repo.text
        );
        let diff = owner.get(&format!("{path}/diff")).expect(200).await;
        assert!(diff.str("/text").ends_with("+two\n"), "{}", diff.text);

        let push = owner.post(&format!("{path}/push")).json(&json!({}));
        let refused = push.refused(409, "conflict").await;
        assert!(
            refused.str("/detail").contains("no code host"),
            "{}",
            refused.text
        );

        let packed = owner.get(&format!("{path}/archive")).open().await;
        assert_eq!(packed.status(), 200);
        let packed = packed.bytes().await.expect("the whole archive");
        assert_eq!(
            files_of(&packed),
            [
                ("a.txt".to_owned(), "one\n".to_owned()),
                ("b.txt".to_owned(), "two\n".to_owned()),
                ("src/x.rs".to_owned(), "fn x() {}\n".to_owned()),
            ]
        );
        let audit = owner
            .get("/api/audit?action=uploads.created")
            .expect(200)
            .await;
        assert_eq!(audit.body["items"].as_array().map(Vec::len), Some(2));
        let audit = owner
            .get("/api/audit?action=repo.download")
            .expect(200)
            .await;
        assert_eq!(audit.str("/items/0/details/repo"), "tools");
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn archive_that_breaks_a_rule_is_refused_and_nothing_is_kept() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let records = || async {
        let status = bench.broker.client.call(&wire::Request::Status);
        match status.await.expect("the broker answers") {
            wire::Answer::Status(status) => status.records,
            other => panic!("{other:?}"),
        }
    };
    let before = records().await;
    let mut hostile = tar::Header::new_gnu();
    hostile.set_size(1);
    hostile.as_old_mut().name[..4].copy_from_slice(b"../x");
    hostile.set_cksum();
    let mut hostile = hostile.as_bytes().to_vec();
    hostile.resize(2048, 0);
    let mut broken = tar_of(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    broken.truncate(1536);
    for (archive, why) in [
        (hostile, "leaves the folder"),
        (broken, "damaged"),
        (b"words".to_vec(), "neither a tar"),
        (tar_of(&[(".git/config", "x")]), "`.git`"),
        (tar_of(&[]), "no files"),
    ] {
        let request = owner.post("/api/uploads?name=x").body(archive);
        let refused = request.refused(400, "validation").await;
        assert!(refused.text.contains(why), "{why}: {}", refused.text);
    }
    assert_eq!(records().await, before);
    let request = owner.post("/api/uploads?name=").body(tar_of(&[("a", "x")]));
    request.refused(400, "validation").await;

    let run = format!("/api/teams/{}/run", bench.team);
    for (repo, pointer) in [
        (json!({ "upload_id": bench.team }), "/repo/upload_id"),
        (json!({}), "/repo"),
        (
            json!({ "repo_id": bench.repo, "upload_id": bench.team }),
            "/repo",
        ),
        (
            json!({ "upload_id": bench.team, "base": "main" }),
            "/repo/base",
        ),
    ] {
        let request = owner
            .post(&run)
            .json(&json!({ "input": "Do it.", "repo": repo }));
        let refused = request.refused(400, "validation").await;
        assert_eq!(refused.str("/pointer"), pointer, "{}", refused.text);
    }
    // An upload of another workspace does not exist.
    let stranger = bench.gateway.stranger().await;
    let theirs = upload(&stranger, "theirs", tar_of(&[("a", "x")])).await;
    let repo = json!({ "upload_id": theirs.str("/id") });
    let request = owner
        .post(&run)
        .json(&json!({ "input": "Do it.", "repo": repo }));
    request.refused(400, "validation").await;
    bench.stop().await;
}

/// The folders of mirrors of the broker.
pub(super) fn mirrors(folder: &Path) -> usize {
    fn below(folder: &Path, found: &mut usize) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|end| end == "git") {
                *found += 1;
            } else if path.is_dir() {
                below(&path, found);
            }
        }
    }
    let mut found = 0;
    below(folder, &mut found);
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_goes_with_the_outputs_of_its_runs_and_one_without_a_run_after_a_day() {
    for bench in Bench::on_each(COMMITS).await {
        let owner = bench.gateway.owner().await;
        let used = upload(owner, "tools", tar_of(&[("a.txt", "one\n")])).await;
        let unused = upload(owner, "unused", tar_of(&[("a.txt", "two\n")])).await;
        let run = bench.run(json!({ "upload_id": used.str("/id") })).await;
        let folder = bench.folder.path();
        let app = bench.gateway.app();
        let sweep = async || app.sweeper().sweep().await.expect("it sweeps");
        sweep().await;
        assert_eq!(mirrors(folder), 2, "both are new");

        let change = async |sql: &str, values: Vec<sea_orm::Value>| {
            let tx = app.db().write().await.expect("a transaction");
            let backend = app.db().backend().into();
            let statement = Statement::from_sql_and_values(backend, sql, values);
            tx.execute_raw(statement).await.expect(sql);
            tx.commit().await.expect("a commit");
        };
        let earlier = Utc::now() - TimeDelta::days(2);
        change("UPDATE uploads SET created_at = $1", vec![earlier.into()]).await;
        sweep().await;
        eventually("the unused one is gone", async || {
            (mirrors(folder) == 1).then_some(())
        })
        .await;
        let request = json!({ "input": "x", "repo": { "upload_id": unused.str("/id") } });
        let path = format!("/api/teams/{}/run", bench.team);
        owner
            .post(&path)
            .json(&request)
            .refused(400, "validation")
            .await;

        change(
            "UPDATE topology_runs SET ended_ms = ended_ms - 2592001000",
            vec![],
        )
        .await;
        sweep().await;
        eventually("the used one is gone", async || {
            (mirrors(folder) == 0).then_some(())
        })
        .await;
        let repo = format!("/api/runs/{}/repo", run.str("/id"));
        let diff = owner
            .get(&format!("{repo}/diff"))
            .refused(409, "conflict")
            .await;
        assert!(
            diff.str("/detail").contains("upload them again"),
            "{}",
            diff.text
        );
        owner.get(&repo).expect(200).await;
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn terminal_sends_a_folder_and_gets_the_result() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
    let place = tempfile::tempdir().expect("a folder");
    let from = place.path().join("tools");
    for (name, content) in [
        ("a.txt", "one\n"),
        (".gitignore", "secret\n"),
        ("secret", "s3cret"),
        (".git/config", "[core]"),
    ] {
        let path = from.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, content).expect("written");
    }
    let from = from.to_str().expect("text");
    let run = terminal
        .runs(&[
            "team", "run", "Coders", "Do it.", "--detach", "--from", from,
        ])
        .await;
    assert!(run.ok, "{}", run.err);
    let id = run.out.trim().to_owned();
    let ended = crate::execution::runs::over(owner, &id).await;
    assert_eq!(ended.str("/status"), "completed", "{}", ended.text);
    let shown = terminal.runs(&["run", "repo", &id]).await;
    assert!(
        shown.out.contains("no code host"),
        "{} {}",
        shown.out,
        shown.err
    );
    let push = terminal.runs(&["run", "push", &id]).await;
    assert!(!push.ok && push.err.contains("--get"), "{}", push.err);
    let to = place.path().join("result");
    let text = to.to_str().expect("text");
    let got = terminal.runs(&["run", "repo", &id, "--get", text]).await;
    assert!(got.ok, "{}", got.err);
    let read = |name: &str| std::fs::read_to_string(to.join(name)).ok();
    assert_eq!(read("a.txt").as_deref(), Some("one\n"));
    assert_eq!(read("b.txt").as_deref(), Some("two\n"));
    assert_eq!(read("secret"), None);
    let again = terminal.runs(&["run", "repo", &id, "--get", text]).await;
    assert!(
        !again.ok && again.err.contains("has files already"),
        "{}",
        again.err
    );

    let agent = owner.post("/api/claws").json(&json!({ "name": "Solo" }));
    agent.expect(201).await;
    let alone = terminal
        .runs(&["claw", "run", "Solo", "Do it.", "--detach", "--from", from])
        .await;
    assert!(alone.ok, "{}", alone.err);
    let repo = format!("/api/runs/{}/repo", alone.out.trim());
    let repo = owner.get(&repo).expect(200).await;
    assert_ne!(repo.body["upload_id"], Value::Null);
    bench.stop().await;
}
