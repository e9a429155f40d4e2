//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::models::entity::model::Entity>(),
        Table::of::<crate::models::entity::settings::Entity>(),
        Table::of::<crate::tools::tokens::entity::Entity>(),
        Table::of::<crate::runs::entity::record::Entity>(),
        Table::of::<crate::runs::entity::state::Entity>(),
        Table::of::<crate::runs::entity::owner::Entity>(),
        Table::of::<crate::runs::entity::step::Entity>(),
        Table::of::<crate::runs::entity::call::Entity>(),
        Table::of::<crate::runs::entity::child::Entity>(),
        Table::of::<crate::runs::pin_entity::Entity>(),
        Table::of::<crate::runs::entity::wait::Entity>(),
        Table::of::<crate::runs::entity::message::Entity>(),
        Table::of::<crate::runs::entity::handover::Entity>(),
        Table::of::<crate::runs::entity::model_use::Entity>(),
    ]
}
