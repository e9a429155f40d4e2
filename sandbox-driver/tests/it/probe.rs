//! The escape probe against the golden list, and against sandboxes that lack one field of the policy.
use roost_protocol::verify::Level;

use crate::support::Bench;

#[tokio::test]
async fn probe_facts_match_the_golden_list() {
    let bench = Bench::new().await;
    let report = bench.driver.verify(&bench.image, true).await.unwrap();
    let wrong: Vec<_> = report
        .probe
        .iter()
        .filter(|fact| !fact.ok)
        .map(|fact| {
            format!(
                "{}: {} instead of {}",
                fact.fact, fact.actual, fact.expected
            )
        })
        .collect();
    if let Some(path) = std::env::var_os("ROOST_WRITE_GOLDEN") {
        let list: Vec<_> = report
            .probe
            .iter()
            .map(|fact| format!("  [{:?}, {:?}]", fact.fact, fact.actual))
            .collect();
        std::fs::write(path, format!("[\n{}\n]\n", list.join(",\n"))).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(report.probe.len() >= 60, "{}", report.probe.len());
    for check in &report.checks {
        assert_ne!(check.level, Level::Fail, "{check:?}");
    }
    assert!(report.ok);
    assert!(
        bench.driver.list().await.unwrap().is_empty(),
        "the probe sandbox is gone"
    );
}

#[tokio::test]
async fn missing_image_fails_a_check_with_what_to_do() {
    let bench = Bench::new().await;
    let report = bench.driver.verify("roost-no-such:1", true).await.unwrap();
    assert!(!report.ok);
    let image = report
        .checks
        .iter()
        .find(|check| check.name == "image")
        .unwrap();
    assert_eq!(image.level, Level::Fail);
    assert!(
        image.detail.contains("roostd image build"),
        "{}",
        image.detail
    );
}
