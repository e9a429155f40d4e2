//! Entry point.
