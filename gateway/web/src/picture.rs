//! Pictures of agents and people over HTTP: reading an upload, answering with a picture, and re-encoding: decoded within limits, turned upright, cut square, scaled down, encoded as PNG. All
//! other content of the file is dropped (the place of the photo, a second file behind the first).

use std::io::Cursor;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use tokio::sync::Semaphore;

use crate::error::{ApiError, ApiResult, Code};

/// The sizes of pictures of some kind, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The longest side of an accepted picture.
    pub most_side: u32,
    /// The side of a stored picture.
    pub side: u32,
}

/// The most bytes of a decoded picture, because a small file can unpack to gigabytes.
const MOST_BYTES: u64 = 96 << 20;
/// The most pictures that are re-encoded at the same time.
const AT_ONCE: usize = 2;

/// Why a picture was refused.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The bytes have no accepted format, or another one than the request states.
    #[error("must be a PNG, JPEG or WebP picture of the type in Content-Type")]
    NotThatType,
    /// The decoded picture would be too large.
    #[error("must have at most {most_side} pixels a side and {} MiB unpacked", MOST_BYTES >> 20)]
    TooLarge { most_side: u32 },
    /// The format is right, but the file cannot be decoded.
    #[error("is damaged: it cannot be read as a picture")]
    Damaged(#[source] image::ImageError),
    /// The computation itself failed.
    #[error("the picture cannot be re-encoded")]
    Failed(#[source] tokio::task::JoinError),
}

/// The accepted media types. SVG is not accepted, because it can contain scripts and references to other sites.
pub fn format_of(content_type: &str) -> Option<ImageFormat> {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    [
        ("image/png", ImageFormat::Png),
        ("image/jpeg", ImageFormat::Jpeg),
        ("image/webp", ImageFormat::WebP),
    ]
    .into_iter()
    .find(|(name, _)| essence.eq_ignore_ascii_case(name))
    .map(|(_, format)| format)
}

/// Re-encodes pictures, off the async threads and few at a time. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pictures {
    slots: Arc<Semaphore>,
}

impl Default for Pictures {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

impl Pictures {
    /// The picture as a small square PNG.
    ///
    /// # Errors
    /// See [`PictureError`].
    pub async fn remake(
        &self,
        format: ImageFormat,
        file: Vec<u8>,
        bounds: Bounds,
    ) -> Result<Vec<u8>, PictureError> {
        let slot = self.slots.clone().acquire_owned().await;
        tokio::task::spawn_blocking(move || {
            // The semaphore is never closed. The slot is free when the work is done, even if the request has gone
            // before.
            let _slot = slot;
            remade(format, &file, bounds)
        })
        .await
        .map_err(PictureError::Failed)?
    }
}

/// Reads a picture from the body of a request, with the format that the request states.
///
/// # Errors
/// 415 for another media type, 413 for more than `most` bytes.
pub async fn received(request: Request, most: usize) -> ApiResult<(ImageFormat, Vec<u8>)> {
    let format = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(format_of)
        .ok_or_else(|| {
            ApiError::new(Code::UnsupportedMediaType).detail(
                "Send the picture itself with `Content-Type: image/png`, `image/jpeg` or `image/webp`. \
                 SVG is refused: it can contain scripts.",
            )
        })?;
    let too_large = || {
        let detail = format!("A picture may have at most {} KiB.", most >> 10);
        ApiError::new(Code::PayloadTooLarge).detail(detail)
    };
    let file = Bytes::from_request(request, &())
        .await
        .map_err(|rejection| match rejection.into_response().status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_large(),
            _ => ApiError::validation("", "the picture did not arrive whole"),
        })?;
    if file.len() > most {
        return Err(too_large());
    }
    Ok((format, file.to_vec()))
}

/// The answer that shows a picture: its media type and its bytes. `asked` is the version in the address of the request.
pub fn answer(
    request: &HeaderMap,
    asked: Option<&str>,
    version: &str,
    picture: impl FnOnce() -> (&'static str, Body),
) -> Response {
    let etag = format!("\"{version}\"");
    let known = request.get(header::IF_NONE_MATCH);
    let mut response = if known.is_some_and(|value| value.as_bytes() == etag.as_bytes()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (kind, body) = picture();
        ([(header::CONTENT_TYPE, kind)], body).into_response()
    };
    // An address with this version always shows the same picture.
    let caching = if asked.is_some_and(|asked| asked == version) {
        "private, max-age=31536000, immutable"
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    // A browser that opens the picture directly must not run or load anything from it, nor give it an origin.
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
        ),
        (header::CONTENT_DISPOSITION, "inline; filename=\"avatar\""),
        (header::CACHE_CONTROL, caching),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(
        "cross-origin-resource-policy",
        HeaderValue::from_static("same-origin"),
    );
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

fn remade(format: ImageFormat, file: &[u8], bounds: Bounds) -> Result<Vec<u8>, PictureError> {
    let most_side = bounds.most_side;
    let refused = |error| refused(error, most_side);
    if image::guess_format(file).ok() != Some(format) {
        return Err(PictureError::NotThatType);
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(most_side);
    limits.max_image_height = Some(most_side);
    limits.max_alloc = Some(MOST_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(refused)?;
    if decoder.total_bytes() > MOST_BYTES {
        return Err(PictureError::TooLarge { most_side });
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(refused)?;
    picture.apply_orientation(orientation);
    let small = picture.resize_to_fill(bounds.side, bounds.side, FilterType::Triangle);
    // Only the pixels are kept. Otherwise a colour profile would be kept too.
    let pixels = DynamicImage::ImageRgba8(small.into_rgba8());
    let mut png = Vec::new();
    pixels
        .write_to(&mut Cursor::new(&mut png), ImageFormat::Png)
        .map_err(refused)?;
    Ok(png)
}

fn refused(error: image::ImageError, most_side: u32) -> PictureError {
    match error {
        image::ImageError::Limits(_) => PictureError::TooLarge { most_side },
        error => PictureError::Damaged(error),
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;

    const SIDE: u32 = 256;

    fn remade(format: ImageFormat, file: &[u8]) -> Result<Vec<u8>, PictureError> {
        let bounds = Bounds {
            most_side: 8_192,
            side: SIDE,
        };
        super::remade(format, file, bounds)
    }

    fn file(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
        let pixels = RgbaImage::from_fn(width, height, |x, y| {
            Rgba([(x % 256) as u8, (y % 256) as u8, 90, 255])
        });
        let picture = match format {
            ImageFormat::Jpeg => {
                DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(pixels).into_rgb8())
            }
            _ => DynamicImage::ImageRgba8(pixels),
        };
        let mut file = Vec::new();
        picture
            .write_to(&mut Cursor::new(&mut file), format)
            .unwrap();
        file
    }

    /// A PNG with a text chunk, such as a camera or a person may add.
    fn with_text(png: &[u8], text: &str) -> Vec<u8> {
        let mut chunk = b"tEXtComment\0".to_vec();
        chunk.extend_from_slice(text.as_bytes());
        let length = u32::try_from(chunk.len() - 4).unwrap().to_be_bytes();
        // The signature and the header come first. The decoder does not check the checksum of an ancillary chunk.
        let mut file = png[..33].to_vec();
        file.extend_from_slice(&length);
        file.extend_from_slice(&chunk);
        file.extend_from_slice(&crc32(&chunk).to_be_bytes());
        file.extend_from_slice(&png[33..]);
        file
    }

    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0_u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
            })
        })
    }

    fn contains(file: &[u8], text: &str) -> bool {
        file.windows(text.len()).any(|part| part == text.as_bytes())
    }

    #[test]
    fn each_format_becomes_a_small_square_png() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let png = remade(format, &file(format, 300, 90)).unwrap();
            assert_eq!(image::guess_format(&png).unwrap(), ImageFormat::Png);
            let again = image::load_from_memory(&png).unwrap();
            assert_eq!((again.width(), again.height()), (SIDE, SIDE));
        }
    }

    #[test]
    fn picture_beyond_the_bounds_of_its_kind_is_refused() {
        let bounds = Bounds {
            most_side: 1_024,
            side: 64,
        };
        let made = super::remade(ImageFormat::Png, &file(ImageFormat::Png, 1_024, 8), bounds);
        let made = image::load_from_memory(&made.unwrap()).unwrap();
        assert_eq!((made.width(), made.height()), (64, 64));
        let refused = super::remade(ImageFormat::Png, &file(ImageFormat::Png, 1_025, 8), bounds);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("at most 1024 pixels"), "{refused}");
    }

    #[test]
    fn metadata_of_a_picture_is_removed() {
        let mut given = with_text(&file(ImageFormat::Png, 64, 64), "taken at 52.5200N");
        given.extend_from_slice(b"<script>alert(1)</script>");
        assert!(contains(&given, "52.5200N"));
        let png = remade(ImageFormat::Png, &given).unwrap();
        assert!(!contains(&png, "52.5200N") && !contains(&png, "script"));
        let without = remade(ImageFormat::Png, &file(ImageFormat::Png, 64, 64)).unwrap();
        assert_eq!(png, without, "only the pixels count");
    }

    #[test]
    fn invalid_picture_or_wrong_type_is_refused() {
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
        let jpeg = file(ImageFormat::Jpeg, 8, 8);
        for other in [svg.as_slice(), b"", b"GIF89a......", &jpeg] {
            let refused = remade(ImageFormat::Png, other).unwrap_err();
            assert!(matches!(refused, PictureError::NotThatType), "{refused}");
        }
        for name in ["image/svg+xml", "text/html", "", "image/gif"] {
            assert!(format_of(name).is_none(), "{name}");
        }
        assert_eq!(format_of("Image/PNG; x=y"), Some(ImageFormat::Png));
    }

    #[test]
    fn a_damaged_picture_and_one_that_unpacks_to_gigabytes_are_refused() {
        let whole = file(ImageFormat::Png, 64, 64);
        let refused = remade(ImageFormat::Png, &whole[..whole.len() / 2]).unwrap_err();
        assert!(matches!(refused, PictureError::Damaged(_)), "{refused}");
        // The header alone states the size.
        for (width, height) in [(60_000_u32, 60_000_u32), (8_000, 8_000)] {
            let mut bomb = whole.clone();
            bomb[16..20].copy_from_slice(&width.to_be_bytes());
            bomb[20..24].copy_from_slice(&height.to_be_bytes());
            let crc = crc32(&bomb[12..29]).to_be_bytes();
            bomb[29..33].copy_from_slice(&crc);
            let refused = remade(ImageFormat::Png, &bomb).unwrap_err();
            assert!(
                matches!(refused, PictureError::TooLarge { .. }),
                "{width}: {refused}"
            );
        }
    }
}
