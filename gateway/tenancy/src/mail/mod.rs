//! E-mail, where the operator names a server (`smtp_url`, `smtp_from`): a queue of messages, and the worker that sends them.
//!
//! Invariants: a message is queued in the transaction of what it is about. The worker claims a message before it sends it, so
//! two gateways send it once; a gateway that dies between sending and noting it may send it twice. A message that cannot be
//! sent within a day is given up, and its row says why. The text of a message is deleted with its end, because it may have a
//! link. Table: `mails`. In the tree: `foundation/mail-sender`.

pub(crate) mod entity;
mod message;
mod sender;
mod settings;
mod store;
mod worker;

pub use message::{Mail, Purpose, WorkEnd};
pub use settings::{MailSettings, SmtpServer, Tls};
pub use store::{address_wishes, queue, unknown_among};
pub use worker::{MailWorker, PERIOD};

use roost_platform::supervision::Nudge;

/// What a command needs to send mail. Cheap to clone.
#[derive(Clone)]
pub struct MailQueue {
    /// Wakes the worker.
    pub nudge: Nudge,
}
