//! Pure rules of the history: which metrics are kept, how samples become averages, how minutes become points of a chart.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::fleet::sample::Sample;

/// For how long averages are kept, minutes.
pub const KEEP_MINUTES: i64 = 24 * 60;

macro_rules! metrics {
    ($($variant:ident, $name:literal, $read:expr;)+) => {
        /// A metric whose averages are kept. Percentages are 0 to 100, sizes are bytes, temperatures are °C.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[schema(as = NodeMetric)]
        pub enum Metric { $(#[serde(rename = $name)] $variant,)+ }

        impl Metric {
            /// All of them, in the order of [`Values`].
            pub const ALL: [Metric; METRICS] = [$(Self::$variant),+];

            /// Its name on the wire, which is also its column.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            fn read(self, sample: &Sample) -> Option<f64> {
                match self { $(Self::$variant => { let read: fn(&Sample) -> Option<f64> = $read; read(sample) })+ }
            }
        }
    };
}

/// The number of metrics.
pub const METRICS: usize = 17;

// Sizes of machines are far below 2^53, the limit for exact integers in a double.
fn size(bytes: Option<u64>) -> Option<f64> {
    bytes.map(|bytes| bytes as f64)
}

metrics! {
    CpuPct, "cpu_pct", |s| s.cpu_pct.map(f64::from);
    MemoryUsedBytes, "memory_used_bytes", |s| size(s.memory_used_bytes);
    MemoryTotalBytes, "memory_total_bytes", |s| size(s.memory_total_bytes);
    SwapUsedBytes, "swap_used_bytes", |s| size(s.swap_used_bytes);
    SwapTotalBytes, "swap_total_bytes", |s| size(s.swap_total_bytes);
    DiskUsedBytes, "disk_used_bytes", |s| size(s.disk_used_bytes);
    DiskTotalBytes, "disk_total_bytes", |s| size(s.disk_total_bytes);
    Load1, "load1", |s| s.load1;
    Load5, "load5", |s| s.load5;
    Load15, "load15", |s| s.load15;
    CpuSome10, "cpu_some10", |s| s.psi.and_then(|psi| psi.cpu_some10).map(f64::from);
    MemorySome10, "memory_some10", |s| s.psi.and_then(|psi| psi.memory_some10).map(f64::from);
    MemoryFull10, "memory_full10", |s| s.psi.and_then(|psi| psi.memory_full10).map(f64::from);
    IoSome10, "io_some10", |s| s.psi.and_then(|psi| psi.io_some10).map(f64::from);
    IoFull10, "io_full10", |s| s.psi.and_then(|psi| psi.io_full10).map(f64::from);
    GpuPct, "gpu_pct", |s| s.gpu_pct.map(f64::from);
    TempMax, "temp_max", |s| s.temp_max.map(f64::from);
}

/// One value of each metric, in the order of [`Metric::ALL`].
pub type Values = [Option<f64>; METRICS];

/// The values of a sample.
pub fn values(sample: &Sample) -> Values {
    Metric::ALL.map(|metric| metric.read(sample).filter(|value| value.is_finite()))
}

/// Sums of samples, from which the averages are calculated.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sums {
    samples: i32,
    sums: [f64; METRICS],
    counts: [u32; METRICS],
}

impl Sums {
    /// Adds one sample.
    pub fn add(&mut self, values: &Values) {
        self.samples = self.samples.saturating_add(1);
        for ((sum, count), value) in self.sums.iter_mut().zip(&mut self.counts).zip(values) {
            if let Some(value) = value {
                *sum += value;
                *count += 1;
            }
        }
    }

    pub fn samples(&self) -> i32 {
        self.samples
    }

    /// The averages; absent where no sample had a value.
    pub fn averages(&self) -> Values {
        let mut averages = [None; METRICS];
        for ((average, sum), count) in averages.iter_mut().zip(&self.sums).zip(&self.counts) {
            *average = (*count > 0).then(|| sum / f64::from(*count));
        }
        averages
    }
}

/// How far back a chart goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = HistorySpan)]
pub enum Span {
    #[default]
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "6h")]
    SixHours,
    #[serde(rename = "24h")]
    Day,
}

impl Span {
    /// The minutes that it covers.
    pub const fn minutes(self) -> i64 {
        match self {
            Self::Hour => 60,
            Self::SixHours => 360,
            Self::Day => KEEP_MINUTES,
        }
    }

    /// The minutes of one point in the chart of one machine.
    pub const fn fine(self) -> i64 {
        match self {
            Self::Hour => 1,
            Self::SixHours => 2,
            Self::Day => 6,
        }
    }

    /// The minutes of one point where many machines are shown small: sixty points each.
    pub const fn coarse(self) -> i64 {
        self.minutes() / 60
    }
}

/// The points of a chart: `count` points of `step` minutes each, the first one from `from` on. The last point holds the
/// last minute that is over. Points begin at multiples of `step`, so that they do not change as time goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    pub from: i64,
    pub step: i64,
    pub count: usize,
}

impl Grid {
    /// The grid that ends now.
    pub fn ending(now_minute: i64, span: Span, step: i64) -> Self {
        let end = (now_minute + step - 1).div_euclid(step) * step;
        let count = span.minutes() / step;
        Self {
            from: end - count * step,
            step,
            count: usize::try_from(count).unwrap_or(0),
        }
    }

    /// The point that a minute belongs to.
    pub fn slot(&self, minute: i64) -> Option<usize> {
        let slot = (minute - self.from).div_euclid(self.step);
        usize::try_from(slot).ok().filter(|slot| *slot < self.count)
    }
}

/// The number of the minute since 1970 in which this time lies.
pub fn minute_of(at: DateTime<Utc>) -> i64 {
    at.timestamp().div_euclid(60)
}

/// One stored minute.
#[derive(Debug, Clone, PartialEq)]
pub struct Minute {
    pub minute: i64,
    pub samples: i32,
    pub values: Values,
}

/// Averages of minutes over a grid, by metric. A point without a report is absent; a metric without any report is left
/// out.
pub fn fold(minutes: &[Minute], grid: Grid) -> BTreeMap<Metric, Vec<Option<f64>>> {
    let mut series = BTreeMap::new();
    for (index, metric) in Metric::ALL.into_iter().enumerate() {
        let mut sums = vec![(0.0, 0.0); grid.count];
        for minute in minutes {
            let (Some(slot), Some(Some(value))) =
                (grid.slot(minute.minute), minute.values.get(index))
            else {
                continue;
            };
            if let Some((sum, weight)) = sums.get_mut(slot) {
                let samples = f64::from(minute.samples.max(1));
                *sum += value * samples;
                *weight += samples;
            }
        }
        if sums.iter().any(|(_, weight)| *weight > 0.0) {
            let points = sums
                .into_iter()
                .map(|(sum, weight)| (weight > 0.0).then(|| rounded(sum / weight)))
                .collect();
            series.insert(metric, points);
        }
    }
    series
}

/// Rounds to two decimal places: a chart cannot show more, and they need half the bytes.
pub fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(minute: i64, samples: i32, cpu: Option<f64>) -> Minute {
        let mut values = [None; METRICS];
        values[0] = cpu;
        Minute {
            minute,
            samples,
            values,
        }
    }

    #[test]
    fn averages_count_only_the_samples_that_had_a_value_and_absent_stays_absent() {
        let mut sums = Sums::default();
        for cpu in [Some(10.0), None, Some(30.0)] {
            let sample = Sample {
                cpu_pct: cpu,
                load1: Some(0.0),
                ..Sample::default()
            };
            sums.add(&values(&sample));
        }
        assert_eq!(sums.samples(), 3);
        let averages = sums.averages();
        assert_eq!(
            averages[0],
            Some(20.0),
            "not 13.3: the silent sample is not a zero"
        );
        assert_eq!(averages[1], None, "never reported");
        assert_eq!(averages[7], Some(0.0), "a reported zero is a zero");
    }

    #[test]
    fn what_is_no_number_is_absent() {
        let sample = Sample {
            load1: Some(f64::NAN),
            load5: Some(f64::INFINITY),
            ..Sample::default()
        };
        assert!(values(&sample).iter().all(Option::is_none));
    }

    #[test]
    fn a_grid_ends_with_the_last_minute_and_its_points_stay_where_they_are() {
        let grid = Grid::ending(1_000, Span::SixHours, 2);
        assert_eq!((grid.from, grid.step, grid.count), (640, 2, 180));
        assert_eq!(grid.slot(999), Some(179));
        assert_eq!(grid.slot(640), Some(0));
        assert_eq!((grid.slot(639), grid.slot(1_000)), (None, None));
        // One minute later the points are the same, and the grid begins one point later.
        assert_eq!(Grid::ending(1_001, Span::SixHours, 2).from, 642);
        assert_eq!(Grid::ending(1_002, Span::SixHours, 2).from, 642);
    }

    #[test]
    fn folding_weighs_by_samples_keeps_gaps_and_leaves_out_what_nobody_reported() {
        let grid = Grid {
            from: 0,
            step: 2,
            count: 3,
        };
        let minutes = [
            minute(0, 3, Some(10.0)),
            minute(1, 1, Some(50.0)),
            minute(4, 6, Some(0.0)),
        ];
        let series = fold(&minutes, grid);
        assert_eq!(series.len(), 1);
        assert_eq!(series[&Metric::CpuPct], [Some(20.0), None, Some(0.0)]);
        assert!(fold(&[minute(0, 5, None)], grid).is_empty());
    }

    #[test]
    fn every_span_divides_evenly() {
        for span in [Span::Hour, Span::SixHours, Span::Day] {
            assert_eq!(span.minutes() % span.fine(), 0);
            assert_eq!(span.minutes() / span.coarse(), 60);
        }
    }
}
