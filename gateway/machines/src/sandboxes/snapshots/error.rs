//! Errors of the exchange of chunks as answers.

use std::io::ErrorKind;

use super::exchange::ExchangeError;
use roost_web::error::{ApiError, Code};
use roost_web::problem::FieldError;

/// Missing chunks that an answer names.
const MOST_NAMED: usize = 100;
/// Seconds after which a machine tries a store again that does not work.
const AGAIN_S: u64 = 60;

impl From<ExchangeError> for ApiError {
    fn from(error: ExchangeError) -> Self {
        match error {
            ExchangeError::NotFound => Self::new(Code::NotFound)
                .detail("There is no such chunk or snapshot for this machine."),
            ExchangeError::Stays => Self::new(Code::FilesStay)
                .detail("The files of this workspace stay on their machines, as its settings say."),
            ExchangeError::Wrong(wrong) => Self::new(Code::ChunkInvalid)
                .detail(format!("It is not kept: {wrong}. Read it again from the disk.")),
            ExchangeError::Malformed(why) => Self::new(Code::ChunkInvalid)
                .detail(format!("The snapshot does not count as uploaded: {why}.")),
            ExchangeError::Incomplete(missing) => {
                let named = missing.iter().take(MOST_NAMED).map(|chunk| FieldError {
                    pointer: chunk.to_string(),
                    detail: "is not in the store".to_owned(),
                });
                let mut answer = Self::new(Code::Conflict).detail(format!(
                    "{} chunks of the snapshot are not in the store. Upload them, then report the snapshot again.",
                    missing.len()
                ));
                answer.errors = named.collect();
                answer
            }
            ExchangeError::Store(error) if is_full(&error) => Self::new(Code::Unavailable)
                .detail("The gateway's disk is full. Its operator makes room; the snapshot stays on the machine until then.")
                .retry_after(AGAIN_S)
                .caused_by(error),
            ExchangeError::Store(error) => Self::new(Code::Unavailable)
                .detail("The gateway's store of chunks does not work. The operator finds the cause in the log and with `roost doctor`.")
                .retry_after(AGAIN_S)
                .caused_by(error),
            ExchangeError::Db(error) => error.into(),
        }
    }
}

/// Whether the cause is a disk without room.
fn is_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut of_disk = causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    of_disk.any(|cause| {
        let kind = cause.kind();
        kind == ErrorKind::StorageFull || kind == ErrorKind::QuotaExceeded
    })
}
