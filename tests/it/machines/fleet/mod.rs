//! The fleet from both sides: people use the API, and fake machines use the channel.

mod channel;
mod drain;
mod drain_moves;
mod drain_refusals;
mod fake_command;
mod faults;
mod history;
mod image_fetch;
mod images;
mod joining;
mod operations;
mod output;
mod promises;
mod returning;
mod shells;
mod tenancy;
mod two_gateways;

use roost_tests::Gateway;

/// A gateway that has no engine of its own.
async fn gateway() -> Gateway {
    Gateway::start_with(&[("sandboxes.local", "off")]).await
}
