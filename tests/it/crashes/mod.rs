//! Crashes: every kill point, dead gateways, and two gateways on one database.

mod gateway_dies;
mod kill_points;
mod two_gateways;
