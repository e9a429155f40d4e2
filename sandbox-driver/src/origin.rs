//! Where a machine gets the agent images from that it lacks: its gateway.
use std::fmt::Debug;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;

/// Why an image did not come.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OriginError {
    /// The same request may succeed later, for example when the gateway has packed the image.
    #[error("the gateway does not give the image yet: {0}")]
    Away(String),
    /// The same request will be refused again.
    #[error("the gateway refused: {0}")]
    Refused(String),
}

/// An image that the gateway has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageOffer {
    pub reference: String,
    /// `sha256:…`
    pub id: String,
    /// Its size in the engine, bytes.
    pub bytes: u64,
}

/// The rest of a packed image.
pub struct ImageBytes {
    /// Where it begins. This is 0 when the gateway has packed the image anew since the last request.
    pub from: u64,
    /// The size of the whole packed image, bytes.
    pub total: u64,
    /// Of the whole packed image, hex digits.
    pub sha256: String,
    pub bytes: BoxStream<'static, Result<Bytes, OriginError>>,
}

/// The gateway's images. Packed images are archives of [`image_archive`](crate::image_archive).
pub trait ImageOrigin: Debug + Send + Sync {
    /// The images that the gateway can give.
    fn offers(&self) -> BoxFuture<'_, Result<Vec<ImageOffer>, OriginError>>;

    /// A packed image. `have` is how many bytes of which packed image (SHA-256) this machine has already.
    fn read<'a>(
        &'a self,
        id: &'a str,
        have: Option<(u64, &'a str)>,
    ) -> BoxFuture<'a, Result<ImageBytes, OriginError>>;
}
