//! Reads a TOML text into a type of serde, and says what is wrong with it in which place.
//!
//! The type's own fields are the keys that there may be: nothing else lists them. Unknown keys are recognized by
//! the place of serde's error, which is then that of a key, and never by its words.

use std::ops::Range;

use serde::de::value::Error as Refusal;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use toml::de::DeTable;

use super::error::Wrong;
use crate::protocol::suggest::nearest;

/// What may stand in a table, for the error about what may not.
pub struct Known {
    /// What the names are: `key`, `role`.
    pub what: &'static str,
    /// Where they may stand, after the name: empty, or ` in [retention]`.
    pub place: &'static str,
    /// The names.
    pub names: &'static [&'static str],
}

/// Reads `text`. `known` tells what may stand in the table at a path, for errors.
///
/// # Errors
/// When it is no TOML, or not what `T` is made of.
pub fn read<T: DeserializeOwned>(text: &str, known: impl Fn(&[&str]) -> Known) -> Result<T, Wrong> {
    let error = match toml::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let (Ok(table), Some(span)) = (DeTable::parse(text), error.span()) else {
        return Err(error.into());
    };
    let mut path = Vec::new();
    Err(match find(table.get_ref(), &span, &mut path) {
        Some(Part::Key(word)) => Wrong::new(span, unknown(word, &known(&path))),
        Some(Part::Value(key)) => Wrong::new(span, format!("\"{key}\": {}", error.message())),
        None => error.into(),
    })
}

/// The names that `T` lists to serde: the fields of a struct, or the words of an enum.
pub fn names_of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // It cannot be read from nothing; it only says what it would read.
    let _ = T::deserialize(Listener(&mut names));
    names
}

/// What an error is about.
enum Part<'a> {
    /// A key, by name.
    Key(&'a str),
    /// The value of this key.
    Value(&'a str),
}

/// Finds what stands at `span`; `path` becomes the tables around it.
fn find<'a>(
    table: &'a DeTable<'_>,
    span: &Range<usize>,
    path: &mut Vec<&'a str>,
) -> Option<Part<'a>> {
    for (key, value) in table {
        let name: &str = key.get_ref();
        if key.span() == *span {
            return Some(Part::Key(name));
        }
        // The span of a table is its header's; what stands in it is elsewhere.
        if let Some(inner) = value.get_ref().as_table() {
            path.push(name);
            if let Some(found) = find(inner, span, path) {
                return Some(found);
            }
            path.pop();
        }
        if value.span().contains(&span.start) {
            return Some(Part::Value(name));
        }
    }
    None
}

fn unknown(word: &str, known: &Known) -> String {
    let Known { what, place, names } = known;
    match nearest(word, names.iter().copied()) {
        Some(near) => format!("unknown {what} \"{word}\"{place}. Did you mean \"{near}\"?"),
        None => format!(
            "unknown {what} \"{word}\"{place}. Known: {}",
            names.join(", ")
        ),
    }
}

/// A deserializer that has no value, and keeps the names that are asked of it.
struct Listener<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refusal> {
        Err(Refusal::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        *self.0 = variants;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}
