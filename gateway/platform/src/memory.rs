//! Returns free memory to the system. The system's allocator keeps memory that was freed in the middle of its heaps.
//! Without this worker the process would keep the size that it had with ten thousand connections, and the memory of its
//! start. A program's own pages also stay in memory once they were touched, so they leave with it: what is used comes
//! back from the file's cache at its next use.
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
        program::leave();
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

/// The pages of the program's file.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod program {
    use std::ffi::{c_int, c_void};
    use std::ptr;

    /// Removes the program's code and constants from this process's memory. They stay in the system's cache of the file.
    /// A start touches most of them once, and a gateway at rest uses a small part.
    pub(super) fn leave() {
        // SAFETY: the callback gets valid objects, and it stops after the first.
        unsafe {
            libc::dl_iterate_phdr(Some(of_program), ptr::null_mut());
        }
    }

    /// The first object is the program itself.
    unsafe extern "C" fn of_program(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        _: *mut c_void,
    ) -> c_int {
        // SAFETY: the linker passes a valid object and the table of its segments.
        let (base, segments) = unsafe {
            let info = &*info;
            let segments = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            (info.dlpi_addr, segments)
        };
        // SAFETY: it reads a constant of the system.
        let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4_096);
        for segment in segments {
            // Nothing writes to these segments, so their pages are those of the file. Relocated constants are in a
            // writable segment.
            if segment.p_type != libc::PT_LOAD || segment.p_flags & libc::PF_W != 0 {
                continue;
            }
            let begin = (base + segment.p_vaddr).next_multiple_of(page);
            let end = (base + segment.p_vaddr + segment.p_memsz) / page * page;
            if begin < end {
                let length = (end - begin) as usize;
                // SAFETY: the range is inside a segment that is mapped from the program's file and never written, so
                // each page is read from the file again at its next use.
                unsafe {
                    libc::madvise(begin as *mut c_void, length, libc::MADV_DONTNEED);
                }
            }
        }
        1
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod program {
    pub(super) fn leave() {}
}

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
        program::leave();
        assert_eq!(text.len() + text.lines().count(), before);
        assert!(text.starts_with("//! Returns free memory"));
        give_back().await;
    }
}
