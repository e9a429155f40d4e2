//! The commands on connections, one use case in each file.

mod connect;
mod disconnect;
mod drop_mirror;
mod list_branches;
mod request_sync;
mod want_mirror;

use roost_secret_broker::wire::RecordName;
use sea_orm::DbErr;

use super::entity::connection;
use roost_platform::broker::credential;

pub use connect::connect;
pub use disconnect::{disconnect, remove_all};
pub use drop_mirror::drop_mirror;
pub use list_branches::list_branches;
pub use request_sync::request_sync;
pub use want_mirror::{want_mirror, want_mirror_in};

/// The name of a connection's token in the broker.
pub(super) fn record_name(row: &connection::Model) -> Result<RecordName, DbErr> {
    credential::name_of(row.workspace_id, &row.secret_reference)
}
