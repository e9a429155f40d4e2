//! What the history is read from.

use roost_machines::fleet::operations::OperationsHandle;
use roost_platform::db::Db;

/// The store, and the operations of this gateway: a command's end may be known before its row is written.
#[derive(Clone)]
pub struct ActivityContext {
    pub db: Db,
    pub operations: OperationsHandle,
}
