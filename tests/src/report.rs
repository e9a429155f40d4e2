//! The measurements: medians and the spread between rounds, as tables and as JSON.

use serde_json::{Map, Value, json};

/// Measurements of one side with one setting, by name.
struct Row {
    setting: String,
    side: String,
    measured: Vec<(&'static str, Vec<f64>)>,
}

/// One table.
struct Table {
    title: &'static str,
    /// The figure by which sides are compared, if any.
    ratio: Option<&'static str>,
    rows: Vec<Row>,
}

/// The whole report.
#[derive(Default)]
pub struct Report {
    tables: Vec<Table>,
    facts: Vec<String>,
}

/// The side whose figures are divided by those of the others.
pub const OURS: &str = "Roost";

impl Report {
    /// Begins a table; sides with the same setting are compared by `ratio`.
    pub fn table(&mut self, title: &'static str, ratio: Option<&'static str>) {
        self.tables.push(Table {
            title,
            ratio,
            rows: Vec::new(),
        });
    }

    /// Adds a fact that readers need to understand the figures.
    pub fn fact(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        eprintln!("{sentence}");
        self.facts.push(sentence);
    }

    /// Adds a round to the last table.
    pub fn add(&mut self, setting: &str, side: &str, round: &[(&'static str, f64)]) {
        let table = self.tables.last_mut().expect("a table was begun");
        let found = table
            .rows
            .iter()
            .position(|row| row.setting == setting && row.side == side);
        let place = found.unwrap_or_else(|| {
            table.rows.push(Row {
                setting: setting.to_owned(),
                side: side.to_owned(),
                measured: Vec::new(),
            });
            table.rows.len() - 1
        });
        for (what, value) in round {
            let measured = &mut table.rows[place].measured;
            match measured.iter_mut().find(|(name, _)| name == what) {
                Some((_, values)) => values.push(*value),
                None => measured.push((what, vec![*value])),
            }
        }
    }

    /// Prints all tables.
    pub fn print(&self) {
        for fact in &self.facts {
            println!("{fact}");
        }
        for table in &self.tables {
            println!("\n## {}", table.title);
            for row in &table.rows {
                print!("{:34} {:30}", row.setting, row.side);
                for (what, values) in &row.measured {
                    print!("  {} {what}", shown(median(values)));
                    if values.len() > 1 {
                        let (least, most) = ends(values);
                        print!(" ({}..{})", shown(least).trim(), shown(most).trim());
                    }
                }
                if let Some(ratio) = table.ratio(row) {
                    print!("  {OURS}/it {ratio:.2}");
                }
                println!();
            }
        }
    }

    /// The whole report with each round.
    pub fn json(&self) -> Value {
        let tables = self.tables.iter().map(|table| {
            let rows = table.rows.iter().map(|row| {
                let measured: Map<String, Value> = row
                    .measured
                    .iter()
                    .map(|(what, values)| {
                        let (least, most) = ends(values);
                        let value = json!({ "median": median(values), "min": least, "max": most, "rounds": values });
                        ((*what).to_owned(), value)
                    })
                    .collect();
                json!({ "setting": row.setting, "side": row.side, "measured": measured, "roost_by_it": table.ratio(row) })
            });
            json!({ "title": table.title, "rows": rows.collect::<Vec<_>>() })
        });
        json!({ "facts": self.facts, "tables": tables.collect::<Vec<_>>() })
    }
}

impl Table {
    /// Our median divided by this row's, if it is another side's with the same setting.
    fn ratio(&self, row: &Row) -> Option<f64> {
        let of = |row: &Row| {
            let found = row
                .measured
                .iter()
                .find(|(what, _)| Some(*what) == self.ratio);
            found.map(|(_, values)| median(values))
        };
        let ours = self
            .rows
            .iter()
            .find(|ours| ours.setting == row.setting && ours.side == OURS)?;
        if row.side.starts_with(OURS) {
            return None;
        }
        Some(of(ours)? / of(row)?)
    }
}

/// The median; with an even number, the mean of the middle two.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        even if even.is_multiple_of(2) => f64::midpoint(sorted[half - 1], sorted[half]),
        _ => sorted[half],
    }
}

/// The value below which this share of all values are (nearest rank).
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

fn ends(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    (
        least,
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    )
}

/// Formats it with a useful number of decimals.
fn shown(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 => format!("{value:7.0}"),
        middle if middle >= 10.0 => format!("{value:7.1}"),
        _ => format!("{value:7.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_ranks_follow_the_sorted_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&hundred, 0.5), 50.0);
        assert_eq!(percentile(&hundred, 0.99), 99.0);
        assert_eq!(percentile(&[7.0], 0.99), 7.0);
    }

    #[test]
    fn peers_are_compared_by_median_at_equal_settings() {
        let mut report = Report::default();
        report.table("Steps", Some("steps/s"));
        for (setting, side, rate) in [
            ("1 at once", OURS, 100.0),
            ("1 at once", OURS, 300.0),
            ("1 at once", "DBOS", 50.0),
            ("64 at once", OURS, 900.0),
            ("64 at once", "DBOS", 450.0),
        ] {
            report.add(setting, side, &[("steps/s", rate)]);
        }
        let told = report.json();
        let rows = &told["tables"][0]["rows"];
        assert_eq!(rows[0]["measured"]["steps/s"]["median"], 200.0);
        assert_eq!(rows[0]["roost_by_it"], Value::Null);
        assert_eq!(rows[1]["roost_by_it"], 4.0);
        assert_eq!(rows[3]["roost_by_it"], 2.0);
    }
}
