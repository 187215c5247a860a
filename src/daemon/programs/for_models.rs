//! What differs if a model runs a command: models write bash, and nobody quits their pagers.

use std::collections::BTreeMap;

use super::program::{SHELL, find_named};
use crate::protocol::hello::Replies;
use crate::protocol::params::Start;
use crate::protocol::shell::quote;
use crate::protocol::{Error, Greeting};

/// What git runs as its editor: [`SCRIPT`]. Short, because git repeats it if it fails. A program of its own, because other
/// programs run it without a shell.
const EDITOR: &str = "sh -c 'eval \"${BGPROC_GIT_EDITOR:?}\"' sh";

/// The variable with the script that [`EDITOR`] runs.
const SCRIPT: &str = "BGPROC_GIT_EDITOR";

/// The end of the script, which begins with the `editor` of the command line, if it has one in a variable. One that is
/// given to git by `-c` comes first, as in git without `GIT_EDITOR`. Without any, a message is used as it is; a hunk or a
/// list of commits to rebase is not, because then git would do as if it had been edited. The hint of git that it waits
/// for its editor is erased, as git does when the editor has ended.
const EDITS: &str = "by() { \
     set -- \"$(git config --show-scope --get \"$1\" 2>/dev/null)\"; \
     case $1 in command?*) editor=${1#command?};; esac; }; \
     by core.editor; case $1 in *git-rebase-todo) by sequence.editor;; esac; \
     case $editor in *BGPROC_GIT_EDITOR*) editor=;; esac; \
     if [ \"$editor\" ]; then eval \"$editor \\\"\\$@\\\"\"; else \
     [ ! -t 2 ] || printf '\\r\\033[K' >&2; \
     no='bgproc: no editor here; start again with env'; case $1 in \
     *git-rebase-todo) echo \"$no {\\\"GIT_SEQUENCE_EDITOR\\\":\\\"vim\\\"}\" >&2; false;; \
     *addp-hunk-edit.diff) echo \"$no {\\\"GIT_EDITOR\\\":\\\"vim\\\"}\" >&2; false;; \
     *) echo 'bgproc: message left as it is; -m or EDITOR=COMMAND changes it' >&2;; esac; fi";

/// Programs that would wait for a key or show an editor, and what to run in their place.
const ENDING: [(&str, &str); 6] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_EDITOR", EDITOR),
    ("GIT_SEQUENCE_EDITOR", EDITOR),
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
    if params.shell.as_deref() == Some("") {
        return Err(Error::invalid("`shell` is empty"));
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
        if !has_editor {
            let script = script(greeting, &changes);
            changes.insert(SCRIPT.to_owned(), Some(script));
        }
    }
    changes
}

/// What [`EDITOR`] runs: the editor that a command line names for its git, or else what [`EDITS`] says. An `EDITOR` or
/// `VISUAL` that the command has from the environment of the client is not the line's own.
fn script(greeting: &Greeting, changes: &BTreeMap<String, Option<String>>) -> String {
    let inherited = |name: &str| match (changes.contains_key(name), &greeting.env) {
        // An editor that the request names is used without a script.
        (true, _) => None,
        (false, Some(env)) => env.get(name).cloned(),
        (false, None) => std::env::var(name).ok(),
    };
    let [editor, visual] = ["EDITOR", "VISUAL"].map(|name| inherited(name).unwrap_or_default());
    format!(
        "editor=; [ \"$EDITOR\" = {} ] || editor=$EDITOR; \
         [ \"$VISUAL\" = {} ] || editor=${{VISUAL:-$editor}}; {EDITS}",
        quote(&editor),
        quote(&visual)
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::daemon::programs::launchers::is_starting;

    fn model() -> Greeting {
        Greeting {
            replies: Replies::Lean,
            ..Greeting::default()
        }
    }

    #[test]
    fn an_allow_list_refuses_all_that_is_set_here() {
        for (name, _) in ENDING {
            assert!(is_starting(name), "{name}");
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
            assert!(!variables.contains_key(SCRIPT), "{name}");
        }
        let variables = with("EDITOR", None);
        assert_eq!(variables["GIT_EDITOR"], Some(EDITOR.to_owned()));
    }

    /// What the stand-in does with a file, for a client and a command with these variables: whether it succeeds, and
    /// what it writes.
    fn edited(client: &[(&str, &str)], command: &[(&str, &str)], file: &str) -> (bool, String) {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let greeting = Greeting {
            env: Some(client.iter().map(owned).collect()),
            ..model()
        };
        let ran = std::process::Command::new("sh")
            .args(["-c", &format!("{EDITOR} \"$@\""), "sh", file])
            .env_remove("EDITOR")
            .env_remove("VISUAL")
            .env(
                SCRIPT,
                variables(&greeting, &Start::default())[SCRIPT]
                    .as_ref()
                    .unwrap(),
            )
            .envs(client.iter().copied())
            .envs(command.iter().copied())
            .output()
            .unwrap();
        let written = [ran.stdout, ran.stderr].concat();
        let written = String::from_utf8_lossy(&written).into_owned();
        (ran.status.success(), written)
    }

    #[test]
    fn the_stand_in_runs_the_editor_of_the_line_only() {
        let message = ".git/COMMIT_EDITMSG";
        let inherited = [("EDITOR", "echo it's")];
        for (client, command) in [
            (&[][..], &[][..]),
            (&inherited, &[]),
            (&[], &[("EDITOR", EDITOR)]),
        ] {
            let (is_success, written) = edited(client, command, message);
            let says = written.starts_with("bgproc: message left as it is");
            assert!(is_success && says, "{command:?}: {written}");
        }
        for name in ["EDITOR", "VISUAL"] {
            let (is_success, written) = edited(&inherited, &[(name, "echo now")], message);
            assert!(is_success, "{name}");
            assert_eq!(written, format!("now {message}\n"), "{name}");
        }
        assert!(!edited(&[], &[("EDITOR", "false")], message).0);
    }

    #[test]
    fn the_stand_in_fails_where_git_would_go_on_unedited() {
        for (file, variable) in [
            (".git/rebase-merge/git-rebase-todo", "GIT_SEQUENCE_EDITOR"),
            (".git/addp-hunk-edit.diff", "GIT_EDITOR"),
        ] {
            let (is_success, written) = edited(&[], &[], file);
            let expected = format!(
                "bgproc: no editor here; start again with env {{\"{variable}\":\"vim\"}}\n"
            );
            assert_eq!((is_success, written), (false, expected));
        }
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
