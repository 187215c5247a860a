//! What a job may be called by people: a name that no target means something else by.
//!
//! The front doors of people ask [`fault`] before they name a job. The labels of agents are free text: who finds such a
//! job by its id needs no name.

/// Characters of a name at most.
pub const MAX_NAME: usize = 100;

/// Why `name` is no name for a job, in words; `None`: it is one.
pub fn fault(name: &str) -> Option<String> {
    let no_name = |why: &str| Some(format!("`{name}` is no name for a job: {why}"));
    if name.trim().is_empty() {
        return Some("a name cannot be empty".to_owned());
    }
    if name.chars().any(char::is_control) {
        return Some("a name cannot have control characters".to_owned());
    }
    if name.chars().count() > MAX_NAME {
        return Some(format!("a name has at most {MAX_NAME} characters"));
    }
    if name.starts_with("g:") {
        return no_name("`g:` begins a group");
    }
    match name.chars().next() {
        Some('-') if name == "-" => return no_name("`-` is the job of the last verb"),
        Some('-') => return no_name("`-` begins an option"),
        Some('+') => return no_name("`+` begins a tag"),
        _ => {}
    }
    let why = match name.chars().find(|c| "*?[]/@#".contains(*c))? {
        '/' => "`/` separates the parts of a path",
        '@' => "`@` separates a job from its machine",
        '#' => "`#` counts the jobs of a name (web#2)",
        c => {
            return Some(format!(
                "`{name}` is no name for a job: `{c}` is of a pattern over names"
            ));
        }
    };
    no_name(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_are_refused_with_the_reason() {
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
            ("a/b", "`/`"),
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
