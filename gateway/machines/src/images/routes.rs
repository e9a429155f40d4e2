//! `/api/images`.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dto::{Image, ImageList};
use super::{ImagesContext, download, store};
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<ImagesContext> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .merge(download::router())
}

/// Lists the deployment's images: what they are for, which tools they have, and whether the gateway's own host has them.
/// What a machine has is in its `images`.
#[utoipa::path(get, path = "/api/images", operation_id = "list_images", tag = "images",
    responses((status = 200, body = ImageList), (status = 401, body = Problem)))]
async fn list(
    State(context): State<ImagesContext>,
    _caller: Scoped<can::ReadWorkspace>,
) -> ApiResult<Json<ImageList>> {
    let rows = store::all(context.db.read()).await?.into_iter();
    let images = rows.map(|row| Image::new(row, &context.catalogue));
    Ok(Json(ImageList {
        items: images.collect(),
    }))
}
