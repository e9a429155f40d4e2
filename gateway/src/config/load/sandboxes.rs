//! Reading `[sandboxes]`, with the limits of what may be started in them.

use roost_sandbox_driver::executor::OwnerPolicy;

use super::Reader;
use crate::config::{CommandLimits, Sandboxes};

impl Reader {
    pub(super) fn sandboxes(&mut self) -> Sandboxes {
        let policy = OwnerPolicy {
            most_sandboxes: self.optional("sandboxes.most_sandboxes"),
            most_memory_bytes: self.optional("sandboxes.most_memory_bytes"),
            most_cpus: self.optional("sandboxes.most_cpus"),
            most_pids: self.optional("sandboxes.most_pids"),
            each_memory_bytes: self.optional("sandboxes.each_memory_bytes"),
            each_workspace_bytes: self.optional("sandboxes.each_workspace_bytes"),
            each_cpus: self.optional("sandboxes.each_cpus"),
            each_pids: self.optional("sandboxes.each_pids"),
            most_output_bytes: self.optional("sandboxes.most_output_bytes"),
            most_archive_bytes: self.optional("sandboxes.most_archive_bytes"),
            ..OwnerPolicy::default()
        };
        for (key, problem) in policy.mistakes() {
            self.wrong(&format!("sandboxes.{key}"), problem);
        }
        let image: String = self.get("sandboxes.image", "roost-agent:rust".to_owned());
        if let Err(error) = roost_protocol::text::image_reference(&image) {
            self.wrong("sandboxes.image", error.to_string());
        }
        Sandboxes {
            local: self.choice("sandboxes.local", &[("on", true), ("off", false)]),
            engine: self.optional("sandboxes.engine"),
            image,
            policy,
        }
    }

    pub(super) fn commands(&mut self) -> CommandLimits {
        CommandLimits {
            a_user: self.number("limits.commands_per_minute", 600, 1, 1_000_000),
            a_workspace: self.number(
                "limits.commands_per_minute_and_workspace",
                3_000,
                1,
                10_000_000,
            ),
        }
    }
}
