//! Numbered schema history with literal names; depends on nothing of ours.
