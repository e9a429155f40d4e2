//! The repository of the run in the agent's sandbox: it is there before the agent works, and the commits come out after
//! the step.

use std::sync::PoisonError;
use std::time::Duration;

use super::session::{Session, Stopped};
use roost_connections::checkouts::{self, Checkout, CheckoutError, StepPlace};
use roost_execution::runs::{self, FenceError, StepJob, StepResult};
use roost_execution::tools::{Bundle, Capability, Class, Profile, ToolError};

/// How long a step waits for a mirror before it asks again.
const NEXT_LOOK: Duration = Duration::from_secs(5);

/// Whether the agent may work in a sandbox.
pub(super) fn works_in_sandbox(may: &Capability) -> bool {
    let has = |bundle| may.bundles.contains(&bundle);
    may.profile != Profile::Toolfree && (has(Bundle::Sandbox) || has(Bundle::Repo))
}

/// Where a step works.
pub(super) fn place(job: &StepJob, may: &Capability) -> StepPlace {
    StepPlace {
        scope: may.scope,
        root: job.run.root_run_id,
        run: job.run.id,
        sandbox_of: may.sandbox_of,
        about: may.about,
    }
}

impl<W> Session<'_, W> {
    /// Brings the repository of the run into the agent's sandbox. Creates the sandbox when the agent has none.
    pub(super) async fn check_out(&self) -> Result<(), Stopped> {
        if !self.context.bound {
            return Ok(());
        }
        let may = self.current_permissions().await?;
        if !works_in_sandbox(&may) {
            return Ok(());
        }
        let mut tries = 0;
        let begins = self
            .checkout
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none();
        loop {
            let place = place(self.job, &may);
            let found = checkouts::checkout(&self.agents.checkouts, place, begins).await;
            let error = match found {
                Ok(found) => {
                    *self.checkout.lock().unwrap_or_else(PoisonError::into_inner) = found;
                    return Ok(());
                }
                Err(CheckoutError::Sandbox(error)) => ToolError::from(error),
                Err(error) => return Err(failed(error)),
            };
            tries += 1;
            if let Some(told) = self.recovered(&error, &may, tries).await? {
                return Err(StepResult::retryable(told).into());
            }
        }
    }

    /// Takes the commits of the step out of its sandbox when the step has ended. Returns the end of the step. A step whose
    /// machine is away waits for it, and ends then.
    pub(super) async fn collected(&self, end: StepResult) -> StepResult {
        let may = &self.context.may;
        let is_over = !end.waits() && end != StepResult::Fenced;
        if !self.context.bound || !is_over || !works_in_sandbox(may) {
            return end;
        }
        let step = self.job.journal.step.to_string();
        let place = place(self.job, may);
        let error = match checkouts::collect(&self.agents.checkouts, place, &step).await {
            Ok(()) => return end,
            Err(CheckoutError::Sandbox(error)) => ToolError::from(error),
            Err(error) => return StepResult::retryable(error.to_string()),
        };
        let is_passing = matches!(error.class(), Class::Wait | Class::Retry);
        if matches!(end, StepResult::Failed { .. }) || !is_passing {
            return end;
        }
        match self.recovered(&error, may, 1).await {
            Err(Stopped::Ended(later)) => later,
            _ => end,
        }
    }

    /// The folder of the checkout, where the agent works.
    pub(super) fn checkout_folder(&self) -> Option<String> {
        let checkout = self.checkout.lock().unwrap_or_else(PoisonError::into_inner);
        checkout.as_ref().map(|checkout| checkout.path.clone())
    }
}

impl Session<'_> {
    /// The agent's system prompt, with the rules last.
    pub(super) fn system_prompt(&self) -> String {
        let mind = &self.who.mind;
        let checkout = self.checkout.lock().unwrap_or_else(PoisonError::into_inner);
        let repository = checkout.as_ref().map(instructions).unwrap_or_default();
        format!("{}{repository}\n\n# Rules\n{}", mind.system, mind.rules)
    }
}

fn instructions(checkout: &Checkout) -> String {
    let Checkout {
        full_name,
        path,
        branch,
        supplies,
    } = checkout;
    let supplies = match supplies.is_empty() {
        true => String::new(),
        false => format!(
            "\n\n# The packages\nThe sandbox has no network. The gateway brought the packages of the lock files before your \
             step, and the package managers use them without an address: build with the lock files as they are. When \
             you changed a lock file, supplies.packages.add asks for its new packages; request it with door.ask. {}",
            supplies.join(" ")
        ),
    };
    format!(
        "\n\n# The repository\nThe repository {full_name} is checked out in {path}, on the branch {branch}. That is your \
         working folder, where relative paths begin. Work there, and \
         commit your work on that branch. Its commits leave the sandbox at the end of your step; files that are in no commit \
         stay behind. Add commits, and never rewrite those that exist. You cannot push with git. The action \
         repo.branch.push sends your branch to its code host, and repo.pulls.create opens a pull request; request both with \
         door.ask.{supplies}"
    )
}

fn failed(error: CheckoutError) -> Stopped {
    let detail = format!(
        "The repository cannot be brought into the sandbox. {}",
        error.words()
    );
    match error {
        CheckoutError::Db(error) => FenceError::from(error).into(),
        CheckoutError::MirrorAway(_) => StepResult::Failed {
            class: runs::Class::Away,
            detail,
            after: Some(NEXT_LOOK),
        }
        .into(),
        error if error.is_passing() => StepResult::retryable(detail).into(),
        _ => StepResult::terminal(detail).into(),
    }
}
