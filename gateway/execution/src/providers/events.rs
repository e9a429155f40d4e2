//! A parser for server-sent events, as the standard defines them, with a size limit.

use super::error::{ErrorKind, ModelError};

/// The maximum size of one event, in bytes.
const MAX_EVENT: usize = 2 << 20;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Event {
    /// Empty when the event has no name.
    pub(super) name: String,
    pub(super) data: String,
}

/// Parses events from pieces of any size. It reads each byte once.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    after_return: bool,
}

impl Events {
    /// Parses a piece, and passes each event that it completes to `each`.
    pub(super) fn take(
        &mut self,
        piece: &[u8],
        mut each: impl FnMut(Event) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        for &byte in piece {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    if let Some(event) = self.end_line()? {
                        each(event)?;
                    }
                }
                _ => {
                    self.line.push(byte);
                    if self.line.len() + self.event.data.len() > MAX_EVENT {
                        return Err(ModelError::new(
                            ErrorKind::TooBig,
                            format!(
                                "the model's server sent one event of more than {MAX_EVENT} bytes"
                            ),
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event>, ModelError> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8(bytes).map_err(|error| {
            ModelError::new(
                ErrorKind::Terminal,
                "the model's server sent an event stream that is not UTF-8; see that the address is that of its API",
            )
            .because(error)
        })?;
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments, ids and retry hints are ignored: the client does not resume streams.
            _ => {}
        }
        Ok(None)
    }
}
