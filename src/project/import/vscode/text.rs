//! Texts of tasks: the variables of VS Code in them, and words of shell lines.

use std::path::{Component, Path};

use crate::protocol::shell::quote;

/// The names of the directory of the project.
const ROOTS: [&str; 2] = ["workspaceFolder", "workspaceRoot"];

/// The directory of a task, as seen from that of the project; empty if it is the same one.
pub(super) fn directory(text: &str) -> Result<String, String> {
    let root = ROOTS.iter().find_map(|root| {
        let rest = text.strip_prefix("${")?.strip_prefix(root)?;
        rest.strip_prefix('}')
    });
    let dir = root.map_or(text, |rest| rest.trim_start_matches('/'));
    Texts { root: None }.template(dir)
}

/// How the texts of a task are read.
pub(super) struct Texts {
    /// The directory of the project, as seen from that of the task. `None` if it is not known.
    root: Option<String>,
}

impl Texts {
    /// For a task in this directory of the project.
    pub(super) fn in_directory(dir: &str) -> Self {
        let parts = Path::new(dir).components();
        let is_below =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let parts: Vec<Component<'_>> = parts.collect();
        let is_known = !dir.contains("${") && parts.iter().all(|part| is_below(*part));
        let depth = parts
            .iter()
            .filter(|part| matches!(part, Component::Normal(_)));
        let up = vec![".."; depth.count()].join("/");
        let root = if up.is_empty() { ".".to_owned() } else { up };
        Self {
            root: is_known.then_some(root),
        }
    }

    /// A shell line, in which the shell reads variables itself.
    pub(super) fn line(&self, text: &str) -> Result<String, String> {
        self.read(text, "${", |name| format!("${{{name}}}"), is_of_shell)
    }

    /// A text of a key that expands templates. VS Code takes a variable that is not set as empty.
    pub(super) fn template(&self, text: &str) -> Result<String, String> {
        self.read(text, "$${", |name| format!("${{{name}:-}}"), |_| false)
    }

    /// Replaces what bgproc knows of `${…}`. `open` stands for `${` that begins nothing.
    fn read(
        &self,
        text: &str,
        open: &str,
        variable: impl Fn(&str) -> String,
        stays: impl Fn(&str) -> bool,
    ) -> Result<String, String> {
        let mut read = String::new();
        let mut rest = text;
        while let Some((before, tail)) = rest.split_once("${") {
            read.push_str(before);
            let Some((inner, after)) = tail.split_once('}') else {
                read.push_str(open);
                rest = tail;
                continue;
            };
            let of_environment = inner.strip_prefix("env:").filter(|name| is_name(name));
            match (of_environment, &self.root) {
                (Some(name), _) => read.push_str(&variable(name)),
                (None, Some(root)) if ROOTS.contains(&inner) => read.push_str(root),
                (None, _) if stays(inner) => read.push_str(&format!("${{{inner}}}")),
                _ => return Err(format!("bgproc does not know ${{{inner}}} of VS Code")),
            }
            rest = after;
        }
        read.push_str(rest);
        Ok(read)
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}

/// Whether the inside of `${…}` is a variable of the shell: VS Code has none in capitals.
fn is_of_shell(inner: &str) -> bool {
    is_name(inner) && !inner.chars().any(|c| c.is_ascii_lowercase())
}

/// A word of a shell line as VS Code quotes it: as it is said, else if it has blanks and no quotes of its own.
pub(super) fn word(text: &str, quoting: Option<&str>) -> String {
    let has_quotes = |text: &str| text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']);
    match quoting {
        None if text.contains(char::is_whitespace) && !has_quotes(text) => weak(text),
        None => text.to_owned(),
        Some("weak") => weak(text),
        // VS Code replaces its variables before it quotes.
        Some(_) if text.contains("${") => weak(text),
        Some(_) => quote(text).into_owned(),
    }
}

/// A word in which the shell reads variables.
fn weak(text: &str) -> String {
    if text.contains('$') {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        quote(text).into_owned()
    }
}
