//! A full disk on the node: an operation that cannot be recorded is not started, and output without room is a marked
//! gap.
use std::path::{Path, PathBuf};
use std::time::Duration;

use roost_protocol::control::Control;
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::operation::{List, Operation};
use roost_protocol::report::{ErrorKind, Outcome};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::daemon::NO_ENGINE;
use crate::gateway::Gateway;
use crate::sandbox::{Machine, Received, request, sandbox, shell};

/// A small file system for tests that run as root.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` for a user who may not mount: only root can fill the disk of one folder.
    fn mount(at: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).expect("made");
        let data = std::ffi::CString::new(format!("size={size}")).expect("no NUL");
        match mount("tmpfs", at, "tmpfs", MountFlags::empty(), data.as_c_str()) {
            Ok(()) => Some(Self(at.to_owned())),
            Err(error) => {
                eprintln!("not tested here: a small disk cannot be mounted ({error}); run as root");
                None
            }
        }
    }

    /// Fills it to the last byte.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("ballast");
        let mut file = std::fs::File::create(&path).expect("made");
        let block = vec![1u8; 4096];
        while std::io::Write::write_all(&mut file, &block).is_ok() {}
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = unmount(&self.0, UnmountFlags::DETACH);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operation_is_refused_on_a_full_disk_and_accepted_when_there_is_room() {
    let mut gateway = Gateway::start().await;
    let mut machine = Machine::joined_with(&gateway, NO_ENGINE);
    let Some(disk) = SmallDisk::mount(&machine.daemon.file("executor"), "3m") else {
        return;
    };
    machine.daemon.run();
    let (mut peer, _) = gateway.session().await;
    let ballast = disk.fill();
    let list = request(Operation::SbList(List {}));
    let refused = peer.run(&list).await;
    let Outcome::Error { error } = &refused.outcome else {
        panic!("{refused:?}")
    };
    assert_eq!(error.kind, ErrorKind::DiskFull, "{error}");
    assert!(error.detail.contains("nothing was started"), "{error}");
    std::fs::remove_file(ballast).expect("removed");
    let taken = peer.run(&list).await;
    assert!(
        matches!(&taken.outcome, Outcome::Error { error } if error.kind == ErrorKind::EngineUnavailable),
        "{taken:?}"
    );
    machine.daemon.terminate();
    drop(disk);
}

#[tokio::test(flavor = "multi_thread")]
async fn output_on_a_full_disk_is_a_gap_and_the_command_ends() {
    let mut gateway = Gateway::start().await;
    let mut machine = Machine::joined(&gateway);
    let Some(disk) = SmallDisk::mount(&machine.daemon.file("executor"), "3m") else {
        return;
    };
    machine.daemon.run_with(&["--second-ms", "20"], &[]);
    let (mut peer, _) = gateway.session().await;
    let sandbox = sandbox(&mut peer).await;
    disk.fill();
    let command = shell(sandbox, "head -c 500000 /dev/zero; echo end; exit 3");
    peer.send(ToNode::Operation(command.clone())).await;
    let mut said = Received::default();
    peer.control(Control::Credit {
        operation: command.id,
        up_to: 10_000_000,
    })
    .await;
    peer.follow(command.id, &mut said).await;
    assert_eq!(said.code(), Some(3));
    assert_eq!(said.next, 500_004);
    let missing: u64 = said.gaps.iter().map(|(from, to)| to - from).sum();
    assert_eq!(
        missing + said.bytes.len() as u64,
        500_004,
        "every byte is there or marked"
    );
    assert!(missing > 0, "the disk was not full");
    machine.daemon.terminate();
    drop(disk);
}

/// A command ends while nothing can be written: the room that the ledger reserves for ends is removed.
async fn held_end(crash: bool) {
    let mut gateway = Gateway::start().await;
    let mut machine = Machine::joined(&gateway);
    let Some(disk) = SmallDisk::mount(&machine.daemon.file("executor"), "3m") else {
        return;
    };
    machine.daemon.run_with(&["--second-ms", "20"], &[]);
    let (mut peer, _) = gateway.session().await;
    let sandbox = sandbox(&mut peer).await;
    let mut command = shell(sandbox, "echo up; read x; exit 3");
    if let Operation::SbExec(exec) = &mut command.operation {
        exec.stdin = true;
    }
    let id = command.id;
    peer.send(ToNode::Operation(command)).await;
    peer.until(|message| matches!(message, ToGateway::Output(_)).then_some(()))
        .await;
    let ledger = machine.daemon.file("executor").join("ledger");
    let kept = std::fs::read(&ledger).expect("read");
    std::fs::File::options()
        .write(true)
        .open(&ledger)
        .and_then(|file| file.set_len(0))
        .expect("cut");
    let ballast = disk.fill();
    let stdin = Control::Stdin {
        operation: id,
        offset: 0,
        data: b"x\n".to_vec(),
        eof: true,
    };
    peer.control(stdin).await;
    loop {
        let status = machine.daemon.call(&["status"]);
        if String::from_utf8_lossy(&status.stdout).contains("WAITS FOR THE DISK") {
            break;
        }
        assert!(status.status.success(), "{status:?}");
    }
    let told = tokio::time::timeout(Duration::from_secs(1), peer.end_of(id)).await;
    assert!(told.is_err(), "reported before it was written: {told:?}");
    if crash {
        machine.daemon.kill();
        std::fs::remove_file(ballast).expect("removed");
        std::fs::write(&ledger, kept).expect("written");
        machine.daemon.run_with(&["--second-ms", "20"], &[]);
        (peer, _) = gateway.session().await;
        peer.control(Control::Replay {
            operation: id,
            from: 0,
        })
        .await;
    } else {
        std::fs::remove_file(ballast).expect("removed");
    }
    let ended = peer.end_of(id).await;
    assert_eq!(ended.outcome, Outcome::Exited { code: 3 }, "crash: {crash}");
    machine.daemon.terminate();
    drop(disk);
}

#[tokio::test(flavor = "multi_thread")]
async fn end_is_reported_only_after_it_is_written() {
    held_end(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crash_while_an_end_waits_for_the_disk_is_consistent() {
    held_end(true).await;
}
