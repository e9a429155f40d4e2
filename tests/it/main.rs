//! One integration binary; its modules mirror the domains of the gateway.

mod activity;
mod apps;
mod audit;
mod auth;
mod authorisation;
mod avatars;
mod brains;
mod broker;
mod claws;
mod doors;
mod events;
mod fleet;
mod guide;
mod http;
mod kill_points;
mod mesh;
mod operator;
mod people;
mod repos;
mod sandboxes;
mod starting;
mod streams;
mod support;
mod tls;
mod traces;
mod two_gateways;
