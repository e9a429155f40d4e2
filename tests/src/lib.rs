//! The harness and one integration binary that mirrors the domains; faults; benches.
