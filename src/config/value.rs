//! Values with their places, read strictly.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::choice::{Background, Confirm, LogLevel, Notify};
use super::error::{Spot, Wrong};
use super::keys::Spelt;

/// A value with its place and the name it stands under.
pub struct Entry<'a, 'i> {
    /// The name.
    pub key: &'a str,
    /// The value.
    pub value: &'a Spanned<DeValue<'i>>,
}

impl<'a, 'i> Entry<'a, 'i> {
    /// An integer not below `least` that fits its type.
    pub(super) fn at_least<T: TryFrom<i128>>(&self, least: i128) -> Result<T, Wrong> {
        self.integer(least, i128::MAX)
    }

    /// An integer from `least` to `most`.
    pub(super) fn between<T: TryFrom<i128>>(&self, least: i128, most: i128) -> Result<T, Wrong> {
        self.integer(least, most)
    }

    fn integer<T: TryFrom<i128>>(&self, least: i128, most: i128) -> Result<T, Wrong> {
        let integer = self
            .value
            .get_ref()
            .as_integer()
            .ok_or_else(|| self.expected("an integer"))?;
        let digits = integer.as_str().replace('_', "");
        i128::from_str_radix(&digits, integer.radix())
            .ok()
            .filter(|number| (least..=most).contains(number))
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                let message = format!("{} of \"{}\" is out of range", integer.as_str(), self.key);
                let bounds = match most {
                    i128::MAX => format!("the least is {least}"),
                    most => format!("the least is {least}, the most is {most}"),
                };
                Wrong::new(self.value.span(), format!("{message}; {bounds}"))
            })
    }

    pub(super) fn boolean(&self) -> Result<bool, Wrong> {
        let value = self.value.get_ref().as_bool();
        value.ok_or_else(|| self.expected("true or false"))
    }

    /// One string.
    pub fn word(&self) -> Result<&'a str, Wrong> {
        let value = self.value.get_ref().as_str();
        value.ok_or_else(|| self.expected("a string"))
    }

    /// A table of further entries.
    pub fn table(&self) -> Result<&'a DeTable<'i>, Wrong> {
        let value = self.value.get_ref().as_table();
        value.ok_or_else(|| self.expected("a table"))
    }

    /// One string with its place.
    pub(super) fn spelt(&self, text: &str) -> Result<Spelt, Wrong> {
        Ok(Spelt {
            word: self.word()?.to_owned(),
            at: Spot::of(text, self.value.span().start),
        })
    }

    /// One string, or a list of them, with their places in `text`.
    pub(super) fn words(&self, text: &str) -> Result<Vec<Spelt>, Wrong> {
        let wrong = || self.expected("a string or a list of strings");
        let spelt = |value: &Spanned<DeValue<'_>>| {
            let word = value.get_ref().as_str()?.to_owned();
            let at = Spot::of(text, value.span().start);
            Some(Spelt { word, at })
        };
        match self.value.get_ref() {
            DeValue::Array(items) => items.iter().map(spelt).collect::<Option<_>>(),
            _ => spelt(self.value).map(|one| vec![one]),
        }
        .ok_or_else(wrong)
    }

    pub(super) fn confirm(&self) -> Result<Confirm, Wrong> {
        match self.value.get_ref().as_str() {
            Some("ask") => Ok(Confirm::Ask),
            Some("never") => Ok(Confirm::Never),
            _ => Err(self.expected("\"ask\" or \"never\"")),
        }
    }

    pub(super) fn background(&self) -> Result<Background, Wrong> {
        match self.value.get_ref().as_str() {
            Some("auto") => Ok(Background::Auto),
            Some("dark") => Ok(Background::Dark),
            Some("light") => Ok(Background::Light),
            _ => Err(self.expected("\"auto\", \"dark\" or \"light\"")),
        }
    }

    pub(super) fn notify(&self) -> Result<Notify, Wrong> {
        match self.value.get_ref().as_str() {
            Some("terminal") => Ok(Notify::Terminal),
            Some("desktop") => Ok(Notify::Desktop),
            Some("none") => Ok(Notify::None),
            _ => Err(self.expected("\"terminal\", \"desktop\" or \"none\"")),
        }
    }

    pub(super) fn log_level(&self) -> Result<LogLevel, Wrong> {
        let name = self.value.get_ref().as_str();
        name.and_then(LogLevel::parse)
            .ok_or_else(|| self.expected("one of \"error\", \"warn\", \"info\", \"debug\""))
    }

    /// That it should have been something else.
    pub fn expected(&self, what: &str) -> Wrong {
        let found = self.value.get_ref().type_str();
        let message = format!("\"{}\" needs {what}, this is {}", self.key, article(found));
        Wrong::new(self.value.span(), message)
    }
}

/// `a string`, `an integer`.
fn article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}
