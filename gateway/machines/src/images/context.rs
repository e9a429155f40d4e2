//! What the routes of the catalogue need.

use super::{Archives, Catalogue};
use roost_platform::db::Db;

/// The context; cheap to clone.
#[derive(Clone)]
pub struct ImagesContext {
    pub db: Db,
    pub catalogue: Catalogue,
    pub archives: Archives,
}
