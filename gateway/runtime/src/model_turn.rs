//! One question to the model of a session: its answer, what it thought, and what a failed turn cost.

use std::time::{Duration, Instant};

use super::session::{Session, Stopped, failed, used};
use super::{progress_events, tool_names, window};
use roost_execution::providers::{Delta, ModelError, Reply, Request};
use roost_platform::kill_point;

/// The maximum size of what a model thought in one turn, as the journal keeps it, in bytes.
const THOUGHT_BYTES: usize = 64 << 10;

impl Session<'_> {
    /// The model's answer, and what it thought before.
    pub(super) async fn ask(
        &self,
        request: &Request,
    ) -> Result<(Reply, Option<String>, Duration), Stopped> {
        progress_events::thinking(&self.who.mind, &self.who.progress);
        let begun = Instant::now();
        let progress = self.who.progress.clone();
        let mut thought = String::new();
        let mut on_delta = |delta: Delta| {
            if let Delta::Think(piece) = &delta
                && thought.len() < THOUGHT_BYTES
            {
                thought.push_str(piece);
            }
            progress.push_delta(delta);
        };
        let answered = self.turn(request, &mut on_delta).await;
        match answered {
            Ok(reply) => {
                let thought = window::shown(thought.trim(), THOUGHT_BYTES, None);
                let thought = Some(thought).filter(|thought| !thought.is_empty());
                Ok((reply, thought, begun.elapsed()))
            }
            Err(error) => Err(self.lost(&error).await?),
        }
    }

    /// One turn of the model.
    pub(super) async fn turn(
        &self,
        request: &Request,
        on_delta: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, ModelError> {
        kill_point!(self.agents.kill_points, "runtime.session.before_model");
        let reply = self.who.mind.model.model.turn(request, on_delta).await;
        kill_point!(self.agents.kill_points, "runtime.session.after_model");
        let mut reply = reply?;
        tool_names::restore(&mut reply.calls);
        Ok(reply)
    }

    /// Counts what a failed turn cost, and returns the end of the attempt.
    pub(super) async fn lost(&self, error: &ModelError) -> Result<Stopped, Stopped> {
        if let Some(spent) = error.spent {
            let used = used(spent.usage, spent.cost_microusd);
            self.job.journal.spend(used).await?;
        }
        Ok(failed(error).into())
    }
}
