//! Provision, list, health, sweep, destroy, watch.
use std::collections::HashSet;
use std::time::Duration;

use futures::StreamExt;
use roost_protocol::sandbox::{ContainerState, WorkspaceState};
use roost_sandbox_driver::executor::OwnerPolicy;
use roost_sandbox_driver::{DriverError, Gone, GoneHow, ImageState, ProvisionOptions};

use crate::support::{Bench, driver, shell, stdout_of, text};

#[tokio::test]
async fn a_sandbox_is_made_used_listed_and_destroyed() {
    let bench = Bench::new().await;
    let spec = bench.spec();
    let mut steps = Vec::new();
    let (facts, workspace) = bench
        .driver
        .provision(&spec, ProvisionOptions::default(), &mut |step| {
            steps.push(step.to_owned());
        })
        .await
        .unwrap();
    assert_eq!(workspace, WorkspaceState::Empty);
    assert_eq!(facts.state, ContainerState::Running);
    assert_eq!(facts.limits, spec.limits);
    assert_eq!(steps, ["creating the container", "starting the sandbox"]);

    let link = bench.driver.attach(spec.sandbox).await.unwrap();
    assert_eq!(
        stdout_of(&link, "id -u; pwd; echo $HOME $TMPDIR").await,
        "65532\n/workspace\n/workspace /workspace/.tmp"
    );

    let listed = bench.driver.list().await.unwrap();
    assert_eq!(listed, [facts]);
    let health = bench.driver.health(spec.sandbox).await.unwrap();
    assert!(health.guest);
    assert_eq!(health.running, 0);
    assert!(health.memory_bytes.unwrap() > 0);
    assert!(health.pids.unwrap() >= 1);
    assert!(health.workspace_used_bytes.is_some());

    assert_eq!(
        bench.driver.destroy(spec.sandbox, None).await.unwrap(),
        None
    );
    assert!(bench.driver.list().await.unwrap().is_empty());
    assert!(matches!(
        bench.driver.health(spec.sandbox).await,
        Err(DriverError::NoSandbox(_))
    ));
    assert!(link.run(shell("true")).await.is_err());
    bench
        .driver
        .destroy(spec.sandbox, None)
        .await
        .expect("twice is fine");
}

#[tokio::test]
async fn the_same_id_is_the_same_sandbox_and_another_spec_is_refused() {
    let bench = Bench::new().await;
    let spec = bench.spec();
    let (_, link) = bench.sandbox_of(&spec).await;
    stdout_of(&link, "echo kept > file").await;
    let (again, _) = bench
        .driver
        .provision(&spec, ProvisionOptions::default(), &mut |_| {})
        .await
        .unwrap();
    assert_eq!(bench.driver.list().await.unwrap(), [again]);
    assert_eq!(stdout_of(&link, "cat file").await, "kept");

    let mut other = spec.clone();
    other.limits.pids += 1;
    let error = bench
        .driver
        .provision(&other, ProvisionOptions::default(), &mut |_| {})
        .await
        .unwrap_err();
    assert!(matches!(error, DriverError::SpecDiffers(_)), "{error}");
    assert_eq!(stdout_of(&link, "cat file").await, "kept");
    bench.clean().await;
}

#[tokio::test]
async fn concurrent_provisions_of_one_id_make_one_sandbox() {
    let bench = Bench::new().await;
    let spec = bench.spec();
    let made = futures::future::join_all((0..4).map(|_| {
        let (driver, spec) = (bench.driver.clone(), spec.clone());
        async move {
            driver
                .provision(&spec, ProvisionOptions::default(), &mut |_| {})
                .await
        }
    }))
    .await;
    assert!(made.iter().any(Result::is_ok), "{made:?}");
    assert!(bench.driver.list().await.unwrap().len() <= 1);
    bench.clean().await;
}

#[tokio::test]
async fn a_sandbox_over_the_owners_caps_is_refused_and_never_made_weaker() {
    let bench = Bench::new().await;
    let policy = OwnerPolicy {
        most_sandboxes: Some(2),
        most_memory_bytes: Some(400 << 20),
        each_memory_bytes: Some(300 << 20),
        ..OwnerPolicy::default()
    };
    let options = ProvisionOptions {
        allowance: Some(policy.allowance(bench.driver.host())),
        restore: None,
    };
    let make = async |memory: u64| {
        let mut spec = bench.spec();
        spec.limits.memory_bytes = memory << 20;
        let mut progress = |_: &str| {};
        let made = bench
            .driver
            .provision(&spec, options.clone(), &mut progress);
        made.await.map(|(facts, _)| facts.limits.memory_bytes >> 20)
    };
    let error = make(301).await.unwrap_err();
    assert!(matches!(error, DriverError::OverCap(_)), "{error}");
    assert_eq!(make(256).await.unwrap(), 256);
    let error = make(256).await.unwrap_err();
    assert!(matches!(error, DriverError::NoRoom(_)), "{error}");
    assert!(
        error.to_string().contains("112.0 MiB of memory too much"),
        "{error}"
    );
    assert_eq!(make(128).await.unwrap(), 128);
    let error = make(100).await.unwrap_err();
    assert!(
        error.to_string().contains("it has 2 and allows 2"),
        "{error}"
    );
    bench.clean().await;
    assert_eq!(make(128).await.unwrap(), 128, "there is room again");
    bench.clean().await;
}

#[tokio::test]
async fn sweep_removes_only_orphans_past_the_grace() {
    let bench = Bench::new().await;
    let (kept, _) = bench.sandbox().await;
    let (orphan, _) = bench.sandbox().await;
    let stranger = driver(&format!("{}-other", bench.owner)).await;
    let foreign = bench.spec();
    stranger
        .provision(&foreign, ProvisionOptions::default(), &mut |_| {})
        .await
        .unwrap();

    let keep = HashSet::from([kept]);
    let none = bench
        .driver
        .sweep(&keep, Duration::from_secs(3600))
        .await
        .unwrap();
    assert!(none.is_empty(), "younger than the grace");
    let gone = bench.driver.sweep(&keep, Duration::ZERO).await.unwrap();
    assert_eq!(gone, [orphan]);
    let left: Vec<_> = bench
        .driver
        .list()
        .await
        .unwrap()
        .iter()
        .map(|facts| facts.sandbox)
        .collect();
    assert_eq!(left, [kept]);
    assert_eq!(
        stranger.list().await.unwrap().len(),
        1,
        "another owner's is not ours"
    );
    stranger.destroy(foreign.sandbox, None).await.unwrap();
    bench.clean().await;
}

#[tokio::test]
async fn watch_reports_a_sandbox_that_ends_by_itself() {
    let bench = Bench::new().await;
    let (sandbox, _link) = bench.sandbox().await;
    let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let docker = bollard::Docker::connect_with_unix_defaults().unwrap();
    let name = format!("roost-{sandbox}");
    docker.kill_container(&name, None).await.unwrap();
    // The engine also tells what was between the moment and the request.
    let mut watch = Box::pin(bench.driver.watch(i64::try_from(since).unwrap()));
    let gone = watch.next().await.unwrap().unwrap();
    assert_eq!(
        gone,
        Gone {
            sandbox,
            how: GoneHow::Exited { code: Some(137) }
        }
    );
    bench.clean().await;
}

/// An engine attaches to a container that has ended, and says nothing more.
#[tokio::test]
async fn a_new_link_to_an_ended_sandbox_says_that_there_is_none() {
    let bench = Bench::new().await;
    let (sandbox, _link) = bench.sandbox().await;
    let other = driver(&bench.owner).await;
    let docker = bollard::Docker::connect_with_unix_defaults().unwrap();
    let name = format!("roost-{sandbox}");
    docker.kill_container(&name, None).await.unwrap();
    let error = other.attach(sandbox).await.err();
    assert!(
        matches!(error, Some(DriverError::NoSandbox(id)) if id == sandbox),
        "{error:?}"
    );
    bench.clean().await;
}

#[tokio::test]
async fn dead_sandbox_is_recreated_by_the_same_provision() {
    let bench = Bench::new().await;
    let spec = bench.spec();
    bench.sandbox_of(&spec).await;
    let docker = bollard::Docker::connect_with_unix_defaults().unwrap();
    docker
        .kill_container(&format!("roost-{}", spec.sandbox), None)
        .await
        .unwrap();
    let (_, link) = bench.sandbox_of(&spec).await;
    assert_eq!(stdout_of(&link, "echo alive").await, "alive");
    bench.clean().await;
}

#[tokio::test]
async fn the_image_is_ready_missing_or_another_one() {
    let bench = Bench::new().await;
    let ready = bench.driver.image_state(&bench.image, None).await.unwrap();
    let ImageState::Ready { id, .. } = ready else {
        panic!("{ready:?}");
    };
    assert!(matches!(
        bench
            .driver
            .image_state(&bench.image, Some(&id))
            .await
            .unwrap(),
        ImageState::Ready { .. }
    ));
    let wrong = format!("sha256:{}", "0".repeat(64));
    assert_eq!(
        bench
            .driver
            .image_state(&bench.image, Some(&wrong))
            .await
            .unwrap(),
        ImageState::WrongDigest { id }
    );
    assert_eq!(
        bench
            .driver
            .image_state("roost-no-such-image:x", None)
            .await
            .unwrap(),
        ImageState::Missing
    );
    let mut spec = bench.spec();
    spec.image = "roost-no-such-image:x".to_owned();
    let error = bench
        .driver
        .provision(&spec, ProvisionOptions::default(), &mut |_| {})
        .await
        .unwrap_err();
    assert!(error.to_string().contains("roostd image build"), "{error}");
}

#[tokio::test]
async fn variables_of_the_spec_reach_commands() {
    let bench = Bench::new().await;
    let mut spec = bench.spec();
    spec.env.insert("PROJECT".to_owned(), "über = 1".to_owned());
    let (_, link) = bench.sandbox_of(&spec).await;
    let ran = link.run(shell("echo \"$PROJECT\"")).await.unwrap();
    assert_eq!(text(&ran), "über = 1");
    bench.clean().await;
}
