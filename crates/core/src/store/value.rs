//! The values of parameters and columns, whatever the engine: integers, reals, texts, blobs, and NULL.
//!
//! Times are integers, in milliseconds since 1970; so are durations. Dates are days since 1970. Booleans are 0 or 1.

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, NaiveDate, TimeDelta, TimeZone, Utc};
use pbmserv_games::Seat;

use crate::table::{BoardId, Calendar, PlayerId, QuietDays, Refill, Reminders};

/// A borrowed value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

/// For error messages. Texts and blobs are not shown: they may be private.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Int(number) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
            Self::Text(_) => f.write_str("a text"),
            Self::Blob(_) => f.write_str("a blob"),
        }
    }
}

/// An owned value.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl ToValue for Kept {
    fn to_value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Int(number) => Value::Int(*number),
            Self::Real(number) => Value::Real(*number),
            Self::Text(text) => Value::Text(text),
            Self::Blob(bytes) => Value::Blob(bytes),
        }
    }
}

/// PostgreSQL's texts have no NUL; those of mails may.
impl FromValue<'_> for Kept {
    fn from_value(value: Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Int(number) => Self::Int(number),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(without_nul(text).into_owned()),
            Value::Blob(bytes) => Self::Blob(bytes.to_owned()),
        })
    }
}

/// A text as PostgreSQL can keep it.
pub(super) fn without_nul(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}

/// A type that can be a parameter.
pub(super) trait ToValue {
    fn to_value(&self) -> Value<'_>;
}

/// A type that can be read from a column. `None`: the column has another type.
pub(super) trait FromValue<'a>: Sized {
    fn from_value(value: Value<'a>) -> Option<Self>;
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl ToValue for i64 {
    fn to_value(&self) -> Value<'_> {
        Value::Int(*self)
    }
}

impl FromValue<'_> for i64 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }
}

impl ToValue for u32 {
    fn to_value(&self) -> Value<'_> {
        Value::Int(i64::from(*self))
    }
}

impl FromValue<'_> for u32 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value)?.try_into().ok()
    }
}

impl ToValue for bool {
    fn to_value(&self) -> Value<'_> {
        Value::Int(i64::from(*self))
    }
}

impl FromValue<'_> for bool {
    fn from_value(value: Value<'_>) -> Option<Self> {
        Some(i64::from_value(value)? != 0)
    }
}

impl ToValue for f64 {
    fn to_value(&self) -> Value<'_> {
        Value::Real(*self)
    }
}

impl FromValue<'_> for f64 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Real(number) => Some(number),
            _ => None,
        }
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for [u8] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl<'a> FromValue<'a> for &'a [u8] {
    fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl<'a> FromValue<'a> for &'a str {
    fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl FromValue<'_> for String {
    fn from_value(value: Value<'_>) -> Option<Self> {
        <&str>::from_value(value).map(str::to_owned)
    }
}

/// A digest.
impl ToValue for [u8; 32] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl ToValue for DateTime<Utc> {
    fn to_value(&self) -> Value<'_> {
        Value::Int(millis(*self))
    }
}

impl FromValue<'_> for DateTime<Utc> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).map(time)
    }
}

impl ToValue for TimeDelta {
    fn to_value(&self) -> Value<'_> {
        Value::Int(self.num_milliseconds())
    }
}

impl FromValue<'_> for TimeDelta {
    fn from_value(value: Value<'_>) -> Option<Self> {
        Self::try_milliseconds(i64::from_value(value)?)
    }
}

impl FromValue<'_> for NaiveDate {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).map(date)
    }
}

impl ToValue for PlayerId {
    fn to_value(&self) -> Value<'_> {
        Value::Int(self.0)
    }
}

impl FromValue<'_> for PlayerId {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).map(Self)
    }
}

impl ToValue for BoardId {
    fn to_value(&self) -> Value<'_> {
        Value::Int(self.0)
    }
}

impl FromValue<'_> for BoardId {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).map(Self)
    }
}

impl ToValue for Seat {
    fn to_value(&self) -> Value<'_> {
        Value::Int(match self {
            Self::First => 0,
            Self::Second => 1,
        })
    }
}

impl FromValue<'_> for Seat {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Int(0) => Some(Self::First),
            Value::Int(1) => Some(Self::Second),
            _ => None,
        }
    }
}

impl FromValue<'_> for Refill {
    fn from_value(value: Value<'_>) -> Option<Self> {
        <&str>::from_value(value)?.parse().ok()
    }
}

impl FromValue<'_> for QuietDays {
    fn from_value(value: Value<'_>) -> Option<Self> {
        <&str>::from_value(value)?.parse().ok()
    }
}

impl FromValue<'_> for Calendar {
    fn from_value(value: Value<'_>) -> Option<Self> {
        <&str>::from_value(value)?.parse().ok()
    }
}

impl FromValue<'_> for Reminders {
    fn from_value(value: Value<'_>) -> Option<Self> {
        <&str>::from_value(value)?.parse().ok()
    }
}

/// A point in time as stored: milliseconds since 1970.
pub const fn millis(time: DateTime<Utc>) -> i64 {
    time.timestamp_millis()
}

/// The date (UTC) of a point in time as stored: days since 1970.
pub(super) const fn day(time: DateTime<Utc>) -> i64 {
    time.timestamp().div_euclid(24 * 3600)
}

/// A stored date; 1970-01-01 if the number is out of range.
fn date(day: i64) -> NaiveDate {
    let seconds = day.checked_mul(24 * 3600).unwrap_or_default();
    DateTime::from_timestamp(seconds, 0)
        .unwrap_or_default()
        .date_naive()
}

/// A stored point in time; the start of 1970 if the number is out of range.
pub(super) fn time(millis: i64) -> DateTime<Utc> {
    Utc.timestamp_millis_opt(millis).single().unwrap_or_default()
}
