//! Converts values between records and columns.

use std::error::Error;
use std::vec::IntoIter;

use jiff::Timestamp;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// Microseconds from 1970 to 2000, the beginning of PostgreSQL's time.
const EPOCH: i64 = 946_684_800_000_000;

/// The earliest time that PostgreSQL stores, in microseconds relative to 1970. It is in the year 4700 BC.
const EARLIEST: i64 = -210_000_000_000_000_000;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SqlValue {
    Null,
    Bool(bool),
    Int(i64),
    Bytes(Vec<u8>),
    Text(String),
    /// A time in microseconds since 1970.
    Time(i64),
}

impl SqlValue {
    pub(super) fn number(number: impl TryInto<i64>) -> Self {
        Self::Int(number.try_into().unwrap_or(i64::MAX))
    }

    pub(super) fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Bytes(bytes.into())
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn time(time: Timestamp) -> Self {
        Self::Time(i64::try_from(time.as_nanosecond().div_euclid(1_000)).unwrap_or(i64::MAX))
    }

    /// A time in seconds since 1970, at most the latest [`Timestamp`].
    pub(super) fn seconds(seconds: u64) -> Self {
        let latest = Timestamp::MAX.as_second();
        Self::Time(i64::try_from(seconds).unwrap_or(latest).min(latest) * 1_000_000)
    }

    pub(super) fn option<T>(value: Option<T>, to: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Null, to)
    }
}

impl ToSql for SqlValue {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Bool(is_true) => out.extend_from_slice(&[u8::from(*is_true)]),
            Self::Int(number) => match *ty {
                Type::INT2 => out.extend_from_slice(&i16::try_from(*number)?.to_be_bytes()),
                Type::INT4 => {
                    let number = i32::try_from(*number).unwrap_or(i32::MAX);
                    out.extend_from_slice(&number.to_be_bytes());
                }
                _ => out.extend_from_slice(&number.to_be_bytes()),
            },
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Text(text) => {
                if *ty == Type::JSONB {
                    // The version of the format.
                    out.extend_from_slice(&[1]);
                }
                // PostgreSQL stores no NUL in a text.
                for (at, part) in text.split('\0').enumerate() {
                    out.extend_from_slice(if at == 0 { b"" } else { "\u{fffd}".as_bytes() });
                    out.extend_from_slice(part.as_bytes());
                }
            }
            Self::Time(micros) => {
                out.extend_from_slice(&((*micros).max(EARLIEST) - EPOCH).to_be_bytes());
            }
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for SqlValue {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *ty {
            Type::BOOL => Self::Bool(bool::from_sql(ty, raw)?),
            Type::INT2 => Self::Int(i16::from_sql(ty, raw)?.into()),
            Type::INT4 => Self::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Self::Int(i64::from_sql(ty, raw)?),
            Type::BYTEA => Self::Bytes(raw.to_vec()),
            Type::TIMESTAMPTZ => Self::Time(i64::from_be_bytes(raw.try_into()?).saturating_add(EPOCH)),
            // The text of a value comes after the version of the format.
            Type::JSONB => Self::Text(str::from_utf8(raw.get(1..).unwrap_or_default())?.to_owned()),
            _ => Self::Text(str::from_utf8(raw)?.to_owned()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The values of a row, in the order of its columns. A method returns `None` if the value is NULL.
#[derive(Debug)]
pub(super) struct RowFields(IntoIter<SqlValue>);

impl RowFields {
    pub(super) fn new(values: Vec<SqlValue>) -> Self {
        Self(values.into_iter())
    }

    pub(super) fn bool(&mut self) -> Option<bool> {
        match self.0.next()? {
            SqlValue::Bool(is_true) => Some(is_true),
            _ => None,
        }
    }

    pub(super) fn int<T: TryFrom<i64>>(&mut self) -> Option<T> {
        match self.0.next()? {
            SqlValue::Int(number) => T::try_from(number).ok(),
            _ => None,
        }
    }

    pub(super) fn bytes(&mut self) -> Option<Vec<u8>> {
        match self.0.next()? {
            SqlValue::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes()?.try_into().ok()
    }

    pub(super) fn text(&mut self) -> Option<String> {
        match self.0.next()? {
            SqlValue::Text(text) => Some(text),
            _ => None,
        }
    }

    fn micros(&mut self) -> Option<i64> {
        match self.0.next()? {
            SqlValue::Time(micros) => Some(micros),
            _ => None,
        }
    }

    pub(super) fn time(&mut self) -> Option<Timestamp> {
        Timestamp::from_microsecond(self.micros()?).ok()
    }

    pub(super) fn seconds(&mut self) -> Option<u64> {
        u64::try_from(self.micros()? / 1_000_000).ok()
    }
}

/// A key, or the beginning of a key as a bound of a range. Missing bytes are read as zeros, which sort first.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyParts<'a>(pub(super) &'a [u8]);

impl KeyParts<'_> {
    pub(super) fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let there = self.0.len().min(N);
        bytes[..there].copy_from_slice(&self.0[..there]);
        self.0 = &self.0[there..];
        bytes
    }

    pub(super) fn byte(&mut self) -> SqlValue {
        SqlValue::Int(u8::from_be_bytes(self.array()).into())
    }

    pub(super) fn number(&mut self) -> SqlValue {
        SqlValue::Int(u32::from_be_bytes(self.array()).into())
    }

    /// Returns an unsigned 64-bit number as a signed number of PostgreSQL with the same order.
    pub(super) fn ordered(&mut self) -> SqlValue {
        ordered(u64::from_be_bytes(self.array()))
    }

    pub(super) fn seconds(&mut self) -> SqlValue {
        SqlValue::seconds(u64::from_be_bytes(self.array()))
    }

    pub(super) fn id(&mut self) -> SqlValue {
        SqlValue::bytes(self.array::<16>())
    }

    pub(super) fn rest(&mut self) -> SqlValue {
        SqlValue::Bytes(std::mem::take(&mut self.0).to_vec())
    }

    /// Returns the text up to a NUL or to the end.
    pub(super) fn text(&mut self) -> SqlValue {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        let text = String::from_utf8_lossy(&self.0[..end]).into_owned();
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        SqlValue::Text(text)
    }
}

/// Converts an unsigned 64-bit number to a signed number with the same order.
pub(super) fn ordered(number: u64) -> SqlValue {
    SqlValue::Int((number ^ 1 << 63).cast_signed())
}

/// The reverse of [`ordered`].
pub(super) const fn unordered(number: i64) -> u64 {
    number.cast_unsigned() ^ 1 << 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_numbers_stays() {
        let numbers = [0, 1, 1 << 62, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX];
        let values: Vec<SqlValue> = numbers.into_iter().map(ordered).collect();
        assert!(values.is_sorted(), "{values:?}");
        for (number, value) in numbers.into_iter().zip(values) {
            assert!(matches!(value, SqlValue::Int(signed) if unordered(signed) == number));
        }
    }

    #[test]
    fn missing_bytes_of_a_key_are_zeros() {
        let mut parts = KeyParts(&[1, 2]);
        assert_eq!((parts.number(), parts.byte()), (SqlValue::Int(0x0102_0000), SqlValue::Int(0)));
        let mut parts = KeyParts(b"a.example\0\0\0\0\x07");
        assert_eq!((parts.text(), parts.number()), (SqlValue::text("a.example"), SqlValue::Int(7)));
    }

    #[test]
    fn a_text_with_a_nul_and_a_time_before_all_times_can_be_stored() {
        let sql = |value: SqlValue, ty: Type| {
            let mut out = BytesMut::new();
            let _ = value.to_sql(&ty, &mut out).unwrap();
            out.to_vec()
        };
        assert_eq!(sql(SqlValue::text("a\0b"), Type::TEXT), "a\u{fffd}b".as_bytes());
        assert_eq!(sql(SqlValue::time(Timestamp::MIN), Type::TIMESTAMPTZ), (EARLIEST - EPOCH).to_be_bytes());
    }
}
