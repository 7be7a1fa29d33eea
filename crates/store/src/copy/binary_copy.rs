//! Rows in the binary format of PostgreSQL's COPY: no text is escaped, and numbers stay exact.
//! <https://www.postgresql.org/docs/current/sql-copy.html>, "Binary Format"

use super::value::Value;
use crate::StoreError;

/// The signature, no flags, no further header.
pub(super) const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// What comes after the last row.
pub(super) const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();

/// A type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    Int4,
    Int8,
    Float4,
    Float8,
    Text,
    Bytea,
}

impl ColumnType {
    /// By the name that `pg_type` has for it.
    pub(super) fn named(name: &str) -> Result<Self, StoreError> {
        Ok(match name {
            "int4" => Self::Int4,
            "int8" => Self::Int8,
            "float4" => Self::Float4,
            "float8" => Self::Float8,
            "text" => Self::Text,
            "bytea" => Self::Bytea,
            other => return Err(StoreError::Damaged(format!("a column of the type {other}"))),
        })
    }
}

/// Appends a row.
pub(super) fn write_row(to: &mut Vec<u8>, types: &[ColumnType], values: &[Value]) -> Result<(), StoreError> {
    let count = i16::try_from(values.len()).map_err(|_| StoreError::Damaged("a row of many columns".to_owned()))?;
    to.extend(count.to_be_bytes());
    for (kind, value) in types.iter().zip(values) {
        write_value(to, *kind, value)?;
    }
    Ok(())
}

fn write_value(to: &mut Vec<u8>, kind: ColumnType, value: &Value) -> Result<(), StoreError> {
    let other = || StoreError::Damaged(format!("{value:?} in a column of the type {kind:?}"));
    match (kind, value) {
        (_, Value::Null) => {
            to.extend((-1_i32).to_be_bytes());
            Ok(())
        }
        (ColumnType::Int4, Value::Integer(value)) => {
            write_bytes(to, &i32::try_from(*value).map_err(|_| other())?.to_be_bytes())
        }
        (ColumnType::Int8, Value::Integer(value)) => write_bytes(to, &value.to_be_bytes()),
        #[allow(clippy::cast_possible_truncation, reason = "it was an f32 when it was stored")]
        (ColumnType::Float4, Value::Real(value)) => write_bytes(to, &(*value as f32).to_be_bytes()),
        (ColumnType::Float8, Value::Real(value)) => write_bytes(to, &value.to_be_bytes()),
        (ColumnType::Text, Value::Text(text)) => write_bytes(to, text.as_bytes()),
        (ColumnType::Bytea, Value::Bytes(bytes)) => write_bytes(to, bytes),
        _ => Err(other()),
    }
}

fn write_bytes(to: &mut Vec<u8>, bytes: &[u8]) -> Result<(), StoreError> {
    let length = i32::try_from(bytes.len()).map_err(|_| StoreError::Damaged("a value of 2 GiB".to_owned()))?;
    to.extend(length.to_be_bytes());
    to.extend(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ColumnType, HEADER, Value, write_row};

    #[test]
    fn a_row_is_a_count_and_values_with_their_lengths() {
        assert_eq!(HEADER.len(), 19);
        let mut row = Vec::new();
        let types = [ColumnType::Int4, ColumnType::Text, ColumnType::Bytea, ColumnType::Float4];
        let values = [Value::Integer(-2), Value::Text("é".to_owned()), Value::Null, Value::Real(0.5)];
        write_row(&mut row, &types, &values).unwrap();
        let expected: &[&[u8]] = &[
            &[0, 4],
            &[0, 0, 0, 4, 0xff, 0xff, 0xff, 0xfe],
            &[0, 0, 0, 2, 0xc3, 0xa9],
            &[0xff, 0xff, 0xff, 0xff],
            &[0, 0, 0, 4, 0x3f, 0, 0, 0],
        ];
        assert_eq!(row, expected.concat());
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        for (kind, value) in [
            (ColumnType::Int4, Value::Integer(1 << 40)),
            (ColumnType::Text, Value::Bytes(vec![0])),
            (ColumnType::Int8, Value::Real(1.0)),
        ] {
            assert!(write_row(&mut Vec::new(), &[kind], &[value]).is_err(), "{kind:?}");
        }
    }
}
