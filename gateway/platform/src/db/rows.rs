//! Many rows as the parameters of one statement. The text of the statement does not depend on the number of rows, so
//! the database prepares it once. PostgreSQL gets one array for each column, SQLite one JSON text.

use sea_orm::Value;
use sea_orm::sea_query::ArrayType;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::Backend;

/// Rows, column by column. Each column has the same number of values.
#[derive(Debug)]
pub struct Rows {
    backend: Backend,
    columns: Vec<(&'static str, Column)>,
}

#[derive(Debug)]
enum Column {
    Uuid(Vec<Uuid>),
    MaybeUuid(Vec<Option<Uuid>>),
    Text(Vec<String>),
    MaybeText(Vec<Option<String>>),
    Int(Vec<i32>),
    BigInt(Vec<i64>),
    Bool(Vec<bool>),
}

impl Rows {
    /// No columns yet.
    pub fn new(backend: Backend) -> Self {
        Self {
            backend,
            columns: Vec::new(),
        }
    }

    /// Adds a column of ids.
    pub fn uuid(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = impl Into<Uuid>>,
    ) -> Self {
        self.with(
            name,
            Column::Uuid(values.into_iter().map(Into::into).collect()),
        )
    }

    /// Adds a column of ids that may be absent. No present id is the nil UUID.
    pub fn maybe_uuid(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = Option<Uuid>>,
    ) -> Self {
        self.with(name, Column::MaybeUuid(values.into_iter().collect()))
    }

    /// Adds a column of texts.
    pub fn text(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.with(
            name,
            Column::Text(values.into_iter().map(Into::into).collect()),
        )
    }

    /// Adds a column of texts that may be absent.
    pub fn maybe_text(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = Option<String>>,
    ) -> Self {
        self.with(name, Column::MaybeText(values.into_iter().collect()))
    }

    /// Adds a column of small numbers.
    pub fn int(self, name: &'static str, values: impl IntoIterator<Item = i32>) -> Self {
        self.with(name, Column::Int(values.into_iter().collect()))
    }

    /// Adds a column of numbers.
    pub fn bigint(self, name: &'static str, values: impl IntoIterator<Item = i64>) -> Self {
        self.with(name, Column::BigInt(values.into_iter().collect()))
    }

    /// Adds a column of yes or no.
    pub fn bool(self, name: &'static str, values: impl IntoIterator<Item = bool>) -> Self {
        self.with(name, Column::Bool(values.into_iter().collect()))
    }

    fn with(mut self, name: &'static str, column: Column) -> Self {
        self.columns.push((name, column));
        self
    }

    /// The rows as a table for `FROM`, and the statement's values. The first parameter is `$1`; the values of further
    /// parameters follow [`RowsTable::next`].
    pub fn table(self, alias: &str) -> RowsTable {
        self.table_after(alias, Vec::new())
    }

    /// As [`Rows::table`], in a statement that has these values already.
    pub fn table_after(self, alias: &str, values: Vec<Value>) -> RowsTable {
        match self.backend {
            Backend::Postgres => self.arrays(alias, values),
            Backend::Sqlite => self.json(alias, values),
        }
    }

    fn arrays(self, alias: &str, mut values: Vec<Value>) -> RowsTable {
        let (mut shown, mut names, mut marks) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |name: String, ty: &str, array: ArrayType, of: Vec<Value>| {
            values.push(Value::Array(array, Some(Box::new(of))));
            marks.push(format!("${}::{ty}[]", values.len()));
            names.push(name);
        };
        for (name, column) in self.columns {
            let own = name.to_owned();
            shown.push(match &column {
                Column::MaybeUuid(_) => format!("NULLIF({name}, '{}') AS {name}", Uuid::nil()),
                Column::MaybeText(_) => {
                    format!("CASE WHEN has_{name} THEN {name} END AS {name}")
                }
                _ => own.clone(),
            });
            match column {
                Column::Uuid(of) => add(own, "uuid", ArrayType::Uuid, all(of)),
                Column::MaybeUuid(of) => {
                    let of = of.into_iter().map(Option::unwrap_or_default).collect();
                    add(own, "uuid", ArrayType::Uuid, all(of));
                }
                Column::Text(of) => add(own, "text", ArrayType::String, all(of)),
                Column::MaybeText(of) => {
                    let has = of.iter().map(Option::is_some).collect();
                    let of = of.into_iter().map(Option::unwrap_or_default).collect();
                    add(own, "text", ArrayType::String, all(of));
                    add(format!("has_{name}"), "bool", ArrayType::Bool, all(has));
                }
                Column::Int(of) => add(own, "int", ArrayType::Int, all(of)),
                Column::BigInt(of) => add(own, "bigint", ArrayType::BigInt, all(of)),
                Column::Bool(of) => add(own, "bool", ArrayType::Bool, all(of)),
            }
        }
        let sql = format!(
            "(SELECT {} FROM unnest({}) AS u({})) AS {alias}",
            shown.join(", "),
            marks.join(", "),
            names.join(", ")
        );
        RowsTable { sql, values }
    }

    fn json(self, alias: &str, mut values: Vec<Value>) -> RowsTable {
        let shown: Vec<String> = self
            .columns
            .iter()
            .enumerate()
            .map(|(place, (name, column))| match column {
                Column::Uuid(_) | Column::MaybeUuid(_) => {
                    format!("unhex(value ->> {place}) AS {name}")
                }
                _ => format!("value ->> {place} AS {name}"),
            })
            .collect();
        let mut rows: Vec<Vec<Json>> = Vec::new();
        for (place, (_, column)) in self.columns.into_iter().enumerate() {
            let cells = column.json();
            rows.resize_with(cells.len(), Vec::new);
            for (row, cell) in rows.iter_mut().zip(cells) {
                debug_assert_eq!(
                    row.len(),
                    place,
                    "each column has the same number of values"
                );
                row.push(cell);
            }
        }
        let text = serde_json::to_string(&rows).expect("texts and numbers encode");
        values.push(text.into());
        let sql = format!(
            "(SELECT {} FROM json_each(${})) AS {alias}",
            shown.join(", "),
            values.len()
        );
        RowsTable { sql, values }
    }
}

impl Column {
    fn json(self) -> Vec<Json> {
        let hex = |id: Uuid| json!(id.simple().to_string());
        match self {
            Self::Uuid(of) => of.into_iter().map(hex).collect(),
            Self::MaybeUuid(of) => of.into_iter().map(|id| json!(id.map(hex))).collect(),
            Self::Text(of) => of.into_iter().map(|text| json!(text)).collect(),
            Self::MaybeText(of) => of.into_iter().map(|text| json!(text)).collect(),
            Self::Int(of) => of.into_iter().map(|n| json!(n)).collect(),
            Self::BigInt(of) => of.into_iter().map(|n| json!(n)).collect(),
            Self::Bool(of) => of.into_iter().map(|yes| json!(yes)).collect(),
        }
    }
}

fn all<T: Into<Value>>(of: Vec<T>) -> Vec<Value> {
    of.into_iter().map(Into::into).collect()
}

/// Rows as a table of a statement.
#[derive(Debug)]
pub struct RowsTable {
    /// For `FROM`.
    pub sql: String,
    /// The values of its parameters.
    pub values: Vec<Value>,
}

impl RowsTable {
    /// Adds the value of a further parameter, and returns its mark (`$3`).
    pub fn next(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }
}
