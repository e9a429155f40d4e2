//! The commands of checkouts, one use case in each file.

mod add_packages;
mod archive;
mod bind;
mod check_out;
mod collect;
mod offer;
mod push;
mod read;
mod supply;

pub use add_packages::{PackagesAdded, add_packages, offer_packages};
pub use archive::{Files, archive, files_of};
pub use bind::{Prepared, bind, bind_after, fork, prepare};
pub use check_out::{Checkout, StepPlace, checkout};
pub use collect::collect;
pub use offer::{Offer, PullWords, offer_pull, offer_push, pull_request, record_pull};
pub use push::{Pushed, push};
pub use read::{Diff, Read, diff, own_diff, read};
