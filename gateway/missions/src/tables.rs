//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::levelups::entity::proposal::Entity>(),
        Table::of::<crate::missions::entity::mission::Entity>(),
        Table::of::<crate::missions::entity::phase::Entity>(),
        Table::of::<crate::missions::entity::phase_run::Entity>(),
        Table::of::<crate::missions::entity::mission_team::Entity>(),
        Table::of::<crate::routines::entity::routine::Entity>(),
        Table::of::<crate::routines::entity::firing::Entity>(),
        Table::of::<crate::tasks::entity::task::Entity>(),
        Table::of::<crate::tasks::entity::mark::Entity>(),
        Table::of::<crate::artifacts::entity::artifact::Entity>(),
        Table::of::<crate::artifacts::entity::pdf::Entity>(),
        Table::of::<crate::cards::entity::card::Entity>(),
    ]
}
