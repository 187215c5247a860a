//! Shell lines that only bash understands. /bin/sh runs the lines, which on many machines is another shell, and says
//! only `source: not found`.

use crate::cli::output::advised;
use crate::protocol::Record;
use crate::protocol::shell::quote;

/// Words of bash that are commands for other shells.
const WORDS: [&str; 5] = ["source", "[[", "pushd", "popd", "shopt"];

/// The exit codes of /bin/sh for a command that it did not find, and for a line that it could not read.
const NOT_FOUND: i32 = 127;
const SYNTAX: i32 = 2;

/// The longest line that is repeated in a hint, in characters.
const SHORT: usize = 60;

/// What to do if /bin/sh has run the line of a failed job and did not know a word of bash in it. `output` holds its last
/// lines.
pub(in crate::cli) fn lead(job: &Record, output: &[String]) -> Option<String> {
    let summary = &job.summary;
    let line = summary.args.is_none().then_some(summary.command.as_str())?;
    // Another shell that a project or an agent has chosen names itself.
    let of_sh = output
        .iter()
        .filter(|said| said.starts_with("sh: ") || said.starts_with("/bin/sh: "));
    let mut said = of_sh.map(String::as_str);
    let is_refused = match summary.exit_code {
        Some(NOT_FOUND) => said.any(|said| words(line).any(|word| is_unknown(word, said))),
        Some(SYNTAX) => {
            line.contains("<(") && said.any(|said| said.contains("Syntax error: \"(\""))
        }
        _ => false,
    };
    let with_bash = match &summary.project {
        Some(_) => "shell = [\"bash\", \"-c\"] in the project file".to_owned(),
        None => advised(&of_bash(line)),
    };
    is_refused.then(|| format!("/bin/sh runs the line; for bash: {with_bash}"))
}

/// What to do about a line whose first word was not found before it was run.
pub(in crate::cli) fn lead_of_word(line: &str, word: &str) -> Option<String> {
    let is_of_bash = WORDS.contains(&word);
    is_of_bash.then(|| format!("/bin/sh runs the line; for bash: {}", of_bash(line)))
}

/// Whether a shell says that it did not find this word.
fn is_unknown(word: &str, said: &str) -> bool {
    said.ends_with(&format!(": {word}: not found"))
}

/// The words of bash in a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c.is_whitespace() || ";&|()`".contains(c));
    words.filter(|word| WORDS.contains(word))
}

fn of_bash(line: &str) -> String {
    if line.chars().count() > SHORT || line.contains('\n') {
        return "bgproc run bash -c 'COMMAND LINE'".to_owned();
    }
    format!("bgproc run bash -c {}", quote(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Status;

    fn said(line: &str, code: i32, output: &str) -> Option<String> {
        let mut job = record("a", None, Status::Error);
        job.summary.command = line.to_owned();
        job.summary.exit_code = Some(code);
        lead(&job, &[output.to_owned()])
    }

    #[test]
    fn a_word_of_bash_that_sh_does_not_know_is_explained() {
        assert_eq!(
            said("source ~/.bashrc && x", 127, "sh: 1: source: not found").as_deref(),
            Some("/bin/sh runs the line; for bash: bgproc run bash -c 'source ~/.bashrc && x'")
        );
        let unread = "sh: 1: Syntax error: \"(\" unexpected";
        for (line, code, output) in [
            ("a;[[ -e x ]]", 127, "sh: 1: [[: not found"),
            ("(pushd /tmp)", 127, "/bin/sh: pushd: not found"),
            ("diff <(a) <(b)", 2, unread),
        ] {
            assert!(said(line, code, output).is_some(), "{line}");
        }
        for (line, code, output) in [
            ("eslint source", 127, "sh: 1: eslint: not found"),
            ("source x", 127, "bash: source: x: not found"),
            ("./make.sh", 127, "sh: 1: source: not found"),
            ("source x", 1, "sh: 1: source: not found"),
            ("f() (", 2, unread),
        ] {
            assert_eq!(said(line, code, output), None, "{line}");
        }
    }

    #[test]
    fn a_long_line_is_not_repeated() {
        let line = format!("source {}", "x".repeat(100));
        let said = said(&line, 127, "sh: 1: source: not found").unwrap_or_default();
        assert!(
            said.ends_with(" bgproc run bash -c 'COMMAND LINE'"),
            "{said}"
        );
        let word = lead_of_word("source x", "source").unwrap_or_default();
        assert!(word.ends_with(" bgproc run bash -c 'source x'"), "{word}");
        assert_eq!(lead_of_word("sauce x", "sauce"), None);
    }
}
