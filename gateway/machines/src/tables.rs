//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::fleet::operations::entity::Entity>(),
        Table::of::<crate::fleet::operations::kept_entity::Entity>(),
        Table::of::<crate::fleet::entity::node::Entity>(),
        Table::of::<crate::fleet::entity::health::Entity>(),
        Table::of::<crate::fleet::entity::tool::Entity>(),
        Table::of::<crate::fleet::history::entity::Entity>(),
        Table::of::<crate::images::entity::Entity>(),
        Table::of::<crate::sandboxes::entity::container::Entity>(),
        Table::of::<crate::sandboxes::entity::placement::Entity>(),
        Table::of::<crate::sandboxes::purges::entity::Entity>(),
        Table::of::<crate::sandboxes::snapshots::entity::Entity>(),
        Table::of::<crate::sandboxes::step_files::entity::around::Entity>(),
        Table::of::<crate::sandboxes::step_files::entity::start::Entity>(),
    ]
}
