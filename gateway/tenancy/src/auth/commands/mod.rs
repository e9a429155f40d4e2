//! What people do to identify themselves, one use case in each file.

mod accept_invitation;
mod change_account;
mod current_password;
mod first_owner;
mod grant_operator;
mod issue_one_time;
mod open_session;
mod set_password;
mod set_up;
mod sign_in;
mod sign_out;
mod switch_workspace;

pub use accept_invitation::{Person, accept_invitation, look_at_invitation};
pub use change_account::{
    AccountChange, change_account, confirm_address, remove_picture, set_picture,
};
pub use first_owner::first_owner;
pub use grant_operator::{Grant, Granted, grant_operator};
pub use issue_one_time::issue_one_time;
pub(super) use open_session::{NewSession, insert as insert_session, people_only};
pub use open_session::{NewToken, Origin, not_by_program, open_api_session};
pub use set_password::set_password;
pub use set_up::{SetUp, set_up};
pub(super) use sign_in::count_attempt;
pub use sign_in::{Credentials, Fresh, remember_browser, sign_in};
pub use sign_out::end_session;
pub use switch_workspace::switch_workspace;
