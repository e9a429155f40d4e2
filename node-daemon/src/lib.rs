//! The node daemon: one outbound WebSocket, an executor, a vitals sampler.
