//! A command that is typed into a shell which runs already, and the marks that show where its output begins and
//! ends.
//!
//! The marks are those of FinalTerm's shell integration (OSC 133, "semantic prompts"): `C` before the output of a
//! command and `D` with the exit code after it. A parameter of our own, `bgproc`, names the command. Terminals
//! show none of it.

use super::shell_marks::MarkReader;
use crate::protocol::params::ShellLanguage;
use crate::term::shell_report::Mark;

/// The language of a shell, by the name of its program. A program with another name may be one that runs a
/// shell elsewhere, such as `ssh`; a Bourne shell is the likely one.
pub fn language_of(program: &str) -> ShellLanguage {
    match program {
        "fish" => ShellLanguage::Fish,
        _ => ShellLanguage::Posix,
    }
}

/// Shells that read their commands themselves.
const SHELLS: [&str; 9] = [
    "sh", "bash", "dash", "ash", "busybox", "ksh", "mksh", "zsh", "fish",
];

/// Whether a program is a shell. Any other program that takes commands runs one elsewhere.
pub fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Shells with a line editor, which takes the terminal out of canonical mode. If such a shell reads a line in
/// canonical mode, its builtin `read` does.
const EDITING_SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Whether a program is a shell that edits the lines of its terminal itself.
pub fn edits_lines(program: &str) -> bool {
    EDITING_SHELLS.contains(&program)
}

/// Options of shells that take the next word, apart from those that end in `o`.
const WITH_VALUE: [&str; 6] = [
    "-O",
    "+O",
    "-C",
    "--rcfile",
    "--init-file",
    "--init-command",
];

/// Whether a shell with these arguments (its own name first) runs a script or a command line (`sh FILE`, `sh -c LINE`). A
/// line that it reads is then one of text, not a command.
pub fn runs_script<'a>(arguments: impl IntoIterator<Item = &'a str>) -> bool {
    let mut words = arguments.into_iter();
    if words.next().is_some_and(|name| name.ends_with("busybox")) {
        // The name of the applet.
        words.next();
    }
    while let Some(word) = words.next() {
        match word {
            "-" | "--" => return words.next().is_some(),
            _ if WITH_VALUE.contains(&word) => drop(words.next()),
            _ if word.starts_with("--") => {}
            _ if word.starts_with(['-', '+']) => {
                if word.contains('c') {
                    return true;
                }
                if word.contains('s') {
                    // It reads commands, and the other words are their parameters.
                    return false;
                }
                if word.ends_with('o') {
                    words.next();
                }
            }
            _ => return true,
        }
    }
    false
}

/// Programs that carry the lines they read to a shell elsewhere. With a terminal at the other end they read keys, as an
/// unknown carrier would.
const CARRIERS: [&str; 9] = [
    "ssh", "docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus", "telnet",
];

/// Whether a program that reads lines carries them to a shell elsewhere.
pub fn is_carrier(program: &str) -> bool {
    CARRIERS.contains(&program)
}

/// Programs that read lines, but of another language than a shell's: interpreters, debuggers, databases, pagers
/// and editors. Any other program may be a shell, or may run one elsewhere.
const OTHERS: [&str; 26] = [
    "python",
    "ipython",
    "pypy",
    "node",
    "deno",
    "bun",
    "irb",
    "pry",
    "lua",
    "luajit",
    "php",
    "perl",
    "ghci",
    "R",
    "julia",
    "gdb",
    "lldb",
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "redis-cli",
    "mongosh",
    "less",
    "vi",
    "vim",
];

/// Whether a program is known to read something else than the commands of a shell.
pub fn is_other(program: &str) -> bool {
    let name = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    OTHERS.contains(&program) || OTHERS.contains(&name)
}

/// The name of one command in its marks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandId(String);

impl CommandId {
    /// Number of characters.
    const LENGTH: usize = 8;

    /// A new one.
    pub fn fresh() -> Self {
        let alphabet: Vec<char> = ('a'..='z').chain('0'..='9').collect();
        Self(nanoid::nanoid!(Self::LENGTH, &alphabet))
    }

    fn parse(text: &str) -> Option<Self> {
        let fits = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
        let is_one = text.len() == Self::LENGTH && text.chars().all(fits);
        is_one.then(|| Self(text.to_owned()))
    }

    /// The parameter of its marks.
    fn param(&self) -> String {
        format!(";bgproc={}", self.0)
    }

    /// The line to type, without Enter: it writes the marks around the command, which is evaluated by the shell
    /// itself, so that it can change its directory and its variables.
    ///
    /// The line has no control characters, because a line editor would act on them: a tab completes. A shell
    /// keeps a line that begins with a space out of its history, if it is set up so.
    pub fn line(&self, command: &str, language: ShellLanguage) -> String {
        let name = self.param();
        let begin = format!(r"printf '\033]133;C{name}\007'");
        let end = format!(r"printf '\033]133;D;%s{name}\007'");
        let (eval, status) = match language {
            ShellLanguage::Posix => (posix(command), "\"$?\""),
            ShellLanguage::Fish => (fish(command), "$status"),
        };
        format!(" {begin}; {eval}; {end} {status}")
    }
}

/// A command that was typed into a shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypedCommand {
    /// Its name.
    pub id: CommandId,
    /// Offset of the log before the line that was typed.
    pub from: u64,
    /// The process group in the foreground, if it is a program that runs the shell elsewhere, such as `ssh`. It
    /// seems to wait for input all the time.
    pub carrier: Option<u32>,
}

impl TypedCommand {
    /// The text with which a client refers to it.
    pub fn token(&self) -> String {
        let Self { id, from, carrier } = self;
        format!("{}@{from}@{}", id.0, carrier.unwrap_or_default())
    }

    /// Reads the text that a client was given.
    pub fn parse(token: &str) -> Option<Self> {
        let (id, rest) = token.split_once('@')?;
        let (from, carrier) = rest.split_once('@')?;
        Some(Self {
            id: CommandId::parse(id)?,
            from: from.parse().ok()?,
            carrier: Some(carrier.parse().ok()?).filter(|group| *group > 0),
        })
    }
}

/// The command as an argument of `eval` in a Bourne shell.
fn posix(command: &str) -> String {
    if command.chars().any(char::is_control) {
        format!("eval \"$(printf '{}')\"", escaped(command))
    } else {
        format!("eval '{}'", command.replace('\'', r"'\''"))
    }
}

/// The command as an argument of `eval` in fish, where a backslash escapes also within quotes.
fn fish(command: &str) -> String {
    if command.chars().any(char::is_control) {
        let escaped = escaped(command).replace('\\', r"\\");
        format!("eval (printf '{escaped}' | string collect)")
    } else {
        let quoted = command.replace('\\', r"\\").replace('\'', r"\'");
        format!("eval '{quoted}'")
    }
}

/// The text as a format of printf(1), within single quotes.
fn escaped(command: &str) -> String {
    let mut text = String::with_capacity(command.len() + 16);
    for char in command.chars() {
        match char {
            '%' => text.push_str("%%"),
            '\\' => text.push_str(r"\\"),
            '\'' => text.push_str(r"\047"),
            char if char.is_ascii_control() => text.push_str(&format!(r"\{:03o}", char as u32)),
            char => text.push(char),
        }
    }
    text
}

/// Where a command's output is in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Offset of the end of its output.
    pub at: u64,
    /// Offset behind the mark that says so.
    pub after: u64,
    /// Its exit code; `None` if the shell gave none.
    pub code: Option<i32>,
}

/// Finds the marks of one command in a log, as it is written.
#[derive(Clone, Debug)]
pub struct MarkSearch {
    reader: MarkReader,
    /// The parameter that names the command.
    name: String,
    began: Option<u64>,
    ended: Option<Ended>,
}

impl MarkSearch {
    /// A search for the marks of a command, from an offset of the log on.
    pub fn new(id: &CommandId, from: u64) -> Self {
        Self {
            reader: MarkReader::new(from),
            name: id.param(),
            began: None,
            ended: None,
        }
    }

    /// Offset at which the output of the command begins, once it is found.
    pub fn began(&self) -> Option<u64> {
        self.began
    }

    /// The end of the command, once it is found.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Searches the bytes at `offset`, which follow those before.
    pub fn feed(&mut self, offset: u64, bytes: &[u8]) {
        let (name, began, ended) = (&self.name, &mut self.began, &mut self.ended);
        self.reader.feed(offset, bytes, |placed| {
            if !placed.params.ends_with(name.as_bytes()) {
                return;
            }
            match placed.mark() {
                Some(Mark::Output) if began.is_none() => *began = Some(placed.end),
                Some(Mark::End(code)) if ended.is_none() => {
                    let (at, after) = (placed.start, placed.end);
                    *ended = Some(Ended { at, after, code });
                }
                _ => {}
            }
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use memchr::memmem;

    use super::*;

    fn id() -> CommandId {
        CommandId::parse("abcd1234").unwrap()
    }

    #[test]
    fn a_shell_that_runs_a_script_is_known_by_its_arguments() {
        let runs = |line: &str| runs_script(line.split(' '));
        for at_prompt in [
            "sh",
            "-bash",
            "bash --norc -i",
            "bash --rcfile x -i",
            "sh -s a b",
            "dash -o vi",
            "dash -eo vi",
            "zsh -f",
            "fish -C ls",
            "busybox sh",
            "/bin/busybox ash -l",
            "ksh --",
            "bash +O extglob",
        ] {
            assert!(!runs(at_prompt), "{at_prompt}");
        }
        for script in [
            "sh x.sh",
            "sh -c ls",
            "sh -ec ls",
            "bash --norc x",
            "dash -o errexit x",
            "sh - x",
            "sh -- x",
            "busybox sh x",
            "/bin/sh -x ./x a -s",
            "bash --rcfile y -c ls",
        ] {
            assert!(runs(script), "{script}");
        }
    }

    #[test]
    fn the_marks_are_found_in_pieces_of_any_size() {
        let log =
            b"$ printf '\\033]133;C;bgproc=abcd1234\\007'\r\n\x1b]133;C;bgproc=abcd1234\x07one\r\n\
            \x1b]133;D;7;bgproc=other123\x07two\r\n\x1b]133;D;130;bgproc=abcd1234\x07$ ";
        let begin = memmem::find(log, b"one").unwrap() as u64;
        let end = memmem::find(log, b"\x1b]133;D;130").unwrap() as u64;
        let after = (log.len() - "$ ".len()) as u64;
        for size in 1..log.len() {
            let mut search = MarkSearch::new(&id(), 5);
            for (n, piece) in log.chunks(size).enumerate() {
                search.feed(5 + (n * size) as u64, piece);
            }
            assert_eq!(search.began(), Some(5 + begin), "{size}");
            let ended = Ended {
                at: 5 + end,
                after: 5 + after,
                code: Some(130),
            };
            assert_eq!(search.ended(), Some(ended), "{size}");
        }
    }

    #[test]
    fn the_end_is_found_right_after_the_beginning() {
        let log = b"\x1b]133;C;bgproc=abcd1234\x07a\x1b]133;D;0;bgproc=abcd1234\x07";
        for size in 1..log.len() {
            let mut search = MarkSearch::new(&id(), 0);
            for (n, piece) in log.chunks(size).enumerate() {
                search.feed((n * size) as u64, piece);
            }
            assert_eq!(
                search.ended().map(|ended| ended.code),
                Some(Some(0)),
                "{size}"
            );
        }
    }

    #[test]
    fn the_typed_line_is_not_a_mark_and_has_no_control_characters() {
        for language in [ShellLanguage::Posix, ShellLanguage::Fish] {
            let line = id().line("for i in 1 2; do\n\techo \"%$i\\n\"\ndone", language);
            assert!(!line.chars().any(char::is_control), "{line}");
            let mut search = MarkSearch::new(&id(), 0);
            search.feed(0, line.as_bytes());
            assert_eq!((search.began(), search.ended()), (None, None));
        }
    }

    #[test]
    fn versions_of_interpreters_are_known() {
        assert!(
            is_other("python3.12") && is_other("R") && is_other("sqlite3") && is_other("lua5.4")
        );
        assert!(!is_other("bash") && !is_other("ssh") && !is_other("docker"));
    }
}
