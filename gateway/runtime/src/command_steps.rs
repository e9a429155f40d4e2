//! Steps without an agent: commands of Roost itself, one after the other, in the sandbox of a mission. The end of each is in
//! the journal before the next one runs, so a step continues after a crash with the command that ran.
//!
//! In the tree: a job below its run's actor. It ends with the actor.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use super::agent_context::{WorkContext, again};
use super::session::{Session, Stopped, millis};
use super::{Agents, checkout};
use roost_connections::checkouts;
use roost_execution::runs::{
    CommandMade, Entry, FenceError, JournalError, NewEntry, RunRow, StepJob, StepResult, Used,
    effect_key,
};
use roost_execution::tools::{
    Bundle, CallPlace, Capability, EffectKey, Profile, Script, ScriptEnd,
};
use roost_execution::topology::Command;
use roost_machines::sandboxes::SandboxOwner;
use roost_platform::kill_point;
use roost_tenancy::auth::WorkspaceScope;

/// The folder of a sandbox without a checkout.
const WORKSPACE: &str = "/workspace";
/// The variable that names the commit that the run compares with.
const BASE: &str = "ROOST_BASE";
/// The end of a failed command's output that the reason shows, in bytes.
const SHOWN_BYTES: usize = 2 << 10;

/// The commands of a node.
pub(super) struct Commands;

/// Executes a step of a node of the kind `commands`.
pub(super) async fn execute(agents: &Agents, job: &StepJob) -> StepResult {
    let scope = job.journal.fence.scope();
    let Some(may) = capability(scope, &job.run) else {
        return StepResult::terminal("Only a phase of a mission runs commands without an agent.");
    };
    let bound = checkouts::is_bound(agents.db.read(), scope, job.run.root_run_id);
    let bound = match bound.await {
        Ok(bound) => bound,
        Err(error) => return again(error),
    };
    let session = Session {
        agents,
        job,
        context: WorkContext {
            may,
            seat: None,
            bound,
            machine: None,
        },
        who: Commands,
        checkout: Mutex::default(),
    };
    let end = session.run_all().await;
    session.closed(end).await
}

/// What the commands of a run may use. `None` for a run that belongs to no mission.
pub(super) fn capability(scope: WorkspaceScope, run: &RunRow) -> Option<Capability> {
    let mission = run.mission_id?;
    Some(Capability {
        scope,
        agent: None,
        user: run.created_by,
        sandbox_of: SandboxOwner::Mission(mission),
        profile: Profile::CodingReadwrite,
        bundles: [Bundle::Sandbox].into(),
        about: run.about(),
        pane: None,
        place: None,
        folder: None,
    })
}

impl Session<'_, Commands> {
    async fn run_all(&self) -> Result<StepResult, Stopped> {
        let journal = &self.job.journal;
        let (mut made, mut entries) = (Vec::new(), 0);
        let read = journal.replay(|_, entry| {
            entries += 1;
            if let Entry::Command(command) = entry {
                made.push(command);
            }
        });
        read.await.map_err(|error| match error {
            JournalError::Db(error) => Stopped::Fence(error.into()),
            error => StepResult::terminal(error.to_string()).into(),
        })?;
        self.begin_files(entries == 0).await?;
        let commands = &self.job.node.attributes.commands;
        for (place, command) in commands.iter().enumerate() {
            let known = made.get(place).cloned();
            let end = match known {
                Some(end) => end,
                None => {
                    if journal.inbox.get().paused {
                        return Err(StepResult::paused(self.job.run.id).into());
                    }
                    let end = self.run_one(place, command).await?;
                    made.push(end.clone());
                    end
                }
            };
            if end.exit_code != Some(0) && !command.may_fail {
                return Err(StepResult::terminal(failure(&end)).into());
            }
        }
        Ok(StepResult::Done(summary(&made)))
    }

    async fn run_one(&self, place: usize, command: &Command) -> Result<CommandMade, Stopped> {
        let index = u32::try_from(place).unwrap_or(u32::MAX);
        let begun = Instant::now();
        let end = self.ended(index, command).await?;
        let made = CommandMade {
            place: index,
            what: command.name.clone(),
            exit_code: end.exit_code,
            text: end.text,
            cut: end.cut,
        };
        let entry = NewEntry {
            index,
            name: command.name.chars().take(100).collect(),
            entry: Entry::Command(made.clone()),
            took_ms: millis(begun.elapsed()),
            used: Used::default(),
        };
        self.job.journal.write(entry).await?;
        Ok(made)
    }

    async fn ended(&self, index: u32, command: &Command) -> Result<ScriptEnd, Stopped> {
        let (run, step) = (&self.job.run, &self.job.journal.step);
        let key = EffectKey(effect_key(run.id, step, index));
        let mut tries = 0;
        loop {
            // The sandbox may be another one than before.
            self.check_out().await?;
            let mut may = self.current_permissions().await?;
            may.place = Some(CallPlace {
                run: run.id,
                step: step.to_string(),
                call: index,
                words: command.name.clone(),
                at: checkout::place(self.job, &may),
            });
            let script = Script {
                what: command.name.clone(),
                text: command.script.clone(),
                env: self.environment().await?,
                folder: self
                    .checkout_folder()
                    .unwrap_or_else(|| WORKSPACE.to_owned()),
                deadline_s: command.deadline_s,
            };
            kill_point!(self.agents.kill_points, "runtime.session.before_tool");
            let done = self
                .agents
                .tools
                .script(&may, key, script, &mut |_| {})
                .await;
            kill_point!(self.agents.kill_points, "runtime.session.after_tool");
            let error = match done {
                Ok(end) => return Ok(end),
                Err(error) => error,
            };
            tries += 1;
            if let Some(told) = self.recovered(&error, &may, tries).await? {
                return Ok(ScriptEnd {
                    exit_code: None,
                    text: told,
                    cut: false,
                });
            }
        }
    }

    async fn environment(&self) -> Result<BTreeMap<String, String>, Stopped> {
        let (db, may) = (self.agents.db.read(), &self.context.may);
        let standing = checkouts::standing(db, may.scope, self.job.run.root_run_id).await;
        let base = standing.map_err(FenceError::from)?.and_then(|at| at.base);
        Ok(base
            .map(|base| (BASE.to_owned(), base))
            .into_iter()
            .collect())
    }
}

/// Why a command ends the step.
fn failure(made: &CommandMade) -> String {
    let end = match made.exit_code {
        Some(code) => format!("\"{}\" failed with exit code {code}.", made.what),
        None => format!("\"{}\" did not run to its end.", made.what),
    };
    let output = made.text.trim_end();
    let from = output.ceil_char_boundary(output.len().saturating_sub(SHOWN_BYTES));
    match output[from..].trim() {
        "" => end,
        last => format!("{end} It wrote:\n{last}"),
    }
}

/// What the step hands over: each command and how it ended.
fn summary(made: &[CommandMade]) -> String {
    let lines = made.iter().map(|made| match made.exit_code {
        Some(code) => format!("- {}: exit code {code}", made.what),
        None => format!("- {}: no end", made.what),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(exit_code: Option<i32>, text: &str) -> CommandMade {
        CommandMade {
            place: 0,
            what: "Build the base".to_owned(),
            exit_code,
            text: text.to_owned(),
            cut: false,
        }
    }

    #[test]
    fn a_failed_command_says_its_name_its_code_and_its_last_words() {
        let long = format!("first\n{}\nlast", "ä\n".repeat(5_000));
        let text = failure(&made(Some(2), &long));
        assert!(text.starts_with("\"Build the base\" failed with exit code 2. It wrote:"));
        assert!(text.ends_with("last") && !text.contains("first"));
        assert_eq!(
            failure(&made(None, " ")),
            "\"Build the base\" did not run to its end."
        );
    }

    #[test]
    fn a_step_hands_over_how_each_command_ended() {
        let text = summary(&[made(Some(0), ""), made(None, "")]);
        assert_eq!(
            text,
            "- Build the base: exit code 0\n- Build the base: no end"
        );
    }
}
