//! The total on files like the kernel's, and on the kernel's own files where this process may write them.
use std::fs;

use roost_protocol::caps::{Caps, Total};
use roost_protocol::sandbox::Limits;

use super::*;
use crate::total::Host;

const HOST: Host = Host {
    memory_bytes: 24 << 30,
    cpus: 2,
    pids: 32_768,
};

fn allowance(memory_bytes: u64, cpus: f64, pids: u64) -> Allowance {
    let all = Total {
        sandboxes: 10,
        memory_bytes,
        nano_cpus: (cpus * 1e9) as u64,
        pids,
    };
    Allowance {
        caps: Caps {
            each: Limits::default(),
            all,
        },
        kernel: HOST.kernel(&all),
        share: HOST.share(),
    }
}

/// A folder that looks like a cgroup v2 hierarchy.
fn second() -> (tempfile::TempDir, Tree) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cgroup.controllers"), "cpu memory pids").unwrap();
    let tree = Tree::second(folder.path());
    (folder, tree)
}

#[test]
fn total_is_set_read_back_and_updated() {
    let (folder, tree) = second();
    let parent = Parent::named(tree, "/roost-sandboxes/me");
    let wanted = allowance(8 << 30, 1.5, 1000);
    assert!(matches!(check(&parent, &wanted), Enforcement::No { .. }));
    assert_eq!(enforce(&parent, &wanted), Enforcement::Yes);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        read("roost-sandboxes/me/memory.max"),
        (8u64 << 30).to_string()
    );
    assert_eq!(read("roost-sandboxes/me/pids.max"), "1000");
    assert_eq!(read("roost-sandboxes/me/cpu.max"), "150000 100000");
    assert_eq!(
        read("roost-sandboxes/memory.max"),
        (18u64 << 30).to_string()
    );
    assert_eq!(read("roost-sandboxes/cpu.max"), "180000 100000");
    // Another program removes the limit: the check detects it, and it is set again.
    fs::write(folder.path().join("roost-sandboxes/me/memory.max"), "max").unwrap();
    let Enforcement::No { why } = check(&parent, &wanted) else {
        panic!("18 GiB above are not 8");
    };
    assert!(why.contains("memory is limited to 19327352832"), "{why}");
    assert_eq!(enforce(&parent, &wanted), Enforcement::Yes);
    // The owner gives more than the default share: the group above follows, and never shrinks for another installation.
    let more = allowance(20 << 30, 2.0, 20_000);
    assert_eq!(enforce(&parent, &more), Enforcement::Yes);
    assert_eq!(
        read("roost-sandboxes/memory.max"),
        (20u64 << 30).to_string()
    );
    assert_eq!(enforce(&parent, &wanted), Enforcement::Yes);
    assert_eq!(
        read("roost-sandboxes/memory.max"),
        (20u64 << 30).to_string()
    );
    assert_eq!(
        read("roost-sandboxes/me/memory.max"),
        (8u64 << 30).to_string()
    );
}

#[test]
fn failed_limit_is_reported_with_what_to_do() {
    let nowhere = Parent::named(Tree::default(), "/roost-sandboxes/me");
    let Enforcement::No { why } = enforce(&nowhere, &allowance(8 << 30, 1.0, 100)) else {
        panic!("nothing can be held");
    };
    assert!(why.contains("does not see the control groups"), "{why}");
    assert!(why.contains("as root"), "{why}");

    let (folder, tree) = second();
    fs::write(folder.path().join("roost-sandboxes"), "in the way").unwrap();
    let blocked = Parent::named(tree, "/roost-sandboxes/me");
    let Enforcement::No { why } = enforce(&blocked, &allowance(8 << 30, 1.0, 100)) else {
        panic!("nothing can be held");
    };
    assert!(why.contains("could not be set"), "{why}");
}

#[test]
fn lower_limit_of_a_parent_group_is_respected() {
    let (folder, tree) = second();
    let slice = Parent::named(tree, "roost-abc.slice");
    assert_eq!(slice.group, Path::new("roost.slice/roost-abc.slice"));
    let top = folder.path().join("roost.slice");
    fs::create_dir(&top).unwrap();
    for (name, value) in [
        ("memory.max", "4294967296"),
        ("pids.max", "100"),
        ("cpu.max", "50000 100000"),
    ] {
        fs::write(top.join(name), value).unwrap();
    }
    assert_eq!(
        check(&slice, &allowance(8 << 30, 1.0, 100)),
        Enforcement::Yes
    );
    let Enforcement::No { why } = check(&slice, &allowance(2 << 30, 1.0, 100)) else {
        panic!("4 GiB are not 2");
    };
    assert!(
        why.contains("systemctl set-property roost-abc.slice"),
        "{why}"
    );
}

#[rstest::rstest]
#[case(None, 10, 5, Some(10))]
#[case(None, 10, 12, Some(12))]
#[case(Some(10), 10, 5, None)]
#[case(Some(10), 10, 12, Some(12))]
#[case(Some(12), 10, 5, None)]
fn parent_group_of_all_installations_only_grows(
    #[case] now: Option<u64>,
    #[case] share: u64,
    #[case] wanted: u64,
    #[case] expected: Option<u64>,
) {
    assert_eq!(top_limit(now, share, wanted), expected);
}

#[test]
fn container_is_found_below_its_parent_and_empty_parent_is_removed() {
    let (folder, tree) = second();
    let parent = Parent::named(tree, "/roost-sandboxes/me");
    assert!(!contains(&parent, "abc"));
    let group = folder.path().join("roost-sandboxes/me");
    fs::create_dir_all(group.join("docker-abc.scope")).unwrap();
    assert!(contains(&parent, "abc") && !contains(&parent, "abd"));
    forget(&parent);
    assert!(group.exists(), "it is not empty");
    fs::remove_dir(group.join("docker-abc.scope")).unwrap();
    forget(&parent);
    assert!(!group.exists() && folder.path().join("roost-sandboxes").exists());
}

#[test]
fn total_round_trips_through_real_cgroup_files() {
    let tree = Tree::of_this_process();
    let name = format!("/roost-test-{}", uuid::Uuid::now_v7().simple());
    let parent = Parent::named(tree.clone(), &name);
    let places: Vec<Place> = Control::ALL
        .into_iter()
        .filter_map(|c| tree.place(c))
        .collect();
    let writable =
        |place: &Place| rustix::fs::access(&place.root, rustix::fs::Access::WRITE_OK).is_ok();
    if places.len() < 3 || !places.iter().all(writable) {
        eprintln!("not tested here: the kernel's control groups (this user may not write them)");
        return;
    }
    for wanted in [
        allowance(64 << 20, 0.5, 50),
        allowance((128 << 20) + 1, 1.0, 70),
        allowance(32 << 20, 0.25, 20),
    ] {
        assert_eq!(enforce(&parent, &wanted), Enforcement::Yes);
        for (control, place) in Control::ALL.into_iter().zip(&places) {
            let found = files::get(place, &parent.group, control).unwrap();
            assert_eq!(found, Some(wanted.kernel.of(control)), "{}", control.name());
        }
    }
    for root in tree.roots() {
        let _ = fs::remove_dir(root.join(&parent.group));
    }
}
