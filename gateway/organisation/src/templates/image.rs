//! The image of a template's agents in JSON, and what is missing for it.

use serde::Serialize;
use utoipa::ToSchema;

use super::Template;
use roost_machines::images::{Here, Lack};
use roost_machines::sandboxes::SandboxesHandle;

/// The image of a template's agents, and what is missing for it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateImage {
    /// A name of the catalogue (`/api/images`). The deployment's default image when it is null.
    pub kind: Option<String>,
    /// The reference that the catalogue has for it. Absent when the catalogue has no such image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// What is missing for a team from this template on the machine that its sandboxes would be made on. Empty when
    /// nothing is missing, and when its agents use no sandboxes.
    pub lacks: Vec<Lack>,
}

impl TemplateImage {
    /// From the template and from what the machine has.
    pub(super) fn of(from: &Template, sandboxes: &SandboxesHandle, here: &Here) -> Self {
        let content = from.content();
        let tag = match &content.image {
            Some(name) => {
                let entry = sandboxes.images().named(name);
                entry.map(|entry| entry.reference.clone())
            }
            None => Some(sandboxes.images().choose(None).reference),
        };
        Self {
            lacks: match content.wanted() {
                Some(wanted) => sandboxes.lacks(wanted, here),
                None => Vec::new(),
            },
            kind: content.image,
            tag,
        }
    }
}
