//! What can be asked of sandboxes, one use case a file.

mod destroy;
mod exec;
mod place;
mod provision;

pub use destroy::{Destroyed, destroy, destroy_for_good};
pub use exec::{cancel, exec, of_agent, output, reached};
pub use place::{clear_placement, set_placement};
pub(super) use provision::fallback_event;
pub use provision::{Provisioned, has_machine, provision, provision_asked};
