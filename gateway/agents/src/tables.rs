//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::claws::entity::claw::Entity>(),
        Table::of::<crate::claws::entity::state::Entity>(),
        Table::of::<crate::claws::runtime_record::entity::record::Entity>(),
        Table::of::<crate::claws::brain::entity::brain::Entity>(),
        Table::of::<crate::claws::avatar::entity::avatar::Entity>(),
    ]
}
