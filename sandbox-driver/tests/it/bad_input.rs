//! Wrong input of callers and faults of an engine: refused by name, with nothing left behind.
use roost_protocol::report::{ErrorKind, OperationError};
use roost_protocol::sandbox::SandboxSpec;
use roost_sandbox_driver::{Driver, DriverError, EngineConfig, ProvisionOptions};
use rstest::rstest;

use crate::support::Bench;

#[rstest]
#[case::options_in_the_image(|spec: &mut SandboxSpec| spec.image = "x --privileged".to_owned(), ErrorKind::Invalid)]
#[case::no_such_image(|spec: &mut SandboxSpec| spec.image = "roost-nothing:1".to_owned(), ErrorKind::ImageMissing)]
#[case::wrong_digest(|spec: &mut SandboxSpec| spec.image_digest = Some(format!("sha256:{}", "0".repeat(64))), ErrorKind::ImageMissing)]
#[case::endless_memory(|spec: &mut SandboxSpec| spec.limits.memory_bytes = u64::MAX, ErrorKind::Invalid)]
#[case::no_processes(|spec: &mut SandboxSpec| spec.limits.pids = 0, ErrorKind::Invalid)]
#[case::loader(|spec: &mut SandboxSpec| { spec.env.insert("LD_PRELOAD".to_owned(), "x".to_owned()); }, ErrorKind::Invalid)]
#[tokio::test]
async fn a_bad_spec_is_refused_and_nothing_is_made(
    #[case] change: fn(&mut SandboxSpec),
    #[case] kind: ErrorKind,
) {
    let bench = Bench::new().await;
    let mut spec = bench.spec();
    change(&mut spec);
    let error = bench
        .driver
        .provision(&spec, ProvisionOptions::default(), &mut |_| {})
        .await
        .unwrap_err();
    assert_eq!(OperationError::from(&error).kind, kind, "{error}");
    assert!(bench.driver.list().await.unwrap().is_empty());
}

#[tokio::test]
async fn unknown_runtime_is_an_error_without_fallback() {
    let config = EngineConfig {
        runtime: Some("runsc-not-here".to_owned()),
        ..EngineConfig::default()
    };
    let error = match Driver::connect(config).await {
        Ok(_) => panic!("it fell back"),
        Err(error) => error,
    };
    assert!(
        matches!(error, DriverError::RuntimeMissing { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("runc"), "{error}");
}

#[tokio::test]
async fn attaching_to_a_missing_sandbox_is_an_error() {
    let bench = Bench::new().await;
    let sandbox = bench.spec().sandbox;
    match bench.driver.attach(sandbox).await {
        Err(DriverError::NoSandbox(id)) => assert_eq!(id, sandbox),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("attached to nothing"),
    }
}
