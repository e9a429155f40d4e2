//! Units of measurements: one unit for each quantity, and which direction is better.
use serde::{Deserialize, Serialize};

/// Which direction of a measurement is better.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Lower,
    Higher,
    /// The unit does not say it. A difference is then neither an improvement nor a regression.
    Unknown,
}

/// A unit as a tool wrote it: the unit that values are kept in, and the factor to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// `ns` for times, `B` for sizes, `…/s` for rates, else the unit as it was written.
    pub name: String,
    /// What a written value is multiplied with.
    pub factor: f64,
    pub better: Better,
}

const MOST_UNIT: usize = 24;

const TIMES: [(&str, f64); 15] = [
    ("ps", 1e-3),
    ("ns", 1.0),
    ("nsec", 1.0),
    ("us", 1e3),
    ("usec", 1e3),
    // The micro sign and the Greek letter.
    ("\u{b5}s", 1e3),
    ("\u{3bc}s", 1e3),
    ("ms", 1e6),
    ("msec", 1e6),
    ("s", 1e9),
    ("sec", 1e9),
    ("secs", 1e9),
    ("seconds", 1e9),
    ("min", 60e9),
    ("h", 3600e9),
];

const SIZES: [(&str, f64); 12] = [
    ("B", 1.0),
    ("bytes", 1.0),
    ("byte", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

/// Names of rates that are not written as `…/s`.
const RATES: [(&str, &str); 6] = [
    ("rps", "req/s"),
    ("qps", "queries/s"),
    ("tps", "transactions/s"),
    ("fps", "frames/s"),
    ("iops", "ops/s"),
    ("hz", "ops/s"),
];

/// Prefixes of counted things: `Kelem/s`, `Mops/s`.
const PREFIXES: [(&str, f64); 4] = [("K", 1e3), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
const COUNTED: [&str; 4] = ["elem", "elements", "ops", "op"];

impl Unit {
    /// The unit of a written unit. `None` if the text is not a unit: too long, empty, or with characters that no unit has.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits =
            |c: char| c.is_alphabetic() || matches!(c, '/' | '%' | '-' | '_' | '\u{b5}' | '.');
        let begins = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '%' | '\u{b5}'));
        if !begins || text.chars().count() > MOST_UNIT || !text.chars().all(fits) {
            return None;
        }
        Some(known(text).unwrap_or_else(|| Self {
            name: text.to_owned(),
            factor: 1.0,
            better: Better::Unknown,
        }))
    }

    /// The direction of a unit that samples are kept in.
    pub fn better_of(name: &str) -> Better {
        Self::parse(name).map_or(Better::Unknown, |unit| unit.better)
    }

    /// Whether values of the unit can be below zero. Times, sizes and rates cannot.
    pub fn may_be_negative(name: &str) -> bool {
        Self::better_of(name) == Better::Unknown
    }

    pub(super) fn nanoseconds(factor: f64) -> Self {
        Self {
            name: "ns".to_owned(),
            factor,
            better: Better::Lower,
        }
    }
}

fn known(text: &str) -> Option<Unit> {
    let lower = |name: &str, factor| Unit {
        name: name.to_owned(),
        factor,
        better: Better::Lower,
    };
    let higher = |name: String, factor| Unit {
        name,
        factor,
        better: Better::Higher,
    };
    if let Some((thing, per)) = text.split_once('/') {
        if matches!(per, "s" | "sec" | "second") {
            let (thing, factor) = counted(thing);
            return Some(higher(format!("{thing}/s"), factor));
        }
        // A cost of one iteration: `ns/op`, `ns/iter`, `B/op`, `allocs/op`.
        if matches!(per, "op" | "iter" | "call" | "req") {
            let one = known(thing).filter(|unit| unit.better == Better::Lower);
            return Some(match one {
                Some(unit) if unit.name == "ns" => unit,
                Some(unit) => lower(&format!("{}/{per}", unit.name), unit.factor),
                None if matches!(thing, "allocs" | "alloc") => lower(text, 1.0),
                None => return None,
            });
        }
        return None;
    }
    if let Some((_, factor)) = TIMES.iter().find(|(name, _)| *name == text) {
        return Some(lower("ns", *factor));
    }
    if let Some((_, factor)) = SIZES.iter().find(|(name, _)| *name == text) {
        return Some(lower("B", *factor));
    }
    let folded = text.to_ascii_lowercase();
    RATES
        .iter()
        .find(|(name, _)| *name == folded)
        .map(|(_, rate)| higher((*rate).to_owned(), 1.0))
}

/// The thing that a rate counts, with the factor of its prefix.
fn counted(thing: &str) -> (String, f64) {
    if let Some((_, factor)) = SIZES.iter().find(|(name, _)| *name == thing) {
        return ("B".to_owned(), *factor);
    }
    for (prefix, factor) in PREFIXES {
        if let Some(rest) = thing.strip_prefix(prefix)
            && COUNTED.contains(&rest)
        {
            return (rest.to_owned(), factor);
        }
    }
    (thing.to_owned(), 1.0)
}

/// A value with a unit that people read: `12.5 ms`, `3.20 MB/s`, `7 points`.
pub(super) fn shown(value: f64, unit: &str) -> String {
    let steps: &[(&str, f64)] = match unit {
        "ns" => &[("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)],
        "B" => &[("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)],
        "B/s" => &[("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0)],
        _ => &[],
    };
    let step = steps
        .iter()
        .find(|(_, factor)| value.abs() >= *factor)
        .or(steps.last());
    match step {
        Some((name, factor)) => format!("{} {name}", digits(value / factor)),
        None => format!("{} {unit}", digits(value)),
    }
}

/// Three or four significant digits.
fn digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e7).contains(&size) {
        format!("{value:.2e}")
    } else if size >= 1000.0 {
        format!("{value:.0}")
    } else if size >= 100.0 {
        format!("{value:.1}")
    } else if size >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Better, Unit, shown};

    #[test]
    fn units_have_one_name_each_quantity() {
        let cases = [
            ("us", "ns", 1e3, Better::Lower),
            ("µs", "ns", 1e3, Better::Lower),
            ("s", "ns", 1e9, Better::Lower),
            ("ns/op", "ns", 1.0, Better::Lower),
            ("ns/iter", "ns", 1.0, Better::Lower),
            ("B/op", "B/op", 1.0, Better::Lower),
            ("allocs/op", "allocs/op", 1.0, Better::Lower),
            ("MB", "B", 1e6, Better::Lower),
            ("KiB", "B", 1024.0, Better::Lower),
            ("MB/s", "B/s", 1e6, Better::Higher),
            ("MiB/s", "B/s", 1_048_576.0, Better::Higher),
            ("Kelem/s", "elem/s", 1e3, Better::Higher),
            ("ops/s", "ops/s", 1.0, Better::Higher),
            ("ops/sec", "ops/s", 1.0, Better::Higher),
            ("RPS", "req/s", 1.0, Better::Higher),
            ("points", "points", 1.0, Better::Unknown),
            ("%", "%", 1.0, Better::Unknown),
        ];
        for (written, name, factor, better) in cases {
            let unit = Unit::parse(written).expect(written);
            assert_eq!(
                (unit.name.as_str(), unit.factor, unit.better),
                (name, factor, better),
                "{written}"
            );
            assert_eq!(Unit::better_of(name), better, "the kept unit of {written}");
        }
    }

    #[test]
    fn texts_that_are_not_units_are_refused() {
        let long = "x".repeat(25);
        for text in ["", " ", "1", "ns!", "a b", "(s)", "\u{1b}[31m", &long] {
            assert_eq!(Unit::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn values_are_shown_in_a_unit_that_fits() {
        assert_eq!(shown(12_500_000.0, "ns"), "12.50 ms");
        assert_eq!(shown(0.0, "ns"), "0 ns");
        assert_eq!(shown(0.25, "ns"), "0.2500 ns");
        assert_eq!(shown(3_200_000.0, "B/s"), "3.20 MB/s");
        assert_eq!(shown(7.0, "points"), "7.00 points");
        assert_eq!(shown(1e300, "points"), "1.00e300 points");
    }
}
