//! The files of a run, for people: what each step's sandbox had before and after, and what the run began with.

use crate::api::types::{FilesAt, Run, StepFiles};
use crate::show::Shown;

/// Characters of a digest that tell snapshots apart for people.
const SHORT: usize = 12;

/// What the sandboxes of the run begin with.
pub(super) fn starts(run: &Run) {
    for start in &run.start_files {
        let Some(step) = &start.step else {
            println!("files    none: its sandboxes begin empty");
            continue;
        };
        let digest = start.digest.shown();
        println!(
            "files    those of {} ({})",
            step.shown(),
            digest.get(..SHORT).unwrap_or(&digest)
        );
    }
}

/// What each step's sandbox had when it began and when it ended.
pub(super) fn around(run: &Run) {
    starts(run);
    for step in &run.steps {
        if let Some(files) = &step.files {
            println!("\n{}, lap {}: {}", step.key.shown(), step.lap, both(files));
        }
    }
}

/// What the sandbox of one step had when the step began and when it ended.
pub(super) fn around_step(run: &Run, key: &str, lap: u32) {
    let mut steps = run.steps.iter();
    let step = steps.find(|step| step.key == key && i64::from(step.lap) == i64::from(lap));
    if let Some(files) = step.and_then(|step| step.files.as_ref()) {
        println!("{}\n", both(files));
    }
}

fn both(files: &StepFiles) -> String {
    let ended = files.ended.as_ref();
    format!(
        "files began with {}, ended with {}",
        named(&files.began),
        ended.map_or_else(|| "not recorded".to_owned(), named)
    )
}

fn named(files: &FilesAt) -> String {
    let digest = files.digest.shown();
    match &files.missing {
        Some(_) => format!("not recorded ({})", files.missing.shown()),
        None => digest.get(..SHORT).unwrap_or(&digest).to_owned(),
    }
}
