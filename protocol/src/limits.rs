//! Every bound of the channel in one place. Both ends check them and refuse a peer that breaks one.

/// Largest WebSocket message, bytes.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;
/// Largest payload of one output or stdin chunk, bytes. It is small, so that control frames do not wait long behind
/// one.
pub const MAX_CHUNK_BYTES: usize = 32 * 1024;
/// Credit of an output stream at its start, bytes beyond offset 0.
pub const INITIAL_CREDIT_BYTES: u64 = 256 * 1024;
/// Output of one operation that is streamed. The rest is counted and dropped, and the end reports it.
pub const MAX_STREAMED_BYTES: u64 = 16 * 1024 * 1024;
/// Output of one operation that is kept after its end: the last bytes of the streamed part.
pub const KEPT_OUTPUT_BYTES: u64 = 1024 * 1024;
/// How long a node keeps the result of an operation, seconds.
pub const RESULT_RETENTION_S: u64 = 24 * 60 * 60;
/// Most arguments of a command.
pub const MAX_ARGV: usize = 256;
/// Longest single argument, path or environment value, bytes.
pub const MAX_ARG_BYTES: usize = 64 * 1024;
/// Longest command in total (arguments, environment and folder), bytes. Together with the sandbox's environment it fits
/// into one guest frame.
pub const MAX_COMMAND_BYTES: usize = 160 * 1024;
/// Longest environment of a sandbox in total, bytes.
pub const MAX_SANDBOX_ENV_BYTES: usize = 32 * 1024;
/// Stdin of one operation that may wait at the gateway for a node, bytes.
pub const MAX_STDIN_WAITING_BYTES: u64 = 256 * 1024;
/// Most environment variables of a command.
pub const MAX_ENV: usize = 128;
/// Default deadline of a command, seconds.
pub const DEFAULT_DEADLINE_S: u64 = 600;
/// Longest deadline of a command, seconds.
pub const MAX_DEADLINE_S: u64 = 24 * 60 * 60;

/// The deadline of a command that has none: a terminal, which lives until somebody ends it. A daemon that does not say that it
/// knows this ([`Capabilities::endless`](crate::hello::Capabilities::endless)) is sent the longest deadline.
pub const NO_DEADLINE_S: u64 = 0;
/// What counts as no end where a time is needed, seconds.
pub const ENDLESS_S: u64 = 10 * 365 * 24 * 60 * 60;

/// Longest time for which a flush may wait for its snapshot, seconds.
pub const MAX_FLUSH_DEADLINE_S: u64 = 10 * 60;
/// Longest short text from a node (hostname, version, label), bytes after cleaning.
pub const MAX_SHORT_TEXT: usize = 256;
/// Longest detail text from a node, bytes after cleaning.
pub const MAX_DETAIL_TEXT: usize = 4 * 1024;
/// Most images of a gateway's catalogue that a machine reports on.
pub const MAX_IMAGES: usize = 64;
/// Most sandboxes or operations listed in one inventory.
pub const MAX_INVENTORY: usize = 4096;
/// Most lines about what a snapshot leaves out.
pub const MAX_LEFT_OUT: usize = 50;
/// Most operations in flight on one node.
pub const MAX_IN_FLIGHT: usize = 1024;
/// Operations in flight that are reserved for other work than commands. So sandboxes can always be made, checked and
/// ended.
pub const RESERVED_IN_FLIGHT: usize = 64;
/// Most commands in one sandbox at the same time. A sandbox has 256 processes by default.
pub const MAX_COMMANDS_IN_SANDBOX: usize = 128;
/// Most commands of one workspace on one node at the same time. A team of 200 agents with one command each has room,
/// and other workspaces keep the rest.
pub const MAX_COMMANDS_OF_WORKSPACE: usize = 256;
/// Default for the output of all operations on a node's disk, bytes; its owner may change it.
pub const MAX_KEPT_OUTPUT_BYTES: u64 = 1024 * 1024 * 1024;
/// Most agents, and most archives, in one reconcile. With more, the node keeps all archives.
pub const MAX_KEPT_NAMES: usize = 8_000;
/// Default heartbeat interval, seconds. The gateway raises it as the fleet grows.
pub const HEARTBEAT_S: u32 = 10;
/// How often tools are reported after the first report, seconds.
pub const TOOLS_INTERVAL_S: u64 = 15 * 60;
/// Lease of a sandbox since its last use, seconds.
pub const SANDBOX_LEASE_S: u64 = 24 * 60 * 60;
/// Shortest lease and shortest grace of an orphan, seconds.
pub const MIN_LEASE_S: u64 = 60;
/// Sandbox defaults: memory, including the workspace, bytes.
pub const DEFAULT_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
/// Sandbox defaults: workspace tmpfs, bytes.
pub const DEFAULT_WORKSPACE_BYTES: u64 = 512 * 1024 * 1024;
/// Sandbox defaults: one cpu in billionths.
pub const DEFAULT_NANO_CPUS: u64 = 1_000_000_000;
/// Sandbox defaults: processes and threads.
pub const DEFAULT_PIDS: u32 = 256;
/// Range of memory that a request may ask for, bytes.
pub const MEMORY_BYTES: std::ops::RangeInclusive<u64> =
    32 * 1024 * 1024..=1024 * 1024 * 1024 * 1024;
/// Range of the workspace, bytes. It is also at most the memory.
pub const WORKSPACE_BYTES: std::ops::RangeInclusive<u64> = 1024 * 1024..=1024 * 1024 * 1024 * 1024;
/// Range of cpu, billionths of one.
pub const NANO_CPUS: std::ops::RangeInclusive<u64> = 10_000_000..=1_024_000_000_000;
/// Range of processes and threads.
pub const PIDS: std::ops::RangeInclusive<u32> = 8..=32_768;
/// Most rows or columns of a terminal.
pub const MAX_TTY_CELLS: u16 = 4096;
/// Most tools, checks or probed facts in one report.
pub const MAX_REPORT_ENTRIES: usize = 512;
