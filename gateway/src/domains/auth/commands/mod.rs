//! What people do to identify themselves, one use case a file.

mod first_owner;
mod issue_one_time;
mod open_session;
mod set_password;
mod sign_in;
mod sign_out;

pub use first_owner::{FirstOwner, first_owner};
pub use issue_one_time::issue_one_time;
pub use open_session::open_api_session;
pub use set_password::set_password;
pub use sign_in::{Credentials, Fresh, sign_in};
pub use sign_out::end_session;
