//! The JSON that asks for a fork.

use serde::Deserialize;
use utoipa::ToSchema;

use super::limits::RunLimits;
use super::messages::LONGEST;
use crate::topology::MAX_INSTRUCTIONS;
use roost_web::json::{Check, Mistakes};

/// The start of a fork.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkFrom {
    /// The step that the fork repeats, with all later steps.
    pub step: String,
    /// 1 when absent.
    pub lap: Option<u32>,
    /// Leave the sandboxes as they are, instead of giving them the files that they had when the step began.
    #[serde(default)]
    pub without_files: bool,
    /// Another goal than the original's. Steps that are kept worked for the original's.
    #[schema(min_length = 1, max_length = 100_000)]
    pub goal: Option<String>,
    /// The model of the agents that work again.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// Instructions for the agent of the step, instead of its own. Only the fork has them.
    #[schema(min_length = 1, max_length = 20_000)]
    pub instructions: Option<String>,
    /// Said to the agents that work again, before their first turn.
    #[schema(min_length = 1, max_length = 8_000)]
    pub message: Option<String>,
    /// Other limits than the original's. What is absent in it is as in the original.
    #[serde(default)]
    pub limits: RunLimits,
}

impl Check for ForkFrom {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/step", &self.step, 1, 80);
        self.limits.check("/limits", mistakes);
        let optional = [
            ("/goal", &self.goal, 100_000),
            ("/model", &self.model, 200),
            ("/instructions", &self.instructions, MAX_INSTRUCTIONS),
            ("/message", &self.message, LONGEST),
        ];
        for (field, text, most) in optional {
            if let Some(text) = text {
                mistakes.text(field, text, 1, most);
            }
        }
    }
}
