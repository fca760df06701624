//! The fields of a letter's struct, as the templates and the outbox take them.

use std::fmt;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Object, Serde};
use serde::Serialize;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::{RawValue, to_raw_value};

/// The fields as JSON, which is what the outbox stores. A subject needs one or two of them, so a template reads those that it
/// names.
#[derive(Clone, Debug)]
pub(super) struct Facts(Arc<RawValue>);

impl Facts {
    /// The fields of a struct.
    ///
    /// # Errors
    /// It cannot be written as JSON, which is a programming error.
    pub(super) fn of(fields: &impl Serialize) -> serde_json::Result<Self> {
        to_raw_value(fields).map(|json| Self(json.into()))
    }

    pub(super) fn json(&self) -> &RawValue {
        &self.0
    }

    /// All fields, for a template of the whole letter.
    ///
    /// # Errors
    /// A programming error: it was JSON when it was made.
    pub(super) fn all(&self) -> serde_json::Result<Value> {
        let fields: serde_json::Value = serde_json::from_str(self.0.get())?;
        Ok(Value::from(Serde(fields)))
    }
}

impl Object for Facts {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        let mut value = None;
        let mut json = serde_json::Deserializer::from_str(self.0.get());
        // What follows the field is not read, so it is no error that it is missing.
        drop(json.deserialize_map(Field {
            key,
            value: &mut value,
        }));
        value.map(|value| Value::from(Serde(value)))
    }
}

/// Looks for one field, and stops there: the subject, which is asked for most, stands first.
struct Field<'a> {
    key: &'a str,
    value: &'a mut Option<serde_json::Value>,
}

impl<'de> Visitor<'de> for Field<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the fields of a letter")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut fields: M) -> Result<(), M::Error> {
        while let Some(name) = fields.next_key::<&str>()? {
            if name == self.key {
                *self.value = Some(fields.next_value()?);
                break;
            }
            fields.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
