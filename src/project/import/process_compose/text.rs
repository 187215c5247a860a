//! What process-compose expands in texts: `${NAME}` from its environment, `$$` as `$`, and `{{.NAME}}` from `vars`.

use std::collections::BTreeMap;

use super::super::sketch::literal;
use super::super::yaml::Node;

/// How texts are expanded.
#[derive(Clone)]
pub(super) struct Texts {
    /// Whether `$` has a meaning.
    is_expanded: bool,
    vars: BTreeMap<String, String>,
}

impl Texts {
    pub(super) fn new(is_expanded: bool, vars: Option<&Node>) -> Self {
        let first = ("PC_REPLICA_NUM".to_owned(), "0".to_owned());
        let texts = Self {
            is_expanded,
            vars: BTreeMap::from([first]),
        };
        texts.with(vars)
    }

    /// With the variables of a process.
    pub(super) fn with(&self, vars: Option<&Node>) -> Self {
        let mut texts = self.clone();
        let entries = vars.and_then(Node::entries).unwrap_or_default();
        for (name, value) in entries {
            if let Some(value) = value.text() {
                texts.vars.insert(name.clone(), value.to_owned());
            }
        }
        texts
    }

    /// A shell line. The shell expands `${NAME}` itself.
    pub(super) fn line(&self, text: &str, notes: &mut Vec<String>) -> String {
        let text = self.rendered(text, notes);
        if self.is_expanded {
            text.replace("$$", "$")
        } else {
            text
        }
    }

    /// A text of a key that expands templates.
    pub(super) fn template(&self, text: &str, notes: &mut Vec<String>) -> String {
        let text = self.rendered(text, notes);
        if !self.is_expanded {
            return literal(&text);
        }
        let mut template = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('$') {
            let (before, tail) = rest.split_at(at);
            template.push_str(before);
            // The same escape in both languages, but `$$` alone is `$` only there.
            if let Some(after) = tail.strip_prefix("$${") {
                template.push_str("$${");
                rest = after;
            } else if let Some(after) = tail.strip_prefix("$$") {
                template.push('$');
                rest = after;
            } else if let Some((inner, after)) = variable(tail) {
                template.push_str(&expansion(inner, notes));
                rest = after;
            } else {
                template.push('$');
                rest = tail.get(1..).unwrap_or_default();
            }
        }
        template.push_str(rest);
        template
    }

    /// With `{{.NAME}}` replaced. Other templates of Go stay, with a note.
    fn rendered(&self, text: &str, notes: &mut Vec<String>) -> String {
        let mut rendered = String::new();
        let mut rest = text;
        while let Some((before, tail)) = rest.split_once("{{") {
            rendered.push_str(before);
            let known = tail.split_once("}}").and_then(|(inner, after)| {
                let name = inner.trim().trim_matches('-').trim().strip_prefix('.')?;
                Some((self.vars.get(name)?, after))
            });
            match known {
                Some((value, after)) => {
                    rendered.push_str(value);
                    rest = after;
                }
                None => {
                    let note = "It has a Go template ({{ }}), which bgproc does not expand.";
                    if !notes.iter().any(|known| known == note) {
                        notes.push(note.to_owned());
                    }
                    rendered.push_str("{{");
                    rest = tail;
                }
            }
        }
        rendered.push_str(rest);
        rendered
    }
}

/// The inside of `${…}` at the start of a text, and what follows.
fn variable(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("${")?.split_once('}')
}

/// A variable as a template. An unset one is empty in process-compose.
fn expansion(inner: &str, notes: &mut Vec<String>) -> String {
    let end = inner
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let default = ["", ":-", ":=", "=", "-"]
        .iter()
        .find_map(|form| match (*form, rest) {
            ("", "") => Some(""),
            ("", _) => None,
            (form, rest) => rest.strip_prefix(form),
        });
    match default {
        Some(default) if is_name && !default.contains("${") => format!("${{{name}:-{default}}}"),
        _ => {
            notes.push(format!(
                "It has ${{{inner}}}, which bgproc does not expand."
            ));
            format!("$${{{inner}}}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(is_expanded: bool) -> Texts {
        let mut texts = Texts::new(is_expanded, None);
        texts.vars.insert("PORT".to_owned(), "80".to_owned());
        texts
    }

    #[test]
    fn templates_mean_the_same() {
        let mut notes = Vec::new();
        for (theirs, ours) in [
            ("a", "a"),
            ("${HOME}/x", "${HOME:-}/x"),
            ("${A:-b}", "${A:-b}"),
            ("${A-b}", "${A:-b}"),
            ("$$x", "$x"),
            ("$${x}", "$${x}"),
            ("$x", "$x"),
            ("http://h:{{ .PORT }}/", "http://h:80/"),
            ("ü${A}€", "ü${A:-}€"),
        ] {
            assert_eq!(texts(true).template(theirs, &mut notes), ours, "{theirs}");
        }
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(texts(true).template("${A/b/c}", &mut notes), "$${A/b/c}");
        assert_eq!(texts(true).template("{{.X}}", &mut notes), "{{.X}}");
        assert_eq!(notes.len(), 2);
        assert_eq!(texts(false).template("${A} $$", &mut notes), "$${A} $$");
    }

    #[test]
    fn shell_lines_stay_as_they_are() {
        let mut notes = Vec::new();
        let line = texts(true).line("echo $${X} $$Y ${Z} {{.PORT}}", &mut notes);
        assert_eq!(line, "echo ${X} $Y ${Z} 80");
        assert!(notes.is_empty());
    }
}
