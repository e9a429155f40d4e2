//! System calls that must be refused, each tried with harmless arguments in a child.
#![allow(unsafe_code)] // Raw system calls are what this is about; their arguments are numbers and null pointers.
use std::io;

use super::fact::{Facts, tried};

/// Name, number, arguments. With these arguments the call would fail anyway, or change only the child.
const REFUSED: &[(&str, libc::c_long, [libc::c_long; 5])] = &[
    ("io_uring_setup", libc::SYS_io_uring_setup, [0; 5]),
    ("io_uring_enter", libc::SYS_io_uring_enter, [-1, 0, 0, 0, 0]),
    (
        "io_uring_register",
        libc::SYS_io_uring_register,
        [-1, 0, 0, 0, 0],
    ),
    ("keyctl", libc::SYS_keyctl, [0, -3, 0, 0, 0]),
    ("add_key", libc::SYS_add_key, [0; 5]),
    ("request_key", libc::SYS_request_key, [0; 5]),
    ("userfaultfd", libc::SYS_userfaultfd, [1; 5]),
    (
        "perf_event_open",
        libc::SYS_perf_event_open,
        [0, 0, -1, -1, 0],
    ),
    ("bpf", libc::SYS_bpf, [0; 5]),
    ("ptrace", libc::SYS_ptrace, [0; 5]),
    (
        "process_vm_readv",
        libc::SYS_process_vm_readv,
        [1, 0, 0, 0, 0],
    ),
    (
        "process_vm_writev",
        libc::SYS_process_vm_writev,
        [1, 0, 0, 0, 0],
    ),
    ("kcmp", libc::SYS_kcmp, [1, 1, 0, 0, 0]),
    ("pidfd_getfd", libc::SYS_pidfd_getfd, [-1, 0, 0, 0, 0]),
    (
        "unshare_user",
        libc::SYS_unshare,
        [libc::CLONE_NEWUSER as i64, 0, 0, 0, 0],
    ),
    (
        "unshare_mount",
        libc::SYS_unshare,
        [libc::CLONE_NEWNS as i64, 0, 0, 0, 0],
    ),
    (
        "unshare_net",
        libc::SYS_unshare,
        [libc::CLONE_NEWNET as i64, 0, 0, 0, 0],
    ),
    (
        "unshare_files",
        libc::SYS_unshare,
        [libc::CLONE_FILES as i64, 0, 0, 0, 0],
    ),
    ("setns", libc::SYS_setns, [-1, 0, 0, 0, 0]),
    ("mount", libc::SYS_mount, [0; 5]),
    ("umount2", libc::SYS_umount2, [0; 5]),
    ("pivot_root", libc::SYS_pivot_root, [0; 5]),
    ("chroot", libc::SYS_chroot, [0; 5]),
    ("fsopen", libc::SYS_fsopen, [0; 5]),
    ("fsmount", libc::SYS_fsmount, [-1, 0, 0, 0, 0]),
    ("open_tree", libc::SYS_open_tree, [-1, 0, 0, 0, 0]),
    ("move_mount", libc::SYS_move_mount, [-1, 0, -1, 0, 0]),
    ("mount_setattr", libc::SYS_mount_setattr, [-1, 0, 0, 0, 0]),
    ("init_module", libc::SYS_init_module, [0; 5]),
    ("finit_module", libc::SYS_finit_module, [-1, 0, 0, 0, 0]),
    ("delete_module", libc::SYS_delete_module, [0; 5]),
    ("kexec_load", libc::SYS_kexec_load, [0; 5]),
    ("reboot", libc::SYS_reboot, [0; 5]),
    ("swapon", libc::SYS_swapon, [0; 5]),
    ("settimeofday", libc::SYS_settimeofday, [0; 5]),
    ("clock_settime", libc::SYS_clock_settime, [0; 5]),
    ("adjtimex", libc::SYS_adjtimex, [0; 5]),
    ("sethostname", libc::SYS_sethostname, [0; 5]),
    ("setdomainname", libc::SYS_setdomainname, [0; 5]),
    ("syslog", libc::SYS_syslog, [10, 0, 0, 0, 0]),
    ("acct", libc::SYS_acct, [0; 5]),
    ("quotactl", libc::SYS_quotactl, [0; 5]),
    (
        "name_to_handle_at",
        libc::SYS_name_to_handle_at,
        [-1, 0, 0, 0, 0],
    ),
    (
        "open_by_handle_at",
        libc::SYS_open_by_handle_at,
        [-1, 0, 0, 0, 0],
    ),
    ("fanotify_init", libc::SYS_fanotify_init, [0; 5]),
    ("memfd_secret", 447, [0; 5]),
    ("mbind", libc::SYS_mbind, [0; 5]),
    ("set_mempolicy", libc::SYS_set_mempolicy, [0; 5]),
    ("move_pages", libc::SYS_move_pages, [0; 5]),
    ("vmsplice", libc::SYS_vmsplice, [-1, 0, 0, 0, 0]),
    ("vhangup", libc::SYS_vhangup, [0; 5]),
    // Without address randomisation an exploit is easier.
    (
        "personality",
        libc::SYS_personality,
        [0x0004_0000, 0, 0, 0, 0],
    ),
    // Namespace flags without a program to run: the filter must see them before the kernel reports an error.
    (
        "clone_user",
        libc::SYS_clone,
        [
            libc::CLONE_NEWUSER as i64 | libc::CLONE_SIGHAND as i64,
            0,
            0,
            0,
            0,
        ],
    ),
    (
        "clone_net",
        libc::SYS_clone,
        [
            libc::CLONE_NEWNET as i64 | libc::CLONE_SIGHAND as i64,
            0,
            0,
            0,
            0,
        ],
    ),
];

pub fn probe(facts: &mut Facts) {
    for (name, number, arguments) in REFUSED {
        facts.add(
            &format!("syscall.{name}"),
            &format!("{name} is refused"),
            "refused",
            tried(|| call(*number, *arguments)),
        );
    }
    facts.add(
        "syscall.clone3",
        "clone3, whose flags cannot be filtered, is absent",
        "absent",
        tried(|| call(libc::SYS_clone3, [0; 5])),
    );
    facts.add(
        "signal.first",
        "The guest cannot be killed from inside",
        "ignored",
        {
            let sent = tried(|| call(libc::SYS_kill, [1, i64::from(libc::SIGKILL), 0, 0, 0]));
            let alive = std::fs::metadata("/proc/1").is_ok();
            if alive { "ignored".to_owned() } else { sent }
        },
    );
    for (fact, title, number, arguments) in [
        (
            "privilege.setuid",
            "Cannot become root",
            libc::SYS_setuid,
            [0; 5],
        ),
        (
            "privilege.setgid",
            "Cannot join root's group",
            libc::SYS_setgid,
            [0; 5],
        ),
        (
            "privilege.setgroups",
            "Cannot change its groups",
            libc::SYS_setgroups,
            [0; 5],
        ),
    ] {
        facts.add(fact, title, "refused", tried(|| call(number, arguments)));
    }
}

fn call(number: libc::c_long, a: [libc::c_long; 5]) -> io::Result<()> {
    // SAFETY: pointers among the arguments are null and descriptors are invalid, so no memory is touched; what a call
    // changes when it works belongs to the child that it runs in.
    let result = unsafe { libc::syscall(number, a[0], a[1], a[2], a[3], a[4]) };
    if result == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
