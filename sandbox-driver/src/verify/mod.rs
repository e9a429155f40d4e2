//! Verify: measures the engine, the kernel and the inside of a probe sandbox, and trusts no claim.
//!
//! [`checks`] queries the engine, [`runc`] knows the vulnerabilities of its runtime, [`probe`] runs the escape probe in
//! an ordinary sandbox and compares its facts with the golden list.
mod checks;
mod golden;
mod probe;
mod runc;

use std::time::Instant;

use roost_protocol::verify::{Check, Level, VerifyReport};

use crate::driver::Driver;
use crate::error::DriverError;
use crate::image::ImageState;
use crate::total::Enforcement;

pub use golden::{GOLDEN, judge};
pub use probe::PROBE_LIMITS;

impl Driver {
    /// Checks this machine for sandboxes of `image`. With `probe`, a sandbox is made, checked from inside and removed.
    /// A failed measurement is a failed check, not an error.
    ///
    /// # Errors
    /// [`DriverError`] only when the engine does not answer at all.
    pub async fn verify(&self, image: &str, probe: bool) -> Result<VerifyReport, DriverError> {
        let begun = Instant::now();
        let mut checks = self.engine_checks().await?;
        checks.push(total_check(&self.total()));
        checks.push(image_check(image, &self.image_state(image, None).await));
        let mut facts = Vec::new();
        if probe {
            match self.probe(image).await {
                Ok(found) => {
                    let wrong = found.iter().filter(|fact| !fact.ok).count();
                    checks.push(checks::check(
                        "sandbox.probe",
                        "The sandbox is closed from inside",
                        if wrong == 0 { Level::Ok } else { Level::Fail },
                        format!("{} facts read, {wrong} differ", found.len()),
                    ));
                    facts = found;
                }
                Err(error) => checks.push(checks::check(
                    "sandbox.probe",
                    "The sandbox is closed from inside",
                    Level::Fail,
                    roost_protocol::report::OperationError::from(&error).detail,
                )),
            }
        }
        Ok(VerifyReport {
            ok: checks.iter().all(|check| check.level != Level::Fail)
                && facts.iter().all(|fact| fact.ok),
            checks,
            probe: facts,
            duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }
}

/// The check of the total of all sandboxes.
pub fn total_check(held: &Enforcement) -> Check {
    let (level, detail) = match held {
        Enforcement::Yes => (Level::Ok, "the kernel enforces their total".to_owned()),
        Enforcement::No { why } => (
            Level::Warn,
            format!("the kernel does not enforce their total: {why}"),
        ),
    };
    checks::check(
        "limit.total",
        "All sandboxes together are limited",
        level,
        detail,
    )
}

fn image_check(image: &str, state: &Result<ImageState, DriverError>) -> Check {
    let (level, detail) = match state {
        Ok(ImageState::Ready { id, bytes }) => {
            (Level::Ok, format!("{image} is {id}, {bytes} bytes"))
        }
        Ok(ImageState::Missing) => (
            Level::Fail,
            format!("{image} is not here: use `roostd image build` or `roostd image import <tar>`"),
        ),
        Ok(ImageState::WrongDigest { id }) => (Level::Fail, format!("{image} is {id}")),
        Ok(ImageState::Unfit { reason }) => (Level::Fail, format!("{image}: {reason}")),
        Err(error) => (Level::Fail, error.to_string()),
    };
    checks::check("image", "The agent image is ready", level, detail)
}
