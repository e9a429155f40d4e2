//! Files that criterion keeps below `target/criterion`, one folder for each benchmark.
use std::collections::{BTreeMap, HashSet};

use super::json::Document;
use crate::benchmarks::sample::Collector;
use crate::benchmarks::unit::Unit;

/// The files of each benchmark's last run.
#[derive(Default)]
pub(super) struct Folders(BTreeMap<String, Folder>);

#[derive(Default)]
struct Folder {
    full_id: Option<String>,
    values: Vec<Option<f64>>,
    median: Option<f64>,
}

/// The names that files gave.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Whether a file gave values for a name that criterion prints. Criterion replaces characters of names in paths.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&as_path(name))
    }
}

impl Folders {
    /// Keeps what criterion wrote into the file. `false` if the file is not one of criterion's.
    pub(super) fn keep(&mut self, path: &str, document: &Document) -> bool {
        let path = path.replace('\\', "/");
        let Some((folder, file)) = path.rsplit_once('/') else {
            return false;
        };
        if !matches!(file, "sample.json" | "estimates.json" | "benchmark.json") {
            return false;
        }
        let Some((benchmark, state)) = folder.rsplit_once('/') else {
            return false;
        };
        // `base` holds an older run, and `change` holds ratios.
        if state != "new" {
            return matches!(state, "base" | "change");
        }
        let entry = self.0.entry(benchmark.to_owned()).or_default();
        match file {
            "sample.json" => {
                entry.values = document
                    .iters
                    .iter()
                    .zip(&document.times)
                    .map(|(iterations, time)| Some(time.0? / iterations.0?))
                    .collect();
            }
            "estimates.json" => {
                entry.median = document
                    .median
                    .as_ref()
                    .and_then(|median| median.point_estimate.0);
            }
            _ => entry.full_id.clone_from(&document.full_id),
        }
        true
    }

    pub(super) fn add_to(self, all: &mut Collector) -> Names {
        let mut names = Names::default();
        let nanoseconds = Unit::nanoseconds(1.0);
        for (path, folder) in self.0 {
            let name = folder.full_id.unwrap_or_else(|| name_of(&path));
            let values = if folder.values.is_empty() {
                vec![folder.median]
            } else {
                folder.values
            };
            for value in values {
                all.add(&name, &nanoseconds, value);
            }
            if all.has(&name, &nanoseconds.name) {
                names.0.insert(as_path(&name));
            }
        }
        names
    }
}

/// The benchmark's name from its folder: what follows `criterion/`.
fn name_of(path: &str) -> String {
    path.rsplit_once("criterion/")
        .map_or(path, |(_, name)| name)
        .to_owned()
}

fn as_path(name: &str) -> String {
    name.trim()
        .replace(['?', '"', '/', '\\', '*', '<', '>', ':', '|', '^'], "_")
}
