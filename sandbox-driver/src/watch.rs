//! Watch: reports sandboxes that end without a request, in one form for Docker and Podman.
use std::collections::HashMap;

use bollard::models::EventMessage;
use bollard::query_parameters::EventsOptionsBuilder;
use futures::{Stream, StreamExt, future};
use roost_protocol::ids::SandboxId;

use crate::driver::Driver;
use crate::error::DriverError;
use crate::names;

/// A sandbox whose container ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    pub sandbox: SandboxId,
    pub how: GoneHow,
}

/// The engine's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoneHow {
    /// The kernel killed a process inside for memory; the container may still run.
    OutOfMemory,
    /// The first process ended.
    Exited {
        code: Option<i32>,
    },
    Removed,
}

impl Driver {
    /// Events of this owner's sandboxes from a moment on, seconds since the epoch. The stream ends, or returns an error,
    /// when the engine disconnects. An engine forgets its events when it ends: list the sandboxes after that moment.
    pub fn watch(
        &self,
        since_s: i64,
    ) -> impl Stream<Item = Result<Gone, DriverError>> + Send + 'static {
        let owner = format!("{}={}", names::OWNER, self.inner.engine.owner);
        let filters = HashMap::from([
            ("type", vec!["container"]),
            ("label", vec![names::SANDBOX, owner.as_str()]),
        ]);
        let options = EventsOptionsBuilder::new()
            .since(&since_s.to_string())
            .filters(&filters)
            .build();
        let docker = self.inner.docker.clone();
        // The stream borrows its client, so both are made together.
        async_stream(docker, options)
    }
}

fn async_stream(
    docker: bollard::Docker,
    options: bollard::query_parameters::EventsOptions,
) -> impl Stream<Item = Result<Gone, DriverError>> + Send + 'static {
    docker
        .events(Some(options))
        .map(|event| match event {
            Ok(event) => Ok(gone(&event)),
            Err(error) => Err(DriverError::engine("watching the sandboxes", error)),
        })
        .filter_map(|event| {
            future::ready(match event {
                Ok(None) => None,
                Ok(Some(gone)) => Some(Ok(gone)),
                Err(error) => Some(Err(error)),
            })
        })
}

/// Docker sends `die`, `oom`, `destroy`; Podman `died`, `oom`, `remove`.
fn gone(event: &EventMessage) -> Option<Gone> {
    let attributes = event.actor.as_ref()?.attributes.as_ref()?;
    let sandbox = attributes.get(names::SANDBOX)?.parse().ok()?;
    let how = match event.action.as_deref()? {
        "die" | "died" => GoneHow::Exited {
            code: attributes
                .get("exitCode")
                .or_else(|| attributes.get("containerExitCode"))
                .and_then(|code| code.parse().ok()),
        },
        "oom" => GoneHow::OutOfMemory,
        "destroy" | "remove" => GoneHow::Removed,
        _ => return None,
    };
    Some(Gone { sandbox, how })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bollard::models::EventActor;

    fn event(action: &str, code: Option<(&str, &str)>) -> EventMessage {
        let mut attributes = HashMap::from([(
            names::SANDBOX.to_owned(),
            "01939b5c-7c4e-7000-8000-000000000001".to_owned(),
        )]);
        if let Some((name, value)) = code {
            attributes.insert(name.to_owned(), value.to_owned());
        }
        EventMessage {
            action: Some(action.to_owned()),
            actor: Some(EventActor {
                attributes: Some(attributes),
                ..EventActor::default()
            }),
            ..EventMessage::default()
        }
    }

    #[test]
    fn docker_and_podman_events_map_to_the_same_cause() {
        let docker = gone(&event("die", Some(("exitCode", "137"))));
        let podman = gone(&event("died", Some(("containerExitCode", "137"))));
        assert_eq!(docker, podman);
        assert_eq!(
            docker.map(|gone| gone.how),
            Some(GoneHow::Exited { code: Some(137) })
        );
        assert_eq!(gone(&event("destroy", None)), gone(&event("remove", None)));
        assert_eq!(gone(&event("start", None)), None);
    }
}
