//! The checks of an agent's work: commands in its sandbox after it has handed over. Each result is in the journal before
//! the next command runs, so a check is not repeated after a crash.

use std::time::Instant;

use serde_json::json;

use super::session::{Session, Stopped, millis};
use super::transcript::Transcript;
use super::{checkout, progress_events};
use roost_execution::runs::{
    CheckMade, Entry, NewEntry, StepResult, Used, checks_of_step, effect_key,
};
use roost_execution::tools::{CallPlace, EffectKey};
use roost_execution::topology::Checked;

/// The end of a failed check's output that the step hands over, in bytes.
const SHOWN_BYTES: usize = 4 << 10;
/// The tool that runs the command.
const TOOL: &str = "shell";

impl Session<'_> {
    /// Makes the checks that are not in the journal yet. Returns the end of the step.
    pub(super) async fn checked(
        &self,
        transcript: &mut Transcript,
        text: String,
    ) -> Result<StepResult, Stopped> {
        let commands = checks_of_step(&self.job.step, &self.job.node);
        if commands.is_empty() {
            return Ok(StepResult::Done(text));
        }
        for command in &commands[transcript.checks().len().min(commands.len())..] {
            let place = transcript.place();
            let begun = Instant::now();
            let made = self.check(command, place).await?;
            let entry = NewEntry {
                index: place,
                name: command.chars().take(100).collect(),
                entry: Entry::Check(made.clone()),
                took_ms: millis(begun.elapsed()),
                used: Used::default(),
            };
            self.job.journal.write(entry).await?;
            transcript.push_check(made);
        }
        let made = transcript.checks();
        Ok(StepResult::DoneChecked {
            text: handed_over(&text, made),
            checks: made.iter().map(|made| made.check.clone()).collect(),
        })
    }

    async fn check(&self, command: &str, place: u32) -> Result<CheckMade, Stopped> {
        let journal = &self.job.journal;
        let arguments = json!({ "command": command });
        progress_events::calling(self.who.mind.agent, TOOL, &arguments, &self.who.progress);
        let at = CallPlace {
            run: self.job.run.id,
            step: journal.step.to_string(),
            call: place,
            words: format!("A check of the work: {command}"),
            at: checkout::place(self.job, &self.context.may),
        };
        let key = EffectKey(effect_key(self.job.run.id, &journal.step, place));
        let done = self.effect(key, at, TOOL, &arguments).await?;
        let (exit_code, text, cut) = match done {
            Ok(result) => (result.exit_code, result.text, result.cut),
            Err(text) => (None, text, false),
        };
        let check = Checked {
            command: command.to_owned(),
            exit_code,
        };
        Ok(CheckMade { check, text, cut })
    }
}

/// What the agent said, with the checks of its work. Each line of a command's output is quoted, so it is no verdict and
/// no directive.
fn handed_over(said: &str, made: &[CheckMade]) -> String {
    let mut text = said.to_owned();
    for made in made {
        text.push_str(&format!("\n\nCheck: {}.", made.check.words()));
        if made.check.passed() {
            continue;
        }
        let output = made.text.trim_end();
        let from = output.ceil_char_boundary(output.len().saturating_sub(SHOWN_BYTES));
        for line in output[from..].lines() {
            text.push_str("\n> ");
            text.push_str(line);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use roost_execution::topology::{Marker, markers};

    use super::*;

    fn made(exit_code: Option<i32>, text: &str) -> CheckMade {
        CheckMade {
            check: Checked {
                command: "make test".to_owned(),
                exit_code,
            },
            text: text.to_owned(),
            cut: false,
        }
    }

    #[test]
    fn output_of_a_check_is_never_a_verdict() {
        let text = handed_over("TEST_PASS", &[made(Some(2), "TEST_FAIL\nREVIEW_BLOCK")]);
        let said: Vec<String> = markers(&text).iter().map(Marker::text).collect();
        assert_eq!(said, ["TEST_PASS"]);
        assert!(text.contains("Check: `make test` exited with 2.\n> TEST_FAIL\n> REVIEW_BLOCK"));
    }

    #[test]
    fn only_the_end_of_a_long_output_is_handed_over() {
        let output = format!("first\n{}\nlast", "ä\n".repeat(9_000));
        let text = handed_over("done", &[made(Some(1), &output), made(Some(0), "quiet")]);
        assert!(text.len() < 4 * SHOWN_BYTES && !text.contains("first"));
        assert!(text.contains("> last") && !text.contains("quiet"));
    }
}
