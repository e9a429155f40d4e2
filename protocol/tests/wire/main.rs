//! The wire: golden bytes that never change, peers one minor version apart, and bytes that no honest peer sends.

mod golden;
mod hostile;
mod negotiation;
mod newer;
mod samples;
mod value;
mod variants;
