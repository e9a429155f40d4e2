//! The benchmark of a repository, before the work (the base commit) and after it (the branch), by turns.
use serde::{Deserialize, Serialize};

use super::settings::BenchmarkSettings;
use super::{BASE_FOLDER, PREPARE, PREPARE_S, Prepared, files};
use crate::benchmarks::{self, Comparison, Reading, Rules, Snapshot};
use crate::cards::ToolUse;
use roost_execution::runs::CommandMade;
use roost_execution::topology::Command;

/// Finds the benchmark of a repository whose mission names none.
const FIND: &str = r#"if [ -f Makefile ] && grep -q '^bench:' Makefile; then make -s bench
elif [ -f Cargo.toml ]; then cargo bench
elif [ -f go.mod ]; then go test -run '^$' -bench . ./...
elif git grep -qE 'def test_.*\(.*benchmark' -- '*.py'; then
    python3 -m pytest -q -p no:cacheprovider --benchmark-only --benchmark-json "$ROOST_RESULTS/pytest.json"
elif [ -f package.json ] && grep -q '"bench"' package.json; then npm run --silent bench
else
    echo 'Roost found no benchmark: no target bench in a Makefile, no Cargo.toml, go.mod, test with pytest-benchmark or script bench of a package.json.' >&2
    echo 'Name its command in config.benchmark.command of the mission.' >&2
    exit 65
fi"#;

/// Runs the command, and prints what it wrote to its output and to files. Its error output is shown only when it fails.
const FRAME: &str = r#"set -u
mark=$(mktemp) errors=$(mktemp)
ROOST_RESULTS=$(mktemp -d)
export ROOST_RESULTS
/bin/sh -c "$ROOST_COMMAND" 2>"$errors"
code=$?
if [ "$code" != 0 ]; then
    tail -c 4000 "$errors"
    exit "$code"
fi
if [ -d target/criterion ]; then found=$(find target/criterion -path '*/new/*.json' -newer "$mark"); else found=; fi
for file in $found "$ROOST_RESULTS"/*; do
    [ -f "$file" ] || continue
    printf '\n--- roost file %s\n' "$file"
    cat "$file"
    printf '\n--- roost end\n'
done
rm -rf "$mark" "$errors" "$ROOST_RESULTS"
"#;

/// Before or after the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// A step of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Prepare,
    /// Builds, and runs once without counting it.
    Warm(Side),
    /// The iteration counts from 1.
    Measure(u32, Side),
}

/// What a benchmark phase measured: the content of its artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The base commit.
    pub before: String,
    /// The newest commit of the work.
    pub after: String,
    pub comparison: Comparison,
    /// One for each iteration.
    pub snapshots: Vec<Snapshot>,
    /// What was left out, and why. For people.
    pub notes: Vec<String>,
}

impl BenchmarkSettings {
    /// The order of the measurement. Every second iteration begins with the other side, so that a machine that becomes
    /// slower does not favour one.
    fn turns(&self) -> Vec<Turn> {
        let mut turns = vec![
            Turn::Prepare,
            Turn::Warm(Side::Before),
            Turn::Warm(Side::After),
        ];
        for iteration in 1..=self.iterations {
            let sides = match iteration % 2 {
                1 => [Side::Before, Side::After],
                _ => [Side::After, Side::Before],
            };
            turns.extend(sides.map(|side| Turn::Measure(iteration, side)));
        }
        turns
    }

    /// The commands of the phase.
    pub fn commands(&self) -> Vec<Command> {
        self.turns()
            .into_iter()
            .map(|turn| self.command(turn))
            .collect()
    }

    /// How often the benchmark ran, with the runs that warm up.
    pub fn used(&self, made: &[CommandMade]) -> Option<ToolUse> {
        let name = self.command.as_deref();
        let mut used = ToolUse::of_tool(name.unwrap_or("the benchmark that Roost found"));
        for (turn, made) in self.turns().into_iter().zip(made) {
            if turn != Turn::Prepare {
                used.add(made.exit_code != Some(0));
            }
        }
        (used.calls > 0).then_some(used)
    }

    fn command(&self, turn: Turn) -> Command {
        let (name, script, deadline_s) = match turn {
            Turn::Prepare => (
                "Check out the base commit".to_owned(),
                PREPARE.to_owned(),
                PREPARE_S,
            ),
            Turn::Warm(side) => (
                format!("Build and warm up {}", side.words()),
                self.script(side),
                self.deadline_s,
            ),
            Turn::Measure(iteration, side) => (
                format!(
                    "Measure {}, {iteration} of {}",
                    side.words(),
                    self.iterations
                ),
                self.script(side),
                self.deadline_s,
            ),
        };
        Command {
            name,
            script,
            deadline_s,
            may_fail: false,
        }
    }

    fn script(&self, side: Side) -> String {
        let command = self.command.as_deref().unwrap_or(FIND);
        let folder = match side {
            Side::Before => format!("cd {BASE_FOLDER}\n"),
            Side::After => String::new(),
        };
        format!("{folder}ROOST_COMMAND={}\n{FRAME}", quoted(command))
    }

    /// Reads what the commands wrote.
    ///
    /// # Errors
    /// Why there is no comparison, in a sentence for people.
    pub fn read(&self, made: &[CommandMade]) -> Result<Measured, String> {
        let mut notes = Vec::new();
        let mut prepared = None;
        let mut snapshots: Vec<Snapshot> = (1..=self.iterations)
            .map(|iteration| Snapshot {
                iteration,
                ..Snapshot::default()
            })
            .collect();
        for (turn, made) in self.turns().into_iter().zip(made) {
            match turn {
                Turn::Prepare => prepared = Prepared::read(&made.text),
                Turn::Warm(_) => {}
                Turn::Measure(iteration, side) => {
                    let reading = reading(made, &mut notes)?;
                    let Some(snapshot) = snapshots.get_mut(iteration as usize - 1) else {
                        continue;
                    };
                    match side {
                        Side::Before => snapshot.before = reading,
                        Side::After => snapshot.after = reading,
                    }
                }
            }
        }
        let prepared = prepared.ok_or("The commits that were compared are not known.")?;
        if made.len() < self.turns().len() {
            return Err("The measurement did not come to its end.".to_owned());
        }
        if prepared.before == prepared.after {
            notes
                .push("Both sides are the same commit: no commits came after the base.".to_owned());
        }
        Ok(Measured {
            before: prepared.before,
            after: prepared.after,
            comparison: benchmarks::compare(&snapshots, Rules::default()),
            snapshots,
            notes,
        })
    }
}

impl Side {
    fn words(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

fn reading(made: &CommandMade, notes: &mut Vec<String>) -> Result<Reading, String> {
    let parts = files::parts(&made.text);
    if made.cut {
        add(
            notes,
            format!("{}: the beginning of the output was left out", made.what),
        );
    }
    let read = benchmarks::read(parts.output.as_bytes(), &parts.files);
    let read = read.map_err(|error| format!("{}: {error}.", made.what))?;
    for note in &read.notes {
        add(notes, format!("{}: {note}", made.what));
    }
    Ok(read)
}

/// The notes that a person reads.
const MOST_NOTES: usize = 20;

fn add(notes: &mut Vec<String>, note: String) {
    if notes.len() < MOST_NOTES {
        notes.push(note);
    }
}

/// The text as one word of `/bin/sh`.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "benchmark_tests.rs"]
mod tests;
