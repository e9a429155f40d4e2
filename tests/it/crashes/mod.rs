//! Crashes: every kill point, dead gateways, and two gateways on one database.

mod gateway_dies;
mod handed_over;
mod kill_points;
pub mod two_gateways;
