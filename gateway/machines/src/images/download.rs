//! `/api/nodes/images` and `/dl/images/{digest}`: a machine asks which images the gateway has, and fetches one.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, StatusCode, header};
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::ImagesContext;
use super::archives::{NotPacked, Packed};
use super::dto::{OfferedImage, OfferedImages};
use crate::fleet;
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::Path;
use roost_web::problem::Problem;

/// Bytes that are read and sent at a time.
const BLOCK: usize = 64 * 1024;
/// When a machine asks again for an image that is not packed yet.
const AGAIN_S: u64 = 5;

pub(super) fn router() -> OpenApiRouter<ImagesContext> {
    OpenApiRouter::new()
        .routes(routes!(offers))
        .routes(routes!(download))
}

/// A machine, by its token.
struct CallingMachine;

impl FromRequestParts<ImagesContext> for CallingMachine {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        context: &ImagesContext,
    ) -> Result<Self, Response> {
        fleet::calling_machine(&context.db, parts).await?;
        Ok(Self)
    }
}

impl From<NotPacked> for ApiError {
    fn from(why: NotPacked) -> Self {
        let said = why.to_string();
        match why {
            NotPacked::Unknown(_) => Self::new(Code::NotFound).detail(sentence(&said)),
            NotPacked::Unreadable(error) => Self::internal(error),
            NotPacked::Soon | NotPacked::Turns(_) | NotPacked::Failed(_) => {
                let error = Self::new(Code::Unavailable).detail(sentence(&said));
                error.retry_after(AGAIN_S)
            }
        }
    }
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// The images of the gateway's own engine that a machine can fetch.
#[utoipa::path(get, path = "/api/nodes/images", operation_id = "offered_images", tag = "nodes", security(()),
    responses((status = 200, body = OfferedImages), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn offers(
    State(context): State<ImagesContext>,
    _machine: CallingMachine,
) -> Json<OfferedImages> {
    let offers = context.archives.offers().into_iter();
    let items = offers.map(|offer| OfferedImage {
        reference: offer.reference,
        digest: offer.id,
        size_bytes: offer.bytes,
    });
    Json(OfferedImages {
        items: items.collect(),
    })
}

/// An image, packed: what `docker save` writes, compressed with zstd. A cut transfer goes on with `Range` and `If-Range`.
/// The entity tag is the SHA-256 of the whole. Before an image is packed, the answer is 503.
#[utoipa::path(get, path = "/dl/images/{digest}", operation_id = "packed_image", tag = "nodes", security(()),
    params(("digest" = String, Path, description = "`sha256:…`")),
    responses((status = 200, content_type = "application/zstd", body = Vec<u8>),
        (status = 206, content_type = "application/zstd", body = Vec<u8>), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 416), (status = 503, body = Problem)))]
async fn download(
    State(context): State<ImagesContext>,
    _machine: CallingMachine,
    Path(digest): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Packed {
        mut file,
        bytes,
        sha256,
        turn,
    } = context.archives.open(&digest).await?;
    let from = begin(&headers, &sha256);
    let tag = (header::ETAG, format!("\"{sha256}\""));
    let nothing_left = from.is_some_and(|from| from >= bytes);
    if nothing_left {
        let whole = (header::CONTENT_RANGE, format!("bytes */{bytes}"));
        return Ok((StatusCode::RANGE_NOT_SATISFIABLE, [tag, whole]).into_response());
    }
    let start = from.unwrap_or_default();
    let sought = file.seek(std::io::SeekFrom::Start(start)).await;
    sought.map_err(ApiError::internal)?;
    // The turn ends with the transfer.
    let blocks = futures::stream::try_unfold((file, turn), |(mut file, turn)| async move {
        let mut block = vec![0; BLOCK];
        let read = file.read(&mut block).await?;
        block.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then(|| (Bytes::from(block), (file, turn))))
    });
    let headers = [
        tag,
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::CONTENT_TYPE, "application/zstd".to_owned()),
        (header::CONTENT_LENGTH, (bytes - start).to_string()),
    ];
    let body = Body::from_stream(blocks);
    Ok(match from {
        None => (headers, body).into_response(),
        Some(from) => {
            let last = bytes - 1;
            let range = (
                header::CONTENT_RANGE,
                format!("bytes {from}-{last}/{bytes}"),
            );
            (StatusCode::PARTIAL_CONTENT, headers, [range], body).into_response()
        }
    })
}

/// Where a range begins that this packed image can continue: `bytes=N-` of the same entity. `None` sends the whole.
fn begin(headers: &HeaderMap, sha256: &str) -> Option<u64> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let is_same = |tag: &str| tag.trim_matches('"') == sha256;
    if !text(header::IF_RANGE).is_none_or(is_same) {
        return None;
    }
    let range = text(header::RANGE)?.strip_prefix("bytes=")?;
    range.strip_suffix('-')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_of_the_same_image_goes_on() {
        let asked = |range: &str, tag: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, range.parse().expect("a value"));
            if let Some(tag) = tag {
                headers.insert(header::IF_RANGE, tag.parse().expect("a value"));
            }
            begin(&headers, "ab")
        };
        assert_eq!(asked("bytes=5-", Some("\"ab\"")), Some(5));
        assert_eq!(asked("bytes=5-", None), Some(5));
        assert_eq!(asked("bytes=5-", Some("\"cd\"")), None);
        assert_eq!(asked("bytes=5-9", None), None);
        assert_eq!(asked("bytes=-5", None), None);
    }
}
