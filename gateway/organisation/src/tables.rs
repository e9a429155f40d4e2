//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::teams::entity::team::Entity>(),
        Table::of::<crate::teams::entity::member::Entity>(),
        Table::of::<crate::skills::entity::skill::Entity>(),
        Table::of::<crate::skills::entity::version::Entity>(),
        Table::of::<crate::skills::entity::role_skill::Entity>(),
        Table::of::<crate::skills::entity::choice::Entity>(),
        Table::of::<crate::templates::entity::template::Entity>(),
        Table::of::<crate::templates::entity::role::Entity>(),
        Table::of::<crate::templates::entity::version::Entity>(),
        Table::of::<crate::templates::entity::link::Entity>(),
    ]
}
