//! Values of environment variables, as clients write them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

/// The value of a variable. Models write `{"PORT":3000}` for the text `3000`.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(
    untagged,
    expecting = "expected the value of a variable: a text, a number, true, false or null"
)]
pub(super) enum EnvValue {
    /// The text itself.
    Text(String),
    /// A number, which stands for its digits.
    Number(serde_json::Number),
    /// `true` or `false`, which stand for these words.
    Flag(bool),
}

impl From<EnvValue> for String {
    fn from(value: EnvValue) -> Self {
        match value {
            EnvValue::Text(text) => text,
            EnvValue::Number(number) => number.to_string(),
            EnvValue::Flag(flag) => flag.to_string(),
        }
    }
}

/// Reads variables; each value is a text then, or `None` if it was `null`.
pub(super) fn as_texts<'de, D: Deserializer<'de>>(
    json: D,
) -> Result<Option<BTreeMap<String, Option<String>>>, D::Error> {
    let given = Option::<BTreeMap<String, Option<EnvValue>>>::deserialize(json)?;
    let texts = given.map(|variables| {
        let texts = variables.into_iter();
        texts
            .map(|(name, value)| (name, value.map(String::from)))
            .collect()
    });
    Ok(texts)
}
