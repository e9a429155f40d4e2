//! Rows of `images`.

use sea_orm::entity::prelude::*;

/// An image of the deployment, as it was when the gateway looked last.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "images")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    #[sea_orm(column_type = "Text")]
    pub reference: String,
    #[sea_orm(column_type = "Text")]
    pub purpose: String,
    /// A list of words.
    #[sea_orm(column_type = "JsonBinary")]
    pub tools: Json,
    /// The recipe that builds it.
    #[sea_orm(column_type = "Text", nullable)]
    pub recipe: Option<String>,
    /// The digest that the configuration demands.
    #[sea_orm(column_type = "Text", nullable)]
    pub wanted_digest: Option<String>,
    /// What the gateway's own engine has under the reference.
    #[sea_orm(column_type = "Text", nullable)]
    pub digest: Option<String>,
    pub size_bytes: Option<i64>,
    /// A word of `ImageState`.
    #[sea_orm(column_type = "Text")]
    pub state: String,
    pub updated_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
