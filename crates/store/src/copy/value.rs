//! Values of either database. Both have these five and no others.

use sqlx::{
    ColumnIndex, Database, Decode, Row, Sqlite, Type, TypeInfo, ValueRef,
    postgres::PgRow,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::StoreError;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    /// The value of a column, by the type that PostgreSQL gives it.
    pub(super) fn of_postgres(row: &PgRow, column: usize) -> Result<Self, StoreError> {
        let kind = row.try_get_raw(column)?.type_info().name().to_owned();
        match kind.as_str() {
            "INT8" => get(row, column, Self::Integer),
            "INT4" => get(row, column, |value: i32| Self::Integer(value.into())),
            "FLOAT4" => get(row, column, |value: f32| Self::Real(value.into())),
            "FLOAT8" => get(row, column, Self::Real),
            "TEXT" => get(row, column, Self::Text),
            "BYTEA" => get(row, column, Self::Bytes),
            other => Err(StoreError::Damaged(format!("a column of the type {other}"))),
        }
    }

    /// The value of a column of SQLite, where every value has a type of its own.
    pub(super) fn of_sqlite(row: &SqliteRow, column: usize) -> Result<Self, StoreError> {
        let kind = row.try_get_raw(column)?.type_info().name().to_owned();
        match kind.as_str() {
            "NULL" => Ok(Self::Null),
            "INTEGER" => get(row, column, Self::Integer),
            "REAL" => get(row, column, Self::Real),
            "TEXT" => get(row, column, Self::Text),
            "BLOB" => get(row, column, Self::Bytes),
            other => Err(StoreError::Damaged(format!("a value of the type {other}"))),
        }
    }

    /// About how much memory it takes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Null | Self::Integer(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    pub(super) fn bind(self, query: Query<'_, Sqlite, SqliteArguments>) -> Query<'_, Sqlite, SqliteArguments> {
        match self {
            Self::Null => query.bind(None::<i64>),
            Self::Integer(value) => query.bind(value),
            Self::Real(value) => query.bind(value),
            Self::Text(text) => query.bind(text),
            Self::Bytes(bytes) => query.bind(bytes),
        }
    }
}

fn get<'r, R, T>(row: &'r R, column: usize, make: impl FnOnce(T) -> Value) -> Result<Value, StoreError>
where
    R: Row,
    usize: ColumnIndex<R>,
    T: Decode<'r, R::Database> + Type<R::Database>,
    R::Database: Database,
{
    Ok(row.try_get::<Option<T>, _>(column)?.map_or(Value::Null, make))
}
