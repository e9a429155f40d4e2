//! Times provision and exec through the driver and through the engine's API, alternating in one run; prints medians.
//!
//! `cargo bench -p roost-sandbox-driver --bench engine [-- rounds]`. Goals: a provision takes at most 20 ms more than
//! the engine's own create and start of the same sandbox; `true` through the guest takes at most 5 ms.

#[path = "../tests/it/support/mod.rs"]
#[allow(dead_code, unused_imports)] // The tests use all of it.
mod support;

use std::time::{Duration, Instant};

use bollard::exec::{CreateExecOptions, StartExecResults};
use bollard::query_parameters::{CreateContainerOptionsBuilder, RemoveContainerOptionsBuilder};
use futures::StreamExt;
use roost_sandbox_driver::exec::Command;
use roost_sandbox_driver::{ProvisionOptions, policy};

use support::{Bench, docker};

fn main() {
    let rounds = std::env::args()
        .skip(1)
        .find_map(|word| word.parse().ok())
        .unwrap_or(15);
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made")
        .block_on(run(rounds));
}

async fn run(rounds: usize) {
    let bench = Bench::new().await;
    let docker = docker()
        .negotiate_version()
        .await
        .expect("the engine answers");
    let (mut raw, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let spec = bench.spec();
        let body = policy::container(
            &spec,
            spec.limits,
            bench.driver.engine(),
            Default::default(),
        )
        .expect("the policy has a profile");
        let name = format!("roost-bench-{}", spec.sandbox);
        let options = CreateContainerOptionsBuilder::new().name(&name).build();
        let begun = Instant::now();
        docker
            .create_container(Some(options), body)
            .await
            .expect("create");
        docker.start_container(&name, None).await.expect("start");
        raw.push(begun.elapsed());
        let options = RemoveContainerOptionsBuilder::new().force(true).build();
        docker
            .remove_container(&name, Some(options))
            .await
            .expect("remove");

        let begun = Instant::now();
        bench
            .driver
            .provision(&spec, ProvisionOptions::default(), &mut |_| {})
            .await
            .expect("provision");
        ours.push(begun.elapsed());
        bench
            .driver
            .destroy(spec.sandbox, None)
            .await
            .expect("destroy");
    }
    print("create + start, engine's API", &mut raw);
    print("provision, driver", &mut ours);

    let (sandbox, link) = bench.sandbox().await;
    let name = format!("roost-{sandbox}");
    let (mut engine, mut guest) = (Vec::new(), Vec::new());
    for _ in 0..rounds * 10 {
        let begun = Instant::now();
        let ran = link.run(Command::of("/bin/true", &[])).await.expect("runs");
        assert_eq!(ran.code, 0);
        guest.push(begun.elapsed());
        if guest.len() % 10 == 0 {
            let begun = Instant::now();
            engine_exec(&docker, &name).await;
            engine.push(begun.elapsed());
        }
    }
    print("exec of true, engine's API", &mut engine);
    print("exec of true, guest", &mut guest);
    bench.clean().await;
}

async fn engine_exec(docker: &bollard::Docker, container: &str) {
    let options = CreateExecOptions {
        cmd: Some(vec!["/bin/true"]),
        attach_stdout: Some(true),
        ..CreateExecOptions::default()
    };
    let made = docker
        .create_exec(container, options)
        .await
        .expect("create exec");
    if let StartExecResults::Attached { mut output, .. } =
        docker.start_exec(&made.id, None).await.expect("start exec")
    {
        while output.next().await.is_some() {}
    }
    docker.inspect_exec(&made.id).await.expect("inspect exec");
}

fn print(what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |percent: usize| {
        times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1000.0
    };
    println!(
        "{what:32} p50 {:8.2} ms   p95 {:8.2} ms   ({} times)",
        at(50),
        at(95),
        times.len()
    );
}
