//! A JSON parser that detects duplicate keys of an object. `serde_json::Value` silently keeps the
//! last one.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses one JSON value. Also returns the first duplicate key of an object in it.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<(Value, Option<String>)> {
    let mut twice = None;
    let mut json = serde_json::Deserializer::from_slice(text);
    let value = Strict { twice: &mut twice }.deserialize(&mut json)?;
    json.end()?;
    Ok((value, twice))
}

/// Builds a value and records the first duplicate key.
struct Strict<'a> {
    twice: &'a mut Option<String>,
}

impl Strict<'_> {
    fn inner(&mut self) -> Strict<'_> {
        Strict { twice: self.twice }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner())? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self.inner())?;
            if map.contains_key(&key) {
                self.twice.get_or_insert_with(|| key.clone());
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_same_as_serde_json() {
        let text = r#"{"a":[1,-2,2.5,18446744073709551615,true,null,"é\u0001"],"b":{"c":{}}}"#;
        let (value, twice) = parse(text.as_bytes()).unwrap();
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(twice, None);
        for wrong in [&b"1 2"[..], b"", b"{", b"\xff", b"1e400", b"[\"\xc3\"]"] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(
            parse(&[b'['; 100_000]).is_err(),
            "the nesting limit must be below the stack's"
        );
    }

    #[test]
    fn a_duplicate_key_is_found_at_any_depth() {
        let twice = |text: &str| parse(text.as_bytes()).unwrap().1;
        assert_eq!(twice(r#"{"a":1,"b":2,"a":1}"#).as_deref(), Some("a"));
        assert_eq!(twice(r#"[{"a":{"b":1,"\u0062":2}}]"#).as_deref(), Some("b"));
        assert_eq!(twice(r#"{"a":{"a":1},"b":{"a":1}}"#), None);
    }
}
