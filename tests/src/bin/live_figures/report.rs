//! The measurements and their medians.

use std::collections::BTreeMap;

/// One measurement.
pub struct Round {
    pub what: String,
    /// Deliveries per second.
    pub rate: Option<f64>,
    /// Microseconds.
    pub latencies: Vec<u32>,
    /// Seconds of the server's processor time.
    pub cpu_per_delivery: Option<f64>,
    /// Bytes resident.
    pub memory: Option<u64>,
}

#[derive(Default)]
struct Rounds {
    rate: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    cpu: Vec<f64>,
    memory: Vec<f64>,
}

/// All measurements.
#[derive(Default)]
pub struct Report {
    rounds: BTreeMap<(String, &'static str), Rounds>,
    said: Vec<String>,
}

impl Report {
    /// Adds a measurement.
    pub fn add(&mut self, side: &'static str, mut round: Round) {
        let all = self.rounds.entry((round.what, side)).or_default();
        all.rate.extend(round.rate);
        all.cpu
            .extend(round.cpu_per_delivery.map(|seconds| seconds * 1e6));
        all.memory
            .extend(round.memory.map(|bytes| bytes as f64 / f64::from(1 << 20)));
        if !round.latencies.is_empty() {
            round.latencies.sort_unstable();
            let at = |share: f64| {
                let last = round.latencies.len() - 1;
                f64::from(round.latencies[(last as f64 * share) as usize]) / 1e3
            };
            all.p50.push(at(0.5));
            all.p99.push(at(0.99));
        }
    }

    /// Adds a sentence.
    pub fn add_sentence(&mut self, sentence: String) {
        self.said.push(sentence);
    }

    /// Prints the medians.
    pub fn print(mut self) {
        for ((what, side), rounds) in &mut self.rounds {
            print!("{what:55} {side:6}");
            if let Some(rate) = median(&mut rounds.rate) {
                print!("  {rate:10.0} deliveries/s");
            }
            if let (Some(p50), Some(p99)) = (median(&mut rounds.p50), median(&mut rounds.p99)) {
                print!("  p50 {p50:8.2} ms  p99 {p99:8.2} ms");
            }
            if let Some(cpu) = median(&mut rounds.cpu) {
                print!("  {cpu:6.2} µs cpu a delivery");
            }
            if let Some(memory) = median(&mut rounds.memory) {
                print!("  {memory:7.1} MiB");
            }
            println!();
        }
        for sentence in self.said {
            println!("{sentence}");
        }
    }
}

fn median(of: &mut [f64]) -> Option<f64> {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied()
}
