//! Entry point.


