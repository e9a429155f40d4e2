//! The seccomp profile: an allow-list that is stricter than the engine's default, stored as JSON for auditors.
//!
//! Not on the list, so refused with EPERM: io_uring, keyctl and related calls, userfaultfd, perf_event_open, bpf,
//! ptrace and process_vm_*, unshare, setns, the mount family, chroot, modules, clocks, reboot, kcmp, pidfd_getfd,
//! quotactl, syslog, NUMA policy, file handles, fanotify, modify_ldt, iopl. Its list of architectures has no 32-bit
//! entry points.

/// The profile without its architecture.
const PROFILE: &str = include_str!("seccomp.json");

/// The profile for an engine's architecture (`amd64`, `arm64`) as compact JSON; `None` for an untested one.
pub fn profile(arch: &str) -> Option<String> {
    let token = match arch {
        "amd64" | "x86_64" => "SCMP_ARCH_X86_64",
        "arm64" | "aarch64" => "SCMP_ARCH_AARCH64",
        _ => return None,
    };
    let mut profile: serde_json::Value =
        serde_json::from_str(PROFILE).expect("the profile is checked by a test");
    profile["architectures"] = serde_json::json!([token]);
    for rule in profile["syscalls"].as_array_mut().into_iter().flatten() {
        // Not every engine accepts comments in rules with conditions. They are for readers of the file.
        if let Some(rule) = rule.as_object_mut() {
            rule.remove("comment");
        }
    }
    Some(profile.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that are allowed without a condition.
    fn plain() -> Vec<String> {
        let profile: serde_json::Value = serde_json::from_str(PROFILE).unwrap();
        profile["syscalls"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|rule| rule["action"] == "SCMP_ACT_ALLOW" && rule.get("args").is_none())
            .flat_map(|rule| rule["names"].as_array().unwrap().clone())
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    }

    #[rstest::rstest]
    #[case::io_uring(&["io_uring_setup", "io_uring_enter", "io_uring_register"])]
    #[case::keys(&["keyctl", "add_key", "request_key"])]
    #[case::memory(&["userfaultfd", "process_vm_readv", "process_vm_writev", "process_madvise", "memfd_secret"])]
    #[case::kernel(&["bpf", "perf_event_open", "init_module", "finit_module", "delete_module", "kexec_load", "reboot", "syslog"])]
    #[case::trace(&["ptrace", "kcmp", "pidfd_getfd"])]
    #[case::namespaces(&["unshare", "setns", "clone", "clone3"])]
    #[case::mounts(&["mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "fsconfig", "move_mount", "open_tree", "mount_setattr", "statmount", "listmount"])]
    #[case::handles(&["name_to_handle_at", "open_by_handle_at", "fanotify_init", "quotactl", "quotactl_fd"])]
    #[case::machine(&["iopl", "ioperm", "modify_ldt", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "swapon", "swapoff", "acct", "vhangup"])]
    #[case::numa(&["mbind", "set_mempolicy", "migrate_pages", "move_pages"])]
    #[case::sockets(&["socket", "socketpair", "socketcall"])]
    #[case::others(&["vmsplice", "lookup_dcookie", "uselib", "personality", "nfsservctl"])]
    fn dangerous_syscalls_are_never_allowed_unconditionally(#[case] names: &[&str]) {
        let plain = plain();
        for name in names {
            assert!(!plain.iter().any(|allowed| allowed == name), "{name}");
        }
    }

    #[test]
    fn no_name_is_listed_twice_without_a_condition() {
        let mut names = plain();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn the_clone_condition_covers_every_namespace_flag() {
        let flags = [
            0x0002_0000_u64, // mount
            0x0200_0000,     // cgroup
            0x0400_0000,     // uts
            0x0800_0000,     // ipc
            0x1000_0000,     // user
            0x2000_0000,     // pid
            0x4000_0000,     // net
        ];
        assert_eq!(flags.iter().sum::<u64>(), 2_114_060_288);
        assert!(PROFILE.contains("2114060288"));
    }

    #[test]
    fn only_tested_architectures_have_a_profile() {
        assert!(profile("amd64").unwrap().contains("SCMP_ARCH_X86_64"));
        assert!(!profile("amd64").unwrap().contains("SCMP_ARCH_X86\""));
        assert!(profile("riscv64").is_none());
    }
}
