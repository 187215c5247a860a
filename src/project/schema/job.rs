//! The schema of a job.

use serde_json::{Map, Value, json};

use super::super::keys;

/// A job: exactly one of `cmd` and `run`.
pub(super) fn schema() -> Value {
    json!({
        "description": "A job.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties(),
        "oneOf": required(keys::PROGRAMS),
    })
}

/// Values for all jobs: any key of a job but `cmd`, `run` and `needs`.
pub(super) fn defaults() -> Value {
    let mut properties = properties();
    for key in keys::NO_DEFAULT {
        properties.remove(*key);
    }
    json!({
        "description": "Values for all jobs that do not have their own. Tables merge, other values are replaced.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// One alternative for each key.
fn required(keys: &[&str]) -> Vec<Value> {
    keys.iter()
        .map(|key| json!({ "required": [key] }))
        .collect()
}

/// None of several keys, or one of them.
fn at_most_one(keys: &[&str]) -> Vec<Value> {
    let any: Vec<Value> = required(keys);
    let mut alternatives = any.clone();
    alternatives.push(json!({ "not": { "anyOf": any } }));
    alternatives
}

fn properties() -> Map<String, Value> {
    let parts = [commands(), places(), life(), times(), people()];
    let parts = parts.into_iter().filter_map(|part| match part {
        Value::Object(properties) => Some(properties),
        _ => None,
    });
    parts.flatten().collect()
}

fn commands() -> Value {
    json!({
        "cmd": {
            "description": "A program and its arguments, without a shell. ${NAME}, ${NAME:-default}, ${port.JOB} and ${port.JOB.NAME} are expanded; $${ is a literal ${.",
            "type": "array",
            "items": { "type": "string" },
            "minItems": 1,
        },
        "run": { "description": "A line for the shell.", "type": "string", "pattern": "\\S" },
        "kind": {
            "description": "A service runs until it is stopped; a task ends. A job with a schedule is a task by default.",
            "enum": ["service", "task"],
            "default": "service",
        },
        "cwd": { "description": "Working directory, relative to this file. Templates are expanded.", "type": "string", "default": "." },
        "env": { "$ref": "#/$defs/env" },
        "env_file": { "$ref": "#/$defs/envFiles" },
        "needs": {
            "description": "Jobs that come first. In a list: a task must have ended well, a job with `ready` must be ready, any other must run.",
            "anyOf": [
                { "$ref": "#/$defs/strings" },
                {
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [
                            { "$ref": "#/$defs/level" },
                            {
                                "type": "object",
                                "additionalProperties": false,
                                "properties": {
                                    "is": { "$ref": "#/$defs/level" },
                                    "restart": {
                                        "description": "Whether this job is restarted when the other one is restarted on request.",
                                        "type": "boolean",
                                        "default": false,
                                    },
                                },
                            },
                        ],
                    },
                },
            ],
        },
    })
}

fn places() -> Value {
    json!({
        "port": {
            "description": "Its port, or its ports by name. Another checkout than the main one gets other ports; the job finds its own in PORT.",
            "anyOf": [
                { "$ref": "#/$defs/port" },
                {
                    "type": "object",
                    "propertyNames": { "$ref": "#/$defs/name" },
                    "additionalProperties": { "$ref": "#/$defs/port" },
                },
            ],
        },
        "port_busy": {
            "description": "What happens if a port is taken: the job does not start, or it gets the next free one.",
            "enum": ["fail", "next"],
            "default": "fail",
        },
        "per": {
            "description": "One in each checkout, or one for the whole repository, which runs in the main checkout.",
            "enum": ["checkout", "repo"],
            "default": "checkout",
        },
        "size": { "description": "Columns and rows of its terminal.", "type": "string", "pattern": "^[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$", "default": "120x40" },
        "pty": { "description": "Whether it has a terminal; else pipes.", "type": "boolean", "default": true },
        "limits": {
            "description": "Limits of the operating system and of its log. 0 is no limit.",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "memory": { "$ref": "#/$defs/size" },
                "processes": { "type": "integer", "minimum": 0 },
                "open_files": { "type": "integer", "minimum": 0 },
                "cpu_time": { "$ref": "#/$defs/duration" },
                "nice": { "type": "integer", "minimum": -20, "maximum": 19 },
                "log": { "$ref": "#/$defs/size" },
            },
        },
    })
}

fn life() -> Value {
    json!({
        "ready": {
            "description": "When it is ready: exactly one check.",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "log": { "description": "A line of its output matches this pattern.", "type": "string", "minLength": 1 },
                "port": {
                    "description": "One of its own processes listens on this port.",
                    "anyOf": [{ "$ref": "#/$defs/port" }, { "type": "string" }],
                },
                "tcp": { "description": "Anybody accepts connections at host:port.", "type": "string" },
                "http": { "description": "A GET request is answered.", "type": "string" },
                "exec": { "description": "A shell line ends with code 0.", "type": "string" },
                "file": { "description": "A file exists.", "type": "string" },
                "quiet": { "description": "It has written nothing for so long.", "$ref": "#/$defs/duration" },
                "timeout": { "description": "How long it has.", "$ref": "#/$defs/duration", "default": "2m" },
                "every": { "description": "How often the check is repeated.", "$ref": "#/$defs/duration", "default": "500ms" },
                "status": {
                    "description": "The status codes of `http` that count.",
                    "type": "array",
                    "items": { "type": "integer", "minimum": 100, "maximum": 599 },
                    "default": [200],
                },
            },
            "oneOf": required(keys::CHECKS),
        },
        "restart": {
            "description": "When it is run again after its end. A text is as with run --restart: always has no limit then, on-failure 5 times in a row.",
            "anyOf": [
                { "type": "string", "pattern": "^(never|no|(on-failure|always)(:[0-9]+)?)$" },
                { "$ref": "#/$defs/restart" },
            ],
        },
        "stop": {
            "description": "How it is stopped: a signal, keys, or a shell line.",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "signal": { "type": "string", "default": "TERM" },
                "keys": { "$ref": "#/$defs/keys" },
                "run": { "type": "string" },
                "grace": { "description": "How long it has until it is killed.", "$ref": "#/$defs/duration", "default": "10s" },
            },
            "oneOf": at_most_one(keys::STOPS),
        },
        "ok_codes": {
            "description": "Exit codes that count as success.",
            "type": "array",
            "items": { "type": "integer", "minimum": 0, "maximum": 255 },
            "minItems": 1,
            "default": [0],
        },
        "timeout": {
            "description": "Time limit of a run.",
            "anyOf": [{ "const": "none" }, { "$ref": "#/$defs/duration" }],
            "default": "none",
        },
    })
}

fn times() -> Value {
    json!({
        "watch": {
            "description": "The files whose changes it reacts to. A list is that of paths.",
            "anyOf": [
                { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                { "$ref": "#/$defs/watch" },
            ],
        },
        "schedule": {
            "description": "The times at which it runs: exactly one of cron and every.",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "cron": { "description": "Five fields, or @daily and its like.", "type": "string" },
                "every": { "$ref": "#/$defs/duration" },
                "tz": { "description": "local, or a time zone such as Europe/Berlin.", "type": "string", "default": "local" },
                "missed": { "description": "What happens with times that were missed.", "enum": ["skip", "once"], "default": "skip" },
                "overlap": { "description": "What happens when the last run has not ended.", "enum": ["skip", "queue", "restart"], "default": "skip" },
                "jitter": { "description": "Longest random delay.", "$ref": "#/$defs/duration", "default": "0s" },
                "at_start": { "description": "Whether it also runs when the project comes up.", "type": "boolean", "default": false },
            },
            "oneOf": required(keys::TIMES),
        },
    })
}

/// The table of `restart`.
pub(super) fn restart() -> Value {
    json!({
        "description": "When it is run again after its end.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "when": { "enum": ["never", "on-failure", "always"], "default": "never" },
            "max": { "description": "Maximum number of restarts in a row.", "type": "integer", "minimum": 0, "maximum": u32::MAX, "default": 5 },
            "backoff": {
                "description": "The first and the longest pause before a restart.",
                "type": "string",
                "pattern": "^([0-9]+(ms|s|m|h|d))+(\\.\\.([0-9]+(ms|s|m|h|d))+)?$",
                "default": "1s..30s",
            },
            "reset": { "description": "After a run of this length the count starts again.", "$ref": "#/$defs/duration", "default": "60s" },
            "unready": { "description": "A run that was ready and has not been for this long is ended, which counts as a failure. Needs when, and a ready that can be lost: port, tcp, http, exec or file.", "$ref": "#/$defs/duration" },
        },
    })
}

/// The table of `watch`.
pub(super) fn watch() -> Value {
    json!({
        "description": "The files whose changes it reacts to.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "paths": { "description": "Files and directories, relative to this file.", "$ref": "#/$defs/strings", "default": ["."] },
            "only": { "description": "Globs of which one must match.", "$ref": "#/$defs/strings" },
            "ignore": { "description": "Globs of which none may match.", "$ref": "#/$defs/strings" },
            "gitignore": { "description": "Whether files that git ignores are ignored.", "type": "boolean", "default": true },
            "debounce": { "description": "Pause after the last change.", "$ref": "#/$defs/duration", "default": "300ms" },
            "do": {
                "description": "restart, a signal such as signal:HUP, or keys such as keys:r.",
                "type": "string",
                "pattern": "^(restart|signal:.+|keys:.+)$",
                "default": "restart",
            },
            "cascade": { "description": "Whether a restart also restarts the jobs that need this one.", "type": "boolean", "default": false },
        },
    })
}

fn people() -> Value {
    json!({
        "group": { "description": "Its group.", "type": "string" },
        "tags": { "description": "Its tags, for +TAG.", "type": "array", "items": { "$ref": "#/$defs/name" } },
        "autostart": { "description": "Whether `up` without names starts it.", "type": "boolean", "default": true },
        "confirm": { "description": "Whether stopping it always asks.", "type": "boolean", "default": false },
        "open": { "description": "Its address for people. Templates are expanded.", "type": "string" },
        "notify": {
            "description": "What people are notified of.",
            "type": "array",
            "items": { "enum": ["failed", "ready", "input", "done"] },
        },
        "description": { "description": "What it is, for people.", "type": "string" },
        "on": {
            "description": "Shell lines that run when something happens to it. They never hold anything up.",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "ready": { "type": "string" },
                "failed": { "type": "string" },
                "exit": { "type": "string" },
                "input": { "type": "string" },
            },
        },
    })
}
