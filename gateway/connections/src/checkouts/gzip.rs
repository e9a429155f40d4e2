//! Compresses the files of a run while they are sent.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::stream::{Stream, unfold};

use super::commands::Files;

/// The pieces of the gzip file. An error ends the answer before its end, so a client sees that it is not whole.
pub(super) fn pieces(files: Files) -> impl Stream<Item = io::Result<Bytes>> {
    let packer = GzEncoder::new(Vec::new(), Compression::fast());
    unfold(Some((files, packer)), async |state| {
        let (mut files, mut packer) = state?;
        loop {
            let piece = match files.piece().await {
                Ok(Some(piece)) => piece,
                Ok(None) => return Some((packer.finish().map(Bytes::from), None)),
                Err(error) => {
                    let cause: &dyn std::error::Error = &error;
                    tracing::warn!(error = cause, "the files of a run broke off");
                    return Some((Err(io::Error::other(error)), None));
                }
            };
            if let Err(error) = packer.write_all(&piece) {
                return Some((Err(error), None));
            }
            if !packer.get_ref().is_empty() {
                let ready = Bytes::from(std::mem::take(packer.get_mut()));
                return Some((Ok(ready), Some((files, packer))));
            }
        }
    })
}
