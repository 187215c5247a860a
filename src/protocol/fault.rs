//! Errors in parameters, as data. `serde_json` describes them only in an English sentence.
//!
//! [`Node`] deserializes a JSON value with an error type of our own, so that no text has to be parsed. It also takes
//! forms that are wrong but can mean only one thing, as models write them: `"500"` for 500, `"true"` for true, and
//! one value for a list of one.

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Number, Value};

/// An error in a parameter.
#[derive(PartialEq, Debug, thiserror::Error)]
pub(super) enum Fault {
    /// An unknown parameter.
    #[error("unknown parameter `{word}`")]
    Parameter {
        /// The name in the request.
        word: String,
        /// The known parameters.
        known: &'static [&'static str],
    },
    /// An unknown word where a value is chosen from a list.
    #[error("unknown value `{word}`")]
    Choice {
        /// The word in the request.
        word: String,
        /// The known words.
        known: &'static [&'static str],
    },
    /// A required parameter is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// `null` for a required value.
    #[error("there is nothing")]
    Null,
    /// A value of the wrong type, or out of range.
    #[error("expected {wanted}, not {found}")]
    Kind {
        /// The value that was found, for people.
        found: String,
        /// The value that is needed.
        wanted: String,
    },
    /// The message of a type of our own.
    #[error("{0}")]
    Told(String),
}

impl Fault {
    fn kind(found: &Unexpected<'_>, wanted: &str) -> Self {
        let found = match found {
            Unexpected::Unit => return Self::Null,
            Unexpected::Str(text) => format!("the text {text:?}"),
            Unexpected::Seq => "a list".to_owned(),
            Unexpected::Map => "an object".to_owned(),
            Unexpected::Bool(value) => value.to_string(),
            Unexpected::Signed(number) => number.to_string(),
            Unexpected::Unsigned(number) => number.to_string(),
            Unexpected::Float(number) => Value::from(*number).to_string(),
            other => other.to_string(),
        };
        let wanted = wanted.to_owned();
        Self::Kind { found, wanted }
    }

    /// The same error, with `words` for the needed value.
    fn wanted(self, words: &str) -> Self {
        match self {
            Self::Kind { found, .. } => Self::Kind {
                found,
                wanted: words.to_owned(),
            },
            other => other,
        }
    }
}

impl de::Error for Fault {
    fn custom<T: std::fmt::Display>(text: T) -> Self {
        Self::Told(text.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::kind(&found, &wanted.to_string())
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::kind(&found, &wanted.to_string())
    }

    fn unknown_field(word: &str, known: &'static [&'static str]) -> Self {
        let word = word.to_owned();
        Self::Parameter { word, known }
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        let word = word.to_owned();
        Self::Choice { word, known }
    }

    fn missing_field(word: &'static str) -> Self {
        Self::Missing(word)
    }
}

/// A JSON value, as a deserializer.
#[derive(Clone, Copy)]
pub(super) struct Node<'a>(pub(super) &'a Value);

impl<'a> Node<'a> {
    fn is_not(self, wanted: &str) -> Fault {
        let found = match self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (_, Some(number)) => Unexpected::Signed(number),
                _ => Unexpected::Float(number.as_f64().unwrap_or_default()),
            },
        };
        Fault::kind(&found, wanted)
    }

    /// A list; any other value is a list of one.
    fn list<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        let items = match self.0 {
            Value::Array(items) => items.as_slice(),
            Value::Null => return Err(self.is_not("a list")),
            one => std::slice::from_ref(one),
        };
        let mut items = SeqDeserializer::new(items.iter().map(Node));
        let value = visitor.visit_seq(&mut items)?;
        items.end().map(|()| value)
    }

    fn object<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Value::Object(map) = self.0 else {
            return Err(self.is_not("an object"));
        };
        let mut map =
            MapDeserializer::new(map.iter().map(|(key, value)| (key.as_str(), Node(value))));
        let value = visitor.visit_map(&mut map)?;
        map.end().map(|()| value)
    }
}

impl<'de> IntoDeserializer<'de, Fault> for Node<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Methods for types that are described in other words than serde's, and of which a text may be a value.
macro_rules! told {
    ($($words:literal: $($method:ident)*;)*) => {$($(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let value = match self.0 {
                Value::String(text) => in_words(text),
                _ => None,
            };
            let value = match value {
                Some(Value::Bool(value)) => visitor.visit_bool(value),
                Some(Value::Number(value)) => number(&value, visitor),
                _ => self.deserialize_any(visitor),
            };
            value.map_err(|fault| fault.wanted($words))
        }
    )*)*};
}

fn number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Fault> {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (_, Some(number)) => visitor.visit_i64(number),
        _ => visitor.visit_f64(number.as_f64().unwrap_or_default()),
    }
}

/// The number or truth value that a text stands for.
fn in_words(text: &str) -> Option<Value> {
    let value = serde_json::from_str(text.trim()).ok()?;
    matches!(value, Value::Number(_) | Value::Bool(_)).then_some(value)
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(visitor),
            Value::Number(value) => number(value, visitor),
        }
    }

    told! {
        "true or false": deserialize_bool;
        "a whole number": deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64;
        "a whole number from 0": deserialize_u8 deserialize_u32 deserialize_u64;
        "a whole number from 0 to 65535": deserialize_u16;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.object(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.object(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(word.as_str().into_deserializer()),
            Value::Object(map) => {
                let map = map.iter().map(|(key, value)| (key.as_str(), Node(value)));
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(map)))
            }
            _ => Err(self.is_not("a word")),
        }
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}
