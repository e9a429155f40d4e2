//! The commands of sandboxes, one use case in each file.

mod destroy;
mod exec;
mod flush;
mod follow;
mod log;
mod place;
mod provision;
mod upload;

pub use destroy::{Destroyed, destroy, destroy_for_good, forget_archives};
pub use exec::{exec, exec_whole};
pub use flush::{flush, running_sandbox};
pub use follow::{WholeOutput, cancel, of_owner, output, reached, resize, stdin};
pub use log::{CommandLog, log, log_of, owner_of};
pub use place::{clear_placement, set_placement};
pub(super) use provision::fallback_event;
pub use provision::{Provisioned, has_machine, provision, provision_asked};
pub use upload::{Put, upload};
