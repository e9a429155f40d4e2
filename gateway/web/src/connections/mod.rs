//! Limits the number of connections. A connection is *unproven* until a request on it shows a valid credential.
//! Unproven connections are limited per address and in total; one too many ends the oldest. A client that opens
//! thousands of them ends its own, and a complete request is answered long before its connection is the oldest.
//! Connections of people are also limited, so that machines always get file descriptors. The operators' listener has
//! its own limits.

mod accept;
mod limits;
mod registry;
mod takeover;

pub use accept::{Counted, Counting};
pub use limits::ConnectionLimits;
pub use registry::{Admission, Connection, Connections, Full, Proof};
