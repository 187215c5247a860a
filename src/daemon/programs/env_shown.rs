//! The variables of a job, as they may be shown to a person: values that look secret are masked, and leave the daemon
//! only for a person who asks for all variables ([`all`]).

use std::collections::BTreeMap;

use crate::protocol::environment::Environment;
use crate::protocol::record::MASKED;

/// Parts of names, in capitals, of variables with secret values.
const SECRET_PARTS: [&str; 8] = [
    "SECRET",
    "TOKEN",
    "PASSW",
    "PASSPHRASE",
    "APIKEY",
    "CREDENTIAL",
    "PRIVATE",
    "COOKIE",
];

/// Words of names, separated by `_` or another sign, of variables with secret values.
const SECRET_WORDS: [&str; 9] = [
    "KEY", "KEYS", "PASS", "PWD", "AUTH", "PAT", "DSN", "PIN", "SALT",
];

/// Parts of the names of variables whose values are never shown unasked, although some of them are no secrets: what
/// is masked for nothing can be asked for, what is shown cannot be taken back.
const MASKED_PARTS: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASS"];

/// Words with such a part that say nothing of a secret. As parts of longer words they do not count.
const PLAIN_WORDS: [&str; 22] = [
    "BYPASS",
    "COMPASS",
    "HOTKEY",
    "HOTKEYS",
    "KEYBOARD",
    "KEYBOARDS",
    "KEYMAP",
    "KEYMAPS",
    "KEYSTROKE",
    "KEYSTROKES",
    "KEYWORD",
    "KEYWORDS",
    "MONKEY",
    "PASSAGE",
    "PASSED",
    "PASSENGER",
    "PASSES",
    "PASSING",
    "PASSIVE",
    "PASSTHROUGH",
    "PASSTHRU",
    "TURKEY",
];

/// Names that look secret and are not: the working directories of the shell.
const PLAIN: [&str; 2] = ["PWD", "OLDPWD"];

/// How tokens of well-known services begin.
const TOKENS: [&str; 12] = [
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "npm_",
    "eyJ",
];

/// Least length of a word that is taken for a token.
const TOKEN_CHARS: usize = 16;

/// Least length of a secret value that is looked for in other texts. Shorter ones are there by chance.
const LEAST_SECRET: usize = 6;

/// Least length of a secret value of small letters alone. Shorter ones are names of users and programs, too: `postgres`.
const LEAST_LETTERS: usize = 12;

/// Whether a text is in other texts by chance, or for another reason than that it is a secret.
fn is_common(text: &str) -> bool {
    let is_word = text.bytes().all(|byte| byte.is_ascii_lowercase());
    text.len() < LEAST_SECRET || is_word && text.len() < LEAST_LETTERS
}

/// The secret values of an environment, to find them where they were put into something else.
pub(crate) struct Secrets<'a>(Vec<&'a str>);

impl<'a> Secrets<'a> {
    /// Those of these variables, without what is in other texts by chance.
    pub(crate) fn of(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::among(variables, |value| !is_common(value))
    }

    /// All of these variables, for texts into which they were put.
    pub(crate) fn all_of(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::among(variables, |value| !value.is_empty())
    }

    fn among(
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
        is_meant: impl Fn(&str) -> bool,
    ) -> Self {
        let secret = variables
            .into_iter()
            .filter(|(name, value)| is_meant(value) && looks_secret(name, value))
            .map(|(_, value)| value);
        let mut secrets: Vec<&str> = secret.collect();
        // One may be a part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    /// Whether a variable may be secret: it looks so, or has the value of one that does in it.
    pub(crate) fn have(&self, name: &str, value: &str) -> bool {
        is_masked(name, value) || self.0.iter().any(|secret| value.contains(secret))
    }

    /// A text with `***` in the place of the secret values.
    pub(crate) fn masked_in(&self, text: &str) -> String {
        let replace = |text: String, secret: &&str| {
            // In a pattern it matches literally.
            let text = text.replace(secret, MASKED);
            text.replace(&regex::escape(secret), MASKED)
        };
        self.0.iter().fold(text.to_owned(), replace)
    }
}

/// The variables with these names: their values in the environment of the job, `None` for those that
/// were removed from it. `secrets` are those of this environment.
pub(crate) fn shown(
    names: &[String],
    env: &Environment,
    secrets: &Secrets<'_>,
) -> BTreeMap<String, Option<String>> {
    let shown = |name: &String| {
        let value = env.get(name).map(|value| {
            if secrets.have(name, value) {
                MASKED.to_owned()
            } else {
                value.to_owned()
            }
        });
        (name.clone(), value)
    };
    names.iter().map(shown).collect()
}

/// All variables that a job was given, with their values as they are, and `None` for those with these names that were
/// removed.
pub(crate) fn all(names: &[String], env: &Environment) -> BTreeMap<String, Option<String>> {
    let removed = names.iter().map(|name| (name.clone(), None));
    let given = env.iter();
    let given = given.map(|(name, value)| (name.to_owned(), Some(value.to_owned())));
    removed.chain(given).collect()
}

/// Whether the value of a variable is masked where the environment of a job is shown or stored.
pub(crate) fn is_masked(name: &str, value: &str) -> bool {
    let has_part = |word: &str| {
        let has_any = MASKED_PARTS.iter().any(|part| word.contains(part));
        has_any && !PLAIN_WORDS.contains(&word)
    };
    let name_in_capitals = name.to_uppercase();
    let mut words = name_in_capitals.split(|c: char| !c.is_alphanumeric());
    words.any(has_part) || looks_secret(name, value)
}

/// Whether a value may be secret: by the name of its variable, or because it is a URL with a password or has the token of
/// a well-known service in it. It is left out of texts, too, so that this must not take common words and numbers for
/// secrets.
pub(crate) fn looks_secret(name: &str, value: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric();
    let name = name.trim_matches(is_sign).to_uppercase();
    let by_word = name.split(is_sign).any(|word| SECRET_WORDS.contains(&word));
    let by_part = SECRET_PARTS.iter().any(|part| name.contains(part));
    let by_name = (by_word || by_part) && !PLAIN.contains(&&*name);
    by_name || has_password(value) || value.split_whitespace().any(is_token)
}

/// Whether a word is a token of a well-known service.
pub(super) fn is_token(word: &str) -> bool {
    word.len() >= TOKEN_CHARS && TOKENS.iter().any(|start| word.starts_with(start))
}

/// Whether a text contains `scheme://user:password@`.
fn has_password(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_what_looks_secret() {
        for (name, value) in [
            ("API_KEY", "x"),
            ("GITHUB_TOKEN", "x"),
            ("DbPassword", "x"),
            ("AWS_SECRET_ACCESS_KEY_ID", "x"),
            ("PGPASSWORD", "x"),
            ("DB_PASS", "x"),
            ("X-Api-Key", "x"),
            ("aws.session.key", "x"),
            ("DATABASE_URL", "postgres://me:hunter2@db/shop"),
            ("MIRRORS", "http://a/ https://u:p@b"),
            ("GH", "ghp_0123456789abcdefghij"),
            ("JWT", "eyJhbGciOiJIUzI1NiJ9.e30.x"),
            ("AWS", "AKIA0123456789ABCDEF"),
            ("HEADER", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x"),
        ] {
            assert!(looks_secret(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("PORT", "3000"),
            ("NODE_ENV", "development"),
            ("KEYBOARD", "de"),
            ("PWD", "/home/me"),
            ("PATH", "/usr/bin:/bin"),
            ("URL", "http://localhost:3000/a@b:c"),
            ("COMPASS", "n"),
        ] {
            assert!(!looks_secret(name, value), "{name}={value}");
        }
    }

    #[test]
    fn names_with_a_part_of_a_secret_word_are_masked() {
        for name in [
            "USERPASS",
            "DBPASS2",
            "PASSCODE",
            "mykey1",
            "STRIPE_KEYID",
            "SSHKEYFILE",
            "SSH_KEYPATH",
            "KEYCLOAK",
            "BYPASS_TOKEN",
            "BYPASSTOKEN",
            "DB_PIN",
        ] {
            assert!(is_masked(name, "x"), "{name}");
        }
        for name in [
            "PORT",
            "PWD",
            "KEYBOARD",
            "keyboard_layout",
            "COMPASS",
            "ci.bypass",
            "Monkey-Patch",
            "HOTKEY",
            "FTP_PASSIVE",
            "TESTS_PASSED",
        ] {
            assert!(!is_masked(name, "x"), "{name}");
        }
        assert!(is_masked("URL", "http://me:pw@host/"));
    }

    #[test]
    fn the_copy_of_a_secret_is_masked_too() {
        let env = Environment::from_iter([
            ("B_SECRET", "hunter2"),
            ("COPY", "hunter2-x"),
            ("PIN", "12"),
            ("PGPASSWORD", "postgres"),
            ("PGUSER", "postgres"),
            ("PORT", "1234"),
        ]);
        let names = ["COPY", "PORT", "PGUSER", "PGPASSWORD"].map(str::to_owned);
        let shown = shown(&names, &env, &Secrets::of(env.iter()));
        assert_eq!(shown["COPY"].as_deref(), Some("***"));
        assert_eq!(shown["PORT"].as_deref(), Some("1234"));
        assert_eq!(shown["PGUSER"].as_deref(), Some("postgres"));
        assert_eq!(shown["PGPASSWORD"].as_deref(), Some("***"));
        let masked = Secrets::of(env.iter()).masked_in("x --with hunter2 -p 1234");
        assert_eq!(masked, "x --with *** -p 1234");
        // Nothing is left of a value in which there is another one.
        let both = Secrets::all_of([("A_TOKEN", "hunter2"), ("B_SECRET", "hunter2-long")]);
        assert_eq!(both.masked_in("x hunter2-long hunter2"), "x *** ***");
    }

    #[test]
    fn shows_only_what_was_set_for_the_job() {
        let env = [("HOME", "/home/me"), ("PORT", "1"), ("TOKEN", "hunter2")];
        let env = Environment::from_iter(env);
        let names = ["PORT", "TOKEN", "GONE"].map(str::to_owned);
        let shown = shown(&names, &env, &Secrets::of(env.iter()));
        let shown: Vec<_> = shown
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [("GONE", None), ("PORT", Some("1")), ("TOKEN", Some("***"))]
        );
        let all = all(&names, &env);
        let names: Vec<&str> = all.keys().map(String::as_str).collect();
        assert_eq!(names, ["GONE", "HOME", "PORT", "TOKEN"]);
        assert_eq!(all["HOME"].as_deref(), Some("/home/me"));
        assert_eq!(all["TOKEN"].as_deref(), Some("hunter2"));
    }
}
