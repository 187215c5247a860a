//! Values that serde has no type for: bounded integers, durations, and words with their positions.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Unexpected, Visitor};
use toml::Spanned;

use crate::protocol::duration;

/// The largest value of keys of type `u32`.
pub(super) const U32: u64 = u32::MAX as u64;

/// Parses an integer from `LEAST` to `MOST`.
pub(super) fn whole<'de, const LEAST: u64, const MOST: u64, T, D>(
    value: D,
) -> Result<Option<T>, D::Error>
where
    T: TryFrom<u64>,
    D: Deserializer<'de>,
{
    let number = value.deserialize_u64(Whole::<LEAST, MOST>)?;
    let too_large =
        |_| D::Error::invalid_value(Unexpected::Unsigned(number), &Whole::<LEAST, MOST>);
    T::try_from(number).map(Some).map_err(too_large)
}

/// Parses a duration, or `"forever"`, in milliseconds.
pub(super) fn time<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(value)?;
    let millis = duration::parse_or_forever(&text).map_err(D::Error::custom)?;
    Ok(Some(millis))
}

/// One word or a list of words, each with its position.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(from = "Spanned<OneOrMany>")]
pub struct Words(pub Vec<Spanned<String>>);

impl From<Spanned<OneOrMany>> for Words {
    fn from(read: Spanned<OneOrMany>) -> Self {
        let span = read.span();
        Self(match read.into_inner() {
            OneOrMany::One(word) => vec![Spanned::new(span, word)],
            OneOrMany::Many(words) => words,
        })
    }
}

/// The value as it is written. `#[serde(untagged)]` would lose the positions within the list.
enum OneOrMany {
    One(String),
    Many(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = OneOrMany;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E>(self, word: &str) -> Result<OneOrMany, E> {
        Ok(OneOrMany::One(word.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OneOrMany, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = items.next_element()? {
            words.push(word);
        }
        Ok(OneOrMany::Many(words))
    }
}

struct Whole<const LEAST: u64, const MOST: u64>;

impl<const LEAST: u64, const MOST: u64> Visitor<'_> for Whole<LEAST, MOST> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MOST {
            u64::MAX => write!(f, "a whole number of at least {LEAST}"),
            _ => write!(f, "a whole number from {LEAST} to {MOST}"),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        if (LEAST..=MOST).contains(&number) {
            Ok(number)
        } else {
            Err(E::invalid_value(Unexpected::Unsigned(number), &self))
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}
