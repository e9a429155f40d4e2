//! A purged agent leaves nothing on a machine but lines in the log of the machine's owner.
use std::path::Path;
use std::time::Duration;

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::ids::AgentId;
use roost_sandbox_driver::executor::{Event, OwnerPolicy};

use crate::support::{Bench, Machine};

/// The files below a folder that contain a text, except the log of the machine's owner.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        // A file may be replaced by a smaller one at this moment.
        let bytes = std::fs::read(&path).unwrap_or_default();
        let has = bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes());
        if has && !name.starts_with("operations.jsonl") {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Asks for the purge, and waits for the confirmation.
async fn purge(machine: &mut Machine, agent: AgentId) {
    machine.executor.control(Control::Forget {
        agent,
        archives: Vec::new(),
        results: true,
    });
    let confirmed = async {
        loop {
            let event = machine.events.next().await.expect("it works");
            if let Event::Reply(ControlReply::Forgotten { agent: said }) = event {
                assert_eq!(said, agent);
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), confirmed)
        .await
        .expect("a confirmation in time");
}

#[tokio::test]
async fn purge_is_confirmed_when_neither_files_nor_commands_nor_outputs_are_left() {
    let bench = Bench::new().await;
    let mut machine = Machine::start(OwnerPolicy::default()).await;
    let (gone, stays) = (bench.spec(), bench.spec());
    for (spec, text) in [(&gone, "planted-gone"), (&stays, "planted-stays")] {
        machine.provision(spec).await;
        // Not compressible, so that the planted text is found as it is.
        let script = format!("echo {text}; (echo {text}; head -c 3000 /dev/urandom) > file");
        let id = machine.run(spec, spec.sandbox, &script);
        machine.receive(&[id]).await;
        machine.stored().await;
        machine.destroy(spec, false).await;
    }
    let state = machine.state("");
    let before = holding(&state, "planted-gone");
    // The ledger has the command, the spool its output, a pack the file.
    assert!(before.contains(&"ledger".to_owned()), "{before:?}");
    assert!(
        before.iter().any(|name| name.ends_with(".out")),
        "{before:?}"
    );
    assert!(
        before.iter().any(|name| name.ends_with(".pack")),
        "{before:?}"
    );
    purge(&mut machine, gone.agent).await;
    assert_eq!(holding(&state, "planted-gone"), [""; 0]);
    let kept = holding(&state, "planted-stays");
    assert!(kept.iter().any(|name| name.ends_with(".out")), "{kept:?}");
    assert!(kept.iter().any(|name| name.ends_with(".pack")), "{kept:?}");
    // The gateway did not get the confirmation and asks again: also a daemon that was started again answers.
    purge(&mut machine, gone.agent).await;
    machine.again().await;
    purge(&mut machine, gone.agent).await;
    // The ledger was compacted, and still knows whose the other results are.
    purge(&mut machine, stays.agent).await;
    assert_eq!(holding(&state, "planted-stays"), [""; 0]);
}
