//! Parses a TOML text with serde, and reports errors with their positions.
//!
//! The fields of the type are the allowed keys; they are listed nowhere else. An unknown key is recognized
//! by the position of serde's error, which is that of the key, and not by the text of the message.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::value::Error as Refusal;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Wrong;
use super::plain::plain;
use crate::protocol::suggest::nearest;

/// The names that a table may contain, for error messages.
pub struct Known {
    /// The kind of the names: `key`, `role`.
    pub what: &'static str,
    /// Appended to the unknown name: empty, or ` in [retention]`.
    pub place: Cow<'static, str>,
    /// The allowed names.
    pub names: &'static [&'static str],
}

/// Parses `text`. `known` returns the names that the table at a path may contain, for error messages.
///
/// # Errors
///
/// If the text is not TOML or does not match `T`.
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
        Some(Part::Value(key)) => Wrong::new(span, plain(key, error.message())),
        None => error.into(),
    })
}

/// As [`read`], but reads all that is right in `text`, and returns all that is wrong.
pub(super) fn read_all<T: DeserializeOwned + Default>(
    text: &str,
    known: impl Fn(&[&str]) -> Known,
) -> (T, Vec<Wrong>) {
    let mut table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => return (T::default(), vec![error.into()]),
    };
    let mut wrong = Vec::new();
    loop {
        let error = match T::deserialize(toml::Deserializer::from(table.clone())) {
            Ok(value) => return (value, wrong),
            Err(error) => error,
        };
        let span = error.span().unwrap_or_default();
        let mut path = Vec::new();
        let (key, message) = match find(table.get_ref(), &span, &mut path) {
            Some(Part::Key(word)) => (word, unknown(word, &known(&path))),
            Some(Part::Value(key)) => (key, plain(key, error.message())),
            None => {
                wrong.push(error.into());
                return (T::default(), wrong);
            }
        };
        wrong.push(Wrong::new(span, message));
        // serde stops at the first error, so it reads the rest without that line.
        let path: Vec<String> = path.into_iter().chain([key]).map(str::to_owned).collect();
        if !remove(table.get_mut(), &path) {
            return (T::default(), wrong);
        }
    }
}

/// Removes a key of a table in a table. Returns whether it was there.
fn remove(table: &mut DeTable<'_>, path: &[String]) -> bool {
    match path {
        [] => false,
        [key] => table.remove(key.as_str()).is_some(),
        [outer, rest @ ..] => match table.get_mut(outer.as_str()).map(Spanned::get_mut) {
            Some(DeValue::Table(inner)) => remove(inner, rest),
            _ => false,
        },
    }
}

/// The names that `T` passes to serde: the fields of a struct, or the variants of an enum.
pub fn names_of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // Deserializing always fails; `Listener` only records the names.
    let _ = T::deserialize(Listener(&mut names));
    names
}

/// The part of a file that an error is about.
enum Part<'a> {
    /// A key.
    Key(&'a str),
    /// The value of this key.
    Value(&'a str),
}

/// Finds the part at `span`. Sets `path` to the tables around it.
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
        // The span of a table covers only its header, so search its content first.
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

/// A deserializer without a value that records the names it is asked for.
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
