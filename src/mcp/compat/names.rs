//! What a tool set calls the parameters, actions and sessions of the protocol.
//!
//! The daemon names its own parameters in errors, which a caller of these tools has never seen. Every error
//! of an action is therefore translated here, in one place. A hint that names something that the set does
//! not have is dropped.

use crate::protocol::{Error, ErrorCode};

/// The names of a tool set.
#[derive(Debug)]
pub struct Names {
    /// Its name for each parameter, after the name in the protocol. Equal names are left out.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Its tool or action for each action of the protocol that a hint may recommend.
    pub actions: &'static [(&'static str, &'static str)],
    /// What it calls a session, as the first word of a message.
    pub session: &'static str,
}

impl Names {
    /// An error in these names.
    pub fn translate(&self, mut error: Error) -> Error {
        // Other errors quote what the caller wrote, such as the name of a program, and no parameters.
        if error.code == ErrorCode::InvalidParams {
            error.message = in_quotes(&error.message, |word| self.parameter(word).or(Some(word)))
                .unwrap_or_default();
        }
        if let Some(rest) = error.message.strip_prefix("Session ") {
            error.message = format!("{} {rest}", self.session);
        }
        error.hint = error
            .hint
            .and_then(|hint| in_quotes(&hint, |word| self.in_hint(word)));
        error
    }

    fn parameter(&self, word: &str) -> Option<&'static str> {
        find(self.parameters, word)
    }

    /// The name of a word of a hint. `None` if it is a name of the protocol that the set does not have.
    fn in_hint<'a>(&self, word: &'a str) -> Option<&'a str> {
        let ours = word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_alphabetic());
        match find(self.actions, word).or(self.parameter(word)) {
            None if ours => None,
            None => Some(word),
            theirs => theirs,
        }
    }
}

fn find(table: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    let found = table.iter().find(|(ours, _)| *ours == word);
    found.map(|(_, theirs)| *theirs)
}

/// Replaces each word in backquotes. Returns `None` if `replace` does.
fn in_quotes<'a>(text: &'a str, replace: impl Fn(&'a str) -> Option<&'a str>) -> Option<String> {
    let parts: Vec<&str> = text.split('`').collect();
    let mut out = Vec::with_capacity(parts.len());
    for (place, part) in parts.iter().enumerate() {
        // Every second part is in quotes, except one after a quote that is not closed.
        let quoted = place % 2 == 1 && place + 1 < parts.len();
        out.push(if quoted { replace(part)? } else { part });
    }
    Some(out.join("`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Names = Names {
        parameters: &[("sessionId", "processId"), ("cwd", "workdir")],
        actions: &[("kill", "kill_process")],
        session: "Process",
    };

    #[test]
    fn a_message_names_the_callers_parameters() {
        let error = NAMES.translate(Error::invalid("`cwd` of `x`: `sessionId` and `cwdx`, `"));
        assert_eq!(error.message, "`workdir` of `x`: `processId` and `cwdx`, `");
        let error = NAMES.translate(Error::session_not_found("cwd"));
        assert_eq!(error.message, "Process cwd not found");
        let quoted = Error::new(ErrorCode::PermissionDenied, "`cwd` is not allowed here");
        assert_eq!(NAMES.translate(quoted.clone()).message, quoted.message);
    }

    #[test]
    fn a_hint_names_only_what_the_set_has() {
        for (hint, expected) in [
            (
                "`kill` one; see `max_sessions`",
                Some("`kill_process` one; see `max_sessions`"),
            ),
            ("did you mean `TERM`?", Some("did you mean `TERM`?")),
            ("without `args`, a shell runs `command`", None),
            ("`restart` runs it again", None),
            ("look first", Some("look first")),
        ] {
            let error = NAMES.translate(Error::internal("x").hint(hint));
            assert_eq!(error.hint.as_deref(), expected, "{hint}");
        }
    }
}
