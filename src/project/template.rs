//! The language of templates: `${NAME}`, `${NAME:-default}`, `${port.JOB}`, `${port.JOB.NAME}`; `$${` is a literal
//! `${`. Any other `$` stays as it is.

/// A piece of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece<'a> {
    /// Text as it is.
    Text(&'a str),
    /// A variable, and what replaces it if it is not set or empty.
    Variable(&'a str, Option<Vec<Piece<'a>>>),
    /// A port: what follows `port.`.
    Port(&'a str),
}

/// How deep defaults may be nested.
const MAX_DEPTH: usize = 8;

/// The pieces of a template. The error says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Vec<Piece<'_>>, String> {
    pieces(text, 0)
}

/// Whether the text has something to expand.
pub(super) fn is_template(text: &str) -> bool {
    text.contains("${")
}

/// The text with a digit in the place of each variable, to check what does not depend on their values.
pub(super) fn filled(text: &str) -> String {
    let pieces = parse(text).unwrap_or_else(|_| vec![Piece::Text(text)]);
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text,
        Piece::Variable(..) | Piece::Port(_) => "1",
    });
    texts.collect()
}

fn pieces(text: &str, depth: usize) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        // `$${`: the text up to the first `$`, then `${`.
        if let Some(before) = rest.get(..at).and_then(|before| before.strip_suffix('$')) {
            pieces.push(Piece::Text(before));
            pieces.push(Piece::Text("${"));
            rest = rest.get(at + 2..).unwrap_or_default();
            continue;
        }
        pieces.push(Piece::Text(rest.get(..at).unwrap_or_default()));
        let inner = rest.get(at + 2..).unwrap_or_default();
        let Some(end) = closing(inner) else {
            return Err(format!(
                "\"{}\" is not closed; write }} after the name, or $${{ for a literal ${{",
                shown(rest.get(at..).unwrap_or_default())
            ));
        };
        let (inside, after) = inner.split_at(end);
        pieces.push(piece(inside, depth)?);
        rest = after.get(1..).unwrap_or_default();
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    Ok(pieces)
}

/// The offset of the brace that closes an open one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '{' if last == '$' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
        last = c;
    }
    None
}

fn piece(inside: &str, depth: usize) -> Result<Piece<'_>, String> {
    if let Some(port) = inside.strip_prefix("port.").filter(|port| !port.is_empty()) {
        return Ok(Piece::Port(port));
    }
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if !is_variable(name) {
        return Err(format!(
            "\"${{{}}}\" is not the name of a variable; write ${{NAME}}, ${{NAME:-default}}, ${{port.JOB}}, or $${{ for a literal ${{",
            shown(inside)
        ));
    }
    let default = match default {
        Some(_) if depth >= MAX_DEPTH => return Err("too many defaults in each other".to_owned()),
        Some(default) => Some(pieces(default, depth + 1)?),
        None => None,
    };
    Ok(Piece::Variable(name, default))
}

/// Whether a variable of the environment can be named so in a template.
fn is_variable(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The start of a text, for messages.
fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::Piece::{Port, Text, Variable};
    use super::*;

    #[test]
    fn pieces_of_templates() {
        let same = |text: &str, expected: &[Piece<'_>]| {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        };
        same("", &[]);
        same("a $b $$ {c}", &[Text("a $b $$ {c}")]);
        same("a${B}c", &[Text("a"), Variable("B", None), Text("c")]);
        same("${B:-}", &[Variable("B", Some(vec![]))]);
        same("${B:-x:-y}", &[Variable("B", Some(vec![Text("x:-y")]))]);
        let nested = Variable("C", None);
        same(
            "${B:-${C}}d",
            &[Variable("B", Some(vec![nested])), Text("d")],
        );
        same("${port.api.http}", &[Port("api.http")]);
        same("$${A}", &[Text("${"), Text("A}")]);
        same("$$${A}", &[Text("$"), Text("${"), Text("A}")]);
        same("{${A}}", &[Text("{"), Variable("A", None), Text("}")]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, why) in [
            ("${A", "not closed"),
            ("${}", "not the name"),
            ("${a b}", "not the name"),
            ("${1}", "not the name"),
            ("${A-b}", "not the name"),
            ("${port.}", "not the name"),
            ("${A:-${B}", "not closed"),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
        let deep = format!("{}{}", "${A:-".repeat(1000), "}".repeat(1000));
        assert!(parse(&deep).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[${}:a-zA. -]{0,40}") {
            let _ = parse(&text);
        }

        #[test]
        fn text_without_braces_is_itself(text in "[^{}]{0,40}") {
            prop_assert_eq!(filled(&text), text);
        }
    }
}
