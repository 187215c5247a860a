//! The JSON Schema of `bgproc.toml`, with which editors complete and check it.
//!
//! It is written by hand, because the reader reports better errors than a derived type could. Tests hold its keys
//! against those that the reader knows.

mod job;

use serde_json::{Value, json};

use super::names;

/// The JSON Schema of the file.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bgproc.toml",
        "description": "The jobs of a project, for `bgproc up`.",
        "type": "object",
        "additionalProperties": false,
        "properties": document(),
        "$defs": {
            "duration": {
                "description": "A duration with its unit: 500ms, 10s, 5m, 2h, 1h30m.",
                "type": "string",
                "pattern": "^([0-9]+(ms|s|m|h|d))+$",
            },
            "name": { "type": "string", "pattern": NAME },
            "port": { "type": "integer", "minimum": 1, "maximum": 65535 },
            "size": {
                "description": "A size in bytes, or with a unit: 64K, 64M, 2G. 0 is no limit.",
                "anyOf": [
                    { "type": "integer", "minimum": 0 },
                    { "type": "string", "pattern": "^[0-9]+ ?([KMGTkmgt]([Ii]?[Bb])?|[Bb])?$" },
                ],
            },
            "strings": { "type": "array", "items": { "type": "string" } },
            "env": {
                "description": "Variables. \"\" is empty, false removes. ${NAME} and ${NAME:-default} are expanded.",
                "type": "object",
                "additionalProperties": {
                    "anyOf": [{ "type": ["string", "integer"] }, { "const": false }],
                },
            },
            "envFiles": {
                "description": ".env files, relative to this file. A leading ? marks one that may be missing.",
                "type": "array",
                "items": { "type": "string", "minLength": 1 },
            },
            "level": {
                "description": "started: it runs. ready: it is ready. ok: its last run ended well. done: its last run ended.",
                "enum": ["started", "ready", "ok", "done"],
            },
            "keys": {
                "description": "Keys as `send --keys` takes them.",
                "anyOf": [{ "type": "string", "minLength": 1 }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }],
            },
            "restart": job::restart(),
            "watch": job::watch(),
            "job": job::schema(),
            "defaults": job::defaults(),
            "group": group(),
        },
    })
}

/// The rule of [`names::is_valid`].
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$";

fn document() -> Value {
    json!({
        "version": {
            "description": "The version of the language.",
            "const": 1,
        },
        "project": {
            "description": format!("The name of the project; else that of the directory. It {}.", names::RULE.trim_start_matches("a name ")),
            "$ref": "#/$defs/name",
        },
        "env_file": {
            "description": ".env files of all jobs. Without this key, \".env\" is read if it is there.",
            "$ref": "#/$defs/envFiles",
        },
        "include": {
            "description": "Further files, relative to this one, such as \"apps/*/bgproc.toml\". Their jobs get the name of their directory: web/dev.",
            "type": "array",
            "items": { "type": "string", "minLength": 1 },
        },
        "shell": {
            "description": "The shell of `run` and of other shell lines.",
            "type": "array",
            "items": { "type": "string" },
            "minItems": 1,
            "default": ["/bin/sh", "-c"],
        },
        "agents": {
            "description": "What agents may do with these jobs.",
            "enum": ["none", "read", "write"],
            "default": "read",
        },
        "env": { "$ref": "#/$defs/env" },
        "defaults": { "$ref": "#/$defs/defaults" },
        "jobs": {
            "description": "The jobs by name.",
            "type": "object",
            "propertyNames": { "$ref": "#/$defs/name" },
            "additionalProperties": { "$ref": "#/$defs/job" },
        },
        "groups": {
            "description": "Groups of jobs by name.",
            "type": "object",
            "propertyNames": { "$ref": "#/$defs/name" },
            "additionalProperties": { "$ref": "#/$defs/group" },
        },
    })
}

fn group() -> Value {
    json!({
        "description": "A group of jobs.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "jobs": { "description": "Its jobs, in order.", "$ref": "#/$defs/strings" },
            "parallel": {
                "description": "How many of them run at once, which makes it a queue. 0: all.",
                "type": "integer",
                "minimum": 0,
                "maximum": u32::MAX,
                "default": 0,
            },
            "on_failure": {
                "description": "What a failed job does to the queue.",
                "enum": ["continue", "pause"],
                "default": "continue",
            },
        },
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::super::keys;
    use super::*;

    /// The keys of the object at a JSON pointer.
    fn at(pointer: &str) -> Vec<String> {
        let schema = schema();
        let object = schema.pointer(pointer).unwrap().as_object().unwrap();
        object.keys().cloned().collect()
    }

    #[test]
    fn it_has_the_keys_that_the_reader_knows() {
        let job = "/$defs/job/properties";
        let part = |name: &str| format!("{job}/{name}/properties");
        for (pointer, known) in [
            ("/properties".to_owned(), keys::DOCUMENT),
            (job.to_owned(), keys::JOB),
            (part("ready"), keys::READY),
            ("/$defs/restart/properties".to_owned(), keys::RESTART),
            (part("stop"), keys::STOP),
            ("/$defs/watch/properties".to_owned(), keys::WATCH),
            (part("schedule"), keys::SCHEDULE),
            (part("limits"), keys::LIMITS),
            (part("on"), keys::ON),
            ("/$defs/group/properties".to_owned(), keys::GROUP),
        ] {
            let mut known = known.to_vec();
            known.sort_unstable();
            let mut found = at(&pointer);
            found.sort_unstable();
            assert_eq!(found, known, "{pointer}");
        }
        let mut defaults = at("/$defs/defaults/properties");
        defaults.extend(keys::NO_DEFAULT.iter().map(|key| (*key).to_owned()));
        defaults.sort_unstable();
        let mut known = keys::JOB.to_vec();
        known.sort_unstable();
        assert_eq!(defaults, known);
    }

    /// What the schema says about a text.
    fn is_valid(text: &str) -> bool {
        let value: Value = toml::from_str(text).unwrap();
        jsonschema::is_valid(&schema(), &value)
    }

    #[test]
    fn it_agrees_with_the_reader() {
        assert!(jsonschema::meta::is_valid(&schema()));
        assert!(is_valid(include_str!("../tests/contract.toml")));
        let job = |line: &str| format!("[jobs.a]\nrun = \"x\"\n{line}\n");
        for line in [
            "",
            "needs = [\"b\"]",
            "port = { http = 1 }",
            "ready = { port = 80 }",
            "ready = { port = \"${PORT}\" }",
            "ready = { http = \"http://x\", status = [200] }",
            "stop = { keys = [\"C-c\"] }",
            "watch = { do = \"keys:r\" }",
            "watch = [\"src\"]",
            "restart = \"always\"",
            "restart = \"on-failure:3\"",
            "restart = { when = \"always\" }",
            "schedule = { every = \"1h30m\" }",
            "limits = { memory = 1048576, log = \"64 MiB\" }",
            "env = { A = \"\", B = false, C = 1 }",
            "timeout = \"5m\"",
        ] {
            assert!(is_valid(&job(line)), "{line}");
        }
        for line in [
            "cmd = [\"x\"]",
            "port = 0",
            "port = 70000",
            "ready = {}",
            "ready = { log = \"x\", port = 1 }",
            "schedule = { cron = \"@daily\", every = \"1h\" }",
            "stop = { signal = \"INT\", run = \"x\" }",
            "timeout = \"5\"",
            "size = \"1\"",
            "restart = { when = \"no\" }",
            "restart = \"sometimes\"",
            "watch = []",
            "watch = \"src\"",
            "env = { A = true }",
            "comand = 1",
            "tags = \"x\"",
            "watch = { do = \"reload\" }",
        ] {
            assert!(!is_valid(&job(line)), "{line}");
        }
        assert!(!is_valid("version = 2\n"));
        assert!(!is_valid("[jobs.a]\n"));
        assert!(!is_valid("[jobs.-a]\nrun = \"x\"\n"));
    }
}
