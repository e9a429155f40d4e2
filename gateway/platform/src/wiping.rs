//! An allocator that wipes memory when it is freed. A request's bytes are in buffers of the server, TLS, the JSON
//! reader and the runtime, which Roost's own types cannot wipe. The program `roost` uses this allocator, so a pasted
//! token is gone from its memory after its request. Libraries and tests do not use it.
//!
//! A copy that was in a register can be left on a thread's stack, and an idle thread keeps it. [`wipe_stack`] overwrites
//! that part of the stack. Memory in use, and memory that C libraries (SQLite) allocate themselves, are not covered.
#![expect(unsafe_code, reason = "only an allocator sees what is given back")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;

/// The system's allocator with wiping.
#[derive(Debug)]
pub struct Wiping;

// SAFETY: each call passes its arguments to the system's allocator. `realloc` is the trait's default, which moves and
// frees, so a buffer that grows leaves nothing behind.
unsafe impl GlobalAlloc for Wiping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees hold.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees hold.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller frees memory of this layout, and no other code uses it until the system has it.
        unsafe {
            memory.write_bytes(0, layout.size());
            // `black_box` keeps the compiler from removing the zeros because the memory is about to be freed.
            System.dealloc(black_box(memory), layout);
        }
    }
}

/// Bytes that [`wipe_stack`] overwrites: more than a request's handler uses, less than a thread has.
const DEEP: usize = 256 * 1024;

/// Overwrites what the functions that this thread has called since left on its stack, below the caller.
#[inline(never)]
pub fn wipe_stack() {
    let mut below = [0_u8; DEEP];
    // `black_box` keeps the compiler from removing the zeros because nobody reads them.
    black_box(&mut below);
}
