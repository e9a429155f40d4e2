//! What a run may use at most, as arguments.

use std::time::Duration;

use anyhow::ensure;

use crate::api::types::RunLimits;

/// What a run may use at most.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Limits {
    /// The most that it may cost, in US dollars
    #[arg(long, value_name = "USD")]
    ceiling: Option<f64>,
    #[command(flatten)]
    pace: Pace,
}

/// How many turns and how much time a run may use.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Pace {
    /// The most turns of models, with those of the runs that it starts
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    turns: Option<u32>,
    /// How long it may take from its begin, waits included: as 90s, 45m or "2h 30m"
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    time: Option<Duration>,
}

impl Limits {
    /// The ceiling in millionths of a US dollar.
    pub fn microusd(self) -> anyhow::Result<Option<u64>> {
        self.ceiling.map(microusd).transpose()
    }

    /// The limits of turns and of time.
    pub fn pace(self) -> Option<RunLimits> {
        self.pace.limits()
    }
}

impl Pace {
    /// The limits, when there are any.
    pub fn limits(self) -> Option<RunLimits> {
        let any = self.turns.is_some() || self.time.is_some();
        any.then(|| RunLimits {
            turns: self.turns,
            time_s: self.time.map(seconds),
        })
    }
}

/// Whole seconds. The gateway refuses what is too long.
fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

/// A ceiling in millionths.
fn microusd(usd: f64) -> anyhow::Result<u64> {
    ensure!(
        (0.0..1e6).contains(&usd),
        "--ceiling must be 0 to 1,000,000 US dollars"
    );
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    let ceiling = (usd * 1e6).round() as u64;
    Ok(ceiling)
}
