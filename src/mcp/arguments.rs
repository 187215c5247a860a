//! Checks the arguments of a tool call against the tool's schema.
//!
//! The schemas are JSON. This module implements the keywords of JSON Schema that they use: `type`,
//! `properties`, `required`, `additionalProperties:false`, `enum`, `minimum`, `maximum`, `minLength`,
//! `maxLength`, `items`. The schema that clients see is therefore also the one that is enforced. As
//! everywhere in the protocol, `null` counts as absent.

use serde_json::Value;

use super::call::Arguments;
use crate::protocol::Error;
use crate::protocol::suggest::nearest;

/// Returns the arguments without null values, or an error if they do not match the schema.
pub fn check(schema: &Arguments, mut given: Arguments) -> Result<Arguments, Error> {
    given.retain(|_, value| !value.is_null());
    let none = Arguments::new();
    let known = schema.get("properties").and_then(Value::as_object);
    let known = known.unwrap_or(&none);
    for required in schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let name = required.as_str().unwrap_or_default();
        if !given.contains_key(name) {
            return Err(Error::invalid(format!("`{name}` is required")));
        }
    }
    for (name, value) in &given {
        match known.get(name) {
            Some(schema) => check_value(name, schema, value)?,
            None if schema.get("additionalProperties") != Some(&Value::Bool(false)) => {}
            None => return Err(unknown(name, known)),
        }
    }
    Ok(given)
}

fn unknown(name: &str, known: &Arguments) -> Error {
    let error = Error::invalid(format!("Unknown parameter `{name}`"));
    match nearest(name, known.keys().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            error.hint(format!("known: {}", names.join(", ")))
        }
    }
}

fn check_value(name: &str, schema: &Value, value: &Value) -> Result<(), Error> {
    let wrong = |what: String| Err(Error::invalid(format!("`{name}` must be {what}")));
    if !has_type(&schema["type"], value) {
        return wrong(match &schema["type"] {
            Value::Array(types) => {
                let types: Vec<&str> = types.iter().filter_map(Value::as_str).collect();
                types.join(" or ")
            }
            one => format!("of type {}", one.as_str().unwrap_or_default()),
        });
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        let words: Vec<String> = words.iter().map(Value::to_string).collect();
        return wrong(format!("one of {}", words.join(", ")));
    }
    if let Some(number) = value.as_f64() {
        match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
            (Some(least), _) if number < least => return wrong(format!("at least {least}")),
            (_, Some(most)) if number > most => return wrong(format!("at most {most}")),
            _ => {}
        }
    }
    if let Some(text) = value.as_str() {
        let count = text.chars().count() as u64;
        let bounds = (schema["minLength"].as_u64(), schema["maxLength"].as_u64());
        match bounds {
            (Some(least), _) if count < least => {
                return wrong(format!("at least {least} characters long"));
            }
            (_, Some(most)) if count > most => {
                return wrong(format!("at most {most} characters long"));
            }
            _ => {}
        }
    }
    for (place, item) in value.as_array().into_iter().flatten().enumerate() {
        check_value(&format!("{name}[{place}]"), &schema["items"], item)?;
    }
    if let (Some(fields), values @ Value::Object(_)) =
        (value.as_object(), &schema["additionalProperties"])
    {
        for (field, value) in fields {
            check_value(&format!("{name}.{field}"), values, value)?;
        }
    }
    Ok(())
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        // 3.0 is an integer in JSON Schema, but no action accepts it as one.
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Arguments {
        value.as_object().unwrap().clone()
    }

    fn outcome(given: Value) -> Result<Value, String> {
        let schema = object(json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2, "maxLength": 4},
                "count": {"type": "integer", "minimum": 1, "maximum": 9},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "list": {"type": "array", "items": {"type": "string"}},
                "env": {"type": "object", "additionalProperties": {"type": "string"}},
                "either": {"type": ["string", "array"]},
            },
            "required": ["name"],
            "additionalProperties": false,
        }));
        let checked = check(&schema, object(given));
        checked.map(Value::Object).map_err(|error| error.message)
    }

    #[test]
    fn matching_arguments_pass_and_null_is_absent() {
        let given = json!({"name": "é23", "count": 9, "kind": "b", "list": ["x"], "env": {"A": "1"}, "either": []});
        assert_eq!(outcome(given.clone()), Ok(given));
        assert_eq!(
            outcome(json!({"name": "ab", "count": null})),
            Ok(json!({"name": "ab"}))
        );
    }

    #[test]
    fn errors_name_the_argument() {
        for (given, said) in [
            (json!({}), "`name` is required"),
            (json!({"name": null}), "`name` is required"),
            (
                json!({"name": "a"}),
                "`name` must be at least 2 characters long",
            ),
            (
                json!({"name": "abcde"}),
                "`name` must be at most 4 characters long",
            ),
            (json!({"name": 5}), "`name` must be of type string"),
            (
                json!({"name": "ab", "count": 0}),
                "`count` must be at least 1",
            ),
            (
                json!({"name": "ab", "count": 10}),
                "`count` must be at most 9",
            ),
            (
                json!({"name": "ab", "count": 1.5}),
                "`count` must be of type integer",
            ),
            (
                json!({"name": "ab", "kind": "c"}),
                "`kind` must be one of \"a\", \"b\"",
            ),
            (
                json!({"name": "ab", "list": [1]}),
                "`list[0]` must be of type string",
            ),
            (
                json!({"name": "ab", "env": {"A": 1}}),
                "`env.A` must be of type string",
            ),
            (
                json!({"name": "ab", "either": 1}),
                "`either` must be string or array",
            ),
            (
                json!({"name": "ab", "cuont": 1}),
                "Unknown parameter `cuont`",
            ),
        ] {
            assert_eq!(outcome(given.clone()), Err(said.to_owned()), "{given}");
        }
    }
}
