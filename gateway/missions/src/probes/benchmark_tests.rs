//! What a benchmark phase runs and reads.

use super::*;
use crate::benchmarks::Verdict;
use crate::probes::golden::is_golden;

fn settings(iterations: u32) -> BenchmarkSettings {
    BenchmarkSettings {
        command: Some("echo 'sum: 1 ns'".to_owned()),
        iterations,
        deadline_s: 60,
    }
}

fn made(settings: &BenchmarkSettings, text: impl Fn(Turn) -> String) -> Vec<CommandMade> {
    let turns = settings.turns().into_iter().enumerate();
    turns
        .map(|(place, turn)| CommandMade {
            place: u32::try_from(place).unwrap(),
            what: settings.command(turn).name,
            exit_code: Some(0),
            text: text(turn),
            cut: false,
        })
        .collect()
}

fn prepared(turn: Turn, other: impl Fn(u32, Side) -> String) -> String {
    match turn {
        Turn::Prepare => "before aa\nafter bb\nfolder /workspace/demo\n".to_owned(),
        Turn::Warm(_) => String::new(),
        Turn::Measure(iteration, side) => other(iteration, side),
    }
}

#[test]
fn sides_take_turns_and_every_second_iteration_begins_with_the_other() {
    let names: Vec<String> = settings(2)
        .commands()
        .into_iter()
        .map(|command| command.name)
        .collect();
    assert_eq!(
        names,
        [
            "Check out the base commit",
            "Build and warm up before",
            "Build and warm up after",
            "Measure before, 1 of 2",
            "Measure after, 1 of 2",
            "Measure after, 2 of 2",
            "Measure before, 2 of 2",
        ]
    );
}

#[test]
fn a_faster_branch_is_an_improvement() {
    let settings = settings(6);
    let made = made(&settings, |turn| {
        prepared(turn, |iteration, side| match side {
            Side::Before => format!("sum: {} ns\n", 100 + iteration),
            Side::After => format!("sum: {} ns\n", 50 + iteration),
        })
    });
    let measured = settings.read(&made).unwrap();
    assert_eq!(measured.comparison.rows[0].verdict, Verdict::Improvement);
    assert_eq!(measured.snapshots.len(), 6);
    assert_eq!(
        (measured.before.as_str(), measured.after.as_str()),
        ("aa", "bb")
    );
    assert!(measured.notes.is_empty(), "{:?}", measured.notes);
    is_golden("measured.json", &measured);
}

#[test]
fn one_sample_shows_no_difference() {
    let settings = settings(1);
    let made = made(&settings, |turn| {
        prepared(turn, |_, side| match side {
            Side::Before => "sum: 100 ns\n".to_owned(),
            Side::After => "sum: 1 ns\n".to_owned(),
        })
    });
    let measured = settings.read(&made).unwrap();
    assert_eq!(measured.comparison.rows[0].verdict, Verdict::TooFewSamples);
}

#[test]
fn output_without_results_is_an_error_that_names_the_command() {
    let settings = settings(2);
    let made = made(&settings, |turn| {
        prepared(turn, |_, _| "hello\n".to_owned())
    });
    let error = settings.read(&made).unwrap_err();
    assert!(error.starts_with("Measure before, 1 of 2: "), "{error}");
    assert!(error.contains("criterion"), "{error}");
}

#[test]
fn a_measurement_that_broke_off_gives_no_comparison() {
    let settings = settings(2);
    let mut made = made(&settings, |turn| {
        prepared(turn, |_, _| "sum: 1 ns\n".to_owned())
    });
    made.pop();
    assert!(settings.read(&made).unwrap_err().contains("its end"));
    assert!(settings.read(&[]).is_err());
}

#[test]
fn the_command_is_one_word_of_the_shell() {
    let script = settings(1).script(Side::Before);
    assert!(
        script.starts_with("cd /workspace/.roost-base\nROOST_COMMAND='echo '\\''sum: 1 ns'\\'''\n")
    );
    assert!(
        BenchmarkSettings::default()
            .script(Side::After)
            .contains("cargo bench")
    );
}
