//! Arguments and variables with which an allowed program starts another program. If an allow-list
//! is in force, they are refused.
//!
//! An allow-list with `git` allows what git does by itself, but not programs that an argument such
//! as `-c core.pager=…` makes it run. The rules here cover what the command line and the variables
//! show. Files that a program reads (a repository's hooks, a makefile) can start programs as well,
//! and are not checked: an allow-list is not a sandbox.

use super::shell_line::Argument;

/// Variables that name a program to start, or a file that can name one.
const VARIABLES: [&str; 50] = [
    "VISUAL",
    "SHELL",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "LESS",
    "LESSOPEN",
    "LESSCLOSE",
    "LESSEDIT",
    "VIMINIT",
    "EXINIT",
    "RSYNC_CONNECT_PROG",
    "TAR_OPTIONS",
    "TAPE",
    "MAKEFLAGS",
    "MAKEFILES",
    "GNUMAKEFLAGS",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "WGETRC",
    "CURL_HOME",
    "AWKPATH",
    "AWKLIBPATH",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "LESSKEY",
    "FZF_DEFAULT_COMMAND",
    "PSQLRC",
    "HGRCPATH",
    "HG",
    "DOTNET_STARTUP_HOOKS",
    "CORECLR_PROFILER_PATH",
    "JDK_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "ANSIBLE_CONFIG",
    "PHPRC",
    "PYTHONUSERBASE",
    "ZDOTDIR",
    "RUSTFLAGS",
    "CC",
];

/// Prefixes of the names of further such variables.
const PREFIXES: [&str; 8] = [
    "GIT_",
    "LUA_INIT",
    "PERL5",
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "NPM_CONFIG_",
    "npm_config_",
];

/// Suffixes of the names of further such variables: `SYSTEMD_PAGER`, `KUBE_EDITOR`, `SSH_ASKPASS`.
const SUFFIXES: [&str; 6] = ["PAGER", "EDITOR", "BROWSER", "ASKPASS", "_RSH", "_SSH"];

/// Variables with the prefix `GIT_` that only name a person or a date, or are otherwise harmless.
const HARMLESS: [&str; 7] = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_TERMINAL_PROMPT",
];

/// Whether a variable can make a program start another one.
pub(crate) fn is_starting(name: &str) -> bool {
    let begins = || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let ends = || SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
    VARIABLES.contains(&name) || ends() || (begins() && !HARMLESS.contains(&name))
}

/// Describes the argument of `program` that starts another program, if there is one.
pub(crate) fn starting(program: &str, arguments: &[Argument]) -> Option<String> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let rules = RULES.iter().find(|rules| rules.names.contains(&name))?;
    // The result of a shell expansion is not known here. It may be an option, unless the text
    // before the expansion begins with something other than a dash.
    let unknown = |argument: &&Argument| {
        argument.is_expanded && (argument.begins.is_empty() || argument.begins.starts_with('-'))
    };
    if let Some(argument) = arguments.iter().find(unknown) {
        let shown = &argument.text;
        return Some(format!(
            "an argument of {name} that the shell expands (`…{shown}`)"
        ));
    }
    let words: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.text.as_str())
        .collect();
    let words = words.as_slice();
    let found = match name {
        "git" => git(words),
        "zip" => zip(words),
        _ => None,
    };
    found
        .or_else(|| rules.option(words))
        .map(|what| format!("`{what}` of {name}, which runs another program"))
}

/// The options with which some programs start another program.
struct Rules {
    names: &'static [&'static str],
    /// Long options, which may be abbreviated.
    long: &'static [&'static str],
    /// Arguments that are refused as they are.
    exact: &'static [&'static str],
    /// Short options that start another program, also within clusters such as `-xI`.
    short: &'static str,
    /// Short options that take a value: the rest of a cluster after one of them is its value.
    takes: &'static str,
    /// Prefixes, in lower case, of refused values of `-o`.
    settings: &'static [&'static str],
    /// Number of operands after which this program does not look for options.
    operands: usize,
}

const NONE: Rules = Rules {
    names: &[],
    long: &[],
    exact: &[],
    short: "",
    takes: "",
    settings: &[],
    operands: usize::MAX,
};

const SETTINGS: &[&str] = &[
    "proxycommand",
    "localcommand",
    "permitlocalcommand",
    "knownhostscommand",
    "include",
    "pkcs11provider",
    "securitykeyprovider",
    "xauthlocation",
    "match",
];

const RULES: [Rules; 11] = [
    Rules {
        names: &["git"],
        long: &[
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "--exec-path",
            "--config-env",
            "--open-files-in-pager",
            "--extcmd",
            "--template",
            "--ext-diff",
            "--config",
        ],
        ..NONE
    },
    Rules {
        names: &["ssh"],
        short: "FI",
        takes: "BbcDEeFIiJLlmOopQRSWw",
        settings: SETTINGS,
        // The host and the first word of its command; the rest runs on the other host.
        operands: 2,
        ..NONE
    },
    Rules {
        names: &["scp", "sftp"],
        short: "FSD",
        takes: "BbcDFiJloPRSsX",
        settings: SETTINGS,
        ..NONE
    },
    Rules {
        names: &["rsync"],
        long: &["--rsh", "--rsync-path", "--early-input"],
        short: "e",
        takes: "eBfMT",
        ..NONE
    },
    Rules {
        names: &["tar", "bsdtar", "gtar"],
        long: &[
            "--checkpoint-action",
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "--rmt-command",
            "--info-script",
            "--new-volume-script",
        ],
        short: "IF",
        takes: "CfgbHKLNTVX",
        ..NONE
    },
    Rules {
        names: &["find"],
        exact: &["-exec", "-execdir", "-ok", "-okdir"],
        ..NONE
    },
    Rules {
        names: &["fd", "fdfind"],
        long: &["--exec", "--exec-batch"],
        short: "xX",
        takes: "dEtecCjS",
        ..NONE
    },
    Rules {
        names: &["rg"],
        long: &["--pre", "--hostname-bin"],
        ..NONE
    },
    Rules {
        names: &["sort", "split"],
        long: &["--compress-program", "--filter"],
        ..NONE
    },
    Rules {
        names: &["zip"],
        long: &["--unzip-command"],
        ..NONE
    },
    Rules {
        names: &["wget"],
        long: &["--use-askpass", "--execute", "--config"],
        short: "e",
        takes: "aoiBOePtTwQUDARXI",
        ..NONE
    },
];

impl Rules {
    /// The first argument that starts another program; `None` if there is none.
    fn option<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
        let mut operands = 0;
        let mut skip = false;
        for (at, word) in words.iter().enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            if operands >= self.operands {
                return None;
            }
            if self.exact.contains(word) {
                return Some(word);
            }
            if let Some(long) = word.strip_prefix("--") {
                let name = long.split('=').next().unwrap_or(long);
                let is = |option: &&str| {
                    let option = option.trim_start_matches('-');
                    // Programs accept any abbreviation.
                    !name.is_empty() && option.starts_with(name)
                };
                if self.long.iter().any(is) {
                    return Some(word);
                }
                continue;
            }
            let Some(options) = cluster(word) else {
                // `tar cfI a.tar PROGRAM`: all letters of the first word are options of tar, and their values are the
                // words behind it.
                let is_cluster = at == 0 && self.names.contains(&"tar");
                if is_cluster && word.contains(|letter| self.short.contains(letter)) {
                    return Some(word);
                }
                operands += 1;
                continue;
            };
            match first_of(options, self.short, self.takes) {
                Short::Refused => return Some(word),
                Short::Takes(letter, rest) => {
                    skip = rest.is_empty();
                    let next = words.get(at + 1).copied();
                    let (value, named) = match next {
                        Some(next) if skip => (next, next),
                        _ => (rest, *word),
                    };
                    if letter == 'o' && self.is_refused_setting(value) {
                        return Some(named);
                    }
                }
                Short::Harmless => {}
            }
        }
        None
    }

    /// Whether this is a refused value of `-o`. ssh passes over blanks, quotes and `=` before the name.
    fn is_refused_setting(&self, value: &str) -> bool {
        let setting = value
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '=' | '"'))
            .to_lowercase();
        let mut names = self.settings.iter();
        names.any(|name| setting.starts_with(name))
    }
}

/// The letters of a word of short options, such as `xvf` of `-xvf`.
fn cluster(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-')?;
    (!letters.is_empty() && !letters.starts_with('-')).then_some(letters)
}

/// What matters in the letters of a word of short options.
enum Short<'a> {
    /// One of them is refused.
    Refused,
    /// This one takes a value: the rest of the word, or the next word if that is empty.
    Takes(char, &'a str),
    Harmless,
}

/// The first letter that is in `refused`, or in `takes`, since all behind it is its value.
fn first_of<'a>(letters: &'a str, refused: &str, takes: &str) -> Short<'a> {
    for (place, letter) in letters.char_indices() {
        if refused.contains(letter) {
            return Short::Refused;
        }
        if takes.contains(letter) {
            return Short::Takes(letter, &letters[place + letter.len_utf8()..]);
        }
    }
    Short::Harmless
}

/// Rules for zip only, whose `-TT` is one option, also behind others in a word.
fn zip<'a>(words: &[&'a str]) -> Option<&'a str> {
    let is_refused = |word: &&str| cluster(word).is_some_and(|letters| letters.contains("TT"));
    words.iter().copied().find(is_refused)
}

/// Prefixes, in lower case, of git settings that name no program.
const HARMLESS_SETTINGS: [&str; 9] = [
    "user.name=",
    "user.email=",
    "color.",
    "advice.",
    "core.quotepath",
    "core.autocrlf",
    "core.abbrev",
    "init.defaultbranch",
    "safe.directory",
];

/// Subcommands of git that run a given or a configured program.
const GIT_VERBS: [&str; 12] = [
    "difftool",
    "mergetool",
    "filter-branch",
    "for-each-repo",
    "send-email",
    "instaweb",
    "web--browse",
    "daemon",
    "shell",
    "hook",
    "remote-ext",
    "remote-fd",
];

/// Rules for git only: settings on the command line, subcommands that run programs, and transports that are
/// commands.
fn git<'a>(words: &[&'a str]) -> Option<&'a str> {
    let harmless = |setting: &str| {
        let setting = setting.to_lowercase();
        HARMLESS_SETTINGS
            .iter()
            .any(|begins| setting.starts_with(begins))
    };
    let mut rest = words.iter().copied().enumerate();
    let mut verb = None;
    while let Some((at, word)) = rest.next() {
        match word {
            "-c" => {
                let (_, setting) = rest.next()?;
                if !harmless(setting) {
                    return Some(setting);
                }
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--attr-source"
            | "--super-prefix" => drop(rest.next()),
            "-p" | "--paginate" => return Some(word),
            word if word.starts_with("-c") && !harmless(&word[2..]) => return Some(word),
            word if word.starts_with('-') => {}
            word => {
                verb = Some((at, word));
                break;
            }
        }
    }
    let (at, verb) = verb?;
    let arguments = &words[at + 1..];
    if let Some(url) = arguments
        .iter()
        .find(|word| word.starts_with("ext::") || word.starts_with("fd::"))
    {
        return Some(url);
    }
    let has_short = |refused: &str, takes: &str| {
        let is_refused = |word: &&str| {
            let first = cluster(word).map(|letters| first_of(letters, refused, takes));
            matches!(first, Some(Short::Refused))
        };
        arguments.iter().copied().find(is_refused)
    };
    let has = |wanted: &[&str]| arguments.iter().copied().find(|word| wanted.contains(word));
    match verb {
        _ if GIT_VERBS.contains(&verb) => Some(verb),
        "config" if !reads_settings(arguments) => Some(verb),
        "bisect" => has(&["run", "visualize", "view"]),
        "submodule" => has(&["foreach"]),
        "rebase" => has_short("x", "CsSXr"),
        "grep" => has_short("O", "efABCm"),
        // `-u` of clone means --upload-pack; `-u` of push and add is harmless.
        "clone" | "fetch" | "ls-remote" => has_short("uc", "bjo"),
        _ => None,
    }
}

/// What `git config` may do: read settings.
const READS: [&str; 7] = [
    "--get",
    "--get-all",
    "--get-regexp",
    "--list",
    "-l",
    "get",
    "list",
];

/// Options that may stand before that, with and without a word that follows.
const WITH_WORD: [&str; 5] = ["-f", "--file", "--blob", "--type", "--default"];
const ALONE: [&str; 12] = [
    "--global",
    "--system",
    "--local",
    "--worktree",
    "--show-origin",
    "--show-scope",
    "--name-only",
    "--null",
    "-z",
    "--includes",
    "--bool",
    "--int",
];

/// Whether the first word of `git config` that is no other option reads settings. Behind the name of a setting, such a word
/// is its value.
fn reads_settings(arguments: &[&str]) -> bool {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.split_once('=') {
            _ if READS.contains(word) => return true,
            _ if WITH_WORD.contains(word) => drop(rest.next()),
            _ if ALONE.contains(word) => {}
            Some((option, _)) if WITH_WORD.contains(&option) => {}
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<String> {
        let mut words = line.split(' ').filter(|word| !word.is_empty());
        let program = words.next().unwrap_or_default();
        let arguments: Vec<Argument> = words
            .map(|word| Argument::plain(word.replace('_', " ")))
            .collect();
        starting(program, &arguments)
    }

    #[test]
    fn finds_arguments_that_start_programs() {
        for line in [
            "git -c core.pager=evil log",
            "git -ccore.pager=evil log",
            "git -c alias.x=!evil x",
            "git --config-env=core.pager=X log",
            "git --exec-path=/tmp status",
            "git clone --upload-pack=evil x",
            "git clone --upload-p evil x",
            "git clone -u evil x",
            "git clone ext::sh_-c_evil",
            "git push --receive-pack=evil",
            "git rebase -x evil HEAD~1",
            "git rebase --exec evil HEAD~1",
            "git -C /x bisect run evil",
            "git submodule foreach evil",
            "git grep -Oevil x",
            "git config alias.x !evil",
            "git config core.pager evil get",
            "git config core.pager --get",
            "git config --type --get core.pager evil",
            "git config --comment --get core.pager evil",
            "git -p log",
            "/usr/bin/git difftool -x evil",
            "ssh -o ProxyCommand=evil host",
            "ssh -oProxyCommand=evil host",
            "ssh -vo proxycommand=evil host",
            "ssh -F /tmp/config host",
            "ssh host -o LocalCommand=evil",
            "scp -S evil a host:b",
            "rsync -e evil a host:b",
            "rsync -ave evil a host:b",
            "rsync --rsh=evil a host:b",
            "tar -xf a --checkpoint=1 --checkpoint-action=exec=evil",
            "tar -xf a --to-command evil",
            "tar -I evil -xf a",
            "tar xIf evil a",
            "tar cfI a.tar evil f",
            "git clone -qu evil x",
            "git rebase -fx evil HEAD~1",
            "git grep -nOevil x",
            "git --attr-source HEAD -c alias.x=!evil x",
            "ssh -o \"ProxyCommand\"_evil host",
            "ssh -o =ProxyCommand=evil host",
            "zip -T -TTevil a",
            "zip -TT evil a",
            "zip -rTTevil a b",
            "tar -xf a --use-comp=evil",
            "find . -exec evil ;",
            "find . -name x -okdir evil ;",
            "fd -x evil",
            "rg --pre=evil x",
            "sort --compress-prog evil x",
        ] {
            assert!(found(line).is_some(), "{line}");
        }
    }

    #[test]
    fn accepts_harmless_arguments() {
        for line in [
            "git status",
            "git -C /x log --oneline -n 5",
            "git -c user.name=me commit -m exec",
            "git push -u origin main",
            "git add -u",
            "git config --get user.name",
            "git config --global --type=bool --get core.bare",
            "git config -f x list",
            "git clone https://example.org/x",
            "ssh -p 22 -o BatchMode=yes host ls -F",
            "ssh host tar -I zstd -c x",
            "rsync -av a host:b",
            "tar -czf a.tgz --exclude=x dir",
            "tar -xfIF",
            "tar xf a",
            "git rebase -Sxy HEAD~1",
            "git grep -eO x",
            "zip -T a",
            "find . -name *.rs -delete",
            "rg -n pattern",
            "ls -I x",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn an_expanded_argument_may_be_an_option() {
        let expanded = |begins: &str| {
            let argument = Argument {
                text: "x".to_owned(),
                begins: begins.to_owned(),
                is_expanded: true,
            };
            starting("git", &[argument])
        };
        assert!(expanded("").is_some());
        assert!(expanded("-c").is_some());
        assert!(expanded("src/").is_none());
    }

    #[test]
    fn finds_variables_that_start_programs() {
        for name in [
            "GIT_PAGER",
            "GIT_SSH_COMMAND",
            "GIT_EDITOR",
            "PAGER",
            "EDITOR",
            "HOME",
            "TAR_OPTIONS",
            "PERL5OPT",
            "OPENSSL_CONF",
            "SYSTEMD_PAGER",
            "KUBE_EDITOR",
            "SSH_ASKPASS",
            "LUA_INIT_5_4",
            "CC",
        ] {
            assert!(is_starting(name), "{name}");
        }
        for name in ["LANG", "CI", "PORT", "GIT_AUTHOR_NAME", "TERM"] {
            assert!(!is_starting(name), "{name}");
        }
    }
}
