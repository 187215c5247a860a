//! What differs if a model runs a command: models write bash, and nobody quits their pagers.

use std::collections::BTreeMap;

use super::program::{SHELL, find_named};
use crate::protocol::hello::Replies;
use crate::protocol::params::Start;
use crate::protocol::{Error, Greeting};

/// What git runs as the editor of a list of commits: it says why there is none, and fails. The shell that runs it adds
/// the file to the comment.
const NO_SEQUENCE_EDITOR: &str = "echo 'bgproc: no editor here; set GIT_SEQUENCE_EDITOR in `env`, \
     or `pagers`:true and type into it' >&2; false #";

/// What git runs as any other editor: it leaves the file as it is, but says why a hunk of `git add -p` is not edited, and
/// fails. A program of its own, because other programs run it without a shell.
const EDITOR: &str = "sh -c 'case \"$1\" in *addp-hunk-edit.diff) \
     echo \"bgproc: no editor here; set GIT_EDITOR in env, or pagers:true and type into it\" >&2; false;; esac' sh";

/// Programs that would wait for a key or show an editor, and what to run in their place. A message of git is used as it
/// is; a hunk or a list of commits to rebase is not, because then git would do as if it had been edited.
const ENDING: [(&str, &str); 6] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_EDITOR", EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_SEQUENCE_EDITOR),
];

/// The variables that name the editor of git.
const EDITORS: [&str; 3] = ["EDITOR", "VISUAL", "GIT_EDITOR"];

/// The shell for a command line, as a path; `None`: [`SHELL`].
///
/// Under an allow-list it is always that one, because the check of lines knows its syntax only.
pub(crate) fn shell(greeting: &Greeting, params: &Start) -> Result<Option<String>, Error> {
    if params.args.is_some() {
        return match params.shell {
            Some(_) => Err(Error::invalid(
                "`shell` runs a line, and `args` are for a program; give one",
            )),
            None => Ok(None),
        };
    }
    let named = params.shell.as_ref().or(greeting.defaults.shell.as_ref());
    if greeting.policy.allow.is_some() {
        return match &params.shell {
            Some(shell) if shell != SHELL && shell != "sh" => Err(Error::invalid(
                "`shell`: with an allow-list, lines are run by /bin/sh",
            )),
            _ => Ok(None),
        };
    }
    match named {
        Some(shell) => {
            let found = find_named(greeting, shell);
            let found = found.map_err(|error| Error {
                message: format!("`shell`: {}", error.message),
                hint: Some("for example \"bash\" or \"/bin/sh\"".to_owned()),
                ..error
            });
            found.map(|shell| Some(shell).filter(|shell| shell != SHELL))
        }
        None if greeting.replies == Replies::Lean => Ok(find_named(greeting, "bash").ok()),
        None => Ok(None),
    }
}

/// The variables for a command: those of the request, and for a model pagers and editors that end.
pub(crate) fn variables(greeting: &Greeting, params: &Start) -> BTreeMap<String, Option<String>> {
    let mut changes = params.env.clone().unwrap_or_default();
    let keeps = params.pagers.or(greeting.defaults.pagers);
    if !keeps.unwrap_or(greeting.replies == Replies::Full) {
        // Whoever names an editor wants it.
        let has_editor = EDITORS
            .iter()
            .any(|name| matches!(changes.get(*name), Some(Some(_))));
        for (name, program) in ENDING {
            if has_editor && name.ends_with("EDITOR") {
                continue;
            }
            changes
                .entry(name.to_owned())
                .or_insert_with(|| Some(program.to_owned()));
        }
    }
    changes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn model() -> Greeting {
        Greeting {
            replies: Replies::Lean,
            ..Greeting::default()
        }
    }

    #[test]
    fn a_model_gets_bash_and_pagers_that_end() {
        let start = Start::default();
        let shell = shell(&model(), &start).unwrap();
        assert!(shell.is_none_or(|shell| shell.ends_with("/bash")));
        assert_eq!(variables(&model(), &start)["PAGER"], Some("cat".to_owned()));
        assert!(variables(&Greeting::default(), &start).is_empty());
    }

    #[test]
    fn a_request_decides_before_the_default() {
        let start = Start {
            shell: Some("sh".to_owned()),
            env: Some([("PAGER".to_owned(), Some("less".to_owned()))].into()),
            ..Start::default()
        };
        assert!(shell(&model(), &start).unwrap().unwrap().ends_with("sh"));
        let variables_of = variables(&model(), &start);
        assert_eq!(variables_of["PAGER"], Some("less".to_owned()));
        let keeping = Start {
            pagers: Some(true),
            ..Start::default()
        };
        assert!(variables(&model(), &keeping).is_empty());
    }

    #[test]
    fn an_editor_that_is_named_is_used_by_git() {
        let with = |name: &str, value: Option<&str>| {
            let start = Start {
                env: Some([(name.to_owned(), value.map(str::to_owned))].into()),
                ..Start::default()
            };
            variables(&model(), &start)
        };
        for name in EDITORS {
            let variables = with(name, Some("vim"));
            assert_eq!(variables[name], Some("vim".to_owned()));
            assert!(!variables.contains_key("GIT_SEQUENCE_EDITOR"), "{name}");
            assert_eq!(variables.contains_key("GIT_EDITOR"), name == "GIT_EDITOR");
            assert_eq!(variables["GIT_PAGER"], Some("cat".to_owned()));
        }
        let variables = with("EDITOR", None);
        assert_eq!(variables["GIT_EDITOR"], Some(EDITOR.to_owned()));
    }

    #[test]
    fn a_shell_that_is_missing_is_named() {
        let start = Start {
            shell: Some("no-such-shell".to_owned()),
            ..Start::default()
        };
        let error = shell(&model(), &start).unwrap_err();
        assert!(
            error.message.starts_with("`shell`: no-such-shell"),
            "{error:?}"
        );
    }
}
