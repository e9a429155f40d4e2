//! The tables of this wing.

use roost_platform::db::Table;

/// Every table that this wing reads and writes through an entity.
pub fn tables() -> Vec<Table> {
    vec![
        Table::of::<crate::auth::entity::user::Entity>(),
        Table::of::<crate::auth::entity::avatar::Entity>(),
        Table::of::<crate::auth::entity::session::Entity>(),
        Table::of::<crate::auth::entity::one_time_login::Entity>(),
        Table::of::<crate::auth::entity::known_device::Entity>(),
        Table::of::<crate::auth::entity::refused_sign_in::Entity>(),
        Table::of::<crate::auth::entity::operator_grant::Entity>(),
        Table::of::<crate::auth::hosted::entity::home::Entity>(),
        Table::of::<crate::auth::hosted::entity::sign_in::Entity>(),
        Table::of::<crate::auth::hosted::entity::login_code::Entity>(),
        Table::of::<crate::workspaces::entity::workspace::Entity>(),
        Table::of::<crate::workspaces::entity::member::Entity>(),
        Table::of::<crate::workspaces::entity::quota_usage::Entity>(),
        Table::of::<crate::workspaces::entity::plan_limits::Entity>(),
        Table::of::<crate::workspaces::invitations::entity::Entity>(),
        Table::of::<crate::mail::entity::Entity>(),
        Table::of::<crate::audit::entity::entry::Entity>(),
        Table::of::<crate::audit::entity::chain::Entity>(),
        Table::of::<crate::audit::entity::waiting::Entity>(),
        Table::of::<crate::audit::entity::head::Entity>(),
    ]
}
