//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![Table::of::<crate::levelups::entity::proposal::Entity>()]
}
