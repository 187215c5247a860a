//! Options with which programs start another program.

/// The options with which some programs start another program.
pub(super) struct Rules {
    pub(super) names: &'static [&'static str],
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

/// Of a program without such options.
const NONE: Rules = Rules {
    names: &[],
    long: &[],
    exact: &[],
    short: "",
    takes: "",
    settings: &[],
    operands: usize::MAX,
};

/// Settings of ssh, in lower case, that name a program or a file that can.
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

/// The programs that have such options.
pub(super) const RULES: [Rules; 11] = [
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
    pub(super) fn option<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
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
pub(super) fn cluster(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-')?;
    (!letters.is_empty() && !letters.starts_with('-')).then_some(letters)
}

/// What matters in the letters of a word of short options.
pub(super) enum Short<'a> {
    /// One of them is refused.
    Refused,
    /// This one takes a value: the rest of the word, or the next word if that is empty.
    Takes(char, &'a str),
    Harmless,
}

/// The first letter that is in `refused`, or in `takes`, since all behind it is its value.
pub(super) fn first_of<'a>(letters: &'a str, refused: &str, takes: &str) -> Short<'a> {
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
