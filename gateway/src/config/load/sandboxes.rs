//! Reading `[sandboxes]`, with the limits of what may be started in them.

use std::time::Duration;

use roost_sandbox_driver::executor::OwnerPolicy;

use super::Reader;
use crate::config::{CommandLimits, Sandboxes};
use roost_machines::images::NamedImage;

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
        let named: Vec<String> = self.get("sandboxes.images", Vec::new());
        let mut images: Vec<NamedImage> = Vec::new();
        for words in &named {
            match NamedImage::parse(words) {
                Ok(image) if images.iter().any(|other| other.name == image.name) => {
                    self.wrong("sandboxes.images", format!("{} is there twice", image.name));
                }
                Ok(image) => images.push(image),
                Err(error) => self.wrong("sandboxes.images", error),
            }
        }
        Sandboxes {
            local: self.choice("sandboxes.local", &[("on", true), ("off", false)]),
            engine: self.optional("sandboxes.engine"),
            image,
            images,
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
            shell_unread: Duration::from_secs(
                60 * 60 * self.number::<u64>("limits.shell_unread_hours", 24, 1, 8_760),
            ),
        }
    }
}
