//! Every bound of the channel in one place. Both ends check them; a peer that breaks one is refused, not trusted.

/// Largest WebSocket message, bytes.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;
/// Largest payload of one output or stdin chunk, bytes; small enough that control frames are never stuck behind one.
pub const MAX_CHUNK_BYTES: usize = 32 * 1024;
/// Credit an output stream has at its start, bytes beyond offset 0.
pub const INITIAL_CREDIT_BYTES: u64 = 256 * 1024;
/// Output of one operation that is streamed; what comes after is counted and dropped, and the end says so.
pub const MAX_STREAMED_BYTES: u64 = 16 * 1024 * 1024;
/// Output of one operation that is kept after its end, bytes from the end of the streamed part.
pub const KEPT_OUTPUT_BYTES: u64 = 1024 * 1024;
/// How long a node keeps the result of an operation, seconds.
pub const RESULT_RETENTION_S: u64 = 24 * 60 * 60;
/// Most arguments of a command.
pub const MAX_ARGV: usize = 256;
/// Longest single argument, path or environment value, bytes.
pub const MAX_ARG_BYTES: usize = 64 * 1024;
/// Longest command in all (arguments, environment and folder), bytes; with the sandbox's own environment it fits one guest frame.
pub const MAX_COMMAND_BYTES: usize = 160 * 1024;
/// Longest environment of a sandbox in all, bytes.
pub const MAX_SANDBOX_ENV_BYTES: usize = 32 * 1024;
/// Stdin that may wait at the gateway for a node, bytes of one operation.
pub const MAX_STDIN_WAITING_BYTES: u64 = 256 * 1024;
/// Most environment variables of a command.
pub const MAX_ENV: usize = 128;
/// Deadline of a command when none is asked for, seconds.
pub const DEFAULT_DEADLINE_S: u64 = 600;
/// Longest deadline of a command, seconds.
pub const MAX_DEADLINE_S: u64 = 24 * 60 * 60;
/// Longest short text from a node (hostname, version, label), bytes after cleaning.
pub const MAX_SHORT_TEXT: usize = 256;
/// Longest detail text from a node, bytes after cleaning.
pub const MAX_DETAIL_TEXT: usize = 4 * 1024;
/// Most sandboxes or operations listed in one inventory.
pub const MAX_INVENTORY: usize = 4096;
/// Most operations in flight on one node.
pub const MAX_IN_FLIGHT: usize = 256;
/// Heartbeat interval at rest, seconds; the gateway stretches it as the fleet grows.
pub const HEARTBEAT_S: u32 = 10;
/// How often tools are reported after the first report, seconds.
pub const TOOLS_INTERVAL_S: u64 = 15 * 60;
/// Lease of a sandbox since its last use, seconds.
pub const SANDBOX_LEASE_S: u64 = 24 * 60 * 60;
/// Shortest lease and shortest grace of an orphan, seconds.
pub const MIN_LEASE_S: u64 = 60;
/// Sandbox defaults: memory (of which the workspace is a part), bytes.
pub const DEFAULT_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
/// Sandbox defaults: workspace tmpfs, bytes.
pub const DEFAULT_WORKSPACE_BYTES: u64 = 512 * 1024 * 1024;
/// Sandbox defaults: one cpu in billionths.
pub const DEFAULT_NANO_CPUS: u64 = 1_000_000_000;
/// Sandbox defaults: processes and threads.
pub const DEFAULT_PIDS: u32 = 256;
/// Least and most memory that can be asked for, bytes.
pub const MEMORY_BYTES: std::ops::RangeInclusive<u64> =
    32 * 1024 * 1024..=1024 * 1024 * 1024 * 1024;
/// Least and most workspace, bytes; it is also at most the memory.
pub const WORKSPACE_BYTES: std::ops::RangeInclusive<u64> = 1024 * 1024..=1024 * 1024 * 1024 * 1024;
/// Least and most cpu, billionths of one.
pub const NANO_CPUS: std::ops::RangeInclusive<u64> = 10_000_000..=1_024_000_000_000;
/// Least and most processes and threads.
pub const PIDS: std::ops::RangeInclusive<u32> = 8..=32_768;
/// Most rows or columns of a terminal.
pub const MAX_TTY_CELLS: u16 = 4096;
/// Most tools, checks or probed facts in one report.
pub const MAX_REPORT_ENTRIES: usize = 512;
