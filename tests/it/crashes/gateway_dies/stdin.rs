//! Stdin of any size, to commands that read late or slowly, and while the gateway or the daemon dies.

use std::time::Duration;

use roost_tests::{Answer, Stream};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{FORGOTTEN, Got, Stage, each};

/// More than the pipe, the guest's window and what may be on the way hold together.
const SIZE: usize = 900_000;

/// Takes one byte, says so, waits for leave, and says what the rest was.
const READS_LATE: &str = "dd bs=1 count=1 of=/dev/null 2>/dev/null; echo first; \
    while [ ! -e /workspace/go ]; do sleep 0.05; done; sha256sum";

fn bytes() -> Vec<u8> {
    (0..SIZE).map(|n| (n % 251) as u8).collect()
}

/// What a command says that read all but the first byte.
fn told_of(bytes: &[u8]) -> String {
    format!("first\n{}  -\n", hex::encode(Sha256::digest(&bytes[1..])))
}

/// One request; `None` when it was cut off.
async fn give(stage: &Stage, path: &str, bytes: &[u8]) -> Option<Answer> {
    let path = format!("{path}/stdin?offset=0&eof=true");
    let request = stage.owner.post(&path).body(bytes.to_vec());
    request.try_send().await.ok()
}

/// Whether the machine is away for now. A gateway that has just begun may not have heard of its machine again.
fn says_away(answer: &Answer) -> bool {
    matches!(answer.status, 503 | 504) || answer.body["code"] == "node-offline"
}

/// The same request again, as a client does that was cut off or told that the machine is away.
async fn insist(stage: &Stage, path: &str, bytes: &[u8]) {
    let mut last = None;
    let insisting = async {
        loop {
            last = give(stage, path, bytes).await;
            match last.as_ref() {
                Some(answer) if answer.status == 200 => return,
                Some(answer) if !says_away(answer) => panic!("{}: {answer:?}", stage.name()),
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let taken = tokio::time::timeout(FORGOTTEN, insisting).await;
    let name = stage.name();
    assert!(taken.is_ok(), "{name}: the machine refused stdin: {last:?}");
}

/// Waits until the command has read its first byte, so that stdin is on its way and nobody reads the rest.
async fn has_begun(stage: &Stage, path: &str) {
    let request = stage.owner.get(path).header("accept", "text/event-stream");
    let mut stream = Stream::open(request).await;
    let mut got = Got::default();
    assert!(got.take(&mut stream).await, "it says that it read");
}

async fn all_came(stage: &Stage, path: &str, bytes: &[u8]) {
    let got = Got::default().read_on(&stage.owner, path).await;
    assert_eq!(got.exit.as_ref().expect("an end")["code"], json!(0));
    let told = String::from_utf8(got.bytes).expect("text");
    assert_eq!(told, told_of(bytes), "{}", stage.name());
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_of_any_size_is_taken_when_the_command_reads_late() {
    for stage in each(None).await {
        let path = stage.begin(READS_LATE).await;
        let all = bytes();
        let (answer, ()) = tokio::join!(give(&stage, &path, &all), async {
            has_begun(&stage, &path).await;
            stage.let_go_and_end().await;
        });
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 200, "{}: {answer:?}", stage.name());
        all_came(&stage, &path, &all).await;
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_arrives_whole_when_the_gateway_dies_in_the_middle() {
    for mut stage in each(None).await {
        let path = stage.begin(READS_LATE).await;
        let all = bytes();
        {
            let cut_off = give(&stage, &path, &all);
            tokio::pin!(cut_off);
            tokio::select! {
                answer = &mut cut_off => panic!("{answer:?} before anybody read"),
                () = has_begun(&stage, &path) => {}
            }
        }
        stage.process.kill();
        stage.process.again().await;
        stage.is_back().await;
        tokio::join!(insist(&stage, &path, &all), stage.let_go_and_end());
        all_came(&stage, &path, &all).await;
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_arrives_whole_when_the_daemon_dies_in_the_middle() {
    for mut stage in each(None).await {
        let Some(mut daemon) = stage.daemon.take() else {
            stage.end().await;
            continue;
        };
        let path = stage.begin(READS_LATE).await;
        let all = bytes();
        tokio::join!(insist(&stage, &path, &all), async {
            has_begun(&stage, &path).await;
            daemon.kill();
            daemon.again();
            stage.let_go_and_end().await;
        });
        all_came(&stage, &path, &all).await;
        stage.daemon = Some(daemon);
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_stdin_alone_is_answered_while_the_command_goes_on() {
    for stage in each(None).await {
        let path = stage.begin("cat; echo end; while [ ! -e /workspace/go ]; do sleep 0.05; done");
        let path = path.await;
        let closed = format!("{path}/stdin?offset=0&eof=true");
        let answer = stage.owner.post(&closed).body("").expect(200).await;
        assert_eq!(answer.body["offset"], 0);
        stage.let_go_and_end().await;
        let got = Got::default().read_on(&stage.owner, &path).await;
        assert_eq!(got.bytes, b"end\n");
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_offset_out_of_range_is_refused_without_effect() {
    for stage in each(None).await {
        let path = stage
            .begin("while [ ! -e /workspace/go ]; do sleep 0.05; done; cat")
            .await;
        for offset in [1, u64::MAX - 3, u64::MAX] {
            let wild = format!("{path}/stdin?offset={offset}");
            let refused = stage.owner.post(&wild).body("1234");
            refused.refused(409, "conflict").await;
        }
        let right = format!("{path}/stdin?offset=0&eof=true");
        let (taken, ()) = tokio::join!(
            stage.owner.post(&right).body("1234").expect(200),
            stage.let_go_and_end()
        );
        assert_eq!(taken.body["offset"], 4);
        let got = Got::default().read_on(&stage.owner, &path).await;
        assert_eq!(got.bytes, b"1234");
        stage.end().await;
    }
}
