//! `GET /dl/roostd/{target}`: the daemon, and its digest. The file comes from the folder of builds that the configuration
//! names, or, for this machine's own target, is the `roostd` beside this program.

use std::path::PathBuf;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;

use super::{FleetContext, FleetSettings};
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::Path;
use roost_web::problem::Problem;

pub const LINUX_X86_64: &str = "x86_64-unknown-linux-gnu";
const LINUX_AARCH64: &str = "aarch64-unknown-linux-gnu";
/// The targets that an install line chooses among.
const INSTALLED: [&str; 2] = [LINUX_X86_64, LINUX_AARCH64];
/// Every target that builds may exist for.
const TARGETS: [&str; 3] = [LINUX_X86_64, "x86_64-unknown-linux-musl", LINUX_AARCH64];
/// Bytes that are read and sent at a time.
const BLOCK: usize = 64 * 1024;

/// The target that this program was built for, if it is in the list above.
const OWN: Option<&str> = if cfg!(all(
    target_arch = "x86_64",
    target_os = "linux",
    target_env = "gnu"
)) {
    Some(LINUX_X86_64)
} else if cfg!(all(
    target_arch = "aarch64",
    target_os = "linux",
    target_env = "gnu"
)) {
    Some(LINUX_AARCH64)
} else {
    None
};

fn file(settings: &FleetSettings, target: &str) -> Option<PathBuf> {
    let target = TARGETS.iter().find(|known| **known == target)?;
    let dist = settings
        .dist_dir
        .as_ref()
        .map(|dist| dist.join(target).join("roostd"));
    let sibling = || {
        let own = std::env::current_exe().ok()?;
        (OWN == Some(*target)).then(|| own.with_file_name("roostd"))
    };
    dist.into_iter()
        .chain(sibling())
        .find(|path| path.is_file())
}

/// SHA-256 of a build, hex; `None` when the build does not exist.
pub async fn digest(settings: &FleetSettings, target: &str) -> Option<String> {
    let mut opened = tokio::fs::File::open(file(settings, target)?).await.ok()?;
    let (mut hash, mut block) = (Sha256::new(), vec![0; BLOCK]);
    loop {
        match opened.read(&mut block).await.ok()? {
            0 => return Some(hex::encode(hash.finalize())),
            read => hash.update(&block[..read]),
        }
    }
}

/// The builds that an install line can name, each with its digest.
pub async fn builds(settings: &FleetSettings) -> Vec<(&'static str, String)> {
    let mut builds = Vec::new();
    for target in INSTALLED {
        if let Some(digest) = digest(settings, target).await {
            builds.push((target, digest));
        }
    }
    builds
}

fn missing(settings: &FleetSettings, target: &str) -> ApiError {
    let there: Vec<&str> = TARGETS
        .into_iter()
        .filter(|target| file(settings, target).is_some())
        .collect();
    let list = if there.is_empty() {
        "none; the operator sets `fleet.dist_dir`".to_owned()
    } else {
        there.join(", ")
    };
    ApiError::new(Code::NotFound).detail(format!(
        "There is no build of roostd for {target:?} here. What exists: {list}."
    ))
}

/// The daemon for a target. With `.sha256` at the end: the build's digest in the form that `sha256sum -c` reads.
#[utoipa::path(get, path = "/dl/roostd/{target}", tag = "nodes", security(()),
    params(("target" = String, Path, description = "`x86_64-unknown-linux-gnu`, or the same with `.sha256`")),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>), (status = 404, body = Problem)))]
pub(super) async fn download(
    State(state): State<FleetContext>,
    Path(target): Path<String>,
) -> ApiResult<Response> {
    let settings = state.fleet.settings();
    if let Some(target) = target.strip_suffix(".sha256") {
        let digest = digest(settings, target)
            .await
            .ok_or_else(|| missing(settings, target))?;
        return Ok((
            [(header::CONTENT_TYPE, "text/plain")],
            format!("{digest}  roostd\n"),
        )
            .into_response());
    }
    let path = file(settings, &target).ok_or_else(|| missing(settings, &target))?;
    let opened = tokio::fs::File::open(&path)
        .await
        .map_err(ApiError::internal)?;
    let length = opened.metadata().await.map_err(ApiError::internal)?.len();
    let blocks = futures::stream::try_unfold(opened, |mut opened| async move {
        let mut block = vec![0; BLOCK];
        let read = opened.read(&mut block).await?;
        block.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then(|| (Bytes::from(block), opened)))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, length.to_string()),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"roostd\"".to_owned(),
        ),
    ];
    Ok((headers, Body::from_stream(blocks)).into_response())
}
