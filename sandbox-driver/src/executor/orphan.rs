//! Which sandboxes nobody wants any more (promise P5). Pure.
use std::collections::BTreeSet;

use roost_protocol::ids::SandboxId;

/// A sandbox that runs here with our labels and this installation's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Present {
    pub sandbox: SandboxId,
    /// Seconds since its creation by the wall clock; negative when a clock jumped.
    pub age_s: i64,
    /// An operation on it is under way.
    pub busy: bool,
}

/// Sandboxes that are present, that the gateway does not know, and that are older than the grace. A clock that jumped
/// makes a sandbox look younger than it is, never an orphan.
pub fn orphans(present: &[Present], wanted: &[SandboxId], grace_s: u64) -> Vec<SandboxId> {
    let wanted: BTreeSet<_> = wanted.iter().collect();
    let grace_s = i64::try_from(grace_s).unwrap_or(i64::MAX);
    present
        .iter()
        .filter(|it| !wanted.contains(&it.sandbox) && !it.busy && it.age_s > grace_s)
        .map(|it| it.sandbox)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn only_what_is_unknown_idle_and_old_is_an_orphan() {
        let id = |n| SandboxId(Uuid::from_u128(n));
        let present = |n, age_s, busy| Present {
            sandbox: id(n),
            age_s,
            busy,
        };
        let all = [
            present(1, 100, false),
            present(2, 60, false),
            present(3, 100, true),
            present(4, 100, false),
            present(5, -5, false),
        ];
        assert_eq!(orphans(&all, &[id(4)], 60), [id(1)]);
        assert_eq!(orphans(&all, &[id(4)], u64::MAX), []);
    }
}
