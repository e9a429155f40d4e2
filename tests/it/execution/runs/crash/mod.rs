//! Crash evidence: seeded histories in which the gateway, its database, the daemon and the engine die at random moments
//! while teams work. Afterwards the database is checked: one output row for each step, one effect for each key, ends that
//! never change, late writes refused, no event lost or doubled.
//!
//! ```text
//! alone   one gateway on SQLite, and on PostgreSQL       killed (-9), paused
//! pair    two gateways, their own PostgreSQL server,     a gateway killed, or paused past its lease while the other
//!         a balancer before them, the real roostd        takes over; PostgreSQL, the daemon and the engine killed
//!         with an engine of its own
//! ```
//!
//! The agents' commands are real: each appends its own line to a file in a real sandbox, and the test counts the lines.
//! `ROOST_TEST_SEEDS=<n>` plays so many histories (CI plays a few; `deploy/crash.sh` many), `ROOST_TEST_SEED=<n>` begins with
//! another seed.

mod alone;
mod books;
mod pair;

/// Histories of each kind by default.
const FEW: u64 = 2;

/// The seeds of this call.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str, default| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let first = number("ROOST_TEST_SEED", 1);
    first..first + number("ROOST_TEST_SEEDS", FEW)
}

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}
