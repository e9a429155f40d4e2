//! Entities whose rows belong to a workspace. A statement that begins here cannot reach another tenant's rows.

use sea_orm::{
    ColumnTrait, DeleteMany, EntityTrait, PrimaryKeyTrait, QueryFilter, Select, UpdateMany,
};

use crate::WorkspaceScope;

/// An entity with a column that names the workspace of each row.
pub trait TenantEntity: EntityTrait {
    /// The column with the workspace.
    const WORKSPACE: Self::Column;

    /// The rows of a workspace.
    fn find_in(scope: WorkspaceScope) -> Select<Self> {
        Self::find().filter(Self::WORKSPACE.eq(scope.workspace()))
    }

    /// The row of a workspace with this primary key.
    fn find_by_id_in<T>(scope: WorkspaceScope, id: T) -> Select<Self>
    where
        T: Into<<Self::PrimaryKey as PrimaryKeyTrait>::ValueType>,
    {
        Self::find_by_id(id).filter(Self::WORKSPACE.eq(scope.workspace()))
    }

    /// An update of rows of a workspace.
    fn update_in(scope: WorkspaceScope) -> UpdateMany<Self> {
        Self::update_many().filter(Self::WORKSPACE.eq(scope.workspace()))
    }

    /// A deletion of rows of a workspace.
    fn delete_in(scope: WorkspaceScope) -> DeleteMany<Self> {
        Self::delete_many().filter(Self::WORKSPACE.eq(scope.workspace()))
    }
}
