//! The wire: golden bytes that never change, peers one minor apart, and bytes that no honest peer would send.

mod golden;
mod hostile;
mod negotiation;
mod newer;
mod samples;
mod value;
mod variants;
