//! The limits of connections, from the number of files that the process may open. Pure.

/// Files for other purposes: database, broker, engine, machines' files, logs, listeners.
const OTHER_FILES: usize = 256;
/// Unproven connections per address.
const PER_ADDRESS: usize = 256;
/// Unproven connections at once, whatever the number of files is: each costs memory.
const UNPROVEN: usize = 4_096;
/// Connections per person, browsers and programs together.
const PER_PERSON: usize = 512;

/// The limits of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// All connections, proven and unproven.
    pub all: usize,
    /// The part of `all` for people.
    pub people: usize,
    pub per_person: usize,
    pub unproven: usize,
    pub unproven_per_address: usize,
}

impl ConnectionLimits {
    /// For a process that may open `files` files.
    pub fn of_files(files: usize) -> Self {
        let all = files.saturating_sub(OTHER_FILES.min(files / 4)).max(16);
        Self {
            all,
            // The rest is reserved for machines.
            people: all - all / 5,
            per_person: PER_PERSON,
            unproven: UNPROVEN.min(all / 2),
            unproven_per_address: PER_ADDRESS.min(all / 4),
        }
    }

    /// For the operators' listener, which few can reach. Its limits are small, so it never takes the place of others.
    pub fn of_operators() -> Self {
        Self {
            all: 64,
            people: 64,
            per_person: 64,
            unproven: 16,
            unproven_per_address: 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_and_files_of_our_own_always_find_room() {
        for files in [64, 1_024, 4_096, 20_000, 1 << 20] {
            let limits = ConnectionLimits::of_files(files);
            assert!(limits.all < files, "{files}: {limits:?}");
            assert!(limits.people < limits.all, "{files}: {limits:?}");
            assert!(limits.unproven <= limits.all / 2, "{files}: {limits:?}");
            assert!(
                limits.unproven_per_address * 2 <= limits.unproven,
                "{files}: {limits:?}"
            );
        }
        assert_eq!(ConnectionLimits::of_files(1_024).all, 768);
        assert_eq!(ConnectionLimits::of_files(1 << 20).unproven, UNPROVEN);
    }
}
