//! Returns free memory to the system. The system's allocator keeps memory that was freed in the middle of its heaps.
//! Without this worker the process would keep the size that it had with ten thousand connections, and the memory of its
//! start.
//!
//! Parent: `foundation`. Children: none. Restart: permanent.
#![expect(unsafe_code, reason = "the allocator's own functions are C's")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The time between two checks.
pub const PERIOD: Duration = Duration::from_secs(5);
/// With fewer bytes freed since the last trim than this, a trim of all heaps is not worth its time.
const WORTH_IT: usize = 2 << 20;

/// Bytes that the allocator holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    /// Bytes from the system, heaps and large blocks together.
    all: usize,
    /// The free part of them.
    free: usize,
}

/// Whether to trim. `kept` is what the last trim could not return: small gaps between blocks that are in use. A sixteenth
/// of the memory must be new in addition, because that many gaps come and go with any load.
fn is_worth_it(held: Held, kept: usize) -> bool {
    held.free >= kept + WORTH_IT.max(held.all / 16)
}

/// Returns free memory if it is worth it. It takes milliseconds, on a thread that may block.
pub async fn give_back() {
    // A panic of this thread is harmless: the next check follows.
    let _ = tokio::task::spawn_blocking(|| {
        static KEPT: AtomicUsize = AtomicUsize::new(0);
        let before = held();
        // With fewer gaps than the last trim left, the next trim counts from there.
        let kept = KEPT.load(Ordering::Relaxed).min(before.free);
        KEPT.store(kept, Ordering::Relaxed);
        if !is_worth_it(before, kept) {
            return;
        }
        trim();
        let after = held();
        KEPT.store(after.free, Ordering::Relaxed);
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
    fn it_is_worth_it_when_much_was_freed_since_the_last_trim() {
        let mib = |all: usize, free: usize| Held {
            all: all << 20,
            free: free << 20,
        };
        for (held, kept, worth_it) in [
            (mib(700, 400), 0, true),
            (mib(20, 2), 0, true),
            (mib(20, 1), 0, false),
            (mib(20, 4), 3, false),
            (mib(20, 5), 3, true),
            (mib(4_000, 200), 0, false),
            (mib(4_000, 300), 0, true),
            (mib(0, 0), 0, false),
        ] {
            assert_eq!(is_worth_it(held, kept << 20), worth_it, "{held:?} {kept}");
        }
    }

    /// Its own code and constants must be as before.
    #[tokio::test]
    async fn program_goes_on_after_its_pages_left() {
        let text = include_str!("memory.rs");
        let before = text.len() + text.lines().count();
        assert_eq!(text.len() + text.lines().count(), before);
        assert!(text.starts_with("//! Returns free memory"));
        give_back().await;
    }
}
