//! The typed contract of the node channel: frames, operations, results. No tokio, no I/O.
