//! Valid job names: names that cannot be mistaken for another kind of target.
//!
//! The front doors for people call [`fault`] before they name a job. Labels of agents are free
//! text, because such a job can also be addressed by its id.

/// Maximum number of characters in a name.
pub const MAX_NAME: usize = 100;

/// Maximum number of tags of a session.
pub const MAX_TAGS: usize = 32;

/// Why `name` is not a valid job name; `None` if it is valid.
pub fn fault(name: &str) -> Option<String> {
    let no_name = |why: &str| Some(format!("`{name}` is not a valid name: {why}"));
    if name.trim().is_empty() {
        return Some("a name cannot be empty".to_owned());
    }
    if name.chars().any(char::is_control) {
        return Some("a name cannot contain control characters".to_owned());
    }
    if name.chars().count() > MAX_NAME {
        return Some(format!("a name has at most {MAX_NAME} characters"));
    }
    if name.starts_with("g:") {
        return no_name("`g:` starts a group");
    }
    match name.chars().next() {
        Some('-') if name == "-" => return no_name("`-` is the job of the last verb"),
        Some('-') => return no_name("`-` starts an option"),
        Some('+') => return no_name("`+` starts a tag"),
        Some(':') => return no_name("`:` starts the number of a port"),
        _ => {}
    }
    let why = match name.chars().find(|c| "*?[]{}/@#".contains(*c))? {
        '/' => "`/` separates a project from its job",
        '@' => "`@` separates a job from its machine",
        '#' => "`#` numbers the jobs that share a name (web#2)",
        c => {
            return Some(format!(
                "`{name}` is not a valid name: `{c}` is part of a name pattern"
            ));
        }
    };
    no_name(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_another_meaning_are_refused_with_the_reason() {
        for (name, why) in [
            ("", "empty"),
            ("  ", "empty"),
            ("-", "last verb"),
            ("-x", "option"),
            ("+x", "tag"),
            ("g:x", "group"),
            ("w*", "`*`"),
            ("w?", "`?`"),
            ("[a]", "`[`"),
            ("a/b", "`/` separates a project from its job"),
            ("a@b", "`@`"),
            ("a#1", "`#`"),
            ("a\tb", "control"),
            (&"x".repeat(101), "at most 100"),
        ] {
            let said = fault(name).unwrap_or_default();
            assert!(said.contains(why), "{name}: {said}");
        }
        for name in [
            "web", "web-2", "api.v1", "it's odd", "Größe", "a+b", "g", "x:y",
        ] {
            assert_eq!(fault(name), None, "{name}");
        }
    }
}
