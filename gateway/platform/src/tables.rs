//! The tables of this wing.

use crate::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::sagas::saga::Entity>(),
        Table::of::<crate::events::event_entity::Entity>(),
        Table::of::<crate::events::head_entity::Entity>(),
        Table::of::<crate::events::cuts_entity::Entity>(),
        Table::of::<crate::broker::outbox::entity::Entity>(),
    ]
}
