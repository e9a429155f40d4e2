//! Lists: `?limit&cursor`, answered as `{items, next_cursor}`. The cursor is opaque to clients. It holds the id of the
//! last item, and ids are time-ordered.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};

const DEFAULT_LIMIT: u64 = 50;
const MAX_LIMIT: u64 = 200;

/// The query parameters of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Items per page: 1 to 200, default 50.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A checked request for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// 1 to 200.
    pub limit: u64,
    /// The last id of the previous page.
    pub after: Option<Uuid>,
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl PageQuery {
    /// Checks the parameters.
    ///
    /// # Errors
    /// 400 that names the parameter.
    pub fn check(&self) -> ApiResult<PageRequest> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(ApiError::validation(
                "limit",
                format!("must be 1 to {MAX_LIMIT}"),
            ));
        }
        let after = self.cursor.as_deref().map(decode).transpose()?;
        Ok(PageRequest { limit, after })
    }
}

impl PageRequest {
    /// How many rows to read: one more than the limit, to learn whether there is a next page.
    pub fn rows(&self) -> u64 {
        self.limit + 1
    }

    /// Makes the page from up to [`rows`](Self::rows) items.
    pub fn page<T>(&self, mut items: Vec<T>, id: impl Fn(&T) -> Uuid) -> Page<T> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = items.len() > limit;
        items.truncate(limit);
        let next_cursor = more
            .then(|| items.last().map(|last| encode(id(last))))
            .flatten();
        Page { items, next_cursor }
    }
}

impl<T> Page<T> {
    /// The same page with other items.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(f).collect(),
            next_cursor: self.next_cursor,
        }
    }
}

fn encode(id: Uuid) -> String {
    URL_SAFE_NO_PAD.encode(id.as_bytes())
}

fn decode(cursor: &str) -> ApiResult<Uuid> {
    URL_SAFE_NO_PAD
        .decode(cursor)
        .ok()
        .and_then(|bytes| Uuid::from_slice(&bytes).ok())
        .ok_or_else(|| {
            ApiError::validation("cursor", "must be a next_cursor of this list, unchanged")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walking_the_pages_shows_each_item_once() {
        let all: Vec<Uuid> = (1..=7).map(|n| Uuid::from_u64_pair(0, n)).collect();
        let mut query = PageQuery {
            limit: Some(3),
            cursor: None,
        };
        let mut seen = Vec::new();
        loop {
            let request = query.check().expect("a valid query");
            let rest: Vec<Uuid> = all
                .iter()
                .copied()
                .filter(|id| request.after.is_none_or(|after| *id > after))
                .take(usize::try_from(request.rows()).expect("small"))
                .collect();
            let page = request.page(rest, |id| *id);
            seen.extend(page.items);
            match page.next_cursor {
                Some(cursor) => query.cursor = Some(cursor),
                None => break,
            }
        }
        assert_eq!(seen, all);
    }

    #[test]
    fn a_limit_out_of_range_and_a_made_up_cursor_are_refused() {
        for (limit, cursor) in [(Some(0), None), (Some(201), None), (None, Some("nonsense"))] {
            let query = PageQuery {
                limit,
                cursor: cursor.map(str::to_owned),
            };
            assert!(query.check().is_err(), "{query:?}");
        }
    }
}
