//! Rows of `mails`.

use sea_orm::entity::prelude::*;

use roost_platform::ids::MailId;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "mails")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: MailId,
    /// What the message is about, once for each thing: `run-ended/<run>`. Unique.
    pub about: String,
    #[sea_orm(column_type = "Text")]
    pub recipient: String,
    #[sea_orm(column_type = "Text")]
    pub subject: String,
    /// Empty after the end.
    #[sea_orm(column_type = "Text")]
    pub text: String,
    pub created_at: DateTimeUtc,
    /// When it is sent, or sent again.
    pub due_at: DateTimeUtc,
    pub attempts: i32,
    /// When it was sent or given up. Absent while it waits.
    pub ended_at: Option<DateTimeUtc>,
    /// Why the last attempt failed.
    #[sea_orm(column_type = "Text", nullable)]
    pub error: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
