//! The limits that the program sets on itself before it reads anything: memory, processor time, files, processes. The
//! program that started it limits the time on the clock.

use rustix::process::{Resource, Rlimit, setrlimit};

/// Most bytes of address space. The fonts and the program are a part of it.
pub const MEMORY: u64 = 2 << 30;
/// Most seconds of processor time.
pub const PROCESSOR: u64 = 120;
/// Most open files. The three that are open stay open, and the allocator and the threads need some.
const FILES: u64 = 16;

/// Sets the limits. They cannot be taken back.
///
/// # Errors
/// When the system refuses one.
pub fn set() -> Result<(), std::io::Error> {
    for (resource, most) in [
        (Resource::As, MEMORY),
        (Resource::Cpu, PROCESSOR),
        (Resource::Nofile, FILES),
        // The program writes to its standard output only. No file, and no dump of its memory.
        (Resource::Core, 0),
    ] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit)?;
    }
    Ok(())
}
