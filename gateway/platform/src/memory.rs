//! Returns free memory to the system. The system's allocator keeps memory that was freed in the middle of its heaps.
//! Without this worker the process would keep the size that it had with ten thousand connections.
//!
//! Parent: `foundation`. Children: none. Restart: permanent.
#![expect(unsafe_code, reason = "the allocator's own functions are C's")]

use std::time::Duration;

/// The time between two checks.
pub const PERIOD: Duration = Duration::from_secs(15);
/// With fewer free bytes than this, a trim of all heaps is not worth its time.
const WORTH_IT: usize = 32 << 20;

/// Bytes that the allocator holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    /// Bytes from the system, heaps and large blocks together.
    all: usize,
    /// The free part of them.
    free: usize,
}

/// Whether to trim: at least a quarter of the memory is free, and at least 32 MiB.
fn is_worth_it(held: Held) -> bool {
    held.free >= WORTH_IT && held.free >= held.all / 4
}

/// Returns free memory if it is worth it. It takes milliseconds, on a thread that may block.
pub async fn give_back() {
    // A panic of this thread is harmless: the next check follows.
    let _ = tokio::task::spawn_blocking(|| {
        let before = held();
        if !is_worth_it(before) {
            return;
        }
        trim();
        let after = held();
        tracing::debug!(
            before = before.all,
            after = after.all,
            "the gateway returned unused memory to the system"
        );
        metrics::counter!("roost_memory_trims_total").increment(1);
    })
    .await;
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn held() -> Held {
    // SAFETY: it reads the allocator's counters under the allocator's own locks.
    let info = unsafe { libc::mallinfo2() };
    Held {
        all: info.arena + info.hblkhd,
        free: info.fordblks,
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    // SAFETY: it returns pages that hold only free blocks, under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn held() -> Held {
    Held { all: 0, free: 0 }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_worth_it_when_much_is_free_and_a_good_part_of_all() {
        let mib = |all: usize, free: usize| Held {
            all: all << 20,
            free: free << 20,
        };
        for (held, worth_it) in [
            (mib(700, 400), true),
            (mib(100, 31), false),
            (mib(100, 32), true),
            (mib(4_000, 900), false),
            (mib(0, 0), false),
        ] {
            assert_eq!(is_worth_it(held), worth_it, "{held:?}");
        }
    }
}
