//! Readers that were there before the gateway's death, that come during it, and that come after it.

use roost_tests::Stream;

use super::{Got, Stage, each};

/// A command that says `before` bytes, waits for leave, says `after` bytes more, and ends with 3.
fn script(before: usize, after: usize) -> String {
    format!(
        "yes 0123456 | head -c {before}; while [ ! -e /workspace/go ]; do sleep 0.05; done; \
         yes 0123456 | head -c {after}; exit 3"
    )
}

fn whole(before: usize, after: usize) -> Vec<u8> {
    let line = b"0123456\n".iter().copied().cycle();
    line.clone().take(before).chain(line.take(after)).collect()
}

/// A reader that has the first part, as it stood when the gateway died.
async fn first_part(stage: &Stage, path: &str, before: usize) -> Got {
    let request = stage.owner.get(path);
    let mut stream = Stream::open(request.header("accept", "text/event-stream")).await;
    let mut got = Got::default();
    while got.bytes.len() < before {
        assert!(got.take(&mut stream).await, "the first part comes: {got:?}");
    }
    got
}

/// The command ends while the gateway is dead. Every reader gets all of it, wherever it begins and whenever it came.
async fn ended_meanwhile(mut stage: Stage, before: usize, after: usize) {
    let name = stage.name();
    let path = stage.begin(&script(before, after)).await;
    let early = first_part(&stage, &path, before).await;
    stage.process.kill();
    stage.let_go_and_end().await;
    let owner = stage.owner.clone();
    // Nobody answers it at first. It may be there before the machine is.
    let early = tokio::spawn({
        let (owner, path) = (owner.clone(), path.clone());
        async move { early.read_on(&owner, &path).await }
    });
    let during = tokio::spawn({
        let (owner, path) = (owner.clone(), path.clone());
        async move { Got::default().read_on(&owner, &path).await }
    });
    stage.process.again().await;
    stage.is_back().await;
    let late = Got::default().read_on(&owner, &path).await;
    let whole = whole(before, after);
    let (early, during) = (early.await.expect("whole"), during.await.expect("whole"));
    early.is_whole(&whole, 3, &format!("{name}, there before"));
    during.is_whole(&whole, 3, &format!("{name}, come during"));
    late.is_whole(&whole, 3, &format!("{name}, come after"));
    let rest = Got::from(before as u64).read_on(&owner, &path).await;
    rest.is_whole(&whole, 3, &format!("{name}, come for the rest"));
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_reader_gets_all_output_when_the_command_ended_while_its_gateway_was_dead() {
    for stage in each(None).await {
        ended_meanwhile(stage, 1_490, 2_400).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn output_over_what_is_kept_arrives_whole_when_its_command_ended_meanwhile() {
    for stage in each(None).await {
        // A guest holds a mebibyte for an executor that is dead; a daemon takes on.
        let after = match stage.daemon {
            Some(_) => 2_500_000,
            None => 900_000,
        };
        ended_meanwhile(stage, 700_000, after).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn first_reader_gets_the_output_when_the_end_came_before_any_read() {
    for mut stage in each(None).await {
        let path = stage.begin(&script(10, 10)).await;
        stage.process.kill();
        stage.let_go_and_end().await;
        stage.process.again().await;
        stage.is_back().await;
        let json = |path: String| stage.owner.get(&path).header("accept", "application/json");
        roost_tests::eventually("its end is known", async || {
            let state = json(path.clone()).expect(200).await;
            (state.body["state"] == "done").then_some(())
        })
        .await;
        let got = Got::default().read_on(&stage.owner, &path).await;
        got.is_whole(&whole(10, 10), 3, &stage.name());
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn output_of_a_command_that_ended_before_is_whole_when_its_machine_comes_back_after_the_reader()
 {
    for mut stage in each(None).await {
        let path = stage.begin(&script(1_000, 100_000)).await;
        stage.let_go_and_end().await;
        let got = Got::default().read_on(&stage.owner, &path).await;
        got.is_whole(&whole(1_000, 100_000), 3, &stage.name());
        stage.process.kill();
        stage.process.again().await;
        // At once: the machine comes back later.
        let got = Got::from(500).read_on(&stage.owner, &path).await;
        got.is_whole(&whole(1_000, 100_000), 3, &stage.name());
        stage.end().await;
    }
}
