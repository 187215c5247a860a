//! Completion in nushell.
//!
//! The script is our own, because clap's declares bgproc's verbs and options to nushell, which then rewrites the
//! command line: of `bgproc run ls --color=never` it makes `ls --color never`. This one only says who completes: bgproc
//! its own line, and whoever did before all others.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::EnvCompleter;
use serde_json::{Value, json};

/// The script. `BIN` is the completed command, `COMPLETER` how bgproc is called, and `VAR` the variable that asks it for
/// completions.
const SCRIPT: &str = r#"# Completes BIN; other commands are completed as before.
do --env {
    let others = $env.config.completions.external.completer?
    $env.config.completions.external.completer = {|words|
        if ($words.0 | str trim --left --char "^" | path basename) == "BIN" {
            with-env { VAR: nushell } { ^COMPLETER -- ...$words } | from json
        } else if $others != null {
            do $others $words
        }
    }
}
"#;

/// Completes in nushell.
pub(super) struct Nushell;

impl EnvCompleter for Nushell {
    fn name(&self) -> &'static str {
        "nushell"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        var: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let script = SCRIPT
            .replace("BIN", bin)
            .replace("VAR", var)
            .replace("COMPLETER", &quoted(completer));
        buf.write_all(script.as_bytes())
    }

    /// A JSON array of what nushell calls suggestions. The last word is the one at the cursor.
    fn write_complete(
        &self,
        grammar: &mut Command,
        words: Vec<OsString>,
        here: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let words: Vec<OsString> = words.into_iter().map(unquoted).collect();
        let cursor = words.len().saturating_sub(1);
        let suggestions: Vec<Value> = engine::complete(grammar, words, cursor, here)?
            .iter()
            .map(|candidate| {
                let help = candidate.get_help().map(ToString::to_string);
                let description = help.as_deref().and_then(|help| help.lines().next());
                let value = candidate.get_value().to_string_lossy();
                json!({ "value": quoted(&value), "description": description })
            })
            .collect();
        serde_json::to_writer(buf, &suggestions).map_err(io::Error::from)
    }
}

/// A word as it is typed, which nushell passes on with its quotes; the last one is still open.
fn unquoted(word: OsString) -> OsString {
    let Some(text) = word.to_str() else {
        return word;
    };
    let Some(quote) = text.chars().next().filter(|&first| is_quote(first)) else {
        return word;
    };
    let inside = &text[1..];
    inside.strip_suffix(quote).unwrap_or(inside).into()
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`')
}

/// A word as it has to be typed.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./:+@=,%~".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    // The home directory is expanded only there.
    if word.starts_with('~') && !word.contains('`') {
        return format!("`{word}`").into();
    }
    if word.contains('\'') {
        format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")).into()
    } else {
        format!("'{word}'").into()
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, unquoted};

    #[test]
    fn words_are_quoted_where_they_have_to_be() {
        let cases = [
            ("g:shop", "g:shop"),
            ("--status=done", "--status=done"),
            ("my job", "'my job'"),
            ("q'x", "\"q'x\""),
            ("a'\"\\", "\"a'\\\"\\\\\""),
            ("~/my dir", "`~/my dir`"),
            ("", "''"),
        ];
        for (word, typed) in cases {
            assert_eq!(quoted(word), typed);
        }
    }

    #[test]
    fn the_quotes_of_typed_words_are_taken_away() {
        for typed in ["\"my job\"", "'my job'", "`my job`", "\"my job", "my job"] {
            assert_eq!(unquoted(typed.into()), "my job");
        }
        assert_eq!(unquoted("'".into()), "");
    }
}
