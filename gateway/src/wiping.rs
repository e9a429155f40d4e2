//! An allocator that wipes what it takes back: a request's bytes are in buffers of the server, of TLS, of the JSON reader
//! and of the runtime, which no type of ours sees. The program `roost` uses it, so that a token that was pasted is
//! nowhere in its memory once its request is over; a library and a test do not.
//!
//! It does not reach memory that is still in use, stacks and registers, and what C libraries (SQLite) allocate for
//! themselves.
#![expect(unsafe_code, reason = "only an allocator sees what is given back")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;

/// The system's allocator, wiped.
#[derive(Debug)]
pub struct Wiping;

// SAFETY: each call goes to the system's allocator with what it was given; `realloc` stays the trait's own, which moves
// and gives back, so that a buffer that grows leaves nothing behind.
unsafe impl GlobalAlloc for Wiping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller gives back memory of this layout, which is nobody's until the system has it.
        unsafe {
            memory.write_bytes(0, layout.size());
            // Somebody might read it: the compiler may not leave the zeros out because it is about to be freed.
            System.dealloc(black_box(memory), layout);
        }
    }
}
