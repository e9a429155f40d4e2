//! Uploads that do not arrive whole, that find no room on the disk, or whose workspace is deleted.

use std::io;

use bytes::Bytes;
use roost_secret_broker::wire;
use roost_tests::{SmallDisk, eventually};
use serde_json::json;

use super::uploaded::{mirrors, tar_of, upload};
use super::{Bench, COMMITS};

async fn records(bench: &Bench) -> u64 {
    let status = bench.broker.client.call(&wire::Request::Status);
    match status.await.expect("the broker answers") {
        wire::Answer::Status(status) => status.records,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_that_is_cut_off_leaves_nothing_and_the_next_one_arrives() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let before = records(&bench).await;
    let archive = tar_of(&[("a.txt", &"one\n".repeat(100_000))]);
    for sent in [0, 700, archive.len() / 2] {
        let begin = Bytes::copy_from_slice(&archive[..sent]);
        let pieces = [Ok(begin), Err(io::Error::other("the network is gone"))];
        let body = reqwest::Body::wrap_stream(futures::stream::iter(pieces));
        let request = owner.post("/api/uploads?name=x").body(body);
        let answer = request.try_send().await;
        assert!(answer.is_err_and(|error| error.is_request() || error.is_body()));
    }
    eventually("the broker has no part of them", async || {
        let gone = records(&bench).await == before && mirrors(bench.folder.path()) == 0;
        gone.then_some(())
    })
    .await;
    // The room that each of them had is free again.
    let whole = upload(owner, "x", archive).await;
    assert_eq!(whole.body["files"], 1);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_that_fills_the_disk_of_the_gateway_is_refused_with_what_to_do() {
    let bench = Bench::new(COMMITS).await;
    let owner = bench.gateway.owner().await;
    let folder = bench.gateway.data_dir().join("uploads");
    let Some(disk) = SmallDisk::mount(&folder, "1m") else {
        return;
    };
    let before = records(&bench).await;
    let archive = tar_of(&[("a.txt", &"one\n".repeat(500_000))]);
    let request = owner.post("/api/uploads?name=x").body(archive);
    let refused = request.refused(503, "unavailable").await;
    let said = refused.str("/detail");
    assert!(said.starts_with("The gateway's disk is full."), "{said}");
    assert_eq!(records(&bench).await, before);
    // What arrived of it holds no room.
    upload(owner, "small", tar_of(&[("a.txt", "one\n")])).await;
    let ballast = disk.fill();
    let request = owner.post("/api/uploads?name=x");
    let request = request.body(tar_of(&[("a.txt", "one\n")]));
    request.refused(503, "unavailable").await;
    std::fs::remove_file(ballast).expect("it is removed");
    upload(owner, "again", tar_of(&[("a.txt", "one\n")])).await;
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_workspace_takes_its_uploads_with_it() {
    for bench in Bench::on_each(COMMITS).await {
        let owner = bench.gateway.owner().await;
        upload(owner, "kept", tar_of(&[("a.txt", "one\n")])).await;
        let next = json!({ "name": "Next" });
        let next = owner.post("/api/workspaces").json(&next).expect(201).await;
        let there = owner.in_workspace(next.str("/id"));
        let other = there.post("/api/uploads?name=planted");
        let other = other.body(tar_of(&[("a.txt", "planted\n")]));
        other.expect(201).await;
        assert_eq!(mirrors(bench.folder.path()), 2);
        let before = records(&bench).await;
        let path = format!("/api/workspaces/{}?confirm=Next", next.str("/id"));
        owner.delete(&path).expect(202).await;
        eventually("only the other upload is left", async || {
            let left = records(&bench).await + 1 == before && mirrors(bench.folder.path()) == 1;
            left.then_some(())
        })
        .await;
        bench.stop().await;
    }
}
