//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::apps::entity::state::Entity>(),
        Table::of::<crate::apps::entity::connection::Entity>(),
        Table::of::<crate::checkouts::entity::bound::Entity>(),
        Table::of::<crate::checkouts::entity::checkout::Entity>(),
        Table::of::<crate::checkouts::entity::commits::Entity>(),
        Table::of::<crate::checkouts::entity::supply::Entity>(),
        Table::of::<crate::doors::entity::Entity>(),
        Table::of::<crate::mesh::entity::network::Entity>(),
        Table::of::<crate::repos::entity::connection::Entity>(),
        Table::of::<crate::repos::entity::repo::Entity>(),
        Table::of::<crate::repos::entity::mirror::Entity>(),
        Table::of::<crate::uploads::entity::Entity>(),
    ]
}
